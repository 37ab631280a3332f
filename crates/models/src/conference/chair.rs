use std::f32::consts::PI;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, sin, vec2, vec3};
use sunfleck_scene::MeshData;

use crate::shape::{Shape, circle_sin_cos};

/// Returns an upholstered armchair on five castors that stands on the origin and faces +z. Slots: leather, plastic,
/// metal.
pub(super) fn chair() -> MeshData {
    let mut chair = Shape::new("conference chair");
    chair.superellipsoid(vec3(0.0, 0.47, 0.01), vec3(0.265, 0.06, 0.255), 36, 14, 0.36);
    back(&mut chair);
    arms(&mut chair);
    base(&mut chair);
    chair.finish()
}

/// Adds the back: a shell, curved around the person who leans on it, with a pillow on its front.
fn back(chair: &mut Shape) {
    const FINE: u32 = 20;
    // The middle surface of the shell; its front and back meet along the rim.
    let middle = |u: f32, v: f32| {
        let s = 2.0 * u - 1.0;
        let narrow = 1.0 - 0.16 * v * v;
        let round = 0.045 * sin(PI * v) * s * s;
        let x = 0.27 * s * narrow;
        let rise = 0.46 + 0.60 * v - 0.07 * v * v * s * s;
        vec3(x, rise, -0.225 - 0.13 * v + 0.03 * sin(PI * v) + 0.09 * s * s + round)
    };
    let bulge = |u: f32, v: f32| {
        let (s, t) = (2.0 * u - 1.0, 2.0 * v - 1.0);
        ((1.0 - s * s * s * s) * (1.0 - t * t * t * t)).max(0.0).sqrt()
    };
    // Seams across the pillow
    let seam = |v: f32| 1.0 - 0.14 * (1.0 - (sin(3.0 * PI * v)).abs()) * (PI * v).min(1.0);
    chair.slot(0).sheet(FINE, FINE, |u, v| middle(u, v) + Vec3::Z * (0.045 * bulge(u, v) * seam(v)));
    chair.slot(1).sheet(FINE, FINE, |u, v| middle(1.0 - u, v) - Vec3::Z * (0.020 * bulge(u, v)));
}

fn arms(chair: &mut Shape) {
    for side in [-1.0, 1.0] {
        let at = |x: f32, y: f32, z: f32| vec3(side * x, y, z);
        // A loop from under the seat up to the pad and back down
        let path: Vec<Vec3> = (0..=14)
            .map(|i| {
                let t = i as f32 / 14.0 * PI;
                let (sin, cos) = sunfleck_math::sin_cos(t);
                let up = sin.max(0.0).sqrt();
                at(0.20 + 0.105 * up, 0.43 + 0.215 * up, 0.02 + 0.19 * cos)
            })
            .collect();
        chair.slot(2).tube(&path, &[0.013; 15], 10);
        chair.slot(0).superellipsoid(at(0.305, 0.66, 0.02), vec3(0.036, 0.020, 0.155), 20, 8, 0.5);
    }
}

fn base(chair: &mut Shape) {
    chair.slot(1).chamfered(vec3(-0.13, 0.375, -0.15), vec3(0.13, 0.42, 0.15), 0.012);
    let spine =
        [vec3(0.0, 0.40, -0.12), vec3(0.0, 0.40, -0.24), vec3(0.0, 0.46, -0.29), vec3(0.0, 0.62, -0.285)];
    chair.tube(&spine, &[0.03, 0.03, 0.026, 0.018], 10);
    let lever = [vec3(0.08, 0.40, 0.05), vec3(0.24, 0.40, 0.06), vec3(0.29, 0.405, 0.06)];
    chair.tube(&lever, &[0.006, 0.006, 0.009], 8);
    let column = [
        vec2(0.0, 0.385),
        vec2(0.022, 0.385),
        vec2(0.022, 0.25),
        vec2(0.031, 0.245),
        vec2(0.031, 0.13),
        vec2(0.055, 0.125),
        vec2(0.060, 0.085),
        vec2(0.0, 0.08),
    ];
    chair.slot(2).lathe(&column, 20);
    for leg in 0..5 {
        let (sin, cos) = circle_sin_cos(leg, 5);
        let out = vec3(sin, 0.0, cos);
        let path = [0.04, 0.14, 0.23, 0.31, 0.325].map(|d| out * d + Vec3::Y * (0.115 - 0.13 * d * d * 2.6));
        chair.slot(2).tube(&path, &[0.028, 0.025, 0.021, 0.017, 0.010], 10);
        castor(chair, out * 0.31, leg as f32 * 1.7);
    }
    chair.transform(Affine3::IDENTITY);
}

/// Adds a castor of two wheels on a stem.
fn castor(chair: &mut Shape, at: Vec3, yaw: f32) {
    let wheel = [
        vec2(0.0, 0.008),
        vec2(0.018, 0.008),
        vec2(0.026, 0.005),
        vec2(0.028, 0.0),
        vec2(0.026, -0.005),
        vec2(0.018, -0.008),
        vec2(0.0, -0.008),
    ];
    let transform = Affine3::from_translation(at) * rotation_y(yaw);
    for side in [-0.014, 0.014] {
        let upright = sunfleck_math::transform::rotation_z(0.5 * PI);
        chair.transform(transform * Affine3::from_translation(vec3(side, 0.028, 0.0)) * upright);
        chair.slot(1).lathe(&wheel, 16);
    }
    chair.transform(transform).slot(2).tube(&[vec3(0.0, 0.028, 0.0), vec3(0.0, 0.085, 0.0)], &[0.006; 2], 6);
    chair.transform(Affine3::IDENTITY);
}
