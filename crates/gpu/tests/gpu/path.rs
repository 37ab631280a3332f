//! The path tracer on the GPU against the CPU, pixel by pixel: both take the same decisions from the same random
//! numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use fearless_simd::Level;
use sunfleck_gpu::{
    AdapterChoice, Gpu, GpuError, PathOptions, PathRenderer, RenderRun, Renderer, SceneMirror,
};
use sunfleck_image::{Aov, AovSet, Features, Film, Metering, Picture, meter};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{
    Algorithm, Observer, RenderOutcome, RenderProgress, Schedule, StopReason, StopRules, View, ViewSpec,
    World, render,
};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Environment, Material, Scene, SceneEdit, Surface, Texels, Texture, TextureRef};

use sunfleck_testkit::scenes::tilted_floor;

use crate::transparent::{blended_scene_with_panes, scene_with_panes, transparent_scene};

/// Name of a channel, and the function that reads it from a film.
type Channel<T> = (&'static str, fn(&Film) -> Option<T>);

const SIZE: u32 = 48;
const SAMPLES: u32 = 4;

pub(crate) fn stop(samples: u32) -> StopRules {
    StopRules { samples: Some(samples), ..StopRules::default() }
}

pub(crate) fn on_cpu(
    world: &World,
    spec: ViewSpec,
    algorithm: &Algorithm,
    samples: u32,
) -> (Film, RenderOutcome) {
    let view = View::new(world, spec);
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let cancel = AtomicBool::new(false);
    let schedule = Schedule::default();
    let outcome =
        render(&view, algorithm, &mut film, 0, &stop(samples), &schedule, &cancel, &|_: &RenderProgress| ());
    (film, outcome)
}

/// Renders with a [`Renderer`], which supports all algorithms.
pub(crate) fn render_by_renderer(
    renderer: &mut Renderer,
    world: &Arc<World>,
    spec: &ViewSpec,
    algorithm: &Algorithm,
    samples: u32,
) -> (Film, RenderOutcome) {
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let (stop, cancel) = (stop(samples), AtomicBool::new(false));
    let observer = &|_: &RenderProgress| ();
    let run = RenderRun { samples: 0..samples, stop: &stop, cancel: &cancel, observer, supply: None };
    let outcome = renderer.render(world, spec, algorithm, Level::new(), &mut film, &run).unwrap();
    (film, outcome)
}

fn on_gpu(world: &World, spec: &ViewSpec, samples: u32, options: PathOptions) -> (Film, RenderOutcome) {
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let scene = SceneMirror::new(&gpu, world).unwrap();
    let renderer = PathRenderer::with_options(&gpu, &scene, options).unwrap();
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let outcome = render_with(&renderer, &scene, spec, &mut film, &stop(samples)).unwrap();
    assert_eq!((outcome.samples, outcome.ended), (samples, StopReason::Done), "{outcome:?}");
    (film, outcome)
}

fn render_with(
    renderer: &PathRenderer,
    scene: &SceneMirror,
    spec: &ViewSpec,
    film: &mut Film,
    stop: &StopRules,
) -> Result<RenderOutcome, GpuError> {
    let cancel = AtomicBool::new(false);
    renderer.render(scene, spec, &PathTracer::DEFAULT, film, stop, &cancel, &|_: &RenderProgress| ())
}

pub(crate) fn committed(name: &str) -> World {
    World::commit(&sunfleck_models::build(name).unwrap()).unwrap()
}

pub(crate) fn spec(world: &World, width: u32, height: u32) -> ViewSpec {
    ViewSpec::new(&world.cameras().first().cloned().unwrap(), width, height)
}

/// Returns the number of pixels that differ by more than a share of their own size and of the mean.
pub(crate) fn different(found: &Picture, expected: &Picture) -> usize {
    let count = expected.pixels().len();
    let mean = expected.pixels().iter().map(|v| v.abs()).sum::<Vec3>().element_sum() / (3 * count) as f32;
    assert!(mean > 0.0, "the image is black");
    let differs = |(a, b): &(&Vec3, &Vec3)| {
        let equal = (**a - **b).abs().max_element() <= 2e-3 * (b.abs().max_element() + mean);
        !equal
    };
    found.pixels().iter().zip(expected.pixels()).filter(differs).count()
}

/// Returns the mean relative difference of the pixels.
fn relative(found: &Picture, expected: &Picture) -> f32 {
    let difference = |(a, b): (&Vec3, &Vec3)| (*a - *b).abs().element_sum() / b.element_sum().max(1e-6);
    found.pixels().iter().zip(expected.pixels()).map(difference).sum::<f32>() / found.pixels().len() as f32
}

/// Asserts that all AOVs are equal, except for a few pixels on edges.
pub(crate) fn channels_are_equal(found: &Film, expected: &Film) {
    let vectors: [Channel<Picture>; 4] = [
        ("position", Film::position),
        ("ng", Film::normal_geometric),
        ("ns", Film::normal_shading),
        ("albedo", Film::albedo),
    ];
    for (name, channel) in vectors {
        let different = different(&channel(found).unwrap(), &channel(expected).unwrap());
        assert!(different <= 12, "{name}: {different} pixels differ");
    }
    let scalars: [Channel<Vec<f32>>; 3] =
        [("depth", Film::depth), ("ao", Film::ambient_occlusion), ("reflections", Film::reflections)];
    for (name, channel) in scalars {
        let (a, b) = (channel(found).unwrap(), channel(expected).unwrap());
        let equal = |(a, b): &(&f32, &f32)| a == b || (**a - **b).abs() <= 1e-3 * b.abs();
        let equal = a.iter().zip(&b).filter(equal).count();
        assert!(equal + 24 >= b.len(), "{name}: {equal} of {} pixels are equal", b.len());
    }
    let [found_halves, expected_halves] = [found, expected].map(|film| film.halves().unwrap());
    for (found, expected) in found_halves.iter().zip(&expected_halves) {
        let different = different(found, expected);
        assert!(different <= 24, "{different} pixels of a half differ");
    }
    let (a, b) = (found.features().unwrap(), expected.features().unwrap());
    let equal = |(a, b): &(&Features, &Features)| {
        (a.albedo - b.albedo).abs().max_element() <= 1e-3
            && (a.normal - b.normal).abs().max_element() <= 1e-3
            && (a.inverse_distance - b.inverse_distance).abs() <= 1e-3 * b.inverse_distance
    };
    let equal = a.iter().zip(&b).filter(equal).count();
    assert!(equal + 24 >= b.len(), "features of {equal} of {} pixels are equal", b.len());
    let (a, b) = (found.ids().unwrap(), expected.ids().unwrap());
    let different = a.iter().zip(b).filter(|(a, b)| a != b).count();
    assert!(different <= 6, "ids: {different} pixels differ");
}

/// Asserts that all but `others` pixels are equal within a share of their brightness; the rest are those where rounding
/// changes a path.
fn compare(name: &str, world: &World, others: usize) {
    let spec = spec(world, SIZE, SIZE);
    let (expected, on_cpu) = on_cpu(world, spec, &Algorithm::ALL[0], SAMPLES);
    let (found, on_gpu) = on_gpu(world, &spec, SAMPLES, PathOptions::default());
    let different = different(&found.radiance(), &expected.radiance());
    assert!(different <= others, "{name}: {different} of {} pixels differ", SIZE * SIZE);
    let [a, b] = [on_gpu, on_cpu].map(|outcome| outcome.rays.total() as f64);
    assert!((a - b).abs() < 2e-3 * b, "{name}: {a} rays, not {b}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn diffuse_rooms() {
    compare("cornell", &committed("cornell"), 12);
    compare("conference", &committed("conference"), 24);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn mirrors_glass_metal_and_textures() {
    compare("teapot-room", &committed("teapot-room"), 60);
    compare("office", &committed("office"), 60);
}

/// Light of diffuse surfaces apart from highlights, behind mirrors and glass, too.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn diffuse_light_and_highlights() {
    for name in ["teapot-room", "office"] {
        let world = committed(name);
        let spec = ViewSpec { aovs: AovSet::EMPTY.with(Aov::Diffuse), ..spec(&world, SIZE, SIZE) };
        let (expected, _) = on_cpu(&world, spec, &Algorithm::ALL[0], SAMPLES);
        let (found, _) = on_gpu(&world, &spec, SAMPLES, PathOptions::default());
        let [found_diffuse, diffuse] = [&found, &expected].map(|film| film.diffuse().unwrap());
        let others = different(&found_diffuse, &diffuse);
        assert!(others <= 60, "{name}: {others} of {} pixels differ", SIZE * SIZE);
        let highlights = different(&diffuse, &expected.radiance());
        assert!(highlights > 200, "{name}: {highlights} pixels have highlights");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn procedurals_with_relief() {
    compare("erw6:procedural=1", &committed("erw6:procedural=1"), 60);
}

/// A model whose diffuse surfaces have a texture.
fn textured(name: &str) -> Scene {
    let mut scene = sunfleck_models::build(name).unwrap();
    let texels = Texels::Srgb8(Arc::new(vec![[200, 150, 100, 255]; 4]));
    let texture = scene.add_texture(Texture::new("brown", 2, 2, texels).unwrap()).unwrap();
    let materials: Vec<_> = scene.materials().map(|(id, material)| (id, material.clone())).collect();
    for (id, mut material) in materials {
        if let Surface::Lambert { albedo } = &mut material.surface {
            albedo.texture = Some(TextureRef::new(texture));
        }
        scene.apply(SceneEdit::Material { id, material: Some(material) }).unwrap();
    }
    scene
}

/// A model whose surfaces, but those of lights, are anisotropic metal, anisotropic glass, and principled in turns.
fn layered(name: &str) -> Scene {
    let mut scene = sunfleck_models::build(name).unwrap();
    let principled = |metallic, transmission, anisotropy| Surface::Principled {
        base_color: vec3(0.8, 0.5, 0.2).into(),
        metallic,
        roughness: 0.6,
        anisotropy,
        transmission,
        ior: 1.4,
        specular_tint: 0.3,
        sheen: 0.6,
        sheen_tint: 0.5,
        flatness: 0.2,
        clearcoat: 0.8,
        clearcoat_gloss: 0.2,
        surface_texture: None,
        coat_texture: None,
    };
    let surfaces = [
        Surface::Conductor {
            reflectance: Vec3::ONE.into(),
            eta: vec3(0.2, 0.9, 1.1),
            k: vec3(3.9, 2.5, 2.1),
            roughness: 0.5,
            anisotropy: 0.7,
            roughness_texture: None,
            beckmann: true,
        },
        principled(0.1, 0.0, 0.0),
        Surface::Dielectric { ior: 1.5, tint: Vec3::ONE, roughness: 0.5, anisotropy: -0.6, beckmann: false },
        principled(0.7, 0.0, 0.8),
        principled(0.0, 0.8, 0.5),
    ];
    let materials: Vec<_> = scene.materials().map(|(id, material)| (id, material.clone())).collect();
    for ((id, material), surface) in materials.into_iter().zip(surfaces.iter().cycle()) {
        if material.emission.radiance == Vec3::ZERO {
            let material = Some(Material { surface: surface.clone(), ..material });
            scene.apply(SceneEdit::Material { id, material }).unwrap();
        }
    }
    scene
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn anisotropic_and_principled_surfaces() {
    for name in ["cornell", "teapot-room"] {
        compare(name, &World::commit(&layered(name)).unwrap(), 90);
    }
}

/// Instant global illumination keeps no tangents.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn instant_global_illumination_refuses_anisotropic_surfaces() {
    let world = Arc::new(World::commit(&layered("cornell")).unwrap());
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let mut film = Film::new(SIZE, SIZE, AovSet::EMPTY);
    let (stop, cancel) = (stop(1), AtomicBool::new(false));
    let observer = &|_: &RenderProgress| ();
    let run = RenderRun { samples: 0..1, stop: &stop, cancel: &cancel, observer, supply: None };
    let igi = "igi".parse().unwrap();
    let spec = spec(&world, SIZE, SIZE);
    let refused = renderer.render(&world, &spec, &igi, Level::new(), &mut film, &run);
    assert_eq!(refused.unwrap_err(), GpuError::Unsupported { what: "anisotropic microfacets" });
}

/// Kernels for a world without procedurals or textures lack their code, and refuse worlds that have some; a
/// [`Renderer`] compiles others.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn kernels_refuse_features_they_were_not_compiled_for() {
    let [room, patterned, bare] =
        ["erw6", "erw6:procedural=1", "cornell"].map(|name| Arc::new(committed(name)));
    let brown = Arc::new(World::commit(&textured("cornell")).unwrap());
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let film = || Film::new(SIZE, SIZE, AovSet::EMPTY);
    for (plain, other, what) in
        [(&room, &patterned, "solid patterns"), (&bare, &brown, "base colour textures")]
    {
        let [plain, other] = [plain, other].map(|world| SceneMirror::new(&gpu, world).unwrap());
        let renderer = PathRenderer::new(&gpu, &plain).unwrap();
        let refused = render_with(&renderer, &other, &spec(&room, SIZE, SIZE), &mut film(), &stop(1));
        assert_eq!(refused.unwrap_err(), GpuError::Unsupported { what });
    }

    let mut renderer = Renderer::new(Arc::clone(&gpu));
    for world in [&room, &patterned, &room, &bare, &brown, &bare] {
        let (path, spec) = (Algorithm::ALL[0], spec(world, SIZE, SIZE));
        let (found, _) = render_by_renderer(&mut renderer, world, &spec, &path, SAMPLES);
        let (expected, _) = on_cpu(world, spec, &path, SAMPLES);
        let different = different(&found.radiance(), &expected.radiance());
        assert!(different <= 60, "{different} pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn surfaces_with_alpha() {
    let (world, opaque) = (World::commit(&transparent_scene()).unwrap(), committed("teapot-room"));
    compare("transparent", &world, 60);
    let spec = spec(&world, SIZE, SIZE);
    let [with, without] =
        [&world, &opaque].map(|world| on_cpu(world, spec, &Algorithm::ALL[0], 1).0.radiance());
    assert!(different(&with, &without) > 500, "holes are visible");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn panes_of_thin_glass() {
    compare("panes", &World::commit(&scene_with_panes(2)).unwrap(), 60);
    // Of more panes than are remembered, the GPU remembers others than the CPU, so that single samples differ
    let world = World::commit(&scene_with_panes(11)).unwrap();
    let spec = spec(&world, SIZE, SIZE);
    let (expected, _) = on_cpu(&world, spec, &Algorithm::ALL[0], 32);
    let (found, _) = on_gpu(&world, &spec, 32, PathOptions::default());
    let [found, expected] =
        [found, expected].map(|film| film.radiance().pixels().iter().copied().sum::<Vec3>());
    assert!((found / expected - 1.0).abs().max_element() < 0.02, "{found} for {expected}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn bounces_of_paths_through_panes() {
    let world = World::commit(&scene_with_panes(2)).unwrap();
    let spec = ViewSpec { aovs: AovSet::ALL, ..spec(&world, SIZE, SIZE) };
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let world = Arc::new(world);
    for max_bounces in [0, 1, 3] {
        let path = PathTracer { max_bounces, roulette_after: 1, ..PathTracer::DEFAULT };
        let algorithm = Algorithm::Path(path);
        let (expected, _) = on_cpu(&world, spec, &algorithm, SAMPLES);
        let (found, _) = render_by_renderer(&mut renderer, &world, &spec, &algorithm, SAMPLES);
        let different = different(&found.radiance(), &expected.radiance());
        assert!(different <= 40, "{max_bounces} bounces: {different} pixels differ");
        channels_are_equal(&found, &expected);
    }
}

/// Behind coloured panes, alpha decides which surface a sample sees.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn features_behind_panes() {
    let world = World::commit(&blended_scene_with_panes()).unwrap();
    let spec = ViewSpec { aovs: AovSet::ALL, ..spec(&world, SIZE, SIZE) };
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let algorithm = Algorithm::Path(PathTracer { max_bounces: 1, ..PathTracer::DEFAULT });
    let (expected, _) = on_cpu(&world, spec, &algorithm, SAMPLES);
    let (found, _) = render_by_renderer(&mut renderer, &Arc::new(world), &spec, &algorithm, SAMPLES);
    channels_are_equal(&found, &expected);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_film_is_that_of_the_cpu() {
    let world = committed("cornell");
    let spec = spec(&world, 20, 12);
    let (expected, _) = on_cpu(&world, spec, &Algorithm::ALL[0], 1000);
    let (found, _) = on_gpu(&world, &spec, 1000, PathOptions::default());
    assert_eq!((0..20).map(|x| found.samples(x, 7)).sum::<u32>(), 20_000);
    // A few of a thousand paths are changed by rounding
    let difference = relative(&found.radiance(), &expected.radiance());
    assert!(difference < 1e-4, "the mean: {difference}");
    let difference = relative(&found.variance(), &expected.variance());
    assert!(difference < 1e-3, "the variance: {difference}");
    let mean = |film: &Film| film.noise_estimate().deviations.iter().sum::<f32>();
    assert!((mean(&found) / mean(&expected) - 1.0).abs() < 1e-3, "the noise of independent samples");
}

/// A metal floor whose normal map tilts all normals by 37°, seen at grazing angles: normals are bent so that
/// reflections stay above the floor.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn bent_normals() {
    let mut scene = tilted_floor(Material::metallic_roughness("metal", Vec3::splat(0.8), 1.0, 0.2));
    scene.set_environment(Environment::Constant { radiance: vec3(0.5, 0.7, 1.0) }).unwrap();
    let world = World::commit(&scene).unwrap();
    let mut darkest = f32::INFINITY;
    for eye in [vec3(-6.0, 0.6, 0.5), vec3(6.0, 0.6, 0.5), vec3(0.3, 0.6, 6.0)] {
        let view = ViewSpec {
            world_from_view: look_at(eye, Vec3::ZERO, Vec3::Y),
            aovs: AovSet::ALL,
            ..spec(&committed("cornell"), 32, 32)
        };
        let (expected, _) = on_cpu(&world, view, &Algorithm::ALL[0], SAMPLES);
        let (found, _) = on_gpu(&world, &view, SAMPLES, PathOptions::default());
        channels_are_equal(&found, &expected);
        let different = different(&found.radiance(), &expected.radiance());
        assert!(different <= 12, "from {eye}: {different} pixels differ");
        darkest = expected.radiance().pixels().iter().map(|pixel| pixel.x).fold(darkest, f32::min);
    }
    assert!(darkest > 0.1, "no reflection is lost: {darkest}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_number_of_paths_does_not_change_the_image() {
    let world = committed("teapot-room");
    let spec = spec(&world, 37, 21);
    let film = |paths| on_gpu(&world, &spec, 21, PathOptions { paths: Some(paths) });
    let (together, rays) = film(1 << 16);
    for paths in [1 << 12, 300, 1 << 13] {
        let (other, other_rays) = film(paths);
        assert!(together == other, "{paths} paths in flight");
        assert_eq!(rays.rays, other_rays.rays, "{paths} paths in flight");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn odd_sizes() {
    let world = committed("cornell");
    for (width, height) in [(1, 1), (7, 3), (65, 9), (8, 130)] {
        let spec = spec(&world, width, height);
        let (expected, on_cpu) = on_cpu(&world, spec, &Algorithm::ALL[0], 5);
        let (found, on_gpu) = on_gpu(&world, &spec, 5, PathOptions::default());
        let different = different(&found.radiance(), &expected.radiance());
        assert!(different <= 5, "{width} × {height}: {different} pixels differ");
        assert!(on_gpu.rays.total().abs_diff(on_cpu.rays.total()) < 50, "{on_gpu:?} {on_cpu:?}");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn aovs_are_recorded() {
    for world in [committed("teapot-room"), World::commit(&transparent_scene()).unwrap()] {
        let spec = ViewSpec { aovs: AovSet::ALL, occlusion_radius: 0.4, ..spec(&world, SIZE, SIZE) };
        let (expected, on_cpu) = on_cpu(&world, spec, &Algorithm::ALL[0], SAMPLES);
        let (found, on_gpu) = on_gpu(&world, &spec, SAMPLES, PathOptions::default());
        let [a, b] = [on_gpu, on_cpu].map(|outcome| outcome.rays.total() as f64);
        assert!((a - b).abs() < 2e-3 * b, "{a} rays, not {b}");
        channels_are_equal(&found, &expected);
    }
}

/// Cancels after the first image that it receives.
struct CancelAfterImage {
    images: AtomicU32,
    cancel: AtomicBool,
}

impl Observer for CancelAfterImage {
    fn tile(&self, status: &RenderProgress) {
        assert!(status.done >= 0.0 && status.done <= 1.0, "{status:?}");
    }

    fn pass(&self, film: &Film, samples: u32) {
        assert!(film.samples(3, 3) >= samples && samples > 0, "{samples} samples");
        assert!(film.radiance().pixels().iter().all(|v| v.is_finite()), "{samples} samples");
        self.images.fetch_add(1, Ordering::Relaxed);
        self.cancel.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn observers_see_the_film_and_stop_rules_apply() {
    let world = committed("cornell");
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let options = PathOptions { paths: Some(1 << 12) };
    let renderer = PathRenderer::with_options(&gpu, &scene, options).unwrap();
    let spec = spec(&world, 64, 64);
    let mut film = Film::new(64, 64, AovSet::EMPTY);

    // Cancellation after the first readback
    let observer = CancelAfterImage { images: AtomicU32::new(0), cancel: AtomicBool::new(false) };
    let path = PathTracer::DEFAULT;
    let outcome = renderer
        .render(&scene, &spec, &path, &mut film, &stop(1 << 30), &observer.cancel, &observer)
        .unwrap();
    assert_eq!((outcome.ended, observer.images.load(Ordering::Relaxed) > 0), (StopReason::Cancelled, true));
    assert!(film.samples(0, 0) >= outcome.samples && outcome.samples > 0, "{outcome:?}");

    // Noise threshold, and time limit
    let clean = StopRules { noise: Some(0.3), ..StopRules::default() };
    let outcome = render_with(&renderer, &scene, &spec, &mut film, &clean).unwrap();
    assert!(outcome.ended == StopReason::Done && film.noise() <= 0.3 && outcome.samples >= 16, "{outcome:?}");
    let soon = StopRules { time: Some(std::time::Duration::from_millis(1)), ..StopRules::default() };
    let outcome = render_with(&renderer, &scene, &spec, &mut film, &soon).unwrap();
    assert!(outcome.ended == StopReason::Done && outcome.samples > 0, "{outcome:?}");
    assert!(film.samples(63, 63) >= outcome.samples);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn times_of_stages() {
    let world = committed("cornell");
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    let spec = spec(&world, 64, 64);
    let Some(times) = renderer.time(&scene, &spec, &PathTracer::DEFAULT, 2).unwrap() else { return };
    let (_, outcome) = on_gpu(&world, &spec, 2, PathOptions::default());
    assert_eq!((times.rays, times.camera_rays), (outcome.rays, 64 * 64 * 2));
    let sum: f64 = times.stages.iter().map(|stage| stage.seconds).sum();
    assert!(sum > 0.0 && times.total_s > 0.0 && times.stages.len() == 7, "{times:?}");
}

/// The histogram that the GPU counts leads to the same exposure as the image.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn gpu_histograms_match_the_image() {
    let world = Arc::new(committed("cornell"));
    let spec = ViewSpec::new(&world.cameras()[0].clone(), SIZE, SIZE);
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let mut live = renderer.live(&world, &spec, &Algorithm::ALL[0], Level::new(), 0).unwrap();
    live.add(&stop(SAMPLES), &AtomicBool::new(false), &|_: &RenderProgress| ()).unwrap();
    let expected = meter(&live.radiance().unwrap().unwrap(), Metering::default()).unwrap();
    for _ in 0..2 {
        let found = live.histogram().unwrap().meter(Metering::default()).unwrap();
        assert!((found - expected).abs() < 1e-3, "{found}, not {expected}");
    }
}
