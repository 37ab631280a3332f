use sunfleck_kernel::{Blas, BuildOptions, Instance, brute_force};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_sampling::rng;

use super::*;

fn point(i: u32, what: u32) -> Vec3 {
    let number = |axis| 2.0 * rng::uniform([i, what, axis, 7]) - 1.0;
    vec3(number(0), number(1), number(2))
}

/// Returns a world of two instances of random triangles, one of them mirrored.
fn world(count: u32, size: f32) -> Tlas {
    let positions: Vec<Vec3> = (0..3 * count).map(|i| point(i / 3, 0) + point(i, 1) * size).collect();
    let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let options = BuildOptions::default();
    let blas = Arc::new(Blas::build(&positions, &triangles, &options).unwrap());
    let place = |scale, x| {
        let world_from_object =
            Affine3::from_translation(vec3(x, 0.0, 0.0)) * Affine3::from_scale(Vec3::splat(scale));
        Instance { blas: 0, world_from_object, mask: 1, opaque: true }
    };
    Tlas::build(vec![blas], vec![place(1.0, 0.0), place(-0.7, 1.0)], &options).unwrap()
}

/// Returns random rays; some are parallel to axes, have short intervals, or are invalid.
fn rays(count: u32) -> Vec<Ray> {
    let ray = |i: u32| match i % 50 {
        7 => Ray::new(point(i, 2) * 2.0, Vec3::X),
        8 => Ray::new(point(i, 2) * 2.0, -Vec3::Z),
        9 => Ray { t_far: 0.3, ..Ray::new(point(i, 2), point(i, 3)) },
        10 => Ray { t_near: 0.2, ..Ray::new(point(i, 2), point(i, 3)) },
        11 => Ray::new(point(i, 2), Vec3::ZERO),
        12 => Ray::new(Vec3::splat(f32::NAN), point(i, 3)),
        _ => Ray::new(point(i, 2) * 2.0, point(i, 3)),
    };
    (0..count).map(ray).collect()
}

fn compare(world: &Tlas, classic: &mut Classic, rays: &[Ray]) {
    let Answers::Closest(hits) = classic.trace(RayQuery::Closest, rays) else { panic!("closest hits") };
    let Answers::Any(any) = classic.trace(RayQuery::Any, rays) else { panic!("any hits") };
    let (mut different, mut some) = (0, 0);
    for ((ray, hit), any) in rays.iter().zip(&hits).zip(&any) {
        let expected = brute_force::intersect(world, ray);
        some += u32::from(expected.is_some());
        let same = match &expected {
            None => hit.prim_id == Hit::MISS && !any && (hit.t == ray.t_far || ray.t_far.is_nan()),
            Some(found) => {
                let ids = (hit.prim_id, hit.inst_id) == (found.prim_id, found.inst_id);
                ids && *any && (hit.t - found.t).abs() <= 2e-4 * (found.t + 0.1)
            }
        };
        different += u32::from(!same);
    }
    assert!(some > 0, "some rays hit something");
    assert!(different <= 2, "{different} of {} rays differ", rays.len());
}

#[test]
fn the_cpu_finds_what_brute_force_finds() {
    for (count, size) in [(1, 1.0), (40, 0.5), (2000, 0.1)] {
        let world = world(count, size);
        for most in [1, 15, 5000] {
            let settings = ClassicSettings { triangles: [5, most], cache: 200, ..ClassicSettings::default() };
            let mut classic = Classic::new(&world, None, settings).unwrap();
            compare(&world, &mut classic, &rays(500));
            let stats = classic.stats();
            assert_eq!((stats.rays, stats.gpu_rays, stats.gpu_tests), (1000, 0, 0));
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_gpu_finds_what_brute_force_finds() {
    let gpu = Arc::new(Gpu::open(sunfleck_gpu::AdapterChoice::Best).unwrap());
    for (count, size) in [(1, 1.0), (2000, 0.1)] {
        let world = world(count, size);
        for read_back in [ReadBack::Waiting, ReadBack::Asynchronous] {
            for (rays_of_bucket, triangles) in [(64, [5, 15]), (512, [1, 100]), (1, [1, 4])] {
                let settings = ClassicSettings {
                    rays: rays_of_bucket,
                    triangles,
                    least_rays: 4,
                    read_back,
                    ..ClassicSettings::default()
                };
                let mut classic = Classic::new(&world, Some(&gpu), settings).unwrap();
                compare(&world, &mut classic, &rays(800));
                let ClassicStats { gpu_rays, gpu_tests, buckets, dispatches, .. } = classic.stats();
                assert_eq!(classic.trouble(), None);
                let on_gpu = gpu_rays > 0 && gpu_tests >= gpu_rays && buckets >= dispatches;
                assert!(on_gpu || triangles[0] > count as usize, "{:?}", classic.stats());
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_lost_gpu_loses_no_ray() {
    let gpu = Arc::new(Gpu::open(sunfleck_gpu::AdapterChoice::Best).unwrap());
    let world = world(2000, 0.1);
    let settings = ClassicSettings { least_rays: 4, ..ClassicSettings::default() };
    let mut classic = Classic::new(&world, Some(&gpu), settings).unwrap();
    compare(&world, &mut classic, &rays(1000));
    let before = classic.stats();
    gpu.destroy();
    compare(&world, &mut classic, &rays(1000));
    assert!(matches!(classic.trouble(), Some(GpuError::Lost { .. })), "{:?}", classic.trouble());
    assert!(before.gpu_rays > 0 && classic.stats().cpu_tests > before.cpu_tests);
}
