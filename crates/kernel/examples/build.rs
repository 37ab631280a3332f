//! Compares the builders: build time, SAH cost, memory, and rays per second.
//!
//! `SUNFLECK_SCENES=… cargo run --release -p sunfleck-kernel --example build [name …]`, where the folder contains
//! `sponza-dabrovic/sponza.obj` and `meshes/*.obj`. Names: sponza, bunny, ogre, dragon, bunny4m (the bunny with each
//! triangle subdivided into 64). `PRESET=best` runs only one builder. `THREADS=n` builds with `n` threads and measures
//! wall time. Without it, one thread builds, and its CPU time is measured where Linux provides it.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::{Affine3, Ray, Vec3};

const RAYS: usize = 1 << 18;

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        std::env::var("SUNFLECK_SCENES").map_err(|_| "set SUNFLECK_SCENES to the folder with the scenes")?;
    let parallel = std::env::var("THREADS").is_ok();
    if let Ok(threads) = std::env::var("THREADS") {
        rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    }
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["sponza", "bunny"].map(String::from).into();
    }
    println!(
        "mesh, builder: build | SAH cost, depth, nodes, leaves, references | memory | Mrays/s chords, bounces"
    );
    for name in &names {
        let mesh = load(&folder, name)?;
        for (preset, options) in
            [("fast", BuildOptions::FAST), ("balanced", BuildOptions::BALANCED), ("best", BuildOptions::BEST)]
        {
            if std::env::var("PRESET").is_ok_and(|wanted| wanted != preset) {
                continue;
            }
            report(&format!("{name}, {preset}"), &mesh, &BuildOptions { parallel, ..options })?;
        }
    }
    Ok(())
}

fn report(name: &str, (positions, triangles): &Mesh, options: &BuildOptions) -> Result<(), Box<dyn Error>> {
    let rounds = (3_000_000 / triangles.len()).clamp(2, 30);
    let mut blas = Blas::build(positions, triangles, options)?;
    let start = Clock::start(options.parallel);
    for _ in 0..rounds {
        blas = Blas::build(positions, triangles, options)?;
    }
    let time_ms = start.ms() / rounds as f64;
    let stats = blas.stats();
    let n = triangles.len() as f64;
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    let tlas = Tlas::build(vec![Arc::new(blas)], vec![instance], &BuildOptions::default())?;
    let (chords, bounces) = dispatch!(Level::new(), simd => {
        let chords = chords(&tlas);
        (rate(simd, &tlas, &chords), rate(simd, &tlas, &bounces(simd, &tlas, &chords)))
    });
    println!(
        "{name}: {time_ms:.1} ms, {:.0} ns/triangle | {:.2}, {}, {} ({:.2} children), {} ({:.2} references), {:.3} | \
         {:.1} B/triangle | {chords:.2}, {bounces:.2}",
        time_ms * 1e6 / n,
        stats.sah_cost,
        stats.depth,
        stats.nodes,
        (stats.nodes + stats.leaves - 1) as f64 / stats.nodes as f64,
        stats.leaves,
        stats.references as f64 / stats.leaves as f64,
        stats.references as f64 / n,
        stats.bytes as f64 / n,
    );
    Ok(())
}

/// Stopwatch: CPU time of this thread for serial builds where Linux provides it, else wall time.
struct Clock {
    wall: Instant,
    cpu_ms: Option<f64>,
}

impl Clock {
    fn start(parallel: bool) -> Self {
        Self { wall: Instant::now(), cpu_ms: if parallel { None } else { Self::cpu_ms() } }
    }

    fn ms(&self) -> f64 {
        match (self.cpu_ms, Self::cpu_ms()) {
            (Some(start), Some(end)) => end - start,
            _ => ms(self.wall),
        }
    }

    /// Returns the CPU time of this thread in milliseconds.
    fn cpu_ms() -> Option<f64> {
        let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(nanoseconds.split_whitespace().next()?.parse::<f64>().ok()? / 1e6)
    }
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns millions of closest-hit queries per second, the best of five rounds.
#[inline(always)]
fn rate<S: Simd>(simd: S, tlas: &Tlas, rays: &[Ray]) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let hits = rays.iter().filter(|ray| tlas.intersect(simd, ray).is_some()).count();
        std::hint::black_box(hits);
        best = best.min(ms(start));
    }
    rays.len() as f64 / best / 1e3
}

/// Returns rays along chords between uniformly distributed points of the bounding sphere.
fn chords(tlas: &Tlas) -> Vec<Ray> {
    let (center, radius) = (tlas.bounds().center(), tlas.bounds().diagonal() * 0.5);
    let mut random = Random(1);
    let mut point = || center + random.direction() * radius;
    (0..RAYS).map(|_| (point(), point())).map(|(a, b)| Ray::new(a, (b - a).normalize_or(Vec3::X))).collect()
}

/// Returns cosine-distributed rays from the hit points of `rays`.
#[inline(always)]
fn bounces<S: Simd>(simd: S, tlas: &Tlas, rays: &[Ray]) -> Vec<Ray> {
    let mut random = Random(2);
    let mut bounce = |ray: &Ray| {
        let hit = tlas.intersect(simd, ray)?;
        let ng = hit.ng.normalize_or(Vec3::Y);
        let facing = if ng.dot(ray.direction) < 0.0 { ng } else { -ng };
        let origin = ray.at(hit.t) + facing * 1e-4 * tlas.bounds().diagonal();
        Some(Ray::new(origin, (facing + random.direction() * 0.999).normalize_or(facing)))
    };
    rays.iter().filter_map(&mut bounce).collect()
}

/// Xorshift random number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Returns a point uniformly distributed on the unit sphere, by rejection.
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

fn load(folder: &str, name: &str) -> Result<Mesh, Box<dyn Error>> {
    match name {
        "sponza" => read_obj(&format!("{folder}/sponza-dabrovic/sponza.obj")),
        "bunny" => read_obj(&format!("{folder}/meshes/stanford-bunny.obj")),
        "bunny4m" => {
            let bunny = read_obj(&format!("{folder}/meshes/stanford-bunny.obj"))?;
            Ok((0..3).fold(bunny, |mesh, _| subdivided(&mesh)))
        }
        _ => read_obj(&format!("{folder}/meshes/{name}.obj")),
    }
}

/// Subdivides each triangle into four.
fn subdivided((positions, triangles): &Mesh) -> Mesh {
    let mut positions = positions.clone();
    let mut split = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let mut middle = |i: u32, j: u32| {
            positions.push((positions[i as usize] + positions[j as usize]) * 0.5);
            u32::try_from(positions.len() - 1).unwrap_or(u32::MAX)
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        split.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (positions, split)
}

/// Reads the positions and triangulated faces of an OBJ file.
fn read_obj(path: &str) -> Result<Mesh, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&bytes).lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let xyz = words.take(3).map(str::parse).collect::<Result<Vec<f32>, _>>()?;
                positions.push(Vec3::from_slice(&xyz));
            }
            Some("f") => {
                let count = i64::try_from(positions.len())?;
                let corner = |word: &str| -> Result<u32, Box<dyn Error>> {
                    let index: i64 = word.split('/').next().unwrap_or_default().parse()?;
                    Ok(u32::try_from(if index < 0 { count + index } else { index - 1 })?)
                };
                let corners = words.map(corner).collect::<Result<Vec<u32>, _>>()?;
                triangles.extend(corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    Ok((positions, triangles))
}
