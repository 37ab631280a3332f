//! Instant global illumination on the GPU against the CPU: the same virtual point lights, the same images.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use sunfleck_gpu::{AdapterChoice, Gpu, GpuError, IgiOptions, IgiRenderer, MirrorOptions, SceneMirror};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::{Igi, light_sums, virtual_lights};
use sunfleck_integrators::{
    Algorithm, Observer, RenderOutcome, RenderProgress, Schedule, StopReason, StopRules, View, ViewSpec,
    World, render,
};
use sunfleck_math::Vec3;
use sunfleck_scene::Scene;
use sunfleck_shaders::layout::Vpl;

use crate::path::channels_are_equal;
use crate::transparent::{masked_scene, scene_with_panes, transparent_scene};

/// Every VPL that may contribute gets a shadow ray.
const NO_ROULETTE: Igi = Igi { roulette: 0.0, compensate: false, ..Igi::DEFAULT };

fn world(name: &str) -> (World, ViewSpec) {
    committed(&sunfleck_models::build(name).unwrap())
}

fn committed(scene: &Scene) -> (World, ViewSpec) {
    let world = World::commit(scene).unwrap();
    let camera = world.cameras().first().cloned().unwrap();
    (world, ViewSpec::new(&camera, 64, 48))
}

fn stop(frames: u32) -> StopRules {
    StopRules { samples: Some(frames), ..StopRules::default() }
}

fn on_cpu(world: &World, spec: ViewSpec, igi: Igi, frames: u32) -> (Film, RenderOutcome) {
    let view = View::new(world, spec);
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let (cancel, schedule) = (AtomicBool::new(false), Schedule::default());
    let outcome = render(
        &view,
        &Algorithm::Igi(igi),
        &mut film,
        0,
        &stop(frames),
        &schedule,
        &cancel,
        &|_: &RenderProgress| (),
    );
    (film, outcome)
}

/// A GPU with kernels. Most tests share those for the deepest of their worlds and for all features, since compilation
/// takes longer than rendering.
struct Fixture {
    gpu: Arc<Gpu>,
    renderer: IgiRenderer,
}

const MEADOW: &str = "sunflowers:flowers=30,trees=0";
const DEEPEST: &str = MEADOW;

impl Fixture {
    fn new() -> Self {
        Self::with_options(&world(DEEPEST).0, &MirrorOptions { changes: true, ..MirrorOptions::default() })
    }

    /// Kernels for a single world.
    fn of(world: &World) -> Self {
        Self::with_options(world, &MirrorOptions::default())
    }

    fn with_options(world: &World, options: &MirrorOptions) -> Self {
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let scene = SceneMirror::with_options(&gpu, world, options).unwrap();
        Self { renderer: IgiRenderer::new(&gpu, &scene), gpu }
    }

    /// Kernels for a single world, on a GPU without optional features.
    fn without_features(world: &World) -> Self {
        let gpu = Arc::new(Gpu::open_without_features(AdapterChoice::Best).unwrap());
        let scene = SceneMirror::new(&gpu, world).unwrap();
        Self { renderer: IgiRenderer::new(&gpu, &scene), gpu }
    }

    /// The same kernels with bands as small as possible.
    fn in_bands(&self, world: &World) -> Self {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let options = IgiOptions { binding_bytes: Some(1) };
        let renderer = IgiRenderer::with_options(&self.gpu, &scene, options);
        Self { gpu: self.gpu.clone(), renderer }
    }

    fn render(&self, world: &World, spec: &ViewSpec, igi: &Igi, frames: u32) -> (Film, RenderOutcome) {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let mut film = Film::new(spec.width, spec.height, spec.aovs);
        let cancel = AtomicBool::new(false);
        let stop = stop(frames);
        let outcome = self
            .renderer
            .render(&scene, world, spec, igi, &mut film, &stop, &cancel, &|_: &RenderProgress| ())
            .unwrap();
        (film, outcome)
    }

    /// Asserts that all but `others` pixels are equal: the rest are those where rounding changes the path of a ray, and
    /// their neighbours in the filter.
    fn compare(&self, name: &str, igi: Igi, others: usize, most: f32) {
        self.compare_in(name, &world(name), igi, others, most);
    }

    fn compare_in(&self, name: &str, (world, spec): &(World, ViewSpec), igi: Igi, others: usize, most: f32) {
        let (expected, _) = on_cpu(world, *spec, igi, 2);
        let (found, _) = self.render(world, spec, &igi, 2);
        let (different, rmse) = differences(&found, &expected);
        assert!(different <= others && rmse <= most, "{name}: {different} pixels differ, RMSE {rmse}");
    }

    /// Asserts that all but `most` virtual point lights are equal to those of the CPU.
    fn compare_lights(&self, name: &str, (world, spec): &(World, ViewSpec), igi: &Igi, most: usize) {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let expected = virtual_lights(&View::new(world, *spec), igi, 1);
        let found = self.renderer.virtual_lights(&scene, world, spec, igi, 1).unwrap();
        let size = world.bounds().diagonal();
        let (mut all, mut others) = (0, 0);
        for (expected, found) in expected.iter().zip(found.chunks(4)) {
            let found: Vec<_> = found.iter().filter(|vpl| vpl.kind != Vpl::NONE).collect();
            all += expected.len();
            if found.len() != expected.len() {
                others += expected.len();
                continue;
            }
            for (found, expected) in found.iter().zip(expected) {
                let near = |a: [f32; 3], b: Vec3, size: f32| (Vec3::from(a) - b).length() <= 1e-4 * size;
                let same = near(found.position, expected.position, size)
                    && near(found.intensity, expected.intensity, expected.intensity.length())
                    && (found.brightness - expected.brightness).abs() <= 1e-3 * expected.brightness
                    && (expected.axis == Vec3::ZERO || near(found.axis, expected.axis, 10.0));
                others += usize::from(!same);
            }
        }
        assert!(all > 100 && others <= most, "{name}: {others} of {all} differ");
    }

    /// Asserts that nearly all VPLs are on the light that the CPU chooses.
    fn compare_parts(&self, name: &str, (world, spec): &(World, ViewSpec), igi: &Igi, most: f64) {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let expected = light_sums(&View::new(world, *spec), igi, 1);
        let found = self.renderer.light_sums(&scene, world, spec, igi, 1).unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        let share =
            |sums: &[u32], i: usize| f64::from(sums[i + 1] - sums[i]) / f64::from(*sums.last().unwrap());
        // Half of the sum of differences: the share of VPLs that are on another light
        let differ: f64 = (0..found.len() - 1).map(|i| (share(&found, i) - share(&expected, i)).abs()).sum();
        assert!(differ < most, "{name}: {differ}");
    }
}

/// Returns the number of pixels that differ by more than 0.002 of their brightness and the mean, and the RMSE relative
/// to the mean.
fn differences(found: &Film, expected: &Film) -> (usize, f32) {
    let (found, expected) = (found.radiance(), expected.radiance());
    let mean = expected.pixels().iter().sum::<Vec3>().element_sum() / (3 * expected.pixels().len()) as f32;
    assert!(mean > 0.0, "black");
    let pairs = || found.pixels().iter().zip(expected.pixels());
    let differs = |(a, b): &(&Vec3, &Vec3)| (**a - **b).abs().max_element() > 2e-3 * (b.max_element() + mean);
    let squares: f32 = pairs().map(|(a, b)| (*a - *b).length_squared()).sum();
    let rmse = (squares / (3 * expected.pixels().len()) as f32).sqrt() / mean;
    (pairs().filter(differs).count(), rmse)
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn virtual_point_lights_are_those_of_the_cpu() {
    let fixture = Fixture::new();
    // In the meadow, light paths pass many edges
    for (name, most) in [("cornell", 2), ("teapot-room", 4), ("erw6", 8), (MEADOW, 16)] {
        fixture.compare_lights(name, &world(name), &NO_ROULETTE, most);
    }

    // Kernels for opaque worlds refuse transparent surfaces
    let (world, spec) = committed(&transparent_scene());
    let scene = SceneMirror::new(&fixture.gpu, &world).unwrap();
    let refused = fixture.renderer.virtual_lights(&scene, &world, &spec, &NO_ROULETTE, 0).unwrap_err();
    assert!(matches!(refused, GpuError::Unsupported { .. }), "{refused}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn vpls_are_distributed_over_lights_as_on_the_cpu() {
    let fixture = Fixture::new();
    for (name, igi) in [
        ("teapot-room", NO_ROULETTE),
        ("conference", NO_ROULETTE),
        ("conference", Igi { smooth: false, ..NO_ROULETTE }),
        ("conference", Igi { importance: 0.0, ..NO_ROULETTE }),
        (MEADOW, NO_ROULETTE),
    ] {
        fixture.compare_parts(name, &world(name), &igi, 2e-3);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn images_are_those_of_the_cpu() {
    let fixture = Fixture::new();
    for igi in [Igi { filter: false, ..NO_ROULETTE }, NO_ROULETTE, Igi { compensate: true, ..NO_ROULETTE }] {
        fixture.compare("cornell", igi, 6, 1e-3);
        fixture.compare("erw6", igi, 6, 1e-3);
        fixture.compare("teapot-room", igi, 12, 1e-3);
    }
    // Leaves have many edges
    fixture.compare(MEADOW, NO_ROULETTE, 12, 2e-3);
    let room = world("teapot-room");
    Fixture::of(&room.0).compare_in("teapot-room", &room, NO_ROULETTE, 12, 1e-3);
    fixture.compare("cornell", Igi { interleave: 3, antialias: 1, vpls: 40, ..NO_ROULETTE }, 6, 1e-3);
    // Pixels on edges may have as many surfaces as rays
    fixture.compare("teapot-room", Igi { antialias: 16, vpls: 64, ..NO_ROULETTE }, 12, 1e-3);
    // The random decisions about shadow rays are the same on both
    for name in ["cornell", "erw6", "teapot-room"] {
        fixture.compare(name, Igi::DEFAULT, 12, 1e-3);
        fixture.compare(name, Igi { roulette: 0.5, ..NO_ROULETTE }, 12, 1e-3);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn aovs_are_recorded() {
    let fixture = Fixture::new();
    // With AOVs, each ray of a pixel is illuminated separately even if the filter is on
    for (name, others) in [("cornell", 6), ("teapot-room", 12), ("erw6", 6)] {
        let (world, spec) = world(name);
        let spec = ViewSpec { aovs: AovSet::ALL, ..spec };
        let (expected, _) = on_cpu(&world, spec, NO_ROULETTE, 3);
        let (found, outcome) = fixture.render(&world, &spec, &NO_ROULETTE, 3);
        assert_eq!((outcome.samples, found.samples(7, 5)), (3, 3), "{name}");
        channels_are_equal(&found, &expected);
        let (different, rmse) = differences(&found, &expected);
        assert!(different <= others && rmse <= 2e-3, "{name}: {different} pixels differ, RMSE {rmse}");
        let [noise, expected] = [found.noise(), expected.noise()];
        assert!((noise / expected - 1.0).abs() < 1e-2, "{name}: noise {noise}, not {expected}");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn surfaces_with_alpha() {
    let (masked_scene, transparent_scene) = (committed(&masked_scene()), committed(&transparent_scene()));
    let fixture = Fixture::of(&transparent_scene.0);
    let caustics = Igi { photons: 5000, photon_radius: 0.05, ..NO_ROULETTE };
    for igi in [NO_ROULETTE, Igi { filter: false, compensate: true, ..NO_ROULETTE }, caustics] {
        // Rounding decides about rays that pass close to the edge of a hole, of which there are many
        fixture.compare_in("masked", &masked_scene, igi, 40, 1e-2);
    }
    // Lights are chosen by power, since edges also influence what the paths of the coarse image find
    let by_power = Igi { importance: 0.0, ..NO_ROULETTE };
    fixture.compare_lights("masked", &masked_scene, &by_power, 8);
    let spec = masked_scene.1;
    let [with, without] =
        [&masked_scene.0, &world("teapot-room").0].map(|world| on_cpu(world, spec, NO_ROULETTE, 1).0);
    assert!(differences(&with, &without).0 > 500, "holes are visible");

    // Rays pass through at random: light paths, paths and shadow rays use the same random numbers as on the CPU
    fixture.compare_lights("transparent", &transparent_scene, &by_power, 8);
    fixture.compare_parts("transparent", &transparent_scene, &NO_ROULETTE, 2e-2);
    for igi in
        [by_power, Igi { filter: false, compensate: true, ..by_power }, Igi { roulette: 0.5, ..by_power }]
    {
        fixture.compare_in("transparent", &transparent_scene, igi, 40, 1e-2);
    }
    let spec = ViewSpec { aovs: AovSet::ALL, ..transparent_scene.1 };
    let (expected, _) = on_cpu(&transparent_scene.0, spec, NO_ROULETTE, 4);
    let (found, _) = fixture.render(&transparent_scene.0, &spec, &NO_ROULETTE, 4);
    channels_are_equal(&found, &expected);
    let [found, expected] =
        [found, expected].map(|film| film.radiance().pixels().iter().sum::<Vec3>().element_sum());
    assert!((found / expected - 1.0).abs() < 5e-3, "transparent: {found} for {expected}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn panes_of_thin_glass() {
    let panes = committed(&scene_with_panes(2));
    let fixture = Fixture::of(&panes.0);
    let by_power = Igi { importance: 0.0, ..NO_ROULETTE };
    fixture.compare_lights("panes", &panes, &by_power, 8);
    // Shadow rays of the coarse image have the colour of panes
    fixture.compare_parts("panes", &panes, &NO_ROULETTE, 2e-2);
    // Which virtual point lights are seen through panes is left to chance, by other random numbers than on the CPU
    let mean = |film: &Film| film.radiance().pixels().iter().sum::<Vec3>() / 3072.0;
    let expected = mean(&on_cpu(&panes.0, panes.1, by_power, 2).0);
    let found = mean(&fixture.render(&panes.0, &panes.1, &by_power, 2).0);
    assert!(found.abs_diff_eq(expected, 0.01 * expected.max_element()), "{found}, not {expected}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn caustics() {
    const NAME: &str = "teapot-room:lamp=0.12";
    let seen = world(NAME);
    let fixture = Fixture::of(&seen.0);
    let photons = Igi { photons: 20_000, photon_radius: 0.05, ..NO_ROULETTE };
    for igi in [photons, Igi { filter: false, compensate: true, ..photons }] {
        fixture.compare_in(NAME, &seen, igi, 12, 1e-3);
    }
    let [with, without] = [photons, NO_ROULETTE].map(|igi| on_cpu(&seen.0, seen.1, igi, 2).0);
    assert!(differences(&with, &without).0 > 300, "caustics are visible");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn without_subgroups_camera_rays_begin_at_the_root() {
    let (world, spec) = world("cornell");
    let [(expected, traced), (found, also_traced)] = [Fixture::of(&world), Fixture::without_features(&world)]
        .map(|fixture| fixture.render(&world, &spec, &NO_ROULETTE, 2));
    assert!(found == expected, "films differ");
    assert_eq!(traced.rays.total(), also_traced.rays.total());
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn bands_do_not_change_the_image() {
    let (world, spec) = world("teapot-room");
    let whole = Fixture::of(&world);
    let bands = whole.in_bands(&world);
    for (height, aovs, igi) in [
        (100, AovSet::EMPTY, Igi { compensate: true, ..Igi::DEFAULT }),
        (48, AovSet::ALL, Igi { interleave: 2, antialias: 2, ..Igi::DEFAULT }),
        (41, AovSet::EMPTY, Igi { filter: false, compensate: false, ..Igi::DEFAULT }),
    ] {
        let spec = ViewSpec { height, aovs, ..spec };
        let [(expected, rays), (found, more_rays)] =
            [&whole, &bands].map(|fixture| fixture.render(&world, &spec, &igi, 2));
        assert!(found == expected, "{height} rows: bands differ");
        let [rays, more_rays] = [rays, more_rays].map(|outcome| outcome.rays.total());
        assert!((rays < more_rays) == igi.filter, "the filter has a margin: {rays}, {more_rays} rays");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn times_of_stages() {
    let (world, spec) = world("cornell");
    let fixture = Fixture::of(&world);
    let scene = SceneMirror::new(&fixture.gpu, &world).unwrap();
    let (_, outcome) = fixture.render(&world, &spec, &NO_ROULETTE, 1);
    for fixture in [fixture.in_bands(&world), fixture] {
        let Some(times) = fixture.renderer.time(&scene, &world, &spec, &NO_ROULETTE, 2).unwrap() else {
            return;
        };
        assert_eq!((times.frames.len(), times.wall.len()), (2, 1), "{times:?}");
        let seconds = times.frames.iter().flatten().map(|stage| stage.seconds);
        assert!(seconds.sum::<f64>() > 0.0 && times.rays.total() >= outcome.rays.total(), "{times:?}");
    }
}

/// Cancels after the first image that it receives.
struct CancelAfterImage {
    images: AtomicU32,
    cancel: AtomicBool,
}

impl Observer for CancelAfterImage {
    fn tile(&self, status: &RenderProgress) {
        assert!((0.0..=1.0).contains(&status.done), "{status:?}");
    }

    fn pass(&self, film: &Film, samples: u32) {
        assert_eq!(film.samples(3, 3), samples, "all frames are in the film");
        self.images.fetch_add(1, Ordering::Relaxed);
        self.cancel.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn observers_see_the_film_and_stop_rules_apply() {
    let fixture = Fixture::new();
    let (world, spec) = world("cornell");
    let scene = SceneMirror::new(&fixture.gpu, &world).unwrap();
    let mut film = Film::new(spec.width, spec.height, AovSet::EMPTY);
    let observer = CancelAfterImage { images: AtomicU32::new(0), cancel: AtomicBool::new(false) };
    let outcome = fixture
        .renderer
        .render(&scene, &world, &spec, &NO_ROULETTE, &mut film, &stop(1 << 30), &observer.cancel, &observer)
        .unwrap();
    assert_eq!((outcome.ended, observer.images.load(Ordering::Relaxed)), (StopReason::Cancelled, 1));

    // Noise threshold, and cancellation before the start
    let not_cancelled = AtomicBool::new(false);
    let clean = StopRules { noise: Some(0.5), ..StopRules::default() };
    let look = |_: &RenderProgress| ();
    let rendered = |film: &mut Film, stop: &StopRules, cancel: &AtomicBool| {
        fixture.renderer.render(&scene, &world, &spec, &NO_ROULETTE, film, stop, cancel, &look).unwrap()
    };
    let outcome = rendered(&mut film, &clean, &not_cancelled);
    assert!(outcome.ended == StopReason::Done && film.noise() <= 0.5, "{outcome:?}");
    assert_eq!(film.samples(3, 3), outcome.samples);
    let outcome = rendered(&mut film, &clean, &AtomicBool::new(true));
    assert_eq!((outcome.samples, film.samples(3, 3)), (0, 0), "the content of the film is replaced");
}
