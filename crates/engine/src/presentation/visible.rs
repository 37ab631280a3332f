//! Test whether a camera sees anything.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera};
use sunfleck_math::Vec2;

use super::ground;
use crate::EditableWorld;

/// Returns whether a camera ray through the centre of any pixel hits a surface. The ground of a stage does not count.
pub fn sees_surfaces(world: &EditableWorld, camera: &PlacedCamera, size: [u32; 2], level: Level) -> bool {
    let ground: Vec<_> = ground::nodes(world.scene()).collect();
    let [width, height] = size;
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let hits = |x: u32, y: u32| {
        let ray = rays.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), Vec2::splat(0.5));
        world.committed().pick(level, &ray).is_some_and(|picked| !ground.contains(&picked.node))
    };
    (0..height).into_par_iter().any(|y| (0..width).any(|x| hits(x, y)))
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, transform::look_at};

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
