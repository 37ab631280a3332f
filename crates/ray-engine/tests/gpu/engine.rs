//! The ray engine's backends against the kernel, on several worlds.

use std::sync::Arc;

use sunfleck_gpu::{Gpu, GpuError};
use sunfleck_integrators::World;
use sunfleck_kernel::{BuildOptions, Tlas};
use sunfleck_math::{Ray, Shape, Vec3, vec3};
use sunfleck_ray_engine::{
    Answers, ClassicSettings, RayBackend, RayEngine, RayEngineError, RayEngineSettings, RayQuery, Ticket,
};
use sunfleck_sampling::rng;
use sunfleck_shaders::layout;

use crate::soup::{gpu, on_cpu};

/// The top level of a built-in scene.
fn world(spec: &str) -> Arc<Tlas> {
    let world = World::commit(&sunfleck_models::build(spec).unwrap()).unwrap();
    let (geometries, instances) = (world.tlas().geometries(), world.tlas().instances());
    Arc::new(Tlas::build(geometries.to_vec(), instances.to_vec(), &BuildOptions::default()).unwrap())
}

/// Random rays through a world's box; some have an interval of negative t, or a short one. Each `set` is
/// reproducible.
fn rays(world: &Tlas, set: u32, count: u32) -> Vec<Ray> {
    let bounds = world.bounds();
    let point = |i: u32, end: u32| {
        let number = |axis| rng::uniform([i, set, end, axis]);
        bounds.min + bounds.size() * vec3(number(0), number(1), number(2))
    };
    let ray = |i| {
        let (from, to) = (point(i, 0), point(i, 1));
        let (t_near, t_far) = match i {
            i if i % 7 == 0 => (f32::NEG_INFINITY, -0.05),
            i if i % 5 == 0 => (0.0, 0.7),
            _ => (0.0, f32::INFINITY),
        };
        Ray { t_near, t_far, ..Ray::new(from, to - from) }
    };
    (0..count).map(ray).collect()
}

/// Returns the number of rays whose answers differ from those of the kernel.
fn different(world: &Tlas, rays: &[Ray], answers: &Answers) -> usize {
    assert_eq!(answers.len(), rays.len(), "an answer for each ray");
    let expected = on_cpu(world, rays);
    let near = |a: f32, b: f32| (a - b).abs() <= 2e-4 * (b.abs() + 0.1);
    let same = |i: usize| match (answers, &expected[i]) {
        (Answers::Any(found), expected) => found[i] == expected.is_some(),
        (Answers::Closest(hits), None) => hits[i].prim_id == layout::Hit::MISS && hits[i].t == rays[i].t_far,
        (Answers::Closest(hits), Some(hit)) => hits[i].prim_id != layout::Hit::MISS && near(hits[i].t, hit.t),
    };
    (0..rays.len()).filter(|&i| !same(i)).count()
}

/// Settings with two cores, and with loads so small that there are many.
fn settings() -> RayEngineSettings {
    RayEngineSettings { threads: Some(2), load: 10_000, ..RayEngineSettings::default() }
}

const SCENES: [&str; 3] = ["cornell", "teapot-room", "erw6"];

fn backends(gpu: &Arc<Gpu>) -> [RayBackend; 5] {
    let classic = ClassicSettings { least_rays: 16, ..ClassicSettings::default() };
    [
        RayBackend::Cpu,
        RayBackend::Gpu(gpu.clone()),
        RayBackend::Shared(gpu.clone()),
        RayBackend::Classic(Some(gpu.clone()), classic),
        RayBackend::Classic(None, classic),
    ]
}

/// Index of a batch by its number.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

/// Submits many small and few large batches, and takes their answers in a different order.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn backends_answer_as_the_kernel_does() {
    let gpu = gpu();
    for scene in SCENES {
        let world = world(scene);
        for backend in backends(&gpu) {
            let name = format!("{scene}, {backend:?}");
            let engine = RayEngine::new(&world, backend, &settings()).unwrap();
            let sizes = (0..40).map(|i| (i * 37) % 300).chain([30_000, 1, 20_000]);
            let question = |i: u32| if i.is_multiple_of(3) { RayQuery::Any } else { RayQuery::Closest };
            let batches: Vec<Vec<Ray>> = (0..).zip(sizes).map(|(set, n)| rays(&world, set, n)).collect();
            let submit = |(i, rays): (u32, &Vec<Ray>)| engine.submit(question(i), rays.clone()).unwrap();
            let mut tickets: Vec<_> = (0..).zip(&batches).map(submit).collect();
            let (mut wrong, mut answered) = (0, 0);
            let last = tickets.pop().unwrap();
            wrong += different(&world, &batches[place(last.number())], &last.wait().unwrap());
            while let Some((number, answers)) = Ticket::first(&mut tickets).unwrap() {
                wrong += different(&world, &batches[place(number)], &answers);
                answered += answers.len();
            }
            assert_eq!(engine.trouble(), None, "{name}");
            // The classic crossbar is not watertight
            let most = if name.contains("Classic") { answered / 5000 } else { 2 };
            assert!(wrong <= most, "{name}: {wrong} of {answered} rays differ");
            assert_eq!(engine.in_flight_bytes().0, 0, "{name}: all memory is released");
            let traced = engine.traced();
            let all = batches.iter().map(Vec::len).sum::<usize>() as u64;
            assert_eq!(traced.cores + traced.gpu, all, "{name}: {traced:?}");
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn several_threads_ask_at_once() {
    let world = world("teapot-room");
    let engine = RayEngine::new(&world, RayBackend::Shared(gpu()), &settings()).unwrap();
    let host = |set: u32| {
        let mut wrong = 0;
        for round in 0..5 {
            let rays = rays(&world, 100 * set + round, 3000);
            let ticket = engine.submit(RayQuery::Closest, rays.clone()).unwrap();
            wrong += different(&world, &rays, &ticket.wait().unwrap());
        }
        wrong
    };
    let wrong: usize = std::thread::scope(|scope| {
        let hosts: Vec<_> = (0..4).map(|set| scope.spawn(move || host(set))).collect();
        hosts.into_iter().map(|host| host.join().unwrap()).sum()
    });
    assert!(wrong <= 2, "{wrong} rays differ");
}

/// The host program gets the answers to all rays although the GPU is lost while it traces them.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_gpu_that_is_lost_in_the_middle_loses_no_ray() {
    let world = world("teapot-room");
    for shared in [false, true] {
        let gpu = gpu();
        let backend = if shared { RayBackend::Shared(gpu.clone()) } else { RayBackend::Gpu(gpu.clone()) };
        let engine = RayEngine::new(&world, backend, &settings()).unwrap();
        let rays = rays(&world, 1, 100_000);
        let before = engine.submit(RayQuery::Closest, rays.clone()).unwrap();
        let half = engine.submit(RayQuery::Any, rays[..50_000].to_vec()).unwrap();
        gpu.destroy();
        let after = engine.submit(RayQuery::Closest, rays[..5000].to_vec()).unwrap();
        let wrong = different(&world, &rays, &before.wait().unwrap())
            + different(&world, &rays[..50_000], &half.wait().unwrap())
            + different(&world, &rays[..5000], &after.wait().unwrap());
        assert!(wrong <= 2, "{wrong} rays differ");
        let lost = engine.trouble();
        assert!(matches!(lost, Some(GpuError::Lost { .. })) || shared && lost.is_none(), "{lost:?}");
        assert!(engine.traced().cores > 0, "the cores took over");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn geometry_without_a_gpu_counterpart_is_refused_or_left_to_the_cores() {
    use sunfleck_kernel::{Instance, Shapes};
    let options = BuildOptions::default();
    let ball = Arc::new(Shapes::build(&[Shape::sphere(Vec3::ZERO, 1.0)], &options).unwrap());
    let place =
        Instance { blas: 0, world_from_object: sunfleck_math::Affine3::IDENTITY, mask: 1, opaque: true };
    let group = Arc::new(Tlas::build(vec![ball], vec![place], &options).unwrap());
    let world = Arc::new(Tlas::build(vec![group], vec![place], &options).unwrap());
    let gpu = gpu();
    let unsupported = GpuError::Unsupported { what: "nested instances" };
    let refused = RayEngine::new(&world, RayBackend::Gpu(gpu.clone()), &settings()).unwrap_err();
    assert_eq!(refused, RayEngineError::Gpu(unsupported.clone()));
    let engine = RayEngine::new(&world, RayBackend::Shared(gpu), &settings()).unwrap();
    assert_eq!(engine.trouble(), Some(unsupported));
    let ray = Ray::new(vec3(0.0, 0.0, -3.0), Vec3::Z);
    let answers = engine.submit(RayQuery::Closest, vec![ray]).unwrap().wait().unwrap();
    let Answers::Closest(hits) = answers else { panic!("{answers:?}") };
    assert!((hits[0].t - 2.0).abs() < 1e-5, "{hits:?}");
}
