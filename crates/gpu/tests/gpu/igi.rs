//! Instant global illumination on the GPU against the processor's: the same virtual point lights, the same pictures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use sunfleck_gpu::{AdapterChoice, Gpu, GpuError, IgiOptions, IgiRenderer, MirrorOptions, SceneMirror};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::{Igi, light_sums, virtual_lights};
use sunfleck_integrators::{
    Algorithm, Observer, Outcome, Schedule, Status, StopReason, StopRules, View, ViewSpec, World, render,
};
use sunfleck_math::Vec3;
use sunfleck_scene::Scene;
use sunfleck_shaders::layout::Vpl;

use crate::path::channels_are_equal;
use crate::pierced::{masked, pierced};

/// Every VPL that may bring light gets a ray.
const CERTAIN: Igi = Igi { roulette: 0.0, compensate: false, ..Igi::DEFAULT };

fn world(name: &str) -> (World, ViewSpec) {
    seen(&sunfleck_models::build(name).unwrap())
}

fn seen(scene: &Scene) -> (World, ViewSpec) {
    let world = World::commit(scene).unwrap();
    let camera = world.cameras().first().cloned().unwrap();
    (world, ViewSpec::new(&camera, 64, 48))
}

fn stop(frames: u32) -> StopRules {
    StopRules { samples: Some(frames), ..StopRules::default() }
}

fn on_processor(world: &World, spec: ViewSpec, igi: Igi, frames: u32) -> (Film, Outcome) {
    let view = View::new(world, spec);
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let (go_on, schedule) = (AtomicBool::new(false), Schedule::default());
    let outcome =
        render(&view, &Algorithm::Igi(igi), &mut film, 0, &stop(frames), &schedule, &go_on, &|_: &Status| ());
    (film, outcome)
}

/// A GPU with kernels. Those for all worlds of these tests are for the deepest, and ready for what others have: compiling them takes longer than running them.
struct Bench {
    gpu: Arc<Gpu>,
    renderer: IgiRenderer,
}

const MEADOW: &str = "sunflowers:flowers=30,trees=0";
const DEEPEST: &str = MEADOW;

impl Bench {
    fn new() -> Self {
        Self::with_options(&world(DEEPEST).0, &MirrorOptions { changes: true, ..MirrorOptions::default() })
    }

    /// For one world.
    fn of(world: &World) -> Self {
        Self::with_options(world, &MirrorOptions::default())
    }

    fn with_options(world: &World, options: &MirrorOptions) -> Self {
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let scene = SceneMirror::with_options(&gpu, world, options).unwrap();
        Self { renderer: IgiRenderer::new(&gpu, &scene), gpu }
    }

    /// The same on a GPU that has nothing that it need not have.
    fn without_features(world: &World) -> Self {
        let gpu = Arc::new(Gpu::open_without_features(AdapterChoice::Best).unwrap());
        let scene = SceneMirror::new(&gpu, world).unwrap();
        Self { renderer: IgiRenderer::new(&gpu, &scene), gpu }
    }

    /// The same in bands as small as can be.
    fn in_bands(&self, world: &World) -> Self {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let options = IgiOptions { binding_bytes: Some(1) };
        let renderer = IgiRenderer::with_options(&self.gpu, &scene, options);
        Self { gpu: self.gpu.clone(), renderer }
    }

    fn render(&self, world: &World, spec: &ViewSpec, igi: &Igi, frames: u32) -> (Film, Outcome) {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let mut film = Film::new(spec.width, spec.height, spec.aovs);
        let go_on = AtomicBool::new(false);
        let stop = stop(frames);
        let outcome = self
            .renderer
            .render(&scene, world, spec, igi, &mut film, &stop, &go_on, &|_: &Status| ())
            .unwrap();
        (film, outcome)
    }

    /// All but a few pixels are equal: those where a ray goes another way, and their neighbours by the filter.
    fn compare(&self, name: &str, igi: Igi, others: usize, most: f32) {
        self.compare_in(name, &world(name), igi, others, most);
    }

    fn compare_in(&self, name: &str, (world, spec): &(World, ViewSpec), igi: Igi, others: usize, most: f32) {
        let (expected, _) = on_processor(world, *spec, igi, 2);
        let (found, _) = self.render(world, spec, &igi, 2);
        let (different, rmse) = differences(&found, &expected);
        assert!(different <= others && rmse <= most, "{name}: {different} pixels differ, RMSE {rmse}");
    }

    /// All but a few virtual point lights are those of the processor.
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

    /// Nearly all choices go to the light that the processor chooses.
    fn compare_parts(&self, name: &str, (world, spec): &(World, ViewSpec), igi: &Igi, most: f64) {
        let scene = SceneMirror::new(&self.gpu, world).unwrap();
        let expected = light_sums(&View::new(world, *spec), igi, 1);
        let found = self.renderer.light_sums(&scene, world, spec, igi, 1).unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        let share =
            |sums: &[u32], i: usize| f64::from(sums[i + 1] - sums[i]) / f64::from(*sums.last().unwrap());
        // Half of the sum of differences: the share of choices that go to another light
        let differ: f64 = (0..found.len() - 1).map(|i| (share(&found, i) - share(&expected, i)).abs()).sum();
        assert!(differ < most, "{name}: {differ}");
    }
}

/// How many pixels differ by more than 0.002 of their brightness and the mean, and the RMSE of all over the mean.
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
fn virtual_point_lights_are_those_of_the_processor() {
    let bench = Bench::new();
    // In meadows, walks pass many edges
    for (name, most) in [("cornell", 2), ("teapot-room", 4), ("erw6", 8), (MEADOW, 16)] {
        bench.compare_lights(name, &world(name), &CERTAIN, most);
    }

    // Kernels for worlds without see-through surfaces say so
    let (world, spec) = seen(&pierced());
    let scene = SceneMirror::new(&bench.gpu, &world).unwrap();
    let refused = bench.renderer.virtual_lights(&scene, &world, &spec, &CERTAIN, 0).unwrap_err();
    assert!(matches!(refused, GpuError::Unsupported { .. }), "{refused}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn lights_get_the_parts_that_they_get_on_the_processor() {
    let bench = Bench::new();
    for (name, igi) in [
        ("teapot-room", CERTAIN),
        ("conference", CERTAIN),
        ("conference", Igi { smooth: false, ..CERTAIN }),
        ("conference", Igi { importance: 0.0, ..CERTAIN }),
        (MEADOW, CERTAIN),
    ] {
        bench.compare_parts(name, &world(name), &igi, 2e-3);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn pictures_are_those_of_the_processor() {
    let bench = Bench::new();
    for igi in [Igi { filter: false, ..CERTAIN }, CERTAIN, Igi { compensate: true, ..CERTAIN }] {
        bench.compare("cornell", igi, 6, 1e-3);
        bench.compare("erw6", igi, 6, 1e-3);
        bench.compare("teapot-room", igi, 12, 1e-3);
    }
    // Leaves have many edges
    bench.compare(MEADOW, CERTAIN, 12, 2e-3);
    let room = world("teapot-room");
    Bench::of(&room.0).compare_in("teapot-room", &room, CERTAIN, 12, 1e-3);
    bench.compare("cornell", Igi { interleave: 3, antialias: 1, vpls: 40, ..CERTAIN }, 6, 1e-3);
    // Edges with as many surfaces as a pixel may have rays
    bench.compare("teapot-room", Igi { antialias: 16, vpls: 64, ..CERTAIN }, 12, 1e-3);
    // Who asks by chance is the same on both
    for name in ["cornell", "erw6", "teapot-room"] {
        bench.compare(name, Igi::DEFAULT, 12, 1e-3);
        bench.compare(name, Igi { roulette: 0.5, ..CERTAIN }, 12, 1e-3);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn other_channels() {
    let bench = Bench::new();
    // With a filter pixels are not lit as a whole then
    for (name, others) in [("cornell", 6), ("teapot-room", 12), ("erw6", 6)] {
        let (world, spec) = world(name);
        let spec = ViewSpec { aovs: AovSet::ALL, ..spec };
        let (expected, _) = on_processor(&world, spec, CERTAIN, 3);
        let (found, outcome) = bench.render(&world, &spec, &CERTAIN, 3);
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
fn surfaces_that_are_not_there_everywhere() {
    let (masked, pierced) = (seen(&masked()), seen(&pierced()));
    let bench = Bench::of(&pierced.0);
    let caustics = Igi { photons: 5000, photon_radius: 0.05, ..CERTAIN };
    for igi in [CERTAIN, Igi { filter: false, compensate: true, ..CERTAIN }, caustics] {
        // Rounding decides where rays just pass an edge of a hole, of which there are many
        bench.compare_in("masked", &masked, igi, 40, 1e-2);
    }
    // By power: edges decide what coarse paths find, too
    let by_power = Igi { importance: 0.0, ..CERTAIN };
    bench.compare_lights("masked", &masked, &by_power, 8);
    let spec = masked.1;
    let [with, without] =
        [&masked.0, &world("teapot-room").0].map(|world| on_processor(world, spec, CERTAIN, 1).0);
    assert!(differences(&with, &without).0 > 500, "the holes are seen");

    // What rays pass by chance: walks, paths and shadow rays by the same numbers
    bench.compare_lights("pierced", &pierced, &by_power, 8);
    bench.compare_parts("pierced", &pierced, &CERTAIN, 2e-2);
    for igi in
        [by_power, Igi { filter: false, compensate: true, ..by_power }, Igi { roulette: 0.5, ..by_power }]
    {
        bench.compare_in("pierced", &pierced, igi, 40, 1e-2);
    }
    let spec = ViewSpec { aovs: AovSet::ALL, ..pierced.1 };
    let (expected, _) = on_processor(&pierced.0, spec, CERTAIN, 4);
    let (found, _) = bench.render(&pierced.0, &spec, &CERTAIN, 4);
    channels_are_equal(&found, &expected);
    let [found, expected] =
        [found, expected].map(|film| film.radiance().pixels().iter().sum::<Vec3>().element_sum());
    assert!((found / expected - 1.0).abs() < 5e-3, "pierced: {found} for {expected}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn caustics() {
    const NAME: &str = "teapot-room:lamp=0.12";
    let seen = world(NAME);
    let bench = Bench::of(&seen.0);
    let photons = Igi { photons: 20_000, photon_radius: 0.05, ..CERTAIN };
    for igi in [photons, Igi { filter: false, compensate: true, ..photons }] {
        bench.compare_in(NAME, &seen, igi, 12, 1e-3);
    }
    let [with, without] = [photons, CERTAIN].map(|igi| on_processor(&seen.0, seen.1, igi, 2).0);
    assert!(differences(&with, &without).0 > 300, "caustics are seen");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn without_subgroups_camera_rays_begin_at_the_root() {
    let (world, spec) = world("cornell");
    let [(expected, traced), (found, also_traced)] = [Bench::of(&world), Bench::without_features(&world)]
        .map(|bench| bench.render(&world, &spec, &CERTAIN, 2));
    assert!(found == expected, "films differ");
    assert_eq!(traced.rays.total(), also_traced.rays.total());
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn bands_change_no_bit() {
    let (world, spec) = world("teapot-room");
    let whole = Bench::of(&world);
    let bands = whole.in_bands(&world);
    for (height, aovs, igi) in [
        (100, AovSet::EMPTY, Igi { compensate: true, ..Igi::DEFAULT }),
        (48, AovSet::ALL, Igi { interleave: 2, antialias: 2, ..Igi::DEFAULT }),
        (41, AovSet::EMPTY, Igi { filter: false, compensate: false, ..Igi::DEFAULT }),
    ] {
        let spec = ViewSpec { height, aovs, ..spec };
        let [(expected, rays), (found, more_rays)] =
            [&whole, &bands].map(|bench| bench.render(&world, &spec, &igi, 2));
        assert!(found == expected, "{height} rows: bands differ");
        let [rays, more_rays] = [rays, more_rays].map(|outcome| outcome.rays.total());
        assert!((rays < more_rays) == igi.filter, "the filter looks around: {rays}, {more_rays} rays");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn times_of_stages() {
    let (world, spec) = world("cornell");
    let bench = Bench::of(&world);
    let scene = SceneMirror::new(&bench.gpu, &world).unwrap();
    let (_, outcome) = bench.render(&world, &spec, &CERTAIN, 1);
    for bench in [bench.in_bands(&world), bench] {
        let Some(times) = bench.renderer.time(&scene, &world, &spec, &CERTAIN, 2).unwrap() else { return };
        assert_eq!((times.frames.len(), times.wall.len()), (2, 1), "{times:?}");
        let seconds = times.frames.iter().flatten().map(|stage| stage.seconds);
        assert!(seconds.sum::<f64>() > 0.0 && times.rays.total() >= outcome.rays.total(), "{times:?}");
    }
}

/// Stops after its first look.
struct Looks {
    films: AtomicU32,
    enough: AtomicBool,
}

impl Observer for Looks {
    fn tile(&self, status: &Status) {
        assert!((0.0..=1.0).contains(&status.done), "{status:?}");
    }

    fn pass(&self, film: &Film, samples: u32) {
        assert_eq!(film.samples(3, 3), samples, "all frames are in the film");
        self.films.fetch_add(1, Ordering::Relaxed);
        self.enough.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn it_is_looked_at_and_stopped() {
    let bench = Bench::new();
    let (world, spec) = world("cornell");
    let scene = SceneMirror::new(&bench.gpu, &world).unwrap();
    let mut film = Film::new(spec.width, spec.height, AovSet::EMPTY);
    let looks = Looks { films: AtomicU32::new(0), enough: AtomicBool::new(false) };
    let outcome = bench
        .renderer
        .render(&scene, &world, &spec, &CERTAIN, &mut film, &stop(1 << 30), &looks.enough, &looks)
        .unwrap();
    assert_eq!((outcome.ended, looks.films.load(Ordering::Relaxed)), (StopReason::Cancelled, 1));

    // By its noise, and before it begins
    let go_on = AtomicBool::new(false);
    let clean = StopRules { noise: Some(0.5), ..StopRules::default() };
    let look = |_: &Status| ();
    let rendered = |film: &mut Film, stop: &StopRules, cancel: &AtomicBool| {
        bench.renderer.render(&scene, &world, &spec, &CERTAIN, film, stop, cancel, &look).unwrap()
    };
    let outcome = rendered(&mut film, &clean, &go_on);
    assert!(outcome.ended == StopReason::Done && film.noise() <= 0.5, "{outcome:?}");
    assert_eq!(film.samples(3, 3), outcome.samples);
    let outcome = rendered(&mut film, &clean, &AtomicBool::new(true));
    assert_eq!((outcome.samples, film.samples(3, 3)), (0, 0), "what the film held is replaced");
}
