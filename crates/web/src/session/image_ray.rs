//! Rays through positions of the image.

use sunfleck_integrators::{CameraRays, PlacedCamera};
use sunfleck_math::{Ray, Vec2};

/// Returns the ray through a position of the image and the centre of the lens.
///
/// * `size` — width and height of the image in pixels.
/// * `at` — position, 0 … 1 from the upper left corner.
pub(super) fn ray_at(camera: &PlacedCamera, [width, height]: [u32; 2], at: [f32; 2]) -> Ray {
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    rays.ray(Vec2::from(at) * Vec2::new(width as f32, height as f32), Vec2::splat(0.5))
}
