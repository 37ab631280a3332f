//! Splits of the lights of a cluster by the surface area orientation heuristic [Conty18, §4.4].
//!
//! The cost of a cluster is the probability that it is sampled in vain: its power, times the area of its bounds, times
//! a measure of the directions into which it emits. Lights of the same orientation therefore stay together, such as
//! those of one face of a lamp, and so do strong ones.

use std::f32::consts::{FRAC_PI_2, PI};

use sunfleck_math::{Aabb, Vec3, acos, cos, sin};

use super::tree::LightBounds;

/// Number of buckets along an axis.
const BUCKETS: usize = 12;
/// Width that is added to the bounds of a part, relative to the extent of the cluster: boxes of punctual lights have no
/// area, and would cost nothing however many lights they have.
const MARGIN: f32 = 1e-3;
/// Greatest depth of a leaf: paths from the root have a bit for each level in the tables of the GPU.
pub(super) const MAX_DEPTH: u32 = 31;

/// Splits two or more lights into two parts, and returns the number of lights in the first.
///
/// The indices in each part stay ascending, so that the tree depends on the lights alone. Where no plane separates
/// lights, or an uneven one could exceed [`MAX_DEPTH`], it is at the median along the longest extent.
///
/// * `scratch` — one element per light.
/// * `level` — depth of the cluster.
pub(super) fn split(
    leaves: &[LightBounds],
    order: &mut [u32],
    scratch: &mut [(f32, u32)],
    level: u32,
) -> usize {
    let deepest = level + 1 + order.len().next_power_of_two().trailing_zeros();
    let plane = if deepest <= MAX_DEPTH { cheapest(leaves, order) } else { None };
    match plane {
        Some(plane) => {
            let is_first = |light: u32| plane.bucket(center(leaves, light)) <= plane.last;
            partition(order, scratch, is_first)
        }
        None => median(leaves, order, scratch),
    }
}

fn center(leaves: &[LightBounds], light: u32) -> Vec3 {
    leaves[light as usize].bounds.center()
}

/// Boundary between two buckets.
#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    /// Start of the first bucket, and number of buckets per metre.
    start: f32,
    scale: f32,
    /// Last bucket of the first part.
    last: usize,
}

impl Plane {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    fn bucket(&self, center: Vec3) -> usize {
        (((center[self.axis] - self.start) * self.scale).max(0.0) as usize).min(BUCKETS - 1)
    }
}

/// Returns the plane of least cost; `None` if no plane separates lights.
fn cheapest(leaves: &[LightBounds], order: &[u32]) -> Option<Plane> {
    let centers = Aabb::from_points(order.iter().map(|&light| center(leaves, light)));
    let size = centers.size();
    let margin = MARGIN * size.max_element();
    let mut best: Option<(f32, Plane)> = None;
    for axis in (0..3).filter(|&axis| size[axis] > 0.0) {
        let scale = BUCKETS as f32 / size[axis];
        let plane = Plane { axis, start: centers.min[axis], scale, last: 0 };
        let mut buckets = [Part::EMPTY; BUCKETS];
        for &light in order {
            buckets[plane.bucket(center(leaves, light))].add(&leaves[light as usize]);
        }
        for &light in order {
            buckets[plane.bucket(center(leaves, light))].widen(&leaves[light as usize]);
        }
        // Thin slabs are penalised [Conty18, Eq. 3]
        let shape = size.max_element() / size[axis];
        for last in 0..BUCKETS - 1 {
            let (first, second) = buckets.split_at(last + 1);
            let (first, second) = (Part::union(first), Part::union(second));
            if first.power > 0.0 && second.power > 0.0 {
                let cost = shape * (first.cost(margin) + second.cost(margin));
                if cost.is_finite() && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Plane { last, ..plane }));
                }
            }
        }
    }
    best.map(|(_, plane)| plane)
}

/// Bounds of the emission of some lights.
#[derive(Clone, Copy)]
struct Part {
    bounds: Aabb,
    power: f32,
    /// Sum of the normals.
    normals: Vec3,
    /// Largest angle between the axis and a normal.
    spread: f32,
}

impl Part {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, power: 0.0, normals: Vec3::ZERO, spread: 0.0 };

    /// Adds a light but for its spread.
    fn add(&mut self, light: &LightBounds) {
        self.bounds = self.bounds.union(light.bounds);
        self.power += light.power;
        self.normals += light.ng.unwrap_or(Vec3::ZERO);
    }

    fn axis(&self) -> Option<Vec3> {
        self.normals.try_normalize()
    }

    /// Widens the cone of the part for a light, after all have been added.
    fn widen(&mut self, light: &LightBounds) {
        let angle = match (self.axis(), light.ng) {
            (Some(axis), Some(ng)) => acos(axis.dot(ng).clamp(-1.0, 1.0)),
            _ => PI,
        };
        self.spread = self.spread.max(angle);
    }

    fn union(parts: &[Self]) -> Self {
        let filled = || parts.iter().filter(|part| part.power > 0.0);
        let sum = filled().fold(Self::EMPTY, |sum, part| Self {
            bounds: sum.bounds.union(part.bounds),
            power: sum.power + part.power,
            normals: sum.normals + part.normals,
            spread: 0.0,
        });
        let angle = |part: &Self| match (sum.axis(), part.axis()) {
            (Some(a), Some(b)) => (acos(a.dot(b).clamp(-1.0, 1.0)) + part.spread).min(PI),
            _ => PI,
        };
        Self { spread: filled().map(angle).fold(0.0, f32::max), ..sum }
    }

    /// Returns power × area × measure of directions [Conty18, Eq. 1 and 2]; each light emits up to a right angle from
    /// its normal.
    ///
    /// * `margin` — width that is added to the bounds.
    fn cost(&self, margin: f32) -> f32 {
        let (spread, reach) = (self.spread, (self.spread + FRAC_PI_2).min(PI));
        let (sin_spread, cos_spread) = (sin(spread), cos(spread));
        let directions = 2.0 * PI * (1.0 - cos_spread)
            + FRAC_PI_2
                * (2.0 * reach * sin_spread - cos(spread - 2.0 * reach) - 2.0 * spread * sin_spread
                    + cos_spread);
        let size = self.bounds.size() + Vec3::splat(margin);
        self.power * (size.x * size.y + size.y * size.z + size.z * size.x) * directions
    }
}

/// Splits at the median of the centres along their longest extent.
fn median(leaves: &[LightBounds], order: &mut [u32], scratch: &mut [(f32, u32)]) -> usize {
    let size = Aabb::from_points(order.iter().map(|&light| center(leaves, light))).size();
    let axis = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let compare = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    for (key, &light) in scratch.iter_mut().zip(&*order) {
        *key = (center(leaves, light)[axis], light);
    }
    let pivot = *scratch.select_nth_unstable_by(order.len() / 2, compare).1;
    partition(order, scratch, |light| compare(&(center(leaves, light)[axis], light), &pivot).is_lt())
}

/// Moves the lights of the first part to the front, both parts in their order, and returns their number.
fn partition(order: &mut [u32], scratch: &mut [(f32, u32)], is_first: impl Fn(u32) -> bool) -> usize {
    let mut seconds = 0;
    for i in 0..order.len() {
        let light = order[i];
        if is_first(light) {
            order[i - seconds] = light;
        } else {
            scratch[seconds].1 = light;
            seconds += 1;
        }
    }
    let middle = order.len() - seconds;
    for (light, &(_, second)) in order[middle..].iter_mut().zip(&*scratch) {
        *light = second;
    }
    middle
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    fn light(at: Vec3, ng: Option<Vec3>) -> LightBounds {
        LightBounds { bounds: Aabb::from_points([at, at + vec3(0.1, 0.1, 0.0)]), ng, power: 1.0 }
    }

    fn first_part(leaves: &[LightBounds]) -> Vec<u32> {
        let mut order: Vec<u32> = (0u32..).take(leaves.len()).collect();
        let middle = split(leaves, &mut order, &mut vec![(0.0, 0); leaves.len()], 0);
        order[..middle].to_vec()
    }

    #[test]
    fn groups_are_separated_where_they_are() {
        let at = |i: u8| f32::from(i) + if i < 3 { 0.0 } else { 50.0 };
        let leaves: Vec<_> = (0..10).map(|i| light(vec3(at(i), 0.0, 0.0), Some(Vec3::Z))).collect();
        assert_eq!(first_part(&leaves), [0, 1, 2], "not at the median");
    }

    #[test]
    fn points_are_separated_where_they_are() {
        let at = |i: u8| f32::from(i) + if i < 3 { 0.0 } else { 50.0 };
        let point = |i: u8| LightBounds {
            bounds: Aabb::from_points([vec3(at(i), 1.0, 1.0)]),
            ..light(Vec3::ZERO, None)
        };
        assert_eq!(first_part(&(0..10).map(point).collect::<Vec<_>>()), [0, 1, 2], "boxes without area");
    }

    #[test]
    fn orientations_are_separated() {
        // Two rows that are near each other, one facing up and one facing down
        let row = |i: u8| {
            let (ng, y) = if i.is_multiple_of(2) { (Vec3::Y, 0.0) } else { (Vec3::NEG_Y, 2.0) };
            light(vec3(f32::from(i / 2), y, 0.0), Some(ng))
        };
        let leaves: Vec<_> = (0..8).map(row).collect();
        assert_eq!(first_part(&leaves), [0, 2, 4, 6]);
    }

    #[test]
    fn lights_at_one_place_are_halved() {
        assert_eq!(first_part(&vec![light(Vec3::ONE, None); 9]).len(), 4);
    }

    #[test]
    fn no_leaf_is_deeper_than_the_greatest_depth() {
        // Each light is a tenth as far from the origin as the one before: every split sets one or two apart
        let distance = |i: i32| (1..=i).fold(1e30f32, |x, _| x * 0.1);
        let leaves: Vec<_> = (0..60).map(|i| light(vec3(distance(i), 0.0, 0.0), None)).collect();
        fn depth(leaves: &[LightBounds], order: &mut [u32], level: u32) -> u32 {
            if order.len() < 2 {
                return level;
            }
            let middle = split(leaves, order, &mut vec![(0.0, 0); order.len()], level);
            let (first, second) = order.split_at_mut(middle);
            assert!(!first.is_empty() && !second.is_empty(), "both parts have lights");
            depth(leaves, first, level + 1).max(depth(leaves, second, level + 1))
        }
        let deepest = |level| depth(&leaves, &mut (0..60).collect::<Vec<_>>(), level);
        assert!((9..=MAX_DEPTH).contains(&deepest(0)), "{}", deepest(0));
        assert_eq!(deepest(20), MAX_DEPTH, "uneven splits end in time");
    }
}
