//! Upsampling of light along the edges of the full image.

use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::{Aov, Features, Film, Picture, metrics};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::upsample::{LightImage, RayPosition, upsampled};
use sunfleck_integrators::{RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::{Affine3, Vec2, Vec3};
use sunfleck_scene::{
    Camera, Environment, Material, Mesh, MeshData, Node, Projection, Scene, SceneEdit, Surface,
};

const SIZE: [u32; 2] = [120, 84];
/// Pixels of the image per pixel of its light, along an edge.
const DIVISOR: u32 = 4;
/// Middle of a pixel.
const CENTRE: Vec2 = Vec2::splat(0.5);
/// Points whose mean has smooth edges, as the expected image has.
const FOUR: [Vec2; 4] =
    [Vec2::new(0.25, 0.25), Vec2::new(0.75, 0.25), Vec2::new(0.25, 0.75), Vec2::new(0.75, 0.75)];

fn film(world: &World, spec: &ViewSpec, samples: u32) -> Film {
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let stop = StopRules { samples: Some(samples), ..StopRules::default() };
    let (never, ignore) = (AtomicBool::new(false), |_: &RenderProgress| {});
    let (view, path) = (View::new(world, *spec), PathTracer::DEFAULT.into());
    render(&view, &path, &mut film, 0, &stop, &Schedule::default(), &never, &ignore);
    film
}

fn spec(world: &World) -> ViewSpec {
    ViewSpec::new(&world.cameras()[0], SIZE[0], SIZE[1])
}

/// Returns the upsampled image, and that of the light alone.
///
/// * `offsets` — points within the pixels whose images are averaged.
fn both(world: &World, samples: u32, offsets: &[Vec2]) -> (Picture, Picture) {
    both_of(world, &spec(world), samples, offsets)
}

/// As [`both`], of any view.
fn both_of(world: &World, spec: &ViewSpec, samples: u32, offsets: &[Vec2]) -> (Picture, Picture) {
    let [width, height] = SIZE.map(|edge| edge.div_ceil(DIVISOR));
    let aovs = [Aov::Features].into_iter().collect();
    let film = film(world, &ViewSpec { width, height, aovs, ..*spec }, samples);
    let light = LightImage::new(spec, &film.radiance(), &film.features().unwrap(), true);
    let mut pixels = vec![Vec3::ZERO; (SIZE[0] * SIZE[1]) as usize];
    for &offset in offsets {
        let at = RayPosition { film: offset, ..RayPosition::CENTRE };
        let never = AtomicBool::new(false);
        let (picture, rays) = upsampled(world, spec, &light, at, Level::new(), &never).unwrap();
        assert!(rays.total() >= u64::from(SIZE[0] * SIZE[1]), "{rays:?}");
        let share = (offsets.len() as f32).recip();
        pixels.iter_mut().zip(picture.pixels()).for_each(|(sum, &pixel)| *sum += pixel * share);
    }
    let picture = Picture::new(SIZE[0], SIZE[1], pixels).unwrap();
    (picture, film.radiance())
}

#[test]
fn upsampled_light_has_the_edges_of_the_full_image() {
    for name in ["teapot-room", "office"] {
        let world = World::commit(&sunfleck_models::build(name).unwrap()).unwrap();
        let (picture, light) = both(&world, 256, &FOUR);
        let expected = film(&world, &spec(&world), 256).radiance();
        let blocks = Picture::from_fn(SIZE[0], SIZE[1], |x, y| {
            light.pixels()[(y / DIVISOR * light.width() + x / DIVISOR) as usize]
        });
        // Without the pixels of the glass ball, which shows several images
        let [sharp, blurred] = [&picture, &blocks.unwrap()]
            .map(|picture| metrics::relmse_trimmed(picture, &expected, 0.05).unwrap());
        assert!(sharp < 0.7 * blurred, "{name}: {sharp}, {blurred} without surfaces");
    }
}

#[test]
fn floors_are_smooth_and_the_sky_is_exact() {
    let mut scene = Scene::default();
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let data = MeshData {
        positions: vec![corner(-9.0, -30.0), corner(-9.0, 1.0), corner(9.0, 1.0), corner(9.0, -30.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    };
    let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    scene.add_node(Node::new("floor").with_mesh(mesh, vec![grey])).unwrap();
    let camera =
        scene.add_camera(Camera::new("camera", Projection::Perspective { fov_y_radians: 0.8 })).unwrap();
    let place = Affine3::from_translation(Vec3::Y * 0.5);
    scene.add_node(Node { camera: Some(camera), ..Node::new("eye").at(place) }).unwrap();
    let environment = Environment::Constant { radiance: Vec3::new(1.0, 2.0, 3.0) };
    scene.apply(SceneEdit::Environment { environment }).unwrap();
    let world = World::commit(&scene).unwrap();
    let (picture, _) = both(&world, 64, &[CENTRE]);
    let (mut sky, mut floor) = (0, 0);
    for pixel in picture.pixels() {
        if *pixel == Vec3::new(1.0, 2.0, 3.0) {
            sky += 1;
        } else {
            // Half of the sky's radiance, since nothing occludes it
            assert!((*pixel / Vec3::new(0.5, 1.0, 1.5) - 1.0).abs().max_element() < 0.05, "{pixel}");
            floor += 1;
        }
    }
    assert!(sky > 3000 && floor > 3000, "{sky}, {floor}");

    // Without the environment behind the scene, it lights the floor all the same
    let hidden = ViewSpec { shows_environment: false, ..spec(&world) };
    let without = both_of(&world, &hidden, 64, &[CENTRE]).0;
    for (without, with) in without.pixels().iter().zip(picture.pixels()) {
        assert_eq!(*without == Vec3::ZERO, *with == Vec3::new(1.0, 2.0, 3.0), "{without}, {with}");
    }
}

/// A camera ray that goes straight on through a pane sees the background; one that is reflected sees the environment.
#[test]
fn the_background_is_seen_through_coloured_panes() {
    let radiance = Vec3::new(1.0, 2.0, 3.0);
    let glass = |tint| Material::new("glass", Surface::ThinDielectric { ior: 1.5, tint });
    let (clear, light, dark) = (Vec3::ONE, Vec3::new(0.9, 0.7, 0.6), Vec3::new(0.9, 0.2, 0.1));
    // Shadow rays do not pass it, so that it is a surface like others
    let mut emissive = glass(dark);
    emissive.emission.radiance = Vec3::splat(1e-9);
    let mirror = Material::mirror("mirror", Vec3::ONE);
    let panes = [clear, light, dark].map(|tint| (glass(tint), false));
    for (material, shows_it_always) in panes.into_iter().chain([(emissive, true), (mirror, true)]) {
        let mut scene = facing(Projection::Perspective { fov_y_radians: 0.2 }, material);
        scene.set_environment(Environment::Constant { radiance }).unwrap();
        let world = World::commit(&scene).unwrap();
        for shows_environment in [false, true] {
            let spec = ViewSpec { shows_environment, ..spec(&world) };
            let picture = both_of(&world, &spec, 4, &[CENTRE]).0;
            let sees_it = shows_environment || shows_it_always;
            assert!(picture.pixels().iter().all(|pixel| (*pixel != Vec3::ZERO) == sees_it));
            // Paths add what a pane reflects, which is 0.08 of the environment
            let paths = film(&world, &spec, 16).radiance();
            let mean = |picture: &Picture| {
                picture.pixels().iter().sum::<Vec3>() / (picture.pixels().len() as f32 * radiance)
            };
            let (found, expected) = (mean(&picture), mean(&paths));
            assert!((found - expected).abs().max_element() < 0.1, "{found} for {expected}");
        }
    }
}

/// Returns a camera in front of a grey wall with a square lamp on it.
fn lamp_on_a_wall() -> World {
    let mut scene = Scene::default();
    let square = |edge: f32, z: f32| MeshData {
        positions: [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| Vec3::new(edge * x + 0.13, edge * y - 0.07, z))
            .to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    };
    let mut lamp = Material::lambert("lamp", Vec3::splat(0.8));
    lamp.emission.radiance = Vec3::new(30.0, 20.0, 10.0);
    let grey = Material::lambert("grey", Vec3::splat(0.5));
    for (name, material, data) in [("wall", grey, square(20.0, -10.0)), ("lamp", lamp, square(1.0, -9.9))] {
        let material = scene.add_material(material).unwrap();
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        scene.add_node(Node::new(name).with_mesh(mesh, vec![material])).unwrap();
    }
    let camera =
        scene.add_camera(Camera::new("camera", Projection::Perspective { fov_y_radians: 0.8 })).unwrap();
    scene.add_node(Node { camera: Some(camera), ..Node::new("eye") }).unwrap();
    let environment = Environment::Constant { radiance: Vec3::ONE };
    scene.apply(SceneEdit::Environment { environment }).unwrap();
    World::commit(&scene).unwrap()
}

#[test]
fn lamps_have_their_radiance_and_do_not_spread_to_the_wall() {
    let (picture, light) = both(&lamp_on_a_wall(), 64, &[CENTRE]);
    let between = light.pixels().iter().filter(|pixel| (0.7..29.0).contains(&pixel.x)).count();
    assert!(between > 8, "the light has {between} pixels over the edge of the lamp");
    let (mut lamp, mut wall, mut most) = (0, 0, 0.0f32);
    for pixel in picture.pixels() {
        if *pixel == Vec3::new(30.0, 20.0, 10.0) {
            lamp += 1;
        } else {
            // Half of the environment, since the lamp does not face the wall
            most = most.max((*pixel - 0.5).abs().max_element());
            wall += 1;
        }
    }
    // A hundredth of the lamp is in the light of pixels around it, whose filter is wider than a pixel
    assert!(most < 0.3, "{most}");
    assert!(lamp > 200 && wall > 4000, "{lamp}, {wall}");
}

#[test]
fn without_lights_there_are_neither_emitters_nor_an_environment() {
    for (world, misses) in
        [(lamp_on_a_wall(), 0), (facing_square(Projection::Orthographic { height: 200.0 }), 500)]
    {
        let spec = spec(&world);
        let [width, height] = SIZE.map(|edge| edge.div_ceil(DIVISOR));
        let aovs = [Aov::Features].into_iter().collect();
        let features = film(&world, &ViewSpec { width, height, aovs, ..spec }, 4).features().unwrap();
        let half = Picture::from_fn(width, height, |_, _| Vec3::splat(0.5)).unwrap();
        let light = LightImage::new(&spec, &half, &features, false);
        let never = AtomicBool::new(false);
        let (picture, _) =
            upsampled(&world, &spec, &light, RayPosition::CENTRE, Level::new(), &never).unwrap();
        let white = picture.pixels().iter().filter(|pixel| **pixel == Vec3::ONE).count();
        assert!(white >= misses && (misses > 0 || white == 0), "{white} white pixels");
        let is_half = |pixel: Vec3| (pixel - 0.5).abs().max_element() < 1e-6;
        assert!(picture.pixels().iter().all(|&pixel| pixel == Vec3::ONE || is_half(pixel)));
    }
}

#[test]
fn images_have_the_same_bits_for_any_threads() {
    let world = World::commit(&sunfleck_models::build("teapot-room").unwrap()).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| both(&world, 2, &[CENTRE]).0)
    };
    assert_eq!(run(1), run(3));
}

/// Returns a square that fills the image, 10 m in front of a camera, on a film of any size.
fn facing(projection: Projection, material: Material) -> Scene {
    let mut scene = Scene::default();
    let corner = |x: f32, y: f32| Vec3::new(x, y, -10.0);
    let data = MeshData {
        positions: vec![corner(-50.0, -50.0), corner(50.0, -50.0), corner(50.0, 50.0), corner(-50.0, 50.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    };
    let material = scene.add_material(material).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    scene.add_node(Node::new("square").with_mesh(mesh, vec![material])).unwrap();
    let camera = scene.add_camera(Camera::new("camera", projection)).unwrap();
    scene.add_node(Node { camera: Some(camera), ..Node::new("eye") }).unwrap();
    scene
}

/// Returns such a square that is grey.
fn facing_square(projection: Projection) -> World {
    World::commit(&facing(projection, Material::lambert("grey", Vec3::splat(0.5)))).unwrap()
}

#[test]
fn all_projections_sizes_and_missing_features_give_the_light_itself() {
    let lens = Projection::ThinLens { fov_y_radians: 0.6, lens_radius: 0.2, focus_distance: 4.0 };
    let projections =
        [Projection::Perspective { fov_y_radians: 0.6 }, Projection::Orthographic { height: 3.0 }, lens];
    for projection in projections {
        let world = facing_square(projection);
        for [width, height] in [[1, 1], [1, 50], [100, 9], [33, 20]] {
            let spec = ViewSpec::new(&world.cameras()[0], width, height);
            let [w, h] = [width, height].map(|edge| edge.div_ceil(8));
            let light = Picture::from_fn(w, h, |_, _| Vec3::ONE).unwrap();
            let features = Features { albedo: Vec3::splat(0.5), normal: Vec3::Z, inverse_distance: 0.1 };
            for known in [vec![features; (w * h) as usize], Vec::new()] {
                let light = LightImage::new(&spec, &light, &known, true);
                let at = RayPosition { film: Vec2::new(0.1, 0.9), lens: Vec2::new(0.9, 0.2) };
                let never = AtomicBool::new(false);
                let (picture, _) = upsampled(&world, &spec, &light, at, Level::new(), &never).unwrap();
                for pixel in picture.pixels() {
                    assert!((*pixel - Vec3::ONE).abs().max_element() < 1e-4, "{projection:?}: {pixel}");
                }
            }
        }
    }
}

#[test]
fn a_cancelled_image_is_not_returned() {
    let world = facing_square(Projection::Orthographic { height: 3.0 });
    let spec = spec(&world);
    let light = LightImage::new(&spec, &Picture::from_fn(2, 2, |_, _| Vec3::ONE).unwrap(), &[], false);
    let cancel = AtomicBool::new(true);
    assert!(upsampled(&world, &spec, &light, RayPosition::CENTRE, Level::new(), &cancel).is_none());
}
