//! Frames of a GPU agree with those of the CPU up to rounding, also after edits, and the CPU renders what the GPU
//! cannot.

#![allow(clippy::unwrap_used, reason = "a test")]

mod edits;

use std::sync::Arc;
use std::time::Duration;

use edits::{Random, random_edit};
use fearless_simd::Level;
use sunfleck_engine::{
    AdapterChoice, Budget, Canvas, DenoiseMethod, Denoiser, Device, EditableWorld, Engine, EngineOptions,
    FrameRequest, FrameResult, Presentation, Stage, StageChoice,
};
use sunfleck_image::{Aov, AovSet, Metering, Picture, exposure_of, meter};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Algorithm, PlacedCamera, StopReason};
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene, SceneEdit};

fn engine(device: Device) -> Engine {
    Engine::new(EngineOptions { device, ..EngineOptions::default() }).unwrap()
}

fn gpu() -> Engine {
    engine(Device::Gpu(AdapterChoice::Best))
}

/// Without Russian roulette, whose decisions depend on the last bits of a point: shadow rays to all VPLs are traced.
const IGI: Igi = Igi { roulette: 0.0, ..Igi::DEFAULT };

fn frame(camera: &PlacedCamera, algorithm: Algorithm, samples: u32) -> FrameRequest {
    FrameRequest { algorithm, budget: Budget::samples(samples), ..FrameRequest::new(camera.clone(), 48, 40) }
}

fn render(
    engine: &Engine,
    world: &EditableWorld,
    frame: &FrameRequest,
    canvas: &Canvas,
) -> (FrameResult, Arc<Picture>) {
    let result = engine.render(world, frame, canvas).wait();
    (result, canvas.picture().unwrap())
}

/// Returns the fraction of pixels that differ by more than a thousandth of the mean.
fn off(a: &Picture, b: &Picture) -> f32 {
    let mean = b.pixels().iter().map(|p| p.element_sum()).sum::<f32>() / (3 * b.pixels().len()) as f32;
    let is_off = |(a, b): &(&Vec3, &Vec3)| (**a - **b).abs().max_element() > 1e-3 * mean;
    a.pixels().iter().zip(b.pixels()).filter(is_off).count() as f32 / b.pixels().len() as f32
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn accumulated_frames_agree_with_the_cpu() {
    let (gpu, cpu) = (gpu(), engine(Device::Processor));
    assert!(gpu.gpu().is_some() && cpu.gpu().is_none(), "only the first engine renders on a GPU");
    let world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    for algorithm in
        [Algorithm::Path(PathTracer::DEFAULT), Algorithm::Whitted(Whitted::DEFAULT), Algorithm::Igi(IGI)]
    {
        let (canvas, other) = (Canvas::new(), Canvas::new());
        for (samples, sum) in [(1, 1), (3, 4), (2, 6)] {
            let (result, _) = render(&gpu, &world, &frame(&camera, algorithm, samples), &canvas);
            let FrameResult { ended, samples, by, rays, .. } = result;
            assert_eq!((ended, samples, by.name), (StopReason::Done, sum, "GPU"), "{algorithm:?}");
            assert!(rays.total() > 0 && gpu.trouble().is_none(), "{algorithm:?}");
        }
        let (whole, picture) = render(&cpu, &world, &frame(&camera, algorithm, 6), &other);
        assert_eq!(whole.by.name, "CPU", "{algorithm:?}");
        let off = off(&canvas.picture().unwrap(), &picture);
        assert!(off < 0.01, "{algorithm:?}: {off} of the pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn canvases_are_denoised_as_their_films() {
    let gpu = gpu();
    let world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    let denoisers = [
        Denoiser::interactive(),
        Denoiser::interactive().of_algorithm(&"ao".parse().unwrap()),
        Denoiser::new(DenoiseMethod::Learned).unwrap(),
        Denoiser::new(DenoiseMethod::Features).unwrap(),
    ];
    for aovs in [AovSet::EMPTY, Denoiser::AOVS] {
        let canvas = Canvas::new();
        // Of 64 samples, the CPU denoises halves
        for samples in [4, 60] {
            let frame =
                FrameRequest { aovs, ..frame(&camera, Algorithm::Path(PathTracer::DEFAULT), samples) };
            render(&gpu, &world, &frame, &canvas);
            for denoiser in &denoisers {
                let found = canvas.denoised(denoiser).unwrap().unwrap();
                let expected = denoiser.denoise(&canvas.film().unwrap()).unwrap();
                let off = off(&found, &expected);
                assert!(off == 0.0, "{denoiser:?}, {samples} samples: {off} of the pixels differ");
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn stages_and_automatic_exposure_agree_with_the_cpu() {
    let (gpu, cpu) = (gpu(), engine(Device::Processor));
    // Two squares at a right angle
    let mut scene = Scene::default();
    let [o, x, y, z] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let data = MeshData {
        positions: vec![o, x, x + y, y, z, y + z],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]],
        ..MeshData::default()
    };
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    scene.add_node(Node::new("corner").with_mesh(mesh, vec![grey])).unwrap();
    for stage in Stage::ALL {
        let choice = StageChoice::Fixed(stage);
        let shown = Presentation::new(scene.clone(), choice, Level::new()).unwrap();
        let frame = frame(&shown.camera.camera(1.2), Algorithm::Path(PathTracer::DEFAULT), 4);
        let canvases = [Canvas::new(), Canvas::new()];
        let [on_gpu, on_cpu] = [(&gpu, &canvases[0]), (&cpu, &canvases[1])]
            .map(|(engine, canvas)| render(engine, &shown.world, &frame, canvas).1);
        assert!(gpu.trouble().is_none());
        let off = off(&on_gpu, &on_cpu);
        assert!(off < 0.01, "{stage}: {off} of the pixels differ");
        let [a, b] =
            [on_gpu, on_cpu].map(|picture| meter(&picture, Metering::default()).map(exposure_of).unwrap());
        assert!((a - b).abs() < 0.01, "{stage}: {a} and {b} stops");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn alternating_worlds_keep_their_samples() {
    let (gpu, cpu) = (gpu(), engine(Device::Processor));
    let world = |name: &str| EditableWorld::new(sunfleck_models::build(name).unwrap()).unwrap();
    let worlds = [world("cornell"), world("erw6")];
    for algorithm in [Algorithm::Path(PathTracer::DEFAULT), Algorithm::Igi(IGI)] {
        let canvases = [Canvas::new(), Canvas::new()];
        for round in 1..=3 {
            for (world, canvas) in worlds.iter().zip(&canvases) {
                let (result, _) = render(&gpu, world, &frame(&world.cameras()[0], algorithm, 2), canvas);
                assert_eq!((result.samples, result.by.name), (2 * round, "GPU"), "{algorithm:?}");
            }
        }
        for (world, canvas) in worlds.iter().zip(&canvases) {
            let whole = frame(&world.cameras()[0], algorithm, 6);
            let (_, expected) = render(&cpu, world, &whole, &Canvas::new());
            let off_shown = off(&canvas.picture().unwrap(), &expected);
            let off_film = off(&canvas.film().unwrap().radiance(), &expected);
            assert!(off_shown < 0.01 && off_film < 0.01, "{algorithm:?}: {off_shown} {off_film}");
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_noise_target_counts_all_samples() {
    let gpu = gpu();
    let world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let path = Algorithm::Path(PathTracer::DEFAULT);
    let quick = frame(&world.cameras()[0].clone(), path, 64);
    let canvas = Canvas::new();
    let (_, _) = render(&gpu, &world, &quick, &canvas);
    let noise = canvas.film().unwrap().noise();
    let wanted = Budget { noise: Some(0.7 * noise), ..Budget::default() };
    let (result, _) = render(&gpu, &world, &FrameRequest { budget: wanted, ..quick }, &canvas);
    // Noise falls with the square root of the number of samples, so twice as many are needed
    assert!((112..=160).contains(&result.samples), "{result:?}");
    assert!(canvas.film().unwrap().noise() <= 0.7 * noise, "the noise target is reached");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn edited_worlds_agree_with_the_cpu() {
    let (gpu, cpu) = (gpu(), engine(Device::Processor));
    let mut world = EditableWorld::new(sunfleck_models::build("erw6").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    let mut random = Random(7);
    let whitted = Algorithm::Whitted(Whitted::DEFAULT);
    for step in 0..60 {
        for _ in 0..3 {
            // Refused edits leave the world unchanged
            drop(world.edit(random_edit(world.scene(), &mut random)));
        }
        world.commit().unwrap();
        let frame = frame(&camera, whitted, 1);
        let (by_gpu, picture) = render(&gpu, &world, &frame, &Canvas::new());
        let (_, expected) = render(&cpu, &world, &frame, &Canvas::new());
        assert_eq!(by_gpu.by.name, "GPU", "{:?}", gpu.trouble());
        let off = off(&picture, &expected);
        assert!(off < 0.02, "step {step}: {off} of the pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn steady_frames_reuse_light_but_show_changes_at_once() {
    let gpu = gpu();
    let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    let canvas = Canvas::new();
    let steady = |step: u16| {
        let moved = Affine3::from_translation(Vec3::NEG_Z * 0.01 * f32::from(step));
        let mut frame = FrameRequest { steady: true, ..frame(&camera, Algorithm::Igi(Igi::DEFAULT), 1) };
        frame.camera.world_from_view = camera.world_from_view * moved;
        frame
    };
    let (first, _) = render(&gpu, &world, &steady(0), &canvas);
    let (second, before) = render(&gpu, &world, &steady(1), &canvas);
    assert_eq!((first.by.name, second.by.name, second.samples), ("GPU", "GPU", 1));
    assert!(second.rays.total() * 4 < first.rays.total(), "{:?} {:?}", first.rays, second.rays);
    assert!(second.vpls > 0 && canvas.film().is_none(), "steady frames have no sums");

    // Make all materials black: no light of earlier frames may remain
    let materials: Vec<_> = world.scene().materials().map(|(id, _)| id).collect();
    for id in materials {
        let emission = world.scene().material(id).unwrap().emission;
        let black = Material { emission, ..Material::lambert("black", Vec3::ZERO) };
        world.edit(SceneEdit::Material { id, material: Some(black) }).unwrap();
    }
    world.commit().unwrap();
    let (changed, after) = render(&gpu, &world, &steady(2), &canvas);
    assert_eq!(changed.by.name, "GPU");
    let lit = |picture: &Picture| {
        let lit = picture.pixels().iter().filter(|p| (1e-3..1.0).contains(&p.max_element())).count();
        lit as f32 / picture.pixels().len() as f32
    };
    assert!(lit(&before) > 0.5 && lit(&after) < 0.02, "{} {}", lit(&before), lit(&after));
    // The world does not change: frames reuse earlier ones again
    render(&gpu, &world, &steady(3), &canvas);
    let (last, _) = render(&gpu, &world, &steady(4), &canvas);
    assert!(last.rays.total() < changed.rays.total(), "{:?} {:?}", last.rays, changed.rays);
}

/// Returns the mean squared difference of two images as they are displayed without exposure, so that the edges of lamps
/// do not outweigh all other pixels.
fn squared_error(a: &Picture, b: &Picture) -> f32 {
    let shown = |v: &Vec3| v.min(Vec3::ONE);
    let squares = a.pixels().iter().zip(b.pixels()).map(|(a, b)| (shown(a) - shown(b)).length_squared());
    squares.sum::<f32>() / a.pixels().len() as f32
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn steady_path_traced_frames_have_less_noise_and_the_same_bits_again() {
    const FRAMES: u16 = 6;
    let gpu = gpu();
    let world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    let path = Algorithm::Path(PathTracer { max_bounces: 3, ..PathTracer::DEFAULT });
    let at = |step: u16, steady: bool, samples: u32| {
        let moved = Affine3::from_translation(Vec3::X * 0.005 * f32::from(step));
        let mut frame = FrameRequest { steady, aovs: Denoiser::AOVS, ..frame(&camera, path, samples) };
        frame.camera.world_from_view = camera.world_from_view * moved;
        frame
    };
    let walk = |engine: &Engine, by: &str| {
        let canvas = Canvas::new();
        let rendered: Vec<_> =
            (0..FRAMES).map(|step| render(engine, &world, &at(step, true, 1), &canvas)).collect();
        assert!(rendered.iter().all(|(result, _)| (result.by.name, result.samples) == (by, 1)));
        (canvas, rendered.into_iter().map(|(_, picture)| picture).collect::<Vec<_>>())
    };
    let (canvas, pictures) = walk(&gpu, "GPU");
    let (_, alone) = render(&gpu, &world, &at(FRAMES - 1, false, 1), &Canvas::new());
    let (_, reference) = render(&gpu, &world, &at(FRAMES - 1, false, 256), &Canvas::new());
    let last = pictures.last().unwrap();
    let [steady, single] = [last, &alone].map(|picture| squared_error(picture, &reference));
    assert!(steady < 0.35 * single, "squared error {steady}, of a frame alone {single}");
    assert!(walk(&gpu, "GPU").1 == pictures, "the same bits");

    let frames = canvas.frame_counts().unwrap();
    let mean = frames.iter().sum::<f32>() / frames.len() as f32;
    assert!(mean > 4.0, "{mean} frames");
    assert!(canvas.film().unwrap().features().is_some(), "the film of the newest frame");
    let denoiser = Denoiser::new(DenoiseMethod::Auto).unwrap();
    let (on_cpu, _) = walk(&engine(Device::Processor), "CPU");
    let [denoised, expected] = [&canvas, &on_cpu].map(|canvas| canvas.denoised(&denoiser).unwrap().unwrap());
    let error = squared_error(&denoised, &reference);
    assert!(error < 0.8 * steady, "squared error {error} after denoising, {steady} before");
    let difference = squared_error(&denoised, &expected);
    assert!(difference < 0.02 * error, "squared difference {difference} to the CPU, whose error is {error}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn aovs_agree_with_the_cpu() {
    let (gpu, cpu) = (gpu(), engine(Device::Processor));
    let world = EditableWorld::new(sunfleck_models::build("teapot-room").unwrap()).unwrap();
    let whitted = frame(&world.cameras()[0].clone(), Algorithm::Whitted(Whitted::DEFAULT), 2);
    let frame = FrameRequest { aovs: AovSet::ALL, steady: true, ..whitted };
    let (canvas, other) = (Canvas::new(), Canvas::new());
    let (by_gpu, _) = render(&gpu, &world, &frame, &canvas);
    assert_eq!((by_gpu.by.name, gpu.trouble()), ("GPU", None));
    render(&cpu, &world, &frame, &other);
    let (found, expected) = (canvas.film().unwrap(), other.film().unwrap());
    for aov in [Aov::NormalShading, Aov::Albedo, Aov::Reflections] {
        let off = off(&found.display_image(aov).unwrap(), &expected.display_image(aov).unwrap());
        assert!(off < 0.02, "{aov:?}: {off} of the pixels differ");
    }
}

#[test]
fn a_missing_gpu_is_an_error_if_it_is_requested() {
    let device = Device::Gpu(AdapterChoice::Number(1000));
    let refused = Engine::new(EngineOptions { device, ..EngineOptions::default() });
    assert!(refused.unwrap_err().to_string().contains("1000"), "the message contains the number of the GPU");
    let auto = engine(Device::Auto);
    assert!(auto.trouble().is_none(), "the CPU renders, or a GPU: {:?}", auto.gpu());
}

fn both() -> Engine {
    engine(Device::Both)
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn gpu_and_cpu_render_each_sample_once() {
    let (both, cpu) = (both(), engine(Device::Processor));
    let world = EditableWorld::new(sunfleck_models::build("teapot-room").unwrap()).unwrap();
    let camera = world.cameras()[0].clone();
    for (algorithm, samples) in [(Algorithm::ALL[0], 96), (Algorithm::ALL[1], 96), (Algorithm::Igi(IGI), 12)]
    {
        let aovs = algorithm.channels();
        let frame = FrameRequest { aovs, occlusion_radius: 0.4, ..frame(&camera, algorithm, samples) };
        let (canvas, other) = (Canvas::new(), Canvas::new());
        let (made, found) = render(&both, &world, &frame, &canvas);
        assert_eq!(
            (made.samples, made.ended, both.trouble()),
            (samples, StopReason::Done, None),
            "{algorithm}"
        );
        let on_gpu = made.by.gpu_samples;
        assert!(on_gpu > 0 && on_gpu < samples, "{algorithm}: {on_gpu}");
        let film = canvas.film().unwrap();
        assert!((0..40).all(|y| (0..48).all(|x| film.samples(x, y) == samples)), "{algorithm}");

        let (alone, expected) = render(&cpu, &world, &frame, &other);
        let [a, b] = [made, alone].map(|result| result.rays.total() as f64);
        assert!((a - b).abs() < 2e-3 * b, "{algorithm}: {a} rays, not {b}");
        let expected_film = other.film().unwrap();
        let radiance = off(&found, &expected);
        let albedo = off(&film.albedo().unwrap(), &expected_film.albedo().unwrap());
        assert!(radiance < 0.02 && albedo < 0.007, "{algorithm}: {radiance}, {albedo} of the pixels differ");
        let (ids, expected_ids) = (film.ids().unwrap(), expected_film.ids().unwrap());
        let others = ids.iter().zip(expected_ids).filter(|(a, b)| a != b).count();
        assert!(others <= 6, "{algorithm}: ids of {others} pixels differ");

        // More samples of the same view are accumulated
        let more = both.render(&world, &frame, &canvas).wait();
        assert_eq!((more.samples, canvas.samples()), (2 * samples, 2 * samples), "{algorithm}");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn gpu_and_cpu_follow_stop_rules() {
    let both = both();
    let world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
    let frame = FrameRequest { width: 24, height: 24, ..frame(&world.cameras()[0], Algorithm::ALL[0], 1) };
    let clean = FrameRequest { budget: Budget { noise: Some(0.05), ..Budget::default() }, ..frame.clone() };
    let canvas = Canvas::new();
    let (done, _) = render(&both, &world, &clean, &canvas);
    let film = canvas.film().unwrap();
    assert!(film.noise() <= 0.05 && done.samples > 32, "{} {done:?}", film.noise());
    assert_eq!(film.samples(3, 3), done.samples);

    let soon = FrameRequest { budget: Budget::time(Duration::from_millis(300)), ..frame.clone() };
    let (done, _) = render(&both, &world, &soon, &Canvas::new());
    assert!(done.samples > 0 && done.elapsed < Duration::from_secs(20), "{done:?}");
    assert_eq!(done.ended, StopReason::Done);

    let endless = FrameRequest { budget: Budget::samples(1_000_000), ..frame };
    let canvas = Canvas::new();
    let ticket = both.render(&world, &endless, &canvas);
    while ticket.progress().samples < 2 && ticket.poll().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    ticket.cancel();
    let done = ticket.wait();
    assert_eq!(done.ended, StopReason::Cancelled);
    assert!(done.samples >= 2 && canvas.film().unwrap().samples(5, 5) >= 2, "{done:?}");
}
