//! The three builders: correct hits, independence of the number of threads, quality, memory limits, and refits.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::meshes::{cube, grid, slivers, soup, sphere, torus};
use crate::common::{Mesh, Random, assert_matches_brute_force, instance, intersect, rays_at, world};
use sunfleck_kernel::{Blas, BuildError, BuildOptions, Quality, SkippedPrimitives, Tlas};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};

const PRESETS: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

fn build(mesh: &Mesh, options: &BuildOptions) -> Blas {
    let blas = Blas::build(&mesh.positions, &mesh.triangles, options).unwrap();
    blas.validate().unwrap();
    blas
}

fn world_of_one(blas: Blas) -> Tlas {
    world(vec![Arc::new(blas)], vec![instance(0, Affine3::IDENTITY)])
}

/// Long beams with a square cross-section in random directions: boxes around their triangles are mostly empty.
fn beams(count: usize, thickness: f32, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    for _ in 0..count {
        let (at, along) = (random.cube(), random.direction());
        let side = along.any_orthonormal_vector();
        let up = along.cross(side);
        let corner = |s: f32, a: f32, b: f32| at + along * s + (side * a + up * b) * thickness;
        for (a, b) in [((-1.0, -1.0), (1.0, -1.0)), ((1.0, -1.0), (1.0, 1.0)), ((1.0, 1.0), (-1.0, 1.0))] {
            let quad = [
                corner(-1.0, a.0, a.1),
                corner(1.0, a.0, a.1),
                corner(1.0, b.0, b.1),
                corner(-1.0, b.0, b.1),
            ];
            mesh.push([quad[0], quad[1], quad[2]]);
            mesh.push([quad[0], quad[2], quad[3]]);
        }
    }
    mesh
}

#[test]
fn every_builder_finds_the_hits_of_brute_force() {
    let meshes = [
        ("soup", soup(400, 0.5, 1)),
        ("large triangles", soup(300, 2.0, 2)),
        ("beams", beams(60, 0.03, 3)),
        ("thin beams", beams(60, 0.003, 4)),
        ("slivers", slivers(300, 5)),
        ("grid", grid(14)),
        ("cube", cube(5)),
        ("torus", torus(12)),
        ("tiny", beams(40, 0.05, 6).mapped(|p| p * 1e-18)),
        ("huge", beams(40, 0.05, 7).mapped(|p| p * 1e17)),
        ("far away", beams(40, 0.05, 8).mapped(|p| p + 1e5)),
    ];
    for (name, mesh) in &meshes {
        for quality in PRESETS {
            let tlas = world_of_one(build(mesh, &BuildOptions::preset(quality)));
            let rays = rays_at(mesh, 700, &mut Random(7));
            let hits = assert_matches_brute_force(&tlas, &rays, &format!("{name}, {quality:?}"));
            assert!(hits > 70, "{name}: only {hits} hits, which is too few");
        }
    }
}

/// Boxes of split triangles contain the computed hits: rays whose interval is just the computed `t` hit again.
#[test]
fn computed_hits_are_in_the_boxes_of_split_triangles() {
    let mesh = beams(200, 0.02, 9);
    let blas = build(&mesh, &BuildOptions { duplicates_percent: 100, ..BuildOptions::BEST });
    assert!(blas.stats().duplication() > 1.5, "triangles are split");
    let tlas = world_of_one(blas);
    let rays: Vec<Ray> = rays_at(&mesh, 6000, &mut Random(11))
        .into_iter()
        .filter_map(|ray| intersect(&tlas, &ray).map(|hit| Ray { t_near: hit.t, t_far: hit.t, ..ray }))
        .collect();
    let hits = assert_matches_brute_force(&tlas, &rays, "at the hit");
    assert!(hits == rays.len() && hits > 1000, "{hits} of {} hit again", rays.len());
}

#[test]
fn every_builder_accepts_all_options_and_degenerate_meshes() {
    let mut equal = Mesh::default();
    (0..300).for_each(|_| equal.push([Vec3::X, Vec3::Y, Vec3::Z]));
    let huge = soup(50, 1.0, 5).mapped(|p| p * f32::MAX);
    for mesh in [Mesh::default(), soup(1, 1.0, 1), soup(700, 0.3, 1), equal, huge, slivers(200, 2)] {
        for quality in PRESETS {
            for (max_leaf_size, bins, traversal_cost) in
                [(8, 32, 1.0), (1, 2, 0.0), (32, 16, 100.0), (3, 0, f32::NAN)]
            {
                let preset = BuildOptions::preset(quality);
                let stats =
                    build(&mesh, &BuildOptions { max_leaf_size, bins, traversal_cost, ..preset }).stats();
                let skipped = stats.skipped.non_finite + stats.skipped.degenerate;
                assert_eq!(
                    stats.primitives + skipped,
                    mesh.triangles.len(),
                    "each triangle is in the tree or skipped"
                );
                assert!(stats.references >= stats.primitives, "each primitive is in some leaf");
                assert!(stats.depth <= 96, "{stats:?}");
            }
        }
    }
}

#[test]
fn same_tree_for_every_number_of_threads() {
    for mesh in [soup(20_000, 0.05, 2), beams(3000, 0.01, 3)] {
        for quality in PRESETS {
            let tree = |threads: usize, parallel: bool| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let options = BuildOptions { parallel, ..BuildOptions::preset(quality) };
                let blas = pool.install(|| Blas::build(&mesh.positions, &mesh.triangles, &options).unwrap());
                format!("{blas:?}")
            };
            let serial = tree(1, false);
            for threads in [1, 3] {
                assert!(tree(threads, true) == serial, "{quality:?}: {threads} threads build another tree");
            }
        }
    }
}

#[test]
fn higher_quality_lowers_the_sah_cost() {
    let mut mesh = beams(100, 0.02, 9);
    let small = soup(4000, 0.05, 5);
    (0..small.triangles.len()).for_each(|t| mesh.push(small.corners(t)));
    let [fast, balanced, best] = PRESETS.map(|quality| build(&mesh, &BuildOptions::preset(quality)).stats());
    assert!(balanced.sah_cost < 0.9 * fast.sah_cost, "{balanced:?}\n{fast:?}");
    assert!(best.sah_cost < 0.9 * balanced.sah_cost, "{best:?}\n{balanced:?}");
    assert_eq!((fast.duplication(), balanced.duplication()), (1.0, 1.0), "no triangle is split");
    assert!(best.duplication() > 1.1 && best.duplication() <= 1.25, "the budget is used: {best:?}");
    let none = BuildOptions { duplicates_percent: 0, ..BuildOptions::BEST };
    let unsplit = build(&mesh, &none).stats();
    assert_eq!(unsplit.references, balanced.references, "no triangle is split without duplicates");
    assert!(unsplit.sah_cost < balanced.sah_cost, "subtrees are reinserted: {unsplit:?}\n{balanced:?}");
    let limited =
        BuildOptions { memory_limit: Some(100 * mesh.triangles.len() as u64), ..BuildOptions::BEST };
    assert!(
        build(&mesh, &limited).stats().references < best.references,
        "fewer duplicates where memory is limited"
    );
    // Memory, on an ordinary mesh
    for quality in PRESETS {
        let stats = build(&sphere(6), &BuildOptions::preset(quality)).stats();
        assert!(stats.bytes_per_primitive() < 80.0, "{quality:?}: {stats:?}");
    }
}

#[test]
fn progress_grows_to_one_and_does_not_change_the_tree() {
    let mesh = soup(40_000, 0.05, 17);
    for quality in PRESETS {
        let options = BuildOptions::preset(quality);
        let reported = Mutex::new(Vec::new());
        let listener = |fraction: f32| {
            reported.lock().unwrap().push(fraction);
            ControlFlow::Continue(())
        };
        let blas = Blas::build_with(&mesh.positions, &mesh.triangles, &options, &listener).unwrap();
        let reported = reported.into_inner().unwrap();
        assert!(reported.windows(2).all(|w| w[0] < w[1]), "{quality:?}: {reported:?} does not grow");
        assert!(reported.len() > 4 && reported[0] > 0.0, "{quality:?}: {reported:?} has too few steps");
        assert_eq!(reported.last(), Some(&1.0), "{quality:?}: the last fraction is 1");
        assert!(format!("{blas:?}") == format!("{:?}", build(&mesh, &options)), "the same tree");
    }
}

#[test]
fn builds_can_be_cancelled_at_any_time() {
    let mesh = soup(60_000, 0.05, 19);
    for quality in PRESETS {
        for stop_at in [1, 3, 6] {
            let calls = AtomicUsize::new(0);
            let listener = |_: f32| match calls.fetch_add(1, Ordering::Relaxed) + 1 {
                n if n >= stop_at => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let options = BuildOptions::preset(quality);
            let result = Blas::build_with(&mesh.positions, &mesh.triangles, &options, &listener);
            assert_eq!(result.err(), Some(BuildError::Cancelled), "{quality:?}");
            assert_eq!(calls.into_inner(), stop_at, "{quality:?}: no calls after that");
        }
    }
}

#[test]
fn memory_limits_are_kept_or_refused() {
    let mesh = beams(2000, 0.01, 23);
    let count = mesh.triangles.len() as u64;
    let build_in = |quality: Quality, limit: u64| {
        let options = BuildOptions { memory_limit: Some(limit), ..BuildOptions::preset(quality) };
        Blas::build(&mesh.positions, &mesh.triangles, &options)
    };
    for quality in PRESETS {
        let error = build_in(quality, 10 * count).unwrap_err();
        assert!(matches!(error, BuildError::MemoryLimit { needed, limit } if needed > limit), "{error:?}");
        assert!(build_in(quality, 200 * count).is_ok(), "{quality:?}: plenty");
    }
}

#[test]
fn refitting_where_nothing_moved_changes_nothing() {
    for quality in [Quality::Fast, Quality::Balanced] {
        let mesh = torus(30);
        let built = build(&mesh, &BuildOptions::preset(quality));
        let mut blas = built.clone();
        let report = blas.refit(&mesh.positions, &mesh.triangles).unwrap();
        assert_eq!((report.cost_ratio, report.missing), (1.0, 0), "the quality is that of a new tree");
        assert!(!report.rebuild_advised(), "{report:?}");
        assert_eq!((blas.stats(), blas.bounds()), (built.stats(), built.bounds()), "the same tree");
    }
}

#[test]
fn refitted_trees_find_the_hits_of_brute_force() {
    for mesh in [torus(20), beams(80, 0.02, 29), soup(400, 0.4, 30)] {
        for quality in PRESETS {
            let mut blas = build(&mesh, &BuildOptions::preset(quality));
            let mut ratios = Vec::new();
            for twist in [0.1f32, 1.0, 4.0] {
                let moved = mesh.mapped(|p| {
                    let (s, c) = (sunfleck_math::sin(p.z * twist), sunfleck_math::cos(p.z * twist));
                    vec3(p.x * c - p.y * s, p.x * s + p.y * c, p.z * (1.0 + twist))
                });
                ratios.push(blas.refit(&moved.positions, &moved.triangles).unwrap().cost_ratio);
                blas.validate().unwrap();
                let tlas = world_of_one(blas.clone());
                let hits =
                    assert_matches_brute_force(&tlas, &rays_at(&moved, 300, &mut Random(31)), "refitted");
                let fresh = world_of_one(build(&moved, &BuildOptions::BALANCED));
                for ray in rays_at(&moved, 100, &mut Random(37)) {
                    assert_eq!(intersect(&tlas, &ray), intersect(&fresh, &ray), "the hits are equal");
                }
                assert!(hits > 30, "only {hits} hits");
            }
            assert!(ratios[2] > ratios[0], "{ratios:?}: the quality degrades");
        }
    }
}

#[test]
fn refits_advise_a_rebuild() {
    let mesh = sphere(5);
    let mut blas = build(&mesh, &BuildOptions::BALANCED);
    let mut random = Random(41);
    let mut jittered = mesh.clone();
    jittered.positions.iter_mut().for_each(|p| *p += random.cube() * 0.02);
    assert!(!blas.refit(&jittered.positions, &jittered.triangles).unwrap().rebuild_advised(), "hardly moved");
    let mut mixed = mesh;
    mixed.positions.iter_mut().for_each(|p| *p = random.cube());
    let report = blas.refit(&mixed.positions, &mixed.triangles).unwrap();
    assert!(report.rebuild_advised() && report.cost_ratio > 2.0, "{report:?}");
}

#[test]
fn triangles_vanish_and_come_back_in_refits() {
    for quality in PRESETS {
        let mut mesh = grid(6);
        let original = mesh.clone();
        mesh.positions[0].x = f32::NAN; // a corner of the grid, used by one or two triangles
        let removed = mesh.triangles.iter().filter(|t| t.contains(&0)).count();
        let [a, _, c] = mesh.triangles[40];
        let mut blas = build(&original, &BuildOptions::preset(quality));
        let ray = Ray::new(vec3(0.3, 0.2, 2.0), Vec3::NEG_Z);
        assert_eq!(intersect(&world_of_one(blas.clone()), &ray).unwrap().t, 2.0, "there");

        let report = blas.refit(&mesh.positions, &mesh.triangles).unwrap();
        assert_eq!(
            report.skipped,
            SkippedPrimitives { non_finite: removed, ..SkippedPrimitives::default() },
            "{quality:?}"
        );
        let gone = world_of_one(blas.clone());
        assert_matches_brute_force(&gone, &rays_at(&original, 300, &mut Random(43)), "with a hole");
        assert!(gone.bounds().is_empty() || gone.bounds().min.is_finite(), "boxes stay finite");

        mesh = original.clone();
        mesh.positions[a as usize] = mesh.positions[c as usize];
        let report = blas.refit(&mesh.positions, &mesh.triangles).unwrap();
        assert!(report.skipped.degenerate > 0 && report.skipped.non_finite == 0, "{report:?}");
        assert_matches_brute_force(
            &world_of_one(blas.clone()),
            &rays_at(&original, 300, &mut Random(47)),
            "collapsed",
        );

        blas.refit(&original.positions, &original.triangles).unwrap();
        assert_eq!(intersect(&world_of_one(blas), &ray).unwrap().t, 2.0, "there again");

        // Triangles that the build skipped stay missing, and the report counts them.
        let mut blas = build(&mesh, &BuildOptions::preset(quality));
        let report = blas.refit(&original.positions, &original.triangles).unwrap();
        assert!(report.missing > 0 && report.rebuild_advised(), "{report:?}");
    }
}

#[test]
fn refits_of_another_mesh_are_errors_and_change_nothing() {
    let mesh = grid(4);
    let mut blas = build(&mesh, &BuildOptions::BALANCED);
    let before = format!("{blas:?}");
    let error = blas.refit(&mesh.positions, &mesh.triangles[1..]).unwrap_err();
    assert_eq!(error, BuildError::TriangleCountMismatch { count: 31, expected: 32 }, "a triangle is missing");
    let error = blas.refit(&mesh.positions[..7], &mesh.triangles).unwrap_err();
    assert!(matches!(error, BuildError::VertexOutOfRange { vertex_count: 7, .. }), "{error}");
    assert_eq!(format!("{blas:?}"), before, "the tree is unchanged");
    let mut empty = build(&Mesh::default(), &BuildOptions::BEST);
    assert_eq!(empty.refit(&[], &[]).unwrap().cost_ratio, 1.0, "an empty mesh has nothing to move");
}
