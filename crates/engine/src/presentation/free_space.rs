//! Free space around a camera, and directions that probe it.

use fearless_simd::Level;
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_sampling::{rng, warp};

use crate::EditableWorld;

/// Returns unit directions that cover the sphere evenly, the same ones at each call.
pub(super) fn all_directions(count: u32) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |i| {
        warp::uniform_sphere(Vec2::new((i as f32 + 0.5) / count as f32, rng::uniform([i, 0, 0, 0])))
    })
}

/// Free space around a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeSpace {
    /// Distance to the surface in the middle of the image, metres; infinite if there is none.
    pub ahead: f32,
    /// Distance to the nearest surface in any direction, estimated, metres; infinite if there is none.
    pub around: f32,
    /// Whether surfaces surround the camera, as in a room.
    pub enclosed: bool,
}

impl FreeSpace {
    /// Traces rays in all directions.
    pub fn around(world: &EditableWorld, camera: &PlacedCamera, level: Level) -> Self {
        const RAYS: u32 = 256;
        /// Fraction of the rays that hit a surface in a room, which may have windows or no roof.
        const MIN_ENCLOSED: f32 = 0.6;
        let eye = camera.world_from_view.translation;
        let free = |direction: Vec3| {
            let picked = world.committed().pick(level, &Ray::new(eye, direction));
            picked.map_or(f32::INFINITY, |picked| picked.distance)
        };
        let distances: Vec<f32> = all_directions(RAYS).map(free).collect();
        let hits = distances.iter().filter(|distance| distance.is_finite()).count();
        let forward = camera.world_from_view.transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z);
        Self {
            ahead: free(forward),
            around: distances.into_iter().fold(f32::INFINITY, f32::min),
            enclosed: hits as f32 >= MIN_ENCLOSED * RAYS as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_enclose_and_objects_do_not() {
        let office = EditableWorld::new(sunfleck_models::build("office").unwrap()).unwrap();
        let space = FreeSpace::around(&office, &office.cameras()[0], Level::new());
        assert!(space.enclosed && space.around > 0.0 && space.around <= space.ahead, "{space:?}");
        let flowers = EditableWorld::new(sunfleck_models::build("sunflowers:flowers=10").unwrap()).unwrap();
        let mut above = flowers.cameras()[0].clone();
        above.world_from_view.translation.y += 100.0;
        assert!(!FreeSpace::around(&flowers, &above, Level::new()).enclosed);
    }
}
