//! Typical distance of neighbouring points.

use sunfleck_math::DVec3;

/// Points whose nearest neighbours are looked for.
const SAMPLES: usize = 512;
/// Points in a leaf of the tree.
const LEAF: usize = 256;

/// Returns the median distance of a sample of the points to the nearest point that is elsewhere. If there is none, the
/// points are one, whose distance is taken to be 1.
pub(super) fn typical_distance(points: &[DVec3]) -> f64 {
    let step = points.len().div_ceil(SAMPLES).max(1);
    let samples: Vec<DVec3> = points.iter().copied().step_by(step).collect();
    let mut sorted = points.to_vec();
    sort(&mut sorted, 0);
    let mut distances: Vec<f64> = samples
        .iter()
        .map(|&sample| nearest(&sorted, 0, sample, f64::INFINITY).sqrt())
        .filter(|distance| distance.is_finite())
        .collect();
    if distances.is_empty() {
        return 1.0;
    }
    let middle = distances.len() / 2;
    *distances.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Sorts points into a k-d tree: the middle point of a range divides it along an axis, which is the next one for both
/// halves.
fn sort(points: &mut [DVec3], axis: usize) {
    if points.len() <= LEAF {
        return;
    }
    let middle = points.len() / 2;
    let (before, _, after) = points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    sort(before, (axis + 1) % 3);
    sort(after, (axis + 1) % 3);
}

/// Returns the smaller one of `bound` and the squared distance from a point to the nearest one that is elsewhere.
fn nearest(points: &[DVec3], axis: usize, from: DVec3, bound: f64) -> f64 {
    if points.len() <= LEAF {
        let squares = points.iter().map(|point| point.distance_squared(from));
        return squares.filter(|&square| square > 0.0).fold(bound, f64::min);
    }
    let (before, rest) = points.split_at(points.len() / 2);
    let Some((middle, after)) = rest.split_first() else { return bound };
    let next = (axis + 1) % 3;
    let square = middle.distance_squared(from);
    let bound = if square > 0.0 { bound.min(square) } else { bound };
    let offset = from[axis] - middle[axis];
    let (near, far) = if offset < 0.0 { (before, after) } else { (after, before) };
    let bound = nearest(near, next, from, bound);
    if offset * offset < bound { nearest(far, next, from, bound) } else { bound }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_distance_is_that_of_brute_force() {
        // A grid whose points are moved by hashes, with duplicates and an outlier
        let hash =
            |i: u32, salt: u32| f64::from(i.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 16) / 65536.0;
        let point = |i: u32| {
            let [x, y] = [i % 80, i / 80].map(f64::from);
            DVec3::new(x + 0.3 * hash(i, 1), y + 0.3 * hash(i, 99), hash(i, 7))
        };
        let mut points: Vec<DVec3> = (0..6400).map(point).collect();
        points.extend_from_within(..100);
        points.push(DVec3::splat(1e6));
        let step = points.len().div_ceil(SAMPLES);
        let nearest = |from: &DVec3| {
            let others = points.iter().map(|point| point.distance(*from)).filter(|&distance| distance > 0.0);
            others.fold(f64::INFINITY, f64::min)
        };
        let mut expected: Vec<f64> = points.iter().step_by(step).map(nearest).collect();
        expected.sort_by(f64::total_cmp);
        let found = typical_distance(&points);
        assert!((found - expected[expected.len() / 2]).abs() < 1e-9, "{found}");
        assert_eq!([typical_distance(&[DVec3::ONE; 9]), typical_distance(&[DVec3::ONE])], [1.0; 2]);
    }
}
