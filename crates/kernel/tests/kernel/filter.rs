//! Filters of queries: for which hits they are called, and what happens to rejected hits.

use crate::common::meshes::{grid, soup};
use crate::common::{Random, blas, instance, levels, rays_at, world};
use fearless_simd::{Level, dispatch};
use sunfleck_kernel::{Hit, Instance, Tlas, brute_force};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};

/// Instances of a grid at z = 0, -1, …, none of them opaque.
fn sheets(count: usize) -> Tlas {
    let sheet = |i: usize| Instance {
        opaque: false,
        ..instance(0, Affine3::from_translation(vec3(0.0, 0.0, -(i as f32))))
    };
    world(vec![blas(&grid(4))], (0..count).map(sheet).collect())
}

fn intersect(tlas: &Tlas, ray: &Ray, filter: impl FnMut(&Hit) -> bool) -> Option<Hit> {
    dispatch!(Level::new(), simd => tlas.intersect_filtered(simd, ray, filter))
}

const DOWN: Ray =
    Ray { origin: vec3(1.3, 2.2, 1.0), t_near: 0.0, direction: Vec3::NEG_Z, t_far: f32::INFINITY };

#[test]
fn closest_accepted_hit_wins() {
    let tlas = sheets(6);
    for wanted in 0..6 {
        let hit = intersect(&tlas, &DOWN, |hit| hit.inst_id == wanted).unwrap();
        assert_eq!((hit.inst_id, hit.t), (wanted, 1.0 + wanted as f32), "the other sheets let the ray pass");
    }
    let hit = intersect(&tlas, &DOWN, |hit| hit.inst_id >= 2 && hit.inst_id != 3).unwrap();
    assert_eq!(hit.inst_id, 2, "the first of several accepted sheets");
    assert_eq!(intersect(&tlas, &DOWN, |_| false), None, "nothing accepted");
}

#[test]
fn filter_sees_the_complete_hit() {
    let tlas = sheets(3);
    let plain = dispatch!(Level::new(), simd => tlas.intersect(simd, &DOWN)).unwrap();
    let mut seen = Vec::new();
    intersect(&tlas, &DOWN, |hit| {
        seen.push(*hit);
        false
    });
    seen.sort_by(|a, b| a.t.total_cmp(&b.t));
    assert_eq!(seen.len(), 3, "the filter is called once for each sheet");
    assert_eq!(seen[0], plain, "the hit is what `intersect` reports");
    assert!(seen.iter().all(|hit| hit.ng == plain.ng && (hit.u, hit.v) == (plain.u, plain.v)), "{seen:?}");
}

#[test]
fn filters_are_not_called_for_opaque_instances() {
    let (mesh, mut random) = (soup(60, 1.0, 1), Random(2));
    let instances = (0..10)
        .map(|i| Instance { opaque: i % 2 == 0, ..instance(0, Affine3::from_translation(random.cube())) })
        .collect();
    let tlas = world(vec![blas(&mesh)], instances);
    for ray in rays_at(&mesh, 500, &mut random) {
        let hit = intersect(&tlas, &ray, |hit| {
            assert!(hit.inst_id % 2 == 1, "called for opaque instance {}", hit.inst_id);
            false
        });
        assert!(hit.is_none_or(|hit| hit.inst_id % 2 == 0), "rejected hits are not reported");
    }
}

#[test]
fn unfiltered_queries_treat_everything_as_opaque() {
    let tlas = sheets(3);
    dispatch!(Level::new(), simd => {
        assert_eq!(tlas.intersect(simd, &DOWN).map(|hit| hit.inst_id), Some(0), "the first sheet");
        assert!(tlas.occluded(simd, &DOWN), "a sheet occludes the ray");
    });
}

/// Filter of a chequered alpha mask; depends on the hit alone.
fn chequered(hit: &Hit) -> bool {
    ((hit.u * 8.0).floor() + (hit.v * 8.0).floor() + hit.prim_id as f32) % 2.0 == 0.0
}

#[test]
fn masks_agree_with_brute_force_on_every_level() {
    let (mesh, mut random) = (soup(150, 1.0, 3), Random(4));
    let instances = (0..4)
        .map(|i| Instance { opaque: i == 3, ..instance(0, crate::common::random_transform(&mut random)) })
        .collect();
    let tlas = world(vec![blas(&mesh)], instances);
    let mut hits = 0;
    for ray in rays_at(&mesh, 1000, &mut random) {
        let expected = brute_force::intersect_filtered(&tlas, &ray, chequered);
        hits += usize::from(expected.is_some());
        assert_eq!(
            brute_force::occluded_filtered(&tlas, &ray, chequered),
            expected.is_some(),
            "the two queries of brute force"
        );
        for level in levels() {
            dispatch!(level, simd => {
                let found = tlas.intersect_filtered(simd, &ray, chequered);
                assert_eq!(found.as_ref().map(crate::common::bits), expected.as_ref().map(crate::common::bits), "{ray:?}");
                let occluded = tlas.occluded_filtered(simd, &ray, chequered);
                assert_eq!(occluded, expected.is_some(), "{ray:?}");
            });
        }
    }
    assert!(hits > 100, "only {hits} hits");
}

#[test]
fn occluded_filtered_passes_masks() {
    let tlas = sheets(4);
    dispatch!(Level::new(), simd => {
        assert!(!tlas.occluded_filtered(simd, &DOWN, |_| false), "all transparent");
        assert!(tlas.occluded_filtered(simd, &DOWN, |hit| hit.inst_id == 3), "the last sheet occludes");
        let short = Ray { t_far: 3.5, ..DOWN };
        assert!(!tlas.occluded_filtered(simd, &short, |hit| hit.inst_id == 3), "it is beyond t_far");
    });
}
