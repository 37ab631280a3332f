use std::f32::consts::TAU;

use sunfleck_math::transform::rotation_x;
use sunfleck_math::{Affine3, Vec3, sin_cos, vec3};
use sunfleck_scene::MeshData;

use crate::shape::Shape;

/// Returns a swivel chair that stands on the origin and faces +z. Slots: fabric, plastic, metal.
pub(super) fn chair() -> MeshData {
    let mut chair = Shape::new("swivel chair");
    // Upholstery
    chair.superellipsoid(vec3(0.0, 0.475, 0.0), vec3(0.245, 0.042, 0.235), 22, 8, 0.38);
    chair.transform(Affine3::from_translation(vec3(0.0, 0.82, -0.245)) * rotation_x(-0.14));
    chair.superellipsoid(Vec3::ZERO, vec3(0.215, 0.27, 0.034), 22, 10, 0.42);
    chair.transform(Affine3::IDENTITY);
    // Shells and armrests
    chair.slot(1).chamfered(vec3(-0.16, 0.415, -0.16), vec3(0.16, 0.445, 0.16), 0.01);
    let spine =
        [vec3(0.0, 0.43, -0.12), vec3(0.0, 0.44, -0.26), vec3(0.0, 0.52, -0.31), vec3(0.0, 0.78, -0.285)];
    chair.tube(&spine, &[0.022; 4], 8);
    for side in [-1.0, 1.0] {
        let x = 0.27 * side;
        chair.chamfered(vec3(x - 0.03, 0.655, -0.14), vec3(x + 0.03, 0.685, 0.12), 0.01);
        let arm = [
            vec3(0.15 * side, 0.43, -0.02),
            vec3(x, 0.44, -0.02),
            vec3(x, 0.52, -0.02),
            vec3(x, 0.66, -0.02),
        ];
        chair.tube(&arm, &[0.014; 4], 6);
    }
    // Column and five-star base
    chair.slot(2).tube(&[vec3(0.0, 0.08, 0.0), vec3(0.0, 0.42, 0.0)], &[0.026; 2], 10);
    for leg in 0..5 {
        let (sin, cos) = sin_cos(leg as f32 / 5.0 * TAU);
        let out = vec3(sin, 0.0, cos);
        let path = [Vec3::Y * 0.11, out * 0.15 + Vec3::Y * 0.105, out * 0.30 + Vec3::Y * 0.07];
        chair.slot(2).tube(&path, &[0.026, 0.021, 0.014], 6);
        chair.slot(1).sphere(out * 0.30 + Vec3::Y * 0.03, 0.030, 8);
    }
    chair.finish()
}
