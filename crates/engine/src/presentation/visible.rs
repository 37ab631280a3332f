//! What is around a camera: whether it sees anything, and how much free space it has.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera};
use sunfleck_math::{Aabb, Ray, Vec2, Vec3};
use sunfleck_sampling::{rng, warp};

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

/// Returns the bounds of all visible instances but the ground of a stage; empty if there are none.
pub fn bounds_without_ground(world: &EditableWorld) -> Aabb {
    let scene = world.scene();
    let ground: Vec<_> = ground_nodes(scene).collect();
    let instances = scene.world_instances();
    let objects = instances.iter().filter(|instance| !ground.contains(&instance.node));
    objects.fold(Aabb::EMPTY, |bounds, instance| {
        let mesh = scene.mesh(instance.mesh);
        mesh.map_or(bounds, |mesh| bounds.union(mesh.bounds().transformed(&instance.world_from_object)))
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
        let direction = |i: u32| {
            warp::uniform_sphere(Vec2::new((i as f32 + 0.5) / RAYS as f32, rng::uniform([i, 0, 0, 0])))
        };
        let distances: Vec<f32> = (0..RAYS).map(|i| free(direction(i))).collect();
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
        assert!(sees_surfaces(&flowers, &flowers.cameras()[0], [64, 64], Level::new()));
        above.world_from_view = sunfleck_math::transform::look_at(Vec3::Y * 100.0, Vec3::Y * 200.0, Vec3::X);
        assert!(!sees_surfaces(&flowers, &above, [64, 64], Level::new()), "it looks up");
    }
}
