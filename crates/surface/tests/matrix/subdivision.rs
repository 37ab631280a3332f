//! Patches of surfaces.

use fearless_simd::{Level, dispatch};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};
use sunfleck_scene::{Mesh, MeshData, Node, Scene};
use sunfleck_surface::matrix::{
    AdaptOptions, Channels, Interpolation, PatchSize, PatchValues, Patches, RadiosityError, Subdivision,
    with_triangles_only,
};
use sunfleck_transport::{AlphaSeed, World};

use crate::common::{box_sides, divided, grey, scene_of, two_rooms};

#[test]
fn patches_cover_the_surfaces() {
    let (_, patches) = divided(&two_rooms(), PatchSize::Number(500));
    assert!((400..=500).contains(&patches.count()), "{} patches", patches.count());
    let area: f32 = patches.patches().iter().map(|patch| patch.area).sum();
    // Two rooms without the door on both sides, its frame, the block without its floor, the lamp
    let rooms = 2.0 * (2.0 * 9.0 + 4.0 * 7.5 - 0.9 * 2.0);
    let frame = 0.2 * 2.0 * (0.9 + 2.0);
    let block = 0.6 * 0.5 + 2.0 * 0.9 * (0.6 + 0.5);
    let lamp = 2.0 * 0.6 + 2.0 * 0.05 * 1.6;
    // The block has an inside, too, since it has no floor of its own
    assert!((area - (rooms + frame + 2.0 * block + lamp)).abs() < 1e-3, "{area}");
}

#[test]
fn backs_have_patches_where_light_reaches_them() {
    // A sheet in the middle of a room; its back is seen, those of the walls are not
    let sheet = [vec3(0.4, 0.5, 0.4), vec3(0.4, 0.5, 0.6), vec3(0.6, 0.5, 0.6), vec3(0.6, 0.5, 0.4)];
    let room = box_sides(Vec3::ZERO, Vec3::ONE, true);
    let scene = scene_of(&[(&room, grey(0.5)), (&[sheet], grey(0.5))]);
    let (_, patches) = divided(&scene, PatchSize::EdgeLength(10.0));
    assert_eq!(patches.count(), 8);
    let of_sheet: Vec<_> = patches.patches().iter().filter(|patch| patch.instance == 1).collect();
    assert_eq!(of_sheet[0].normal, -of_sheet[1].normal);
}

/// Checks that rays find the patches that contain the points that they hit.
fn check_points(world: &World, patches: &Patches) {
    let center = world.bounds().center();
    let mut found = 0;
    for i in 0..4000u32 {
        let direction =
            sunfleck_sampling::warp::uniform_sphere(sunfleck_sampling::rng::uniform_2d([i, 0, 0, 0]));
        let ray = Ray::new(center, direction);
        let seed = AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 };
        let Some(hit) = dispatch!(Level::new(), simd => world.intersect(simd, &ray, seed)) else { continue };
        let is_front = hit.ng.dot(direction) < 0.0;
        let point = patches.at(hit.inst_id, hit.prim_id, [hit.u, hit.v], is_front).unwrap();
        let patch = &patches.patches()[point.patch as usize];
        let (c, p) = (patch.corners(), point.local);
        let there = match c {
            [a, b, c, d] => (*a * (1.0 - p.x) + *b * p.x) * (1.0 - p.y) + (*d * (1.0 - p.x) + *c * p.x) * p.y,
            _ => c[0] * (1.0 - p.x - p.y) + c[1] * p.x + c[2] * p.y,
        };
        assert!(there.distance(ray.at(hit.t)) < 1e-4, "{} {:?}", ray.at(hit.t), patch);
        assert!(p.x >= -1e-3 && p.y >= -1e-3 && p.x.max(p.y) <= 1.001, "{p}");
        found += 1;
    }
    assert!(found > 1000, "{found} points");
}

#[test]
fn points_are_in_the_patches_that_are_found() {
    // Quadrilaterals that are not parallelograms, triangles, and a mirrored instance
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let data = MeshData {
        positions: vec![vec3(0.2, 0.2, 0.1), vec3(0.4, 0.2, 0.2), vec3(0.3, 0.5, 0.1)],
        triangles: vec![[0, 1, 2]],
        ..MeshData::default()
    };
    let material = scene.add_material(grey(0.5)).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let mirror = Affine3::from_scale_rotation_translation(
        vec3(-1.0, 1.0, 1.5),
        Default::default(),
        vec3(0.6, 0.0, 0.0),
    );
    scene.add_node(Node::new("mirrored").at(mirror).with_mesh(mesh, vec![material])).unwrap();
    let (world, mut patches) = divided(&scene, PatchSize::Number(400));
    check_points(&world, &patches);
    let divided: Vec<bool> = (0..patches.count()).map(|i| i % 3 == 0).collect();
    let former = patches.refine(&world, &divided);
    assert_eq!(former.len(), patches.patches().len());
    check_points(&world, &patches);
}

#[test]
fn steep_light_is_divided() {
    let room = box_sides(Vec3::ZERO, Vec3::ONE, true);
    let (world, mut patches) = divided(&scene_of(&[(&room, grey(0.5))]), PatchSize::Number(96));
    // A step on the floor
    let step = |patch: &sunfleck_surface::matrix::Patch| {
        if patch.normal.y > 0.5 && patch.center.x > 0.5 { Vec3::ONE } else { Vec3::splat(0.1) }
    };
    let radiosity: Channels = patches.patches().iter().map(step).collect();
    let options = AdaptOptions { contrast: 0.5, least_edge: 0.05, most_patches: 1000 };
    let divided = patches.too_coarse(&radiosity, &options);
    for (patch, divided) in patches.patches().iter().zip(&divided) {
        let at_step = patch.normal.y > 0.5 && (patch.center.x - 0.5).abs() < 0.2;
        assert_eq!(at_step, *divided, "{patch:?}");
    }
    patches.refine(&world, &divided);
    assert_eq!(patches.count(), 96 + 8 * 3);
    let few = AdaptOptions { most_patches: 96 + 3 * 4, ..options };
    let radiosity: Channels = patches.patches().iter().map(step).collect();
    assert_eq!(
        patches.too_coarse(&radiosity, &few).iter().filter(|divided| **divided).count(),
        0,
        "too many already"
    );
}

#[test]
fn light_is_interpolated_between_patches() {
    let floor = [Vec3::ZERO, Vec3::Z, vec3(4.0, 0.0, 1.0), vec3(4.0, 0.0, 0.0)];
    let (_, patches) = divided(&scene_of(&[(&[floor], grey(0.5))]), PatchSize::EdgeLength(1.0));
    let radiosity: Channels = patches.patches().iter().map(|patch| Vec3::splat(patch.center.x)).collect();
    let patches = std::sync::Arc::new(patches);
    let light = |interpolation| PatchValues::new(patches.clone(), &radiosity, interpolation);
    // Triangle 1 is (0, 2, 3): u is the corner (4, 1), v the corner (4, 0)
    let at = |light: &PatchValues, x: f32| light.at(0, 1, [0.1, x / 4.0 - 0.1], true).unwrap().x;
    let (flat, smooth) = (light(Interpolation::Flat), light(Interpolation::Smooth));
    for x in [1.1, 1.5, 2.2, 2.9] {
        assert!((at(&flat, x) - (x.floor() + 0.5)).abs() < 1e-5);
        assert!((at(&smooth, x) - x).abs() < 1e-4, "{x}: {}", at(&smooth, x));
    }
    assert_eq!(flat.at(0, 1, [0.1, 0.1], false), None, "no light reaches the back");
}

#[test]
fn what_cannot_be_divided_is_an_error() {
    let empty = World::commit(&Scene::default()).unwrap();
    assert_eq!(Patches::subdivide(&empty, &Subdivision::default()).err(), Some(RadiosityError::Empty));
    let balls = sunfleck_models::build("office").unwrap();
    let few = Subdivision { most_patches: 10, ..Subdivision::default() };
    let world = World::commit(&with_triangles_only(&balls).unwrap()).unwrap();
    assert!(matches!(Patches::subdivide(&world, &few), Err(RadiosityError::TooMany { limit: 10, .. })));
    let mut scene = Scene::default();
    let ball = sunfleck_math::Shape::sphere(Vec3::ZERO, 1.0);
    let mesh = Mesh::new(MeshData { shapes: vec![ball], ..MeshData::default() }).unwrap();
    let (mesh, material) = (scene.add_mesh(mesh).unwrap(), scene.add_material(grey(0.5)).unwrap());
    scene.add_node(Node::new("ball").with_mesh(mesh, vec![material])).unwrap();
    let subdivide =
        |scene: &Scene| Patches::subdivide(&World::commit(scene).unwrap(), &Subdivision::default());
    assert_eq!(subdivide(&scene).err(), Some(RadiosityError::Shapes { instance: 0 }));
    assert!(subdivide(&with_triangles_only(&scene).unwrap()).is_ok());
}
