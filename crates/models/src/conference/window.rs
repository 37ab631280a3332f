//! The windows in the wall at x = 0, with blinds.

use sunfleck_math::{Vec3, cos, sin, vec3};
use sunfleck_scene::MeshData;

use super::ROOM;
use super::materials::slot;
use crate::random::Random;
use crate::shape::Shape;

/// Number of windows.
pub(super) const COUNT: u32 = 5;
/// Width of a window, metres.
pub(super) const WIDTH: f32 = 1.5;
/// Height of the lower edge.
pub(super) const SILL: f32 = 0.85;
/// Height of the upper edge.
pub(super) const HEAD: f32 = 2.55;
/// Depth of the reveal: the thickness of the wall.
pub(super) const REVEAL: f32 = 0.25;

/// Returns z of the first edge of a window.
pub(super) fn edge(window: u32) -> f32 {
    let pitch = ROOM.z / COUNT as f32;
    pitch * (window as f32 + 0.5) - 0.5 * WIDTH
}

pub(super) fn windows(random: Random) -> MeshData {
    let mut shape = Shape::new("windows and blinds");
    for window in 0..COUNT {
        let (from, to) = (edge(window), edge(window) + WIDTH);
        // Dusk behind the panes
        let at = |y: f32, z: f32| vec3(-REVEAL, y, z);
        shape.slot(slot::DUSK).quad([at(SILL, to), at(SILL, from), at(HEAD, from), at(HEAD, to)]);
        shape.slot(slot::WHITE);
        let bar = 0.05;
        let (out, inn) = (-REVEAL + 0.03, -REVEAL + 0.09);
        shape.chamfered(vec3(out, SILL, from), vec3(inn, SILL + bar, to), 0.005);
        shape.chamfered(vec3(out, HEAD - bar, from), vec3(inn, HEAD, to), 0.005);
        for z in [from, 0.5 * (from + to - bar), to - bar] {
            shape.chamfered(vec3(out, SILL + bar, z), vec3(inn, HEAD - bar, z + bar), 0.005);
        }
        shape.chamfered(vec3(-REVEAL, SILL - 0.035, from - 0.04), vec3(0.06, SILL, to + 0.04), 0.006);
        blind(&mut shape, from + 0.015, to - 0.015, random.fork(window).between(0.5, 0.95));
    }
    shape.finish()
}

/// Adds a blind of slightly curved slats with cords and a head rail; `tilt` is the angle of the slats in
/// radians.
fn blind(shape: &mut Shape, from: f32, to: f32, tilt: f32) {
    const SLATS: u32 = 60;
    let x = -0.055;
    let (top, bottom) = (HEAD - 0.06, SILL + 0.06);
    let pitch = (top - bottom) / SLATS as f32;
    let (sin_tilt, cos_tilt) = (sin(tilt), cos(tilt));
    shape.slot(slot::BLIND);
    for slat in 0..SLATS {
        let y = top - pitch * (slat as f32 + 0.5);
        shape.sheet(1, 5, |u, v| {
            let s = (2.0 * v - 1.0) * 0.019;
            let arch = 0.004 * (1.0 - (2.0 * v - 1.0) * (2.0 * v - 1.0));
            let (dx, dy) = (s * cos_tilt - arch * sin_tilt, s * sin_tilt + arch * cos_tilt);
            vec3(x - dx, y + dy, from + (to - from) * u)
        });
    }
    shape.chamfered(vec3(x - 0.028, top + 0.01, from), vec3(x + 0.028, HEAD - 0.005, to), 0.003);
    shape.chamfered(vec3(x - 0.018, bottom - 0.03, from), vec3(x + 0.018, bottom - 0.012, to), 0.003);
    for z in [from + 0.25, 0.5 * (from + to), to - 0.25] {
        for side in [-0.021, 0.021] {
            let cord = vec3(x + side, 0.0, z);
            shape.tube(&[cord + Vec3::Y * (bottom - 0.02), cord + Vec3::Y * (top + 0.02)], &[0.0012; 2], 4);
        }
    }
}
