use std::f32::consts::PI;

use sunfleck_math::{Vec3, sin, vec3};
use sunfleck_scene::Marble;

use super::noise::{octaves, turbulence};
use super::unit;

/// Returns the colour at a point: sheets across x, bent by turbulence, `sin(x + turbulence(p))` [Perlin85, marble]. In
/// contrast to the paper, a vein is a narrow line at the zeros of the sine, a second, finer set of veins crosses the
/// first one, and low-frequency noise tints the stone in between.
pub(super) fn color(marble: &Marble, p: Vec3) -> Vec3 {
    let p = p / marble.spacing;
    let bend = marble.turbulence;
    let cloud = octaves(p * 0.9, 2);
    let vein = |phase: f32, sharpness: f32| 1.0 - (sin(PI * phase).abs() * sharpness).min(1.0);
    let main = vein(p.x + bend * turbulence(p * 0.8, 5), 2.6);
    let across = vec3(0.7, 0.3, 1.1);
    let fine = vein(p.dot(across) + 1.3 * bend * turbulence(p * 1.7 + across, 3), 5.0);
    // Veins fade in and out along their length
    let strength = unit(0.55 + 0.9 * cloud);
    let t = 0.75 * main * main * strength + 0.30 * fine * (1.0 - strength) + 0.16 * cloud.abs();
    marble.stone.lerp(marble.vein, unit(t))
}
