//! Pictures that the GPU and the processor make together against those of the processor alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use sunfleck_gpu::{Gpu, SceneMirror, SharedOutcome, SharedRenderer, Which};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Algorithm, Ended, Schedule, Status, StopRules, View, ViewSpec, World};

use crate::path::{committed, different, on_processor, spec, stop};

fn shared(
    world: &World,
    spec: ViewSpec,
    algorithm: &Algorithm,
    stop: &StopRules,
    cancel: &AtomicBool,
    observer: &(dyn Fn(&Status) + Sync),
) -> (Film, SharedOutcome) {
    let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
    let scene = SceneMirror::new(&gpu, world).unwrap();
    let view = View::new(world, spec);
    let renderer = SharedRenderer::new(&gpu, &scene, view, algorithm, Schedule::default()).unwrap();
    let mut film = Film::new(spec.width, spec.height, spec.aovs);
    let observer = |status: &Status| observer(status);
    let outcome = renderer.render(&mut film, stop, cancel, &observer);
    assert_eq!(outcome.trouble, None, "the GPU does not give up");
    assert_eq!(outcome.on_gpu + outcome.on_processor, outcome.outcome.samples, "{outcome:?}");
    (film, outcome)
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn each_sample_is_there_once() {
    let world = committed("teapot-room");
    let spec = ViewSpec { aovs: AovSet::ALL, occlusion_radius: 0.4, ..spec(&world, 48, 40) };
    // What plays roulette is decided by a hash of bits that rounding changes
    let igi = Algorithm::Igi(Igi { roulette: 0.0, ..Igi::DEFAULT });
    for (algorithm, samples) in [(Algorithm::ALL[0], 96), (Algorithm::ALL[1], 96), (igi, 12)] {
        let seen = AtomicU32::new(0);
        let watch = |status: &Status| {
            seen.fetch_max(status.samples, Ordering::Relaxed);
        };
        let go_on = AtomicBool::new(false);
        let (film, SharedOutcome { outcome, on_gpu, on_processor: on_cores, .. }) =
            shared(&world, spec, &algorithm, &stop(samples), &go_on, &watch);
        assert_eq!((outcome.samples, outcome.ended), (samples, Ended::Done));
        assert!(on_gpu > 0 && on_cores > 0, "{on_gpu} and {on_cores}");
        assert!(seen.into_inner() <= samples);
        assert!((0..40).all(|y| (0..48).all(|x| film.samples(x, y) == samples)));

        let (expected, alone) = on_processor(&world, spec, &algorithm, samples);
        let [a, b] = [outcome, alone].map(|outcome| outcome.rays.total() as f64);
        assert!((a - b).abs() < 2e-3 * b, "{a} rays, not {b}");
        let radiance = different(&film.radiance(), &expected.radiance());
        let albedo = different(&film.albedo().unwrap(), &expected.albedo().unwrap());
        assert!(radiance <= 40 && albedo <= 12, "{algorithm:?}: {radiance}, {albedo} pixels differ");
        let (ids, expected_ids) = (film.ids().unwrap(), expected.ids().unwrap());
        let others = ids.iter().zip(expected_ids).filter(|(a, b)| a != b).count();
        assert!(others <= 6, "ids: {others} pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn other_rules_end_it() {
    let world = committed("cornell");
    let (spec, go_on) = (spec(&world, 24, 24), AtomicBool::new(false));
    let nobody = |_: &Status| ();
    let clean = StopRules { noise: Some(0.05), ..StopRules::default() };
    let (film, done) = shared(&world, spec, &Algorithm::ALL[0], &clean, &go_on, &nobody);
    assert!(film.noise() <= 0.05 && done.outcome.samples > 32, "{} {done:?}", film.noise());
    assert_eq!(film.samples(3, 3), done.outcome.samples);

    let soon = StopRules { time: Some(Duration::from_millis(300)), ..StopRules::default() };
    let (_, done) = shared(&world, spec, &Algorithm::ALL[0], &soon, &go_on, &nobody);
    assert!(done.outcome.samples > 0 && done.outcome.elapsed < Duration::from_secs(20), "{done:?}");
    assert_eq!(done.outcome.ended, Ended::Done);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn it_can_be_cancelled() {
    let world = committed("cornell");
    let (spec, cancel) = (spec(&world, 32, 32), AtomicBool::new(false));
    let watch = |status: &Status| {
        if status.samples >= 2 {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let (film, done) = shared(&world, spec, &Algorithm::ALL[0], &stop(1_000_000), &cancel, &watch);
    assert_eq!(done.outcome.ended, Ended::Cancelled);
    assert!(done.outcome.samples >= 2 && film.samples(5, 5) >= 2, "{done:?}");
}
