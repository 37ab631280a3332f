//! The engine with a simulated coprocessor that sleeps, so that no GPU is needed.

use std::collections::VecDeque;
use std::time::Instant;

use fearless_simd::dispatch;
use sunfleck_kernel::{Blas, BuildOptions, Instance};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_sampling::rng;

use super::cost::StageTimes;
use super::*;
use crate::answers::{Answers, FoundAnswers};

/// Simulated coprocessor: answers correctly after a delay, and may fail.
struct SleepingDevice {
    world: Arc<Tlas>,
    cost: Cost,
    /// Number of loads before it fails.
    lives: usize,
    failure: GpuError,
    in_flight: VecDeque<(Vec<Ray>, Instant)>,
}

impl CoProcessor for SleepingDevice {
    fn most(&self) -> usize {
        20_000
    }

    fn has_room(&self) -> bool {
        self.in_flight.len() < 3
    }

    fn start(&mut self, query: RayQuery, pieces: &[Piece]) -> Result<(), GpuError> {
        assert!(pieces.iter().all(|piece| piece.query() == query), "a load with several queries");
        let rays: Vec<Ray> = pieces.iter().flat_map(|piece| piece.rays()).copied().collect();
        assert!(rays.len() <= self.most(), "a load of {} rays", rays.len());
        self.in_flight.push_back((rays, Instant::now()));
        Ok(())
    }

    fn finish(
        &mut self,
        _: Duration,
        deliver: &mut dyn FnMut(FoundAnswers<'_>),
    ) -> Result<Option<StageTimes>, GpuError> {
        if self.lives == 0 {
            return Err(self.failure.clone());
        }
        let Some((rays, _)) = self.in_flight.pop_front() else { return Ok(None) };
        let trace_s = self.cost.of(rays.len());
        std::thread::sleep(Duration::from_secs_f64(trace_s));
        let found: Vec<u32> = closest(&self.world, &rays).iter().map(|t| u32::from(t.is_some())).collect();
        deliver(FoundAnswers::Words(&found));
        self.lives -= 1;
        Ok(Some(StageTimes { trace_s, ..StageTimes::default() }))
    }
}

fn closest(world: &Tlas, rays: &[Ray]) -> Vec<Option<f32>> {
    let t = |ray| dispatch!(Level::new(), simd => world.intersect(simd, ray).map(|hit| hit.t));
    rays.iter().map(t).collect()
}

/// Triangles in the cube [-1, 1]³.
fn world() -> Arc<Tlas> {
    let point = |i: u32, what: u32| {
        let number = |axis| 2.0 * rng::uniform([i, what, axis, 7]) - 1.0;
        vec3(number(0), number(1), number(2))
    };
    let positions: Vec<Vec3> = (0..600).map(|i| point(i / 3, 0) + point(i, 1) * 0.2).collect();
    let triangles: Vec<[u32; 3]> = (0..200).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let options = BuildOptions::default();
    let blas = Arc::new(Blas::build(&positions, &triangles, &options).unwrap());
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    Arc::new(Tlas::build(vec![blas], vec![instance], &options).unwrap())
}

fn rays(count: u32) -> Vec<Ray> {
    let number = |i, axis| rng::uniform([i, 9, axis, 0]) - 0.5;
    let direction = |i| vec3(number(i, 0), number(i, 1), number(i, 2));
    (0..count).map(|i| Ray::new(direction(i + count) * 3.0, direction(i))).collect()
}

fn engine(tracers: Tracers, cost: Cost, lives: usize, failure: GpuError, in_flight_bytes: u64) -> RayEngine {
    let world = world();
    let device = SleepingDevice { world: world.clone(), cost, lives, failure, in_flight: VecDeque::new() };
    let settings = RayEngineSettings { threads: Some(1), in_flight_bytes, ..RayEngineSettings::default() };
    RayEngine::with(&world, tracers, Some(Ok(Box::new(device))), &settings).unwrap()
}

fn lost() -> GpuError {
    GpuError::Lost { why: "simulated failure".to_owned() }
}

/// Asserts that all answers are correct.
fn check(rays: &[Ray], answers: &Answers) {
    let expected: Vec<bool> = closest(&world(), rays).iter().map(Option::is_some).collect();
    assert!(expected.contains(&true) && expected.contains(&false), "some rays hit and some miss");
    assert_eq!(answers, &Answers::Any(expected));
}

#[test]
fn the_faster_device_gets_more_rays() {
    let rays = rays(200_000);
    let gpu_share = |ray_s| {
        let engine = engine(Tracers::Both, Cost { fixed_s: 1e-4, ray_s }, usize::MAX, lost(), 1 << 30);
        let ticket = engine.submit(RayQuery::Any, rays.clone()).unwrap();
        check(&rays, &ticket.wait().unwrap());
        let Traced { cores, gpu } = engine.traced();
        assert_eq!(cores + gpu, rays.len() as u64);
        gpu as f64 / rays.len() as f64
    };
    let (slow, fast) = (gpu_share(1e-4), gpu_share(1e-9));
    assert!(slow < 0.3 && fast > 0.7, "{slow} of the rays went to a slow GPU, {fast} to a fast one");
}

#[test]
fn rays_of_a_lost_gpu_are_traced_by_the_cores() {
    let full = GpuError::OutOfMemory { what: "hits", bytes: 1 };
    for (tracers, failure) in [(Tracers::Gpu, lost()), (Tracers::Gpu, full), (Tracers::Both, lost())] {
        let engine = engine(tracers, Cost { fixed_s: 0.0, ray_s: 1e-8 }, 2, failure.clone(), 1 << 30);
        let rays = rays(100_000);
        let tickets: Vec<_> =
            rays.chunks(7001).map(|part| engine.submit(RayQuery::Any, part.to_vec()).unwrap()).collect();
        for (part, ticket) in rays.chunks(7001).zip(tickets).rev() {
            check(part, &ticket.wait().unwrap());
        }
        if tracers == Tracers::Gpu {
            assert_eq!(engine.trouble(), Some(failure));
        }
        assert_eq!(engine.traced().gpu + engine.traced().cores, 100_000);
    }
}

#[test]
fn memory_in_flight_is_bounded() {
    let bytes = 5000 * bytes_in_flight(RayQuery::Any);
    let engine = engine(Tracers::Gpu, Cost { fixed_s: 1e-3, ray_s: 0.0 }, usize::MAX, lost(), 3 * bytes);
    let rays = rays(5000);
    let submit = || engine.try_submit(RayQuery::Any, rays.clone());
    let tickets = [submit().unwrap(), submit().unwrap(), submit().unwrap()];
    let Err(RayEngineError::Full { rays: back, in_flight, limit, .. }) = submit() else {
        panic!("the fourth batch exceeds the budget")
    };
    assert_eq!((back, in_flight, limit), (rays.clone(), 3 * bytes, 3 * bytes));
    // All batches will be answered, but no answers are taken: the call must fail instead of waiting forever
    let refused = engine.submit(RayQuery::Any, rays.clone()).unwrap_err();
    assert!(refused.to_string().starts_with("5000 rays need 165000 bytes, but 495000 of "));
    for ticket in tickets {
        check(&rays, &ticket.wait().unwrap());
    }
    // One batch after the other, whose answers are dropped or taken
    for i in 0..20 {
        let ticket = engine.submit(RayQuery::Any, rays.clone()).unwrap();
        if i % 2 == 0 {
            check(&rays, &ticket.wait().unwrap());
        }
    }
    assert!(engine.in_flight_bytes().1 <= 3 * bytes);
    let most = 15_001;
    assert!(engine.submit(RayQuery::Any, vec![rays[0]; most]).is_err(), "the batch exceeds the budget");
}

#[test]
fn tickets_are_polled_and_outlive_the_engine() {
    let engine = engine(Tracers::Gpu, Cost { fixed_s: 0.05, ray_s: 0.0 }, usize::MAX, lost(), 1 << 30);
    let rays = rays(1000);
    let mut ticket = engine.submit(RayQuery::Any, rays.clone()).unwrap();
    let mut polls = 0;
    let answers = loop {
        match ticket.poll().unwrap() {
            Ok(answers) => break answers,
            Err(back) => ticket = back,
        }
        polls += 1;
        std::thread::sleep(Duration::from_millis(1));
    };
    check(&rays, &answers);
    assert!(polls > 0, "answers are not ready at once");
    assert_eq!(engine.submit(RayQuery::Closest, vec![]).unwrap().wait().unwrap(), Answers::Closest(vec![]));
    let tickets: Vec<_> = (0..100).map(|_| engine.submit(RayQuery::Any, rays.clone()).unwrap()).collect();
    drop(engine);
    for ticket in tickets {
        match ticket.wait() {
            Ok(answers) => check(&rays, &answers),
            Err(error) => assert_eq!(error, RayEngineError::Closed),
        }
    }
}
