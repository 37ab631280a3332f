//! Millions of rays per second on one core, in Sponza: random chords, and diffuse bounces off primary hits.
//!
//! `SUNFLECK_SCENES=… cargo run --release -p sunfleck-kernel --example throughput`, where the folder holds
//! `sponza-dabrovic/sponza.obj`. Further arguments choose the SIMD level: fallback, sse2, sse4.2, avx2, avx512.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::{Affine3, Frame, Ray, Vec3};

const RAYS: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var("SUNFLECK_SCENES").map_err(|_| "SUNFLECK_SCENES names no folder")?;
    let (positions, triangles) = read_obj(&format!("{folder}/sponza-dabrovic/sponza.obj"))?;
    let options = BuildOptions::default();
    let start = Instant::now();
    let blas = Blas::build(&positions, &triangles, &options)?;
    println!("built {} triangles in {:.0} ms: {:.1?}", triangles.len(), ms(start), blas.stats());
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    let tlas = Tlas::build(vec![Arc::new(blas)], vec![instance], &options)?;

    let level = level_named(std::env::args().nth(1).as_deref())?;
    println!("{level:?}");
    let rays = chords(&tlas);
    dispatch!(level, simd => report(simd, &tlas, "random", &rays));
    let rays = bounces(&tlas, level);
    dispatch!(level, simd => report(simd, &tlas, "diffuse", &rays));
    Ok(())
}

#[inline(always)]
fn report<S: Simd>(simd: S, tlas: &Tlas, name: &str, rays: &[Ray]) {
    let (mut closest, mut any) = (f64::INFINITY, f64::INFINITY);
    let (mut hits, mut blocked) = (0, 0);
    for _round in 0..7 {
        let start = Instant::now();
        hits = rays.iter().filter(|ray| tlas.intersect(simd, ray).is_some()).count();
        closest = closest.min(ms(start));
        let start = Instant::now();
        blocked = rays.iter().filter(|ray| tlas.occluded(simd, ray)).count();
        any = any.min(ms(start));
    }
    assert_eq!(hits, blocked, "both queries see the same");
    let buffer: sunfleck_kernel::RayBuffer = rays.iter().collect();
    let mut found = sunfleck_kernel::HitBuffer::with_len(rays.len());
    let mut occluded = vec![false; rays.len()];
    let (mut sc, mut sa) = (f64::INFINITY, f64::INFINITY);
    for _round in 0..7 {
        let start = Instant::now();
        tlas.intersect_stream(simd, &buffer.as_stream(), Default::default(), &mut found.as_stream());
        sc = sc.min(ms(start));
        let start = Instant::now();
        tlas.occluded_stream(simd, &buffer.as_stream(), Default::default(), &mut occluded);
        sa = sa.min(ms(start));
    }
    let wrong = rays
        .iter()
        .enumerate()
        .filter(|(i, ray)| {
            tlas.intersect(simd, ray).map_or(u32::MAX, |h| h.prim_id) != found.prim_id[*i]
                || (found.prim_id[*i] != u32::MAX) != occluded[*i]
        })
        .count();
    println!(
        "   stream closest {:.2} any {:.2}, {wrong} wrong",
        rays.len() as f64 / sc / 1e3,
        rays.len() as f64 / sa / 1e3
    );
    let rate = |ms: f64| rays.len() as f64 / ms / 1e3;
    println!(
        "{name}: intersect {:.2} Mrays/s, occluded {:.2} Mrays/s, {hits} hits",
        rate(closest),
        rate(any)
    );
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn level_named(name: Option<&str>) -> Result<Level, String> {
    let best = Level::new();
    match name {
        None => Some(best),
        Some("fallback") => Some(Level::fallback()),
        Some("sse2") => best.as_sse2().map(Level::Sse2),
        Some("sse4.2") => best.as_sse4_2().map(Level::Sse4_2),
        Some("avx2") => best.as_avx2().map(Level::Avx2),
        Some("avx512") => best.as_avx512().map(Level::Avx512),
        Some(_) => None,
    }
    .ok_or_else(|| format!("no such SIMD level here: {name:?}"))
}

/// Chords between uniform points of the bounding sphere.
fn chords(tlas: &Tlas) -> Vec<Ray> {
    let (center, radius) = (tlas.bounds().center(), tlas.bounds().diagonal() * 0.5);
    let mut random = Random(1);
    (0..RAYS)
        .map(|_| {
            let (a, b) = (center + random.direction() * radius, center + random.direction() * radius);
            Ray::new(a, (b - a).normalize_or(Vec3::X))
        })
        .collect()
}

/// A cosine-distributed ray from each point that a pinhole camera sees.
fn bounces(tlas: &Tlas, level: Level) -> Vec<Ray> {
    let (center, size) = (tlas.bounds().center(), tlas.bounds().size());
    let eye = center - Vec3::new(size.x * 0.35, size.y * 0.1, 0.0);
    let mut random = Random(2);
    let mut rays = Vec::new();
    for i in 0..RAYS {
        let (x, y) = ((i % 1024) as f32 / 512.0 - 1.0, (i / 1024) as f32 / 512.0 - 1.0);
        let primary = Ray::new(eye, Vec3::new(1.0, y, x).normalize_or(Vec3::X));
        let Some(hit) = dispatch!(level, simd => tlas.intersect(simd, &primary)) else { continue };
        let ng = hit.ng.normalize_or(Vec3::Y);
        let facing = if ng.dot(primary.direction) < 0.0 { ng } else { -ng };
        let origin = primary.at(hit.t) + facing * 1e-4 * size.length();
        let direction = Frame::from_normal(facing).normal + random.direction() * 0.999;
        rays.push(Ray::new(origin, direction.normalize_or(facing)));
    }
    rays
}

/// A small xorshift generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Uniform on the unit sphere, by rejection.
    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.next(), self.next(), self.next()) * 2.0 - 1.0;
            let length = v.length();
            if length > 0.01 && length < 1.0 {
                return v / length;
            }
        }
    }
}

type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// Positions and triangulated faces of an OBJ file.
fn read_obj(path: &str) -> Result<Mesh, Box<dyn Error>> {
    let text =
        String::from_utf8_lossy(&std::fs::read(path).map_err(|e| format!("{path}: {e}"))?).into_owned();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let xyz = words.take(3).map(str::parse).collect::<Result<Vec<f32>, _>>()?;
                positions.push(Vec3::from_slice(&xyz));
            }
            Some("f") => {
                let first_word = |w: &str| w.split('/').next().unwrap_or_default().parse::<i64>();
                let count = i64::try_from(positions.len())?;
                let corners = words
                    .map(|w| {
                        Ok(u32::try_from(first_word(w).map(|i| if i < 0 { count + i } else { i - 1 })?)?)
                    })
                    .collect::<Result<Vec<u32>, Box<dyn Error>>>()?;
                triangles.extend(corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    Ok((positions, triangles))
}
