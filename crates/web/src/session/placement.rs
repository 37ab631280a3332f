//! Where the content of an added file is placed: on the surface in the middle of the image, or where it was dropped.

use fearless_simd::Level;
use sunfleck_engine::{EditableWorld, VisibleContent};
use sunfleck_integrators::{PlacedCamera, World};
use sunfleck_math::{Ray, Vec3, sin_cos};
use sunfleck_scene::Scene;

use super::dropping::Shape;
use super::image_ray::ray_at;

/// Smallest y component of the normal of a surface on which objects stand.
const MIN_UP: f32 = 0.5;
/// Distances of the rings of places that are tried, in diameters of the object.
const RINGS: [f32; 3] = [0.6, 1.1, 1.7];
/// Number of places in a ring.
const PLACES: u8 = 8;
/// Part of the image, around its middle, in which places beside one that is taken are.
const LOOKED_AT: f32 = 0.6;

/// Returns the translation that puts the content of another scene on the surface at a position of the image: its lowest
/// point on the surface, its centre above the position. Against a wall, it stands in front of it.
///
/// * `size` — width and height of the image in pixels.
/// * `at` — position that the user has chosen, 0 … 1 from the upper left corner. `None` is the middle; if that is taken,
///   a place beside it in view is used.
pub(super) fn resting_place(
    world: &EditableWorld,
    camera: &PlacedCamera,
    size: [u32; 2],
    at: Option<[f32; 2]>,
    added: &Scene,
) -> Vec3 {
    let Some(Shape { bounds, .. }) = Shape::of(added, &added.world_instances()) else { return Vec3::ZERO };
    let center = bounds.center();
    let bottom = Vec3::new(center.x, bounds.min.y, center.z);
    let place = place_of(world, camera, size, at.unwrap_or([0.5; 2]), bounds.size());
    let is_looked_at = |place: Vec3| {
        let middle = place + Vec3::new(0.0, 0.5 * bounds.size().y, 0.0);
        is_looked_at(camera, size, middle)
    };
    let place = place.map(|place| match at {
        Some(_) => place,
        None => free_place(world.committed(), place, bounds.size(), is_looked_at),
    });
    place.map_or(Vec3::ZERO, |place| place - bottom)
}

/// Returns where the middle of the bottom of an object goes; `None` if the scene is empty.
fn place_of(
    world: &EditableWorld,
    camera: &PlacedCamera,
    size: [u32; 2],
    at: [f32; 2],
    extent: Vec3,
) -> Option<Vec3> {
    let ray = ray_at(camera, size, at);
    let level = Level::new();
    let Some(hit) = world.committed().pick(level, &ray) else { return below_view(world.scene(), &ray) };
    let facing = if hit.ng.dot(ray.direction) > 0.0 { -hit.ng } else { hit.ng };
    if facing.y > MIN_UP {
        return Some(hit.position);
    }
    // A wall or a ceiling: in front of it, on what lies below
    let away = Vec3::new(facing.x, 0.0, facing.z).try_normalize();
    let away = away.unwrap_or(Vec3::new(-ray.direction.x, 0.0, -ray.direction.z).normalize_or(Vec3::Z));
    let reach = 0.525 * ((extent.x * away.x).abs() + (extent.z * away.z).abs());
    let start = hit.position + away * reach;
    let ground = world.committed().pick(level, &Ray::new(start, Vec3::NEG_Y));
    Some(ground.map_or(start, |ground| ground.position))
}

/// Returns whether a point is in the part of the image around its middle.
fn is_looked_at(camera: &PlacedCamera, size: [u32; 2], point: Vec3) -> bool {
    let corner = ray_at(camera, size, [0.5 + 0.5 * LOOKED_AT, 0.5 - 0.5 * LOOKED_AT]);
    let view_from_world = camera.world_from_view.inverse();
    let point = view_from_world.transform_point3(point);
    let from = view_from_world.transform_point3(corner.origin);
    let along = view_from_world.transform_vector3(corner.direction);
    let t = (point.z - from.z) / along.z;
    let edge = from + along * t;
    t > 0.0 && point.x.abs() <= edge.x && point.y.abs() <= edge.y
}

/// Returns where a ray that hits nothing passes the height of the lowest object, if that is near, or else the middle of
/// the scene at that height.
fn below_view(scene: &Scene, ray: &Ray) -> Option<Vec3> {
    let VisibleContent { bounds, .. } = VisibleContent::of(scene);
    if bounds.is_empty() {
        return None;
    }
    let (center, floor) = (bounds.center(), bounds.min.y);
    let on_floor = ray.at((floor - ray.origin.y) / ray.direction.y);
    let is_near =
        (on_floor - ray.origin).dot(ray.direction) > 0.0 && on_floor.distance(center) < bounds.diagonal();
    Some(if is_near { on_floor } else { Vec3::new(center.x, floor, center.z) })
}

/// Returns the nearest free place beside one that is taken: on a surface of the same height if there is one, or else on
/// another one; the place itself if none is free and acceptable.
fn free_place(world: &World, place: Vec3, extent: Vec3, is_acceptable: impl Fn(Vec3) -> bool) -> Vec3 {
    if is_free(world, place, extent) {
        return place;
    }
    let angle = |i: u8| f32::from(i) * std::f32::consts::TAU / f32::from(PLACES);
    let diameter = extent.x.max(extent.z);
    let start = place + Vec3::new(0.0, 0.5 * extent.y, 0.0);
    let around = RINGS.iter().flat_map(|ring| (0..PLACES).map(move |i| (*ring, i)));
    let places = around.filter_map(|(ring, i)| {
        let (sin, cos) = sin_cos(angle(i));
        let at = start + Vec3::new(sin, 0.0, cos) * (ring * diameter);
        let ground = world.pick(Level::new(), &Ray::new(at, Vec3::NEG_Y))?.position;
        (is_acceptable(ground) && is_free(world, ground, extent)).then_some(ground)
    });
    let places: Vec<Vec3> = places.collect();
    let level = places.iter().find(|other| (other.y - place.y).abs() < 0.05 * extent.y);
    level.or(places.first()).copied().unwrap_or(place)
}

/// Returns whether rays through a box, which stands on a place, meet nothing, as far as a few of them can tell.
fn is_free(world: &World, place: Vec3, extent: Vec3) -> bool {
    let corner = place - Vec3::new(0.5 * extent.x, 0.0, 0.5 * extent.z);
    // Starts and lengths of rays in fractions of the box: across it, and down to just above the surface
    let rays = |a: f32, b: f32| {
        [
            (Vec3::new(0.0, a, b), Vec3::X),
            (Vec3::new(a, b, 0.0), Vec3::Z),
            (Vec3::new(a, 0.98, b), Vec3::new(0.0, -0.96, 0.0)),
        ]
    };
    let steps = [0.1, 0.5, 0.9];
    let all = steps.iter().flat_map(|&a| steps.iter().flat_map(move |&b| rays(a, b)));
    all.map(|(from, along)| Ray { t_far: 1.0, ..Ray::new(corner + from * extent, along * extent) })
        // A flat box has no length in a direction
        .filter(|ray| ray.direction != Vec3::ZERO)
        .all(|ray| world.pick(Level::new(), &ray).is_none())
}

#[cfg(test)]
mod tests {
    use sunfleck_math::transform::look_at;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{Camera, Material, Mesh, MeshData, Node};

    use super::super::dropping::tests::room;
    use super::*;

    #[test]
    fn additions_stand_where_the_camera_looks() {
        let (world, _) = room(vec3(0.0, 8.0, 5.0));
        let (added, _) = room(vec3(0.0, 1.0, 0.0));
        let extent = Vec3::splat(0.4);
        let look = |eye: Vec3, at: Vec3| {
            let world_from_view = look_at(eye, at, Vec3::Y);
            let camera = PlacedCamera {
                name: "test".into(),
                camera: Camera::perspective("test", 0.7),
                world_from_view,
            };
            place_of(&world, &camera, [200, 100], [0.5; 2], extent).unwrap()
        };
        let table = vec3(3.0, 1.0, 0.2);
        assert!(look(vec3(3.0, 5.0, 6.0), table).distance(table) < 1e-3, "on the table");
        // At the side of the table: on the floor in front of it
        let beside = look(vec3(3.0, 1.0, 6.0), vec3(3.0, 0.5, 1.0));
        assert!(beside.y.abs() < 1e-4 && beside.z > 1.0, "{beside}");
        let sky = look(vec3(0.0, 2.0, 30.0), vec3(0.0, 30.0, 0.0));
        assert_eq!(sky.y, -1.0, "at the height of the lowest object");
        let empty = EditableWorld::new(Scene::default()).unwrap();
        let camera = PlacedCamera {
            name: "test".into(),
            camera: Camera::perspective("test", 0.7),
            world_from_view: Affine3::IDENTITY,
        };
        assert_eq!(resting_place(&empty, &camera, [200, 100], None, added.scene()), Vec3::ZERO);
    }

    #[test]
    fn a_place_that_is_taken_is_avoided() {
        // The box stands on the table
        let (world, _) = room(vec3(3.0, 1.2, 0.0));
        let (world, extent) = (world.committed(), Vec3::splat(0.3));
        let taken = vec3(3.0, 1.0, 0.1);
        assert!(!is_free(world, taken, extent));
        let place = free_place(world, taken, extent, |_| true);
        assert!(
            (place.y - 1.0).abs() < 1e-4 && place.distance(taken) < 1.0,
            "beside it on the table: {place}"
        );
        assert!(is_free(world, place, extent));
        let free = vec3(2.3, 1.0, 0.0);
        assert_eq!(free_place(world, free, extent, |_| true), free);
        assert_eq!(free_place(world, taken, extent, |_| false), taken, "nothing else is in view");
    }

    #[test]
    fn a_chosen_place_is_used_though_it_is_taken() {
        // The box, 0.4 m wide, stands on the table
        let (world, _) = room(vec3(3.0, 1.2, 0.0));
        let mut scene = Scene::default();
        let grey = scene.add_material(Material::lambert("grey", Vec3::ONE)).unwrap();
        let positions = vec![vec3(-0.1, 0.0, 0.0), vec3(0.1, 0.0, 0.0), vec3(0.0, 0.2, 0.0)];
        let mesh = MeshData { positions, triangles: vec![[0, 1, 2]], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(mesh).unwrap()).unwrap();
        scene.add_node(Node::new("added").with_mesh(mesh, vec![grey])).unwrap();
        let camera = PlacedCamera {
            name: "test".into(),
            camera: Camera::perspective("test", 0.7),
            world_from_view: look_at(vec3(3.0, 5.0, 4.0), vec3(3.0, 1.0, 0.1), Vec3::Y),
        };
        let place = |at: Option<[f32; 2]>| resting_place(&world, &camera, [200, 100], at, &scene);
        let beside = place(Some([0.56, 0.5]));
        assert!((beside.y - 1.0).abs() < 1e-3 && beside.x > 3.2, "on the table, at the right: {beside}");
        let below = place(Some([0.5, 0.95]));
        assert!(below.y.abs() < 1e-3 && below.z > 1.0, "on the floor, where it was dropped: {below}");
        assert!(is_looked_at(&camera, [200, 100], vec3(3.0, 1.0, 0.1)));
        for outside in [vec3(6.0, 1.0, 0.1), vec3(3.0, 9.0, 7.9)] {
            assert!(!is_looked_at(&camera, [200, 100], outside), "{outside}");
        }
    }
}
