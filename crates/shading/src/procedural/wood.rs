use sunfleck_math::{Vec3, vec3};
use sunfleck_sampling::rng;
use sunfleck_scene::Wood;

use super::noise::{octaves, value};
use super::{smooth_step, unit};

/// Returns the colour at a point: cylinders around y, bent by noise [Peachey85, wood grain]. In contrast to the paper,
/// the latewood of a ring ends abruptly, rings differ from year to year, and there are fibres.
pub(super) fn color(wood: &Wood, p: Vec3) -> Vec3 {
    // Lengths in units of rings; along the trunk all frequencies are low
    let p = p / wood.ring_width;
    let bend = 1.6 * octaves(vec3(p.x, 0.12 * p.y, p.z) * 0.09, 3);
    let radius = vec3(p.x, 0.0, p.z).length() + bend;
    let ring = radius.floor();
    let late = smooth_step(0.1, 0.9, radius - ring) - smooth_step(0.9, 1.0, radius - ring);
    #[allow(clippy::cast_possible_truncation, reason = "an integer; it saturates beyond the range of i32")]
    let year = rng::uniform([(ring as i32).cast_unsigned(), 0, 0, 0]);
    let fibre = value(vec3(p.x * 7.0, p.y * 0.35, p.z * 7.0));
    let patch = value(p * vec3(0.11, 0.02, 0.11));
    let t = 0.12 + late * (0.40 + 0.35 * year) + 0.14 * fibre + 0.12 * patch;
    wood.early.lerp(wood.late, unit(t))
}
