//! Tiles rendered by another machine: jobs and results are sent as bytes, and the image is the same.

#![allow(clippy::unwrap_used, reason = "a test")]

use fearless_simd::Level;
use sunfleck_engine::{Budget, Canvas, EditableWorld, Engine, FrameRequest};
use sunfleck_image::{AovSet, Film, TileRect};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{
    self as integrators, Algorithm, Assembly, Pass, PreparedPass, TileError, TileJob, TileResult, View,
};
use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::{Material, SceneEdit};

/// Returns a world that was edited, and committed before and after the edits.
fn world() -> EditableWorld {
    let mut world = EditableWorld::new(sunfleck_models::build("erw6").unwrap()).unwrap();
    let (id, node) = world.scene().nodes().last().unwrap();
    let parent_from_node = Affine3::from_translation(vec3(0.0, 0.01, 0.0)) * node.parent_from_node;
    world.edit(SceneEdit::Transform { id, parent_from_node }).unwrap();
    let (id, _) = world.scene().materials().next().unwrap();
    let material = Some(Material::lambert("sand", vec3(0.7, 0.6, 0.4)));
    world.edit(SceneEdit::Material { id, material }).unwrap();
    world.commit().unwrap();
    world
}

/// Returns a frame whose width and height are not multiples of the tile size.
fn frame(world: &EditableWorld, algorithm: Algorithm) -> FrameRequest {
    let camera = world.cameras()[0].clone();
    FrameRequest { algorithm, seed: 3, aovs: AovSet::ALL, ..FrameRequest::new(camera, 70, 50) }
}

fn film(frame: &FrameRequest) -> Film {
    Film::new(frame.width, frame.height, frame.aovs)
}

fn first_pass(world: &EditableWorld, frame: &FrameRequest) -> Pass {
    Pass::next(world.committed(), &frame.view(), &frame.algorithm, 0, 1)
}

fn encoded<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap()
}

fn decoded<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).unwrap()
}

/// Computes an encoded job as another machine does, which has the world and only the fallback SIMD level.
fn answer(world: &integrators::World, encoded_job: &[u8]) -> Result<TileResult, TileError> {
    let job: TileJob = decoded(encoded_job);
    let view = View::new(world, job.pass.view);
    let prepared = PreparedPass::new(Level::fallback(), &view, &job.pass)?;
    prepared.worker().compute(job)
}

/// Renders all samples of a frame on another machine, whose results arrive in another order than the jobs.
fn by_another_machine(world: &EditableWorld, frame: &FrameRequest, samples: u32) -> Film {
    let there = integrators::World::commit(&world.scene().clone()).unwrap();
    let mut film = film(frame);
    let mut done = 0;
    while done < samples {
        let pass = Pass::next(world.committed(), &frame.view(), &frame.algorithm, done, samples);
        let mut assembly = Assembly::new(pass, &mut film, 16).unwrap();
        let jobs: Vec<Vec<u8>> = assembly.jobs().map(|job| encoded(&job)).collect();
        let answers = jobs.iter().map(|job| encoded(&answer(&there, job).unwrap()));
        let mut answers: Vec<Vec<u8>> = answers.collect();
        answers.reverse();
        answers.rotate_left(jobs.len() / 3);
        answers.iter().for_each(|bytes| assembly.add(decoded(bytes)).unwrap());
        assembly.add(decoded(&answers[0])).unwrap();
        assembly.finish(Level::new()).unwrap();
        done += pass.samples;
    }
    film
}

#[test]
fn a_frame_of_another_machine_has_the_same_bits() {
    let world = world();
    let engine = Engine::new(Default::default()).unwrap();
    let igi = Algorithm::Igi(Igi { compensate: true, filter: true, ..Igi::DEFAULT });
    for (algorithm, samples) in [(igi, 2), (Algorithm::ALL[0], 6), (Algorithm::ALL[1], 6)] {
        let budget = Budget::samples(samples);
        let frame = FrameRequest { budget, ..frame(&world, algorithm) };
        let canvas = Canvas::new();
        engine.render(&world, &frame, &canvas).wait();
        let film = canvas.film().unwrap();
        assert_eq!(film.samples(69, 49), samples, "{algorithm}: all passes are added");
        assert!(film.noise() > 0.0, "{algorithm}: the image has noise");
        assert!(film == by_another_machine(&world, &frame, samples), "{algorithm}: the images differ");
    }
}

#[test]
fn invalid_jobs_are_refused() {
    let world = world();
    let frame = frame(&world, Algorithm::ALL[2]);
    let other = integrators::World::commit(&sunfleck_models::build("erw6").unwrap()).unwrap();
    let pass = first_pass(&world, &frame);
    let job = Assembly::new(pass, &mut film(&frame), 16).unwrap().jobs().next().unwrap();
    let changed_job = |change: &dyn Fn(&mut TileJob)| {
        let mut job = job.clone();
        change(&mut job);
        encoded(&job)
    };
    let result_of = |change: &dyn Fn(&mut TileJob)| answer(world.committed(), &changed_job(change)).map(drop);
    assert_eq!(result_of(&|_| ()), Ok(()));
    assert!(matches!(answer(&other, &encoded(&job)), Err(TileError::OtherWorld { .. })), "another world");
    let igi = |igi: Igi| result_of(&|job| job.pass.algorithm = Algorithm::Igi(igi));
    assert!(matches!(igi(Igi { interleave: 0, ..Igi::DEFAULT }), Err(TileError::Parameter(_))));
    assert!(matches!(igi(Igi { clamp: f32::NAN, ..Igi::DEFAULT }), Err(TileError::Parameter(_))));
    let samples = |first, count| result_of(&|job| (job.pass.first_sample, job.pass.samples) = (first, count));
    for (first, count) in [(0, 0), (0, 2), (u32::MAX, 1)] {
        assert_eq!(samples(first, count), Err(TileError::Samples { first, count }));
    }
    let size =
        |width, height| result_of(&|job| (job.pass.view.width, job.pass.view.height) = (width, height));
    assert_eq!(size(0, 50), Err(TileError::Size { width: 0, height: 50 }));
    assert_eq!(size(70, u32::MAX), Err(TileError::Size { width: 70, height: u32::MAX }));
    for (x0, x1) in [(1, 41), (0, 39), (0, 70), (40, 0), (80, 120), (u32::MAX, u32::MAX)] {
        let asked = result_of(&|job| job.rect = TileRect { x0, x1, ..job.rect });
        assert!(matches!(asked, Err(TileError::Rect(_))), "columns {x0} to {x1}: {asked:?}");
    }
}

#[test]
fn earlier_sums_must_have_the_same_pixels_and_channels() {
    let world = world();
    let frame = frame(&world, Algorithm::ALL[0]);
    let pass = Pass::next(world.committed(), &frame.view(), &frame.algorithm, 1, 3);
    let jobs: Vec<TileJob> = Assembly::new(pass, &mut film(&frame), 16).unwrap().jobs().collect();
    let mut job = jobs[0].clone();
    job.before = jobs[1].before.clone();
    assert_eq!(answer(world.committed(), &encoded(&job)), Err(TileError::OtherContent), "other pixels");
    let plain = Film::new(frame.width, frame.height, AovSet::EMPTY);
    job.before = Some(plain.tile(job.rect));
    assert_eq!(answer(world.committed(), &encoded(&job)), Err(TileError::OtherContent), "other channels");
}

#[test]
fn results_of_another_pass_are_refused() {
    let world = world();
    let result = |algorithm| {
        let frame = frame(&world, algorithm);
        let job = Assembly::new(first_pass(&world, &frame), &mut film(&frame), 40).unwrap().jobs().next();
        answer(world.committed(), &encoded(&job.unwrap())).unwrap()
    };
    let [path, igi] = [Algorithm::ALL[0], Algorithm::ALL[2]];
    for (own, other) in [(path, igi), (igi, path)] {
        let frame = frame(&world, own);
        let mut film = film(&frame);
        let pass = first_pass(&world, &frame);
        let mut assembly = Assembly::new(pass, &mut film, 40).unwrap();
        assert_eq!(assembly.add(result(other)), Err(TileError::OtherPass), "{own}");

        // Forge a result of the right pass with the light of another: an encoded result begins with its pass
        let mut forged = encoded(&pass);
        forged.extend(&encoded(&result(other))[encoded(&Pass { algorithm: other, ..pass }).len()..]);
        assert_eq!(assembly.add(decoded(&forged)), Err(TileError::OtherContent), "{own}");
        assembly.add(result(own)).unwrap();
        assert_eq!(assembly.finish(Level::new()), Err(TileError::Missing(3)), "{own}");
    }
    let frame = frame(&world, path);
    let mut other = Film::new(71, 50, AovSet::ALL);
    let assembly = Assembly::new(first_pass(&world, &frame), &mut other, 16);
    assert_eq!(assembly.map(drop), Err(TileError::OtherContent), "another film");
}

/// Corrupted bytes give an image or an error, and the image is finite.
#[test]
fn corrupted_results_are_refused_or_give_finite_images() {
    let world = world();
    for algorithm in [Algorithm::ALL[0], Algorithm::ALL[2]] {
        let frame = FrameRequest { width: 24, height: 17, ..frame(&world, algorithm) };
        let pass = first_pass(&world, &frame);
        let jobs: Vec<TileJob> = Assembly::new(pass, &mut film(&frame), 40).unwrap().jobs().collect();
        let bytes = encoded(&answer(world.committed(), &encoded(&jobs[0])).unwrap());
        for length in (0..bytes.len()).step_by(bytes.len() / 97) {
            assert!(postcard::from_bytes::<TileResult>(&bytes[..length]).is_err(), "{length} bytes");
        }
        let mut refused = 0;
        for at in (0..bytes.len()).step_by(bytes.len() / 997) {
            let mut broken = bytes.clone();
            broken[at] ^= 0xff;
            let mut film = film(&frame);
            let mut assembly = Assembly::new(pass, &mut film, 40).unwrap();
            let taken = postcard::from_bytes(&broken).ok().and_then(|result| assembly.add(result).ok());
            refused += usize::from(taken.is_none());
            if taken.is_some() && assembly.finish(Level::new()).is_ok() {
                assert!(film.radiance().pixels().iter().all(|p| p.is_finite()), "{algorithm}: byte {at}");
            }
        }
        assert!(refused > 0, "{algorithm}: no corruption was detected");
    }
}

/// A worker reuses memory from tile to tile; earlier contents must have no influence.
#[test]
fn a_tile_is_the_same_after_another_one() {
    let world = EditableWorld::new(sunfleck_models::build("teapot-room").unwrap()).unwrap();
    for algorithm in Algorithm::ALL {
        let frame = FrameRequest { algorithm, ..FrameRequest::new(world.cameras()[0].clone(), 70, 50) };
        let pass = first_pass(&world, &frame);
        let view = View::new(world.committed(), frame.view());
        let prepared = PreparedPass::new(Level::new(), &view, &pass).unwrap();
        let mut film = film(&frame);
        let assembly = Assembly::new(pass, &mut film, 16).unwrap();
        let mut reused_worker = prepared.worker();
        for job in assembly.jobs() {
            let after_others = reused_worker.compute(job.clone()).unwrap();
            let alone = prepared.worker().compute(job).unwrap();
            assert!(after_others == alone, "{algorithm}");
        }
    }
}
