//! The point of a patch that is farthest in a direction.

use glam::{DVec3, Vec3};

use super::bicubic::{bicubic, split_bicubic};
use super::patch::BezierPatch;

/// Part of the range of the control points by which another point may be farther than the one that is found.
const TOLERANCE: f64 = 1e-6;

/// Part of a patch: how far its control points are in the direction, and its place in the unit square.
struct Part {
    heights: [f64; 16],
    from: [f64; 2],
    size: [f64; 2],
}

/// Best of the points that have been seen.
struct Best {
    height: f64,
    location: [f64; 2],
    /// Height that does not count.
    tolerance: f64,
}

impl BezierPatch {
    /// Returns the point that is farthest in a direction, but for a millionth of the extent of the control points.
    ///
    /// No point of a part is farther than its farthest control point [Farin02, convex hull]. Parts without one that is
    /// farther than a known point are left out, and others are halved.
    pub(super) fn farthest_point(&self, direction: DVec3) -> Vec3 {
        let [x, y, z] = self.nets();
        let heights = std::array::from_fn(|i| direction.dot(DVec3::new(x[i], y[i], z[i])));
        let whole = Part { heights, from: [0.0; 2], size: [1.0; 2] };
        let least = heights.into_iter().fold(f64::INFINITY, f64::min);
        let tolerance = TOLERANCE * (whole.highest() - least);
        let mut best = Best { height: f64::NEG_INFINITY, location: [0.0; 2], tolerance };
        whole.search(&mut best);
        DVec3::from([x, y, z].map(|net| bicubic(net, best.location).value)).as_vec3()
    }
}

impl Part {
    fn highest(&self) -> f64 {
        self.heights.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Improves the best point by those of the part.
    fn search(&self, best: &mut Best) {
        for (i, corner) in [(0, [0.0, 0.0]), (3, [1.0, 0.0]), (12, [0.0, 1.0]), (15, [1.0, 1.0])] {
            if self.heights[i] > best.height {
                best.height = self.heights[i];
                best.location = [0, 1].map(|k| self.from[k] + self.size[k] * corner[k]);
            }
        }
        if self.highest() > best.height + best.tolerance {
            let along = usize::from(self.size[1] > self.size[0]);
            let mut halves = self.halves(along);
            if halves[1].highest() > halves[0].highest() {
                halves.swap(0, 1);
            }
            halves.iter().for_each(|half| half.search(best));
        }
    }

    fn halves(&self, along: usize) -> [Self; 2] {
        let [low, high] = split_bicubic(&self.heights, along);
        let (mut size, mut middle) = (self.size, self.from);
        size[along] *= 0.5;
        middle[along] += size[along];
        [Self { heights: low, from: self.from, size }, Self { heights: high, from: middle, size }]
    }
}
