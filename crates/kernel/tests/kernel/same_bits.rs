//! Hits have the same bits on every machine: every SIMD level of every architecture finds those of scalar code on
//! x86-64.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::meshes::{cube, slivers, soup};
use crate::common::shapes::random_shapes;
use crate::common::{
    Random, assert_matches_brute_force, bits, blas, instance, random_transform, rays_at, world,
};
use sunfleck_kernel::{BuildOptions, Geometry, Shapes, brute_force};

/// Hash of all bits of all hits in order, computed by scalar code on x86-64.
const EXPECTED: u64 = 0x4ee0_1e76_1568_7423;

/// FNV-1a hash of one more word.
fn hash(hash: u64, word: u32) -> u64 {
    word.to_le_bytes()
        .iter()
        .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn hits_have_the_bits_of_other_machines() {
    let mut random = Random(61);
    let shapes = random_shapes(40, &mut random);
    let mesh = soup(150, 0.4, 62);
    let rays = rays_at(&mesh, 3000, &mut random);
    let geometries: Vec<Geometry> = vec![
        blas(&mesh).into(),
        blas(&cube(4)).into(),
        blas(&slivers(40, 63)).into(),
        Shapes::build(&shapes, &BuildOptions::default()).unwrap().into(),
    ];
    let placed = (0..12).map(|i| instance(i % 4, random_transform(&mut random))).collect();
    let tlas = world(geometries, placed);

    let hits = assert_matches_brute_force(&tlas, &rays, "a world of many kinds");
    assert!(hits > 1000, "only {hits} hits");
    let found = rays.iter().map(|ray| brute_force::intersect(&tlas, ray).map_or([0; 9], |hit| bits(&hit).0));
    let found = found.flatten().fold(0xcbf2_9ce4_8422_2325, hash);
    assert_eq!(found, EXPECTED, "{found:#018x}, not {EXPECTED:#018x}");
}
