//! Test whether a camera sees anything.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera};
use sunfleck_math::{Ray, Vec2, Vec3};

use super::is_stage_ground;
use crate::EditableWorld;

/// Number of camera rays along the longer side of the image.
const RAYS: f32 = 512.0;

/// Returns whether a camera sees a surface: whether any ray of a fine grid hits one. The ground of a stage does not
/// count.
///
/// * `size` — width and height of the image, pixels.
pub fn sees_surfaces(world: &EditableWorld, camera: &PlacedCamera, size: [u32; 2], level: Level) -> bool {
    let scale = RAYS / size[0].max(size[1]).max(1) as f32;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most RAYS")]
    let [width, height] = size.map(|edge| (edge as f32 * scale).ceil().max(1.0) as u32);
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let hits = |x: u32, y: u32| {
        let ray = rays.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), Vec2::splat(0.5));
        world.committed().pick(level, &ray).is_some_and(|picked| !is_stage_ground(world.scene(), picked.node))
    };
    (0..height).into_par_iter().any(|y| (0..width).any(|x| hits(x, y)))
}

/// Returns the distance of the surface in the centre of a camera's image, along its axis, metres; `None` if there is
/// none. Windows are looked through.
pub fn distance_at_centre(world: &EditableWorld, camera: &PlacedCamera, level: Level) -> Option<f32> {
    let axis = camera.world_from_view.transform_vector3(Vec3::NEG_Z);
    let ray = Ray::new(camera.world_from_view.translation, axis.normalize_or(Vec3::NEG_Z));
    world.committed().distance_seen(level, &ray)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::transform::look_at;

    use super::*;

    #[test]
    fn a_camera_that_looks_away_sees_nothing() {
        let flowers = EditableWorld::new(sunfleck_models::build("sunflowers:flowers=10").unwrap()).unwrap();
        let mut camera = flowers.cameras()[0].clone();
        assert!(sees_surfaces(&flowers, &camera, [64, 64], Level::new()));
        camera.world_from_view = look_at(Vec3::Y * 100.0, Vec3::Y * 200.0, Vec3::X);
        assert!(!sees_surfaces(&flowers, &camera, [64, 64], Level::new()));
    }
}
