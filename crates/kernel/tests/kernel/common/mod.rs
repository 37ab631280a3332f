//! Shared code of the tests: random numbers, meshes, rays, and the comparison of every SIMD level with brute force.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "test support; not every test binary uses all of it"
)]

pub mod meshes;
pub mod shapes;

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{
    Blas, BuildOptions, Coherence, Geometry, Hit, HitBuffer, InstPath, Instance, MISS, Query, RayBuffer,
    RayPacket, Tlas, brute_force,
};
use sunfleck_math::{Affine3, Mat3, Ray, Vec3};

pub use meshes::Mesh;

/// Xorshift random number generator; holds its state.
pub struct Random(pub u64);

impl Random {
    /// Returns a uniform number in `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Returns a uniform integer below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.bits() >> 33) as usize) % n
    }

    /// Returns a uniform point of the cube `[-1, 1]^3`.
    pub fn cube(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    /// Returns a uniform unit vector.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.cube();
            let length = v.length();
            if length > 0.01 && length <= 1.0 {
                return v / length;
            }
        }
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// Returns every SIMD level of this machine.
pub fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![Level::fallback(), Level::baseline()];
    #[cfg(target_arch = "x86_64")]
    levels.extend(
        [
            best.as_sse2().map(Level::Sse2),
            best.as_sse4_2().map(Level::Sse4_2),
            best.as_avx2().map(Level::Avx2),
            best.as_avx512().map(Level::Avx512),
        ]
        .into_iter()
        .flatten(),
    );
    levels.push(best);
    levels
}

pub fn instance(blas: u32, world_from_object: Affine3) -> Instance {
    Instance { blas, world_from_object, mask: 1, opaque: true }
}

pub fn blas(mesh: &Mesh) -> Arc<Blas> {
    let blas = Blas::build(&mesh.positions, &mesh.triangles, &BuildOptions::default()).unwrap();
    blas.validate().unwrap();
    Arc::new(blas)
}

/// Returns a world of one mesh with the identity transform.
pub fn world_of(mesh: &Mesh) -> Tlas {
    world(vec![blas(mesh)], vec![instance(0, Affine3::IDENTITY)])
}

pub fn world<G: Into<Geometry>>(geometries: Vec<G>, instances: Vec<Instance>) -> Tlas {
    let tlas = Tlas::build(geometries, instances, &BuildOptions::default()).unwrap();
    tlas.validate().unwrap();
    tlas
}

/// Returns a random linear transform of moderate condition number, which may shear or mirror, with a translation.
pub fn random_transform(random: &mut Random) -> Affine3 {
    let columns = [0; 3].map(|_| random.direction() * (0.2 + 2.0 * random.unit()));
    Affine3::from_mat3_translation(Mat3::from_cols(columns[0], columns[1], columns[2]), random.cube() * 3.0)
}

pub fn intersect(tlas: &Tlas, ray: &Ray) -> Option<Hit> {
    dispatch!(Level::new(), simd => tlas.intersect(simd, ray))
}

pub fn occluded(tlas: &Tlas, ray: &Ray) -> bool {
    dispatch!(Level::new(), simd => tlas.occluded(simd, ray))
}

/// Returns all bits of a hit.
pub fn bits(hit: &Hit) -> ([u32; 9], InstPath) {
    let Hit { t, u, v, ng, prim_id, geom_id, inst_id, inst_path } = *hit;
    let [x, y, z] = ng.to_array().map(f32::to_bits);
    ([t.to_bits(), u.to_bits(), v.to_bits(), x, y, z, prim_id, geom_id, inst_id], inst_path)
}

/// Asserts that every SIMD level returns the hits of brute force, bit by bit. Returns the number of rays that hit.
pub fn assert_matches_brute_force(tlas: &Tlas, rays: &[Ray], what: &str) -> usize {
    let expected: Vec<Option<Hit>> = rays.iter().map(|ray| brute_force::intersect(tlas, ray)).collect();
    for level in levels() {
        dispatch!(level, simd => assert_level(simd, tlas, rays, &expected, what));
        assert_streams(level, tlas, rays, &expected, what);
        assert_packets::<4>(level, tlas, rays, &expected, what);
        assert_packets::<8>(level, tlas, rays, &expected, what);
        assert_packets::<16>(level, tlas, rays, &expected, what);
    }
    expected.iter().flatten().count()
}

#[inline(always)]
fn assert_level<S: Simd>(simd: S, tlas: &Tlas, rays: &[Ray], expected: &[Option<Hit>], what: &str) {
    for (i, (ray, expected)) in rays.iter().zip(expected).enumerate() {
        let found = tlas.intersect(simd, ray);
        assert_eq!(
            found.as_ref().map(bits),
            expected.as_ref().map(bits),
            "{what}, ray {i} on {:?}: {ray:?}\n  found {found:?}\n  brute force {expected:?}",
            simd.level()
        );
        assert_eq!(
            tlas.occluded(simd, ray),
            expected.is_some(),
            "{what}, ray {i} on {:?}: {ray:?}",
            simd.level()
        );
    }
}

/// Asserts that every SIMD level returns the hits of brute force for a query, with and without a filter. Returns the
/// number of rays that hit with the filter.
pub fn assert_query_matches(
    tlas: &Tlas,
    rays: &[Ray],
    query: &Query,
    filter: &dyn Fn(&Hit) -> bool,
    what: &str,
) -> usize {
    let expected: Vec<_> = rays
        .iter()
        .map(|ray| {
            let plain = brute_force::intersect_with(tlas, ray, query);
            (plain, brute_force::intersect_with_filter(tlas, ray, query, filter))
        })
        .collect();
    for level in levels() {
        dispatch!(level, simd => {
            for (ray, (plain, filtered)) in rays.iter().zip(&expected) {
                let context = || format!("{what}, {query:?} on {:?}: {ray:?}", simd.level());
                let found = tlas.intersect_with(simd, ray, query);
                assert_eq!(found.as_ref().map(bits), plain.as_ref().map(bits), "{}", context());
                let found = tlas.intersect_with_filter(simd, ray, query, filter);
                assert_eq!(found.as_ref().map(bits), filtered.as_ref().map(bits), "{}, filtered", context());
                assert_eq!(tlas.occluded_with(simd, ray, query), plain.is_some(), "{}", context());
                let occluded = tlas.occluded_with_filter(simd, ray, query, filter);
                assert_eq!(occluded, filtered.is_some(), "{}, filtered", context());
            }
        });
        assert_query_streams((level, tlas, rays), query, filter, &expected, what);
    }
    expected.iter().filter(|(_, filtered)| filtered.is_some()).count()
}

/// Asserts that streams return the same hits for every coherence hint.
fn assert_streams(level: Level, tlas: &Tlas, rays: &[Ray], expected: &[Option<Hit>], what: &str) {
    let buffer: RayBuffer = rays.iter().collect();
    for coherence in COHERENCES {
        let mut hits = HitBuffer::with_len(rays.len());
        let mut occluded = vec![false; rays.len()];
        tlas.intersect_stream(level, &buffer.as_stream(), coherence, &mut hits.as_stream());
        tlas.occluded_stream(level, &buffer.as_stream(), coherence, &mut occluded);
        let context = format!("{what}, stream on {level:?}, {coherence:?}");
        assert_hits(rays, &hits, &occluded, expected, &context);
    }
}

/// As [`assert_streams`], for streams with a query, with and without a filter.
///
/// * `expected` — hits without and with the filter.
fn assert_query_streams(
    (level, tlas, rays): (Level, &Tlas, &[Ray]),
    query: &Query,
    filter: &dyn Fn(&Hit) -> bool,
    expected: &[(Option<Hit>, Option<Hit>)],
    what: &str,
) {
    let buffer: RayBuffer = rays.iter().collect();
    let stream = buffer.as_stream();
    let (plain, filtered): (Vec<_>, Vec<_>) = expected.iter().copied().unzip();
    for coherence in COHERENCES {
        let mut hits = HitBuffer::with_len(rays.len());
        let mut occluded = vec![false; rays.len()];
        let context = format!("{what}, {query:?}, stream on {level:?}, {coherence:?}");
        tlas.intersect_stream_with(level, &stream, coherence, query, &mut hits.as_stream());
        tlas.occluded_stream_with(level, &stream, coherence, query, &mut occluded);
        assert_hits(rays, &hits, &occluded, &plain, &context);
        let mut ray_filter = |_: usize, hit: &Hit| filter(hit);
        let to = &mut hits.as_stream();
        tlas.intersect_stream_with_filter(level, &stream, coherence, query, &mut ray_filter, to);
        tlas.occluded_stream_with_filter(level, &stream, coherence, query, &mut ray_filter, &mut occluded);
        assert_hits(rays, &hits, &occluded, &filtered, &format!("{context}, filtered"));
    }
}

const COHERENCES: [Coherence; 3] = [Coherence::Coherent, Coherence::Incoherent, Coherence::Unknown];

fn assert_hits(rays: &[Ray], hits: &HitBuffer, occluded: &[bool], expected: &[Option<Hit>], what: &str) {
    for (i, expected) in expected.iter().enumerate() {
        let [t, u, v] = [&hits.t, &hits.u, &hits.v].map(|value| value[i].to_bits());
        let found = (hits.prim_id[i] != MISS).then(|| [t, u, v, hits.prim_id[i], hits.inst_id[i]]);
        let expected = expected.map(|h| [h.t.to_bits(), h.u.to_bits(), h.v.to_bits(), h.prim_id, h.inst_id]);
        assert_eq!(found, expected, "{what}, ray {i}: {:?}", rays[i]);
        assert_eq!(occluded[i], expected.is_some(), "{what}, ray {i}: {:?}", rays[i]);
    }
}

/// Asserts that packets of `N` rays return the same hits for their active rays.
fn assert_packets<const N: usize>(
    level: Level,
    tlas: &Tlas,
    rays: &[Ray],
    expected: &[Option<Hit>],
    what: &str,
) {
    for (k, (rays, expected)) in rays.chunks(N).zip(expected.chunks(N)).enumerate().take(40) {
        let active = if k % 3 == 0 { u64::MAX } else { 0x9e37_79b9_7f4a_7c15u64 >> (k % 8) };
        let coherence = COHERENCES[k % 3];
        let packet = RayPacket::<N>::new(rays);
        let hits = tlas.intersect_packet(level, &packet, active, coherence);
        let occluded = tlas.occluded_packet(level, &packet, active, coherence);
        for (i, hit) in expected.iter().enumerate() {
            let hit = hit.filter(|_| active >> i & 1 == 1);
            let found =
                (hits.prim_id[i] != MISS).then(|| (hits.t[i].to_bits(), hits.prim_id[i], hits.inst_id[i]));
            let context = format!("{what}, ray {i} of packet {k} of {N} on {level:?}, {coherence:?}");
            assert_eq!(found, hit.map(|h| (h.t.to_bits(), h.prim_id, h.inst_id)), "{context}");
            assert_eq!(occluded[i], hit.is_some(), "{context}");
        }
    }
}

/// Returns rays of many kinds towards a mesh: from far and near, at vertices, edges and interiors of triangles, along
/// axes, and with bounded intervals.
pub fn rays_at(mesh: &Mesh, count: usize, random: &mut Random) -> Vec<Ray> {
    let bounds = mesh.bounds();
    let (center, size) = (bounds.center(), bounds.size().max_element());
    (0..count)
        .map(|i| {
            let distance = [0.3, 1.5, 20.0, 1000.0][i / 2 % 4];
            let from = center + random.cube() * (size * distance);
            let [a, b, c] = mesh.corners(random.below(mesh.triangles.len()));
            let (u, v) = (random.unit(), random.unit());
            let target = match i % 7 {
                0 => a,
                1 => a + (b - a) * u,
                2 => a * 0.5 + b * 0.5,
                3 | 4 => a + (b - a) * (u * (1.0 - v)) + (c - a) * v,
                _ => center + random.cube() * size,
            };
            let axis = [Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(1.0, -0.0, 1.0)][i % 4];
            match i % 11 {
                // Along an axis or in a coordinate plane, often through a vertex or in the plane of a face
                0 | 1 => Ray::new(target - axis * size * distance, axis),
                // From a surface
                2 => Ray::new(target, random.direction()),
                // With a bounded interval, also with negative t
                3 => Ray { origin: from, t_near: 0.2, direction: target - from, t_far: 1.0 },
                4 => Ray { origin: target, t_near: -2.0, direction: random.direction() * size, t_far: 0.1 },
                _ => Ray::new(from, target - from),
            }
        })
        .collect()
}
