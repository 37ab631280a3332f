//! Test whether a camera sees anything.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera};
use sunfleck_math::Vec2;

use super::stage::ground_nodes;
use crate::EditableWorld;

/// Returns whether a camera ray through the centre of any pixel hits a surface. The ground of a stage does not count.
pub fn sees_surfaces(world: &EditableWorld, camera: &PlacedCamera, size: [u32; 2], level: Level) -> bool {
    let ground: Vec<_> = ground_nodes(world.scene()).collect();
    let [width, height] = size;
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let hits = |x: u32, y: u32| {
        let ray = rays.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), Vec2::splat(0.5));
        world.committed().pick(level, &ray).is_some_and(|picked| !ground.contains(&picked.node))
    };
    (0..height).into_par_iter().any(|y| (0..width).any(|x| hits(x, y)))
}
