//! Reuse of previous frames: means, motion of camera and objects, changed light, equal bits.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{Aov, Film, Picture, metrics};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::reuse::{ReusedFrame, TemporalReuse};
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{
    Camera, Environment, Material, Mesh, MeshData, Node, NodeId, Projection, Scene, SceneEdit,
};

const SIZE: [u32; 2] = [48, 40];

/// Renders samples `first .. first + count`.
fn film(world: &World, spec: &ViewSpec, algorithm: &Algorithm, first: u32, count: u32) -> Film {
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let stop = StopRules { samples: Some(first + count), ..StopRules::default() };
    let (never, ignore) = (AtomicBool::new(false), |_: &RenderProgress| {});
    let view = View::new(world, *spec);
    render(&view, algorithm, &mut film, first, &stop, &Schedule::default(), &never, &ignore);
    film
}

/// A sequence of frames of two paths per pixel.
struct Sequence {
    reuse: TemporalReuse,
    number: u32,
}

impl Sequence {
    fn new() -> Self {
        Self { reuse: TemporalReuse::default(), number: 0 }
    }

    fn add(&mut self, world: &Arc<World>, spec: &ViewSpec) -> (Film, ReusedFrame) {
        let path = PathTracer::DEFAULT.into();
        let film = film(world, spec, &path, 2 * self.number, 2);
        self.number += 1;
        let reused = self.reuse.add(world, spec, &path, &film, &Schedule::default());
        (film, reused)
    }
}

fn spec(world: &World) -> ViewSpec {
    let [width, height] = SIZE;
    let spec = ViewSpec::new(&world.cameras()[0], width, height);
    ViewSpec { aovs: [Aov::Diffuse, Aov::Features].into_iter().collect(), ..spec }
}

fn moved(spec: &ViewSpec, metres: f32) -> ViewSpec {
    let forward = Affine3::from_translation(Vec3::NEG_Z * metres);
    ViewSpec { world_from_view: spec.world_from_view * forward, ..*spec }
}

fn built(name: &str) -> (Scene, Arc<World>) {
    let scene = sunfleck_models::build(name).unwrap();
    let world = Arc::new(World::commit(&scene).unwrap());
    (scene, world)
}

fn sum(picture: &Picture) -> f32 {
    picture.pixels().iter().map(|p| p.element_sum()).sum()
}

#[test]
fn at_rest_the_image_is_the_mean_of_all_frames() {
    let (_, world) = built("office");
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    let mut all = Film::new(spec.width, spec.height, spec.aovs);
    for frames in 1u16..=6 {
        let (film, reused) = sequence.add(&world, &spec);
        all.add(&film);
        assert!(reused.frames.iter().all(|&count| count == f32::from(frames)), "frame {frames}");
        let mean = all.radiance();
        for (shown, expected) in reused.picture.pixels().iter().zip(mean.pixels()) {
            assert!(
                (*shown - *expected).length() <= 1e-4 * (1.0 + expected.length()),
                "{shown} for {expected}"
            );
        }
    }
}

#[test]
fn a_walk_has_less_error_than_its_frames() {
    let (_, world) = built("office");
    let (first, mut sequence) = (spec(&world), Sequence::new());
    let (mut alone, mut with) = (0.0, 0.0);
    for step in 0..12u16 {
        let spec = moved(&first, 0.02 * f32::from(step));
        let (film_alone, reused) = sequence.add(&world, &spec);
        if step == 11 {
            let expected = film(&world, &spec, &PathTracer::DEFAULT.into(), 1000, 512).radiance();
            alone = metrics::relmse(&film_alone.radiance(), &expected).unwrap();
            with = metrics::relmse(&reused.picture, &expected).unwrap();
            let kept = reused.frames.iter().filter(|&&frames| frames > 6.0).count();
            assert!(kept * 10 > reused.frames.len() * 8, "{kept} of {} pixels", reused.frames.len());
        }
    }
    assert!(with < 0.4 * alone, "{with} is not much less than {alone}");
}

#[test]
fn light_that_is_switched_off_is_gone() {
    let (mut scene, world) = built("cornell");
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    let mut before = 0.0;
    for _ in 0..8 {
        before = sum(&sequence.add(&world, &spec).1.picture);
    }
    let is_lamp = |material: &Material| material.emission.radiance != Vec3::ZERO;
    let (id, lamp) = scene.materials().find(|(_, m)| is_lamp(m)).map(|(id, m)| (id, m.clone())).unwrap();
    let material = Some(lamp.with_emission(Vec3::ZERO));
    scene.apply(SceneEdit::Material { id, material }).unwrap();
    let dark = Arc::new(world.update(&scene).unwrap());
    sequence.add(&dark, &spec);
    let after = sum(&sequence.add(&dark, &spec).1.picture);
    assert!(after < 0.01 * before, "{after} of {before} is left after two frames");
}

#[test]
fn an_edit_that_changes_no_light_keeps_all_frames() {
    let (mut scene, world) = built("office");
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    sequence.add(&world, &spec);
    sequence.add(&world, &spec);
    // A material that nothing has
    let id = scene.materials().map(|(id, _)| id.0).max().map_or(0, |id| id + 1).into();
    let material = Some(Material::lambert("unused", Vec3::X));
    scene.apply(SceneEdit::Material { id, material }).unwrap();
    let edited = Arc::new(world.update(&scene).unwrap());
    let (_, reused) = sequence.add(&edited, &spec);
    assert!(reused.rays.intersect > u64::from(SIZE[0] * SIZE[1]), "paths compare the worlds");
    assert!(reused.frames.iter().all(|&frames| frames == 3.0), "light is the same bit for bit");
}

#[test]
fn a_moved_object_takes_its_history_along_and_others_keep_theirs() {
    let (mut scene, world) = built("teapot-room");
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    for _ in 0..6 {
        sequence.add(&world, &spec);
    }
    let (id, node) = scene.nodes().find(|(_, node)| node.name.contains("teapot")).unwrap();
    let parent_from_node = Affine3::from_translation(Vec3::X * 0.02) * node.parent_from_node;
    scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
    let edited = Arc::new(world.update(&scene).unwrap());
    let (_, reused) = sequence.add(&edited, &spec);
    let ids = film(
        &edited,
        &ViewSpec { aovs: [Aov::Ids].into_iter().collect(), ..spec },
        &PathTracer::DEFAULT.into(),
        0,
        1,
    );
    let is_teapot = |inst_id: u32| edited.node_of(inst_id) == Some(id);
    let mean = |teapot: bool| {
        let pixels = ids.ids().unwrap().iter().zip(&reused.frames);
        let frames: Vec<f32> =
            pixels.filter(|(ids, _)| is_teapot(ids[0]) == teapot).map(|(_, &frames)| frames).collect();
        assert!(frames.len() > 50, "{} pixels", frames.len());
        frames.iter().sum::<f32>() / frames.len() as f32
    };
    assert!(mean(true) > 3.0, "the teapot: {}", mean(true));
    assert!(mean(false) > 5.0, "the room: {}", mean(false));
}

#[test]
fn reuse_has_the_same_bits_for_any_threads() {
    let (mut scene, world) = built("teapot-room");
    let first = spec(&world);
    let (id, node) = scene.nodes().find(|(_, node)| node.name.contains("teapot")).unwrap();
    let parent_from_node = Affine3::from_translation(Vec3::X * 0.05) * node.parent_from_node;
    scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
    let edited = Arc::new(world.update(&scene).unwrap());
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sequence = Sequence::new();
            sequence.add(&world, &first);
            sequence.add(&world, &moved(&first, 0.03));
            sequence.add(&edited, &moved(&first, 0.05)).1.picture
        })
    };
    assert_eq!(run(1), run(3));
}

/// Returns a square in the plane z = 0, seen from z = 4, and its node.
///
/// * `half` — half of its width, metres.
fn square_scene(half: f32, material: Material) -> (Scene, NodeId) {
    let mut scene = Scene::default();
    let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    let data = MeshData {
        positions: vec![corner(-half, -half), corner(half, -half), corner(half, half), corner(-half, half)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    };
    let material = scene.add_material(material).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let node = scene.add_node(Node::new("square").with_mesh(mesh, vec![material])).unwrap();
    let camera = Camera::new("camera", Projection::Perspective { fov_y_radians: 0.4 });
    let camera = scene.add_camera(camera).unwrap();
    let place = Affine3::from_translation(Vec3::Z * 4.0);
    scene.add_node(Node { camera: Some(camera), ..Node::new("eye").at(place) }).unwrap();
    (scene, node)
}

#[test]
fn moving_edges_leave_no_trail() {
    // A glowing square in the dark, seen by parallel rays
    let glow = Material::lambert("glow", Vec3::ZERO).with_emission(Vec3::ONE);
    let (mut scene, id) = square_scene(0.5, glow);
    let mut world = Arc::new(World::commit(&scene).unwrap());
    let spec = ViewSpec { projection: Projection::Orthographic { height: 4.0 }, ..spec(&world) };
    let mut sequence = Sequence::new();
    let [width, _] = SIZE;
    for step in 0..12u8 {
        // 1.3 pixels per frame, of 0.1 m each
        let right = 0.13 * f32::from(step);
        let parent_from_node = Affine3::from_translation(Vec3::X * right);
        scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
        world = Arc::new(world.update(&scene).unwrap());
        let (_, reused) = sequence.add(&world, &spec);
        for (x, pixel) in (0..width).cycle().zip(reused.picture.pixels()) {
            let metres = 0.1 * (x as f32 + 0.5 - 0.5 * width as f32);
            // The reconstruction filter reaches a little farther than the pixels of the edge
            if metres < right - 0.5 - 0.35 {
                assert_eq!(*pixel, Vec3::ZERO, "frame {step}, column {x}");
            }
        }
    }
}

#[test]
fn what_is_seen_in_a_mirror_keeps_its_history() {
    let (mut scene, _) = square_scene(1.0, Material::mirror("silver", Vec3::splat(0.9)));
    // Behind the camera, 8 m wide
    let glow = Material::lambert("glow", Vec3::splat(0.5)).with_emission(Vec3::ONE);
    let glow = scene.add_material(glow).unwrap();
    let mesh = scene.meshes().next().map(|(id, _)| id).unwrap();
    let turned = sunfleck_math::transform::rotation_y(std::f32::consts::PI);
    let place = Affine3::from_translation(Vec3::Z * 6.0) * turned * Affine3::from_scale(Vec3::splat(4.0));
    scene.add_node(Node::new("behind").with_mesh(mesh, vec![glow]).at(place)).unwrap();
    let world = Arc::new(World::commit(&scene).unwrap());
    let (first, mut sequence) = (spec(&world), Sequence::new());
    let mut frames = Vec::new();
    for step in 0..6u8 {
        frames = sequence.add(&world, &moved(&first, 0.03 * f32::from(step))).1.frames;
    }
    let kept = frames.iter().filter(|&&frames| frames > 5.0).count();
    assert!(kept * 10 > frames.len() * 8, "{kept} of {} pixels", frames.len());
}

#[test]
fn highlights_at_rest_keep_all_frames_with_parallel_rays() {
    let (mut scene, _) =
        square_scene(1.0, Material::metallic_roughness("varnish", Vec3::splat(0.5), 0.5, 0.3));
    light_the_sky(&mut scene);
    let world = Arc::new(World::commit(&scene).unwrap());
    let spec = ViewSpec { projection: Projection::Orthographic { height: 1.5 }, ..spec(&world) };
    let mut sequence = Sequence::new();
    let mut all = Film::new(spec.width, spec.height, spec.aovs);
    for _ in 0..5 {
        let (film, reused) = sequence.add(&world, &spec);
        all.add(&film);
        let mean = all.radiance();
        for (shown, expected) in reused.picture.pixels().iter().zip(mean.pixels()) {
            assert!((*shown - *expected).length() <= 1e-4 * (1.0 + expected.length()), "{shown}, {expected}");
        }
    }
}

#[test]
fn another_film_begins_the_sequence_again() {
    let (_, world) = built("cornell");
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    let changes: [fn(ViewSpec) -> ViewSpec; 2] = [
        |spec| ViewSpec { width: spec.width + 1, ..spec },
        |spec| ViewSpec { aovs: [Aov::Features].into_iter().collect(), ..spec },
    ];
    for change in changes {
        sequence.add(&world, &spec);
        assert!(sequence.add(&world, &spec).1.frames.iter().all(|&frames| frames >= 2.0), "it continues");
        let (_, reused) = sequence.add(&world, &change(spec));
        assert!(reused.frames.iter().all(|&frames| frames == 1.0), "another film");
    }
}

/// Returns a square of 4 m with dark and bright stripes of 0.1 m, by vertex colours.
fn stripes() -> Mesh {
    let mut data = MeshData::default();
    for stripe in 0..40u16 {
        let (left, color) = (0.1 * f32::from(stripe) - 2.0, if stripe % 2 == 0 { 0.9 } else { 0.1 });
        let first = 4 * u32::from(stripe);
        for (x, y) in [(0.0, -2.0), (0.1, -2.0), (0.1, 2.0), (0.0, 2.0)] {
            data.positions.push(Vec3::new(left + x, y, 0.0));
            data.colors.push([color, color, color, 1.0].into());
        }
        data.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    Mesh::new(data).unwrap()
}

fn light_the_sky(scene: &mut Scene) {
    let environment = Environment::Constant { radiance: Vec3::ONE };
    scene.apply(SceneEdit::Environment { environment }).unwrap();
}

/// Returns how much of the contrast of a view an image has.
fn contrast(picture: &Picture, world: &World, spec: &ViewSpec) -> f32 {
    let expected = film(world, spec, &PathTracer::DEFAULT.into(), 1000, 64).radiance();
    let deviation = |picture: &Picture| {
        let pixels: Vec<f32> = picture.pixels().iter().map(|p| p.x).collect();
        let mean = pixels.iter().sum::<f32>() / pixels.len() as f32;
        (pixels.iter().map(|p| (p - mean) * (p - mean)).sum::<f32>() / pixels.len() as f32).sqrt()
    };
    deviation(picture) / deviation(&expected)
}

#[test]
fn textures_stay_sharp_in_motion() {
    let (mut scene, id) = square_scene(1.0, Material::lambert("white", Vec3::ONE));
    let (mesh_id, _) = scene.meshes().next().unwrap();
    scene.apply(SceneEdit::Mesh { id: mesh_id, mesh: Some(Arc::new(stripes())) }).unwrap();
    light_the_sky(&mut scene);
    let mut world = Arc::new(World::commit(&scene).unwrap());
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    let mut picture = None;
    for step in 0..10u8 {
        let parent_from_node = Affine3::from_translation(Vec3::X * 0.013 * f32::from(step));
        scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
        world = Arc::new(world.update(&scene).unwrap());
        picture = Some(sequence.add(&world, &spec).1.picture);
    }
    let contrast = contrast(&picture.unwrap(), &world, &spec);
    assert!((0.93..1.07).contains(&contrast), "{contrast}");
}

#[test]
fn reflections_stay_sharp_while_the_camera_moves() {
    for (name, material) in [
        ("mirror", Material::mirror("silver", Vec3::splat(0.9))),
        ("smooth metal", Material::metallic_roughness("steel", Vec3::splat(0.9), 1.0, 0.1)),
    ] {
        let (mut scene, _) = square_scene(1.5, material);
        let white = scene.add_material(Material::lambert("white", Vec3::ONE)).unwrap();
        let mesh = scene.add_mesh(stripes()).unwrap();
        let turned = sunfleck_math::transform::rotation_y(std::f32::consts::PI);
        // Behind the camera, with stripes of four pixels
        let place = Affine3::from_translation(Vec3::Z * 6.0) * turned * Affine3::from_scale(Vec3::splat(4.0));
        scene.add_node(Node::new("behind").with_mesh(mesh, vec![white]).at(place)).unwrap();
        light_the_sky(&mut scene);
        let world = Arc::new(World::commit(&scene).unwrap());
        let (first, mut sequence) = (spec(&world), Sequence::new());
        let (mut last, mut picture) = (first, None);
        for step in 0..10u8 {
            let right = Affine3::from_translation(Vec3::X * 0.07 * f32::from(step));
            last = ViewSpec { world_from_view: right * first.world_from_view, ..first };
            picture = Some(sequence.add(&world, &last).1.picture);
        }
        let contrast = contrast(&picture.unwrap(), &world, &last);
        assert!((0.9..1.1).contains(&contrast), "{name}: {contrast}");
    }
}

#[test]
fn deformed_surfaces_keep_few_frames_up_to_their_edges() {
    let (mut scene, _) = square_scene(0.3, Material::lambert("white", Vec3::ONE));
    let (id, mesh) = scene.meshes().next().map(|(id, mesh)| (id, mesh.clone())).unwrap();
    let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    let wall = scene.add_mesh(stripes()).unwrap();
    let behind = Affine3::from_translation(Vec3::NEG_Z);
    scene.add_node(Node::new("wall").with_mesh(wall, vec![grey]).at(behind)).unwrap();
    light_the_sky(&mut scene);
    let mut world = Arc::new(World::commit(&scene).unwrap());
    let (spec, mut sequence) = (spec(&world), Sequence::new());
    let mut frames = Vec::new();
    for step in 0..14u8 {
        let wider = 1.0 + 0.002 * f32::from(step);
        let positions = mesh.positions().iter().map(|p| Vec3::new(p.x * wider, p.y, p.z)).collect();
        let data = MeshData { positions, ..mesh.data().clone() };
        scene.apply(SceneEdit::Mesh { id, mesh: Some(Arc::new(Mesh::new(data).unwrap())) }).unwrap();
        world = Arc::new(world.update(&scene).unwrap());
        frames = sequence.add(&world, &spec).1.frames;
    }
    let (mut deformed, mut still) = (0, 0);
    for (&frames, pixel) in frames.iter().zip(0u16..) {
        // Metres at the square, from the centre of the film
        let [width, height] = SIZE.map(|edge| edge as f32);
        let per_pixel = 2.0 * 4.0 * sunfleck_math::tan(0.2) / height;
        let (x, y) = (f32::from(pixel % 48) + 0.5 - 0.5 * width, f32::from(pixel / 48) + 0.5 - 0.5 * height);
        if x.abs().max(y.abs()) * per_pixel < 0.3 {
            assert!(frames <= 9.0, "pixel {pixel}: {frames}");
            deformed += 1;
        } else if frames > 13.0 {
            still += 1;
        }
    }
    assert!(deformed > 100 && still > 500, "{deformed}, {still}");
}
