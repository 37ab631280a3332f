//! A tile of a frame: waves of rays, whose surfaces are lit by virtual point lights.
//!
//! The first surface that is not a perfect mirror or glass is lit for the filter to mix. What is seen in its highlights, and the
//! light that the bound of geometry terms has taken away, comes by paths that go on from there.

use fearless_simd::Simd;
use sunfleck_image::{AovSet, TileRect};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec2, Vec3, vec2};
use sunfleck_sampling::warp;
use sunfleck_shading::Bsdf;

use super::Igi;
use super::blocks::{Blocks, Channel, DIFFUSE, GlossyPoint, Point, Points, Target};
use super::frame::{EdgeSample, Surface, TileLight};
use super::gather::{Gather, Rules};
use super::vpl::Vpls;
use crate::dimension::{FILM, LENS, Vertex};
use crate::direct::{Scattered, consistent};
use crate::photons::{PhotonMap, Receiver};
use crate::view::{RayCount, SampleId, View};
use crate::world::{SURFACES, SurfaceBlock, SurfacePoint};

/// An albedo is at least this when light is divided by it, so that highlights on black are no division by zero.
const LEAST_ALBEDO: f32 = 0.02;
/// Paths dimmer than this play roulette from the second bounce on.
const DIM: f32 = 0.25;

/// A path that goes on.
#[derive(Clone, Copy, Debug)]
struct Path {
    ray: Ray,
    throughput: Vec3,
    target: Target,
    /// Camera ray of the pixel.
    sample: u32,
    /// Surfaces before.
    bounce: u32,
    /// Length of the path so far.
    distance: f32,
    /// For paths that put back what a bound has taken away, the bound over the cosine where they begin, else 0: they carry
    /// the share of light above it.
    bound_over_cos: f32,
}

/// What one tile needs again and again.
#[derive(Debug)]
pub(crate) struct Scratch {
    paths: Vec<Path>,
    next: Vec<Path>,
    points: Points,
    rays: RayBuffer,
    hits: HitBuffer,
    surfaces: SurfaceBlock,
    blocks: Blocks,
    gather: Gather,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            next: Vec::new(),
            points: Points::default(),
            rays: RayBuffer::default(),
            hits: HitBuffer::default(),
            surfaces: SurfaceBlock::new(),
            blocks: Blocks::default(),
            gather: Gather::default(),
        }
    }
}

/// Everything that all tiles of a frame share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) igi: &'a Igi,
    pub(super) vpls: &'a Vpls,
    pub(super) photons: &'a PhotonMap,
    /// Number of the frame.
    pub(super) pass: u32,
}

/// The light of a tile.
#[inline(always)]
pub(super) fn render<S: Simd>(simd: S, job: &Job<'_>, rect: TileRect, scratch: &mut Scratch) -> TileLight {
    let mut light = TileLight::new(rect);
    let mut rays = RayCount::default();
    scratch.paths.clear();
    simd.vectorize(
        #[inline(always)]
        || generate(job, rect, scratch),
    );
    let groups = job.vpls.groups.len();
    let rules = Rules { bound: job.vpls.bound, roulette: job.igi.roulette, pass: job.pass };
    let mut first = true;
    while !scratch.paths.is_empty() {
        rays.intersect += scratch.paths.len() as u64;
        intersect(simd, job, rect, scratch);
        simd.vectorize(
            #[inline(always)]
            || {
                scratch.next.clear();
                scratch.points.clear();
                shade(simd, job, &mut light, scratch);
                scratch.blocks.fill(&scratch.points.points, groups);
                let Scratch { gather, points, blocks, .. } = scratch;
                rays.occluded += gather.light(simd, job.view, job.vpls, points, blocks, rules);
                for (at, &i) in scratch.blocks.points.iter().enumerate() {
                    if let Some(point) = scratch.points.points.get(i as usize) {
                        let irradiance = scratch.blocks.blocks[at / 16].irradiance(at % 16);
                        let caustic = caustic(simd, job, rect, &scratch.points, point, first);
                        light.add(point.target, point.weight, irradiance + caustic);
                    }
                }
            },
        );
        std::mem::swap(&mut scratch.paths, &mut scratch.next);
        first = false;
    }
    light.finish(job.igi.subsets(), rays);
    light
}

/// Irradiance of a point by photons: of the first surfaces, one camera ray speaks for the others of its pixel.
#[inline(always)]
fn caustic<S: Simd>(
    simd: S,
    job: &Job<'_>,
    rect: TileRect,
    points: &Points,
    point: &Point,
    first: bool,
) -> Vec3 {
    let Job { igi, photons, pass, .. } = *job;
    if !photons.reaches(point.origin) {
        return Vec3::ZERO;
    }
    let mut share = 1.0;
    if first {
        if point.group % igi.subsets() != speaker(igi, pixel(rect, point.target), pass) {
            return Vec3::ZERO;
        }
        share = igi.subsets() as f32;
    }
    let at = Receiver { position: point.origin, ng: point.ng, ns: point.ns };
    let glossy = points.glossy.get(point.glossy as usize);
    share * photons.irradiance(simd, &at, |wi| glossy.map_or(Vec3::ONE, |glossy| glossy.factor(wi)))
}

/// Camera rays: all of eight by eight pixels for one sample, then for the next.
#[inline(always)]
fn generate(job: &Job<'_>, rect: TileRect, scratch: &mut Scratch) {
    let subsets = job.igi.subsets();
    for y0 in (rect.y0..rect.y1).step_by(8) {
        for x0 in (rect.x0..rect.x1).step_by(8) {
            for sample in 0..subsets {
                for y in y0..(y0 + 8).min(rect.y1) {
                    for x in x0..(x0 + 8).min(rect.x1) {
                        scratch.paths.push(camera_path(job, rect, [x, y], sample));
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn camera_path(job: &Job<'_>, rect: TileRect, pixel: [u32; 2], sample: u32) -> Path {
    let Job { view, igi, pass, .. } = *job;
    let number = pass.wrapping_mul(igi.subsets()).wrapping_add(sample);
    let [x, y] = pixel.map(|p| p as f32 + 0.5);
    let filtered = view.filter.sample(view.sampler.get_2d(pixel, number, FILM));
    let lens = match view.camera.has_lens() {
        true => view.sampler.get_2d(pixel, number, LENS),
        false => Vec2::ZERO,
    };
    let target =
        Target { pixel: rect.width() * (pixel[1] - rect.y0) + pixel[0] - rect.x0, channel: Channel::Surface };
    let ray = view.camera.ray(vec2(x, y) + filtered.offset, lens);
    Path {
        ray,
        throughput: Vec3::splat(filtered.weight),
        target,
        sample,
        bounce: 0,
        distance: 0.0,
        bound_over_cos: 0.0,
    }
}

/// The closest surface on each path.
#[inline(always)]
fn intersect<S: Simd>(simd: S, job: &Job<'_>, rect: TileRect, scratch: &mut Scratch) {
    let Scratch { rays, hits, paths, .. } = scratch;
    rays.clear();
    for path in paths.iter() {
        rays.push(&path.ray);
    }
    hits.resize(paths.len());
    let first = paths.first().is_some_and(|path| path.bounce == 0);
    let coherence = if first { Coherence::Coherent } else { Coherence::Incoherent };
    let seed = |i: usize| {
        let path = &paths[i];
        job.view.alpha_seed(id(job, rect, path), path.bounce)
    };
    job.view.world.intersect_stream(simd.level(), &rays.as_stream(), coherence, &seed, &mut hits.as_stream());
}

fn id(job: &Job<'_>, rect: TileRect, path: &Path) -> SampleId {
    SampleId {
        pixel: pixel(rect, path.target),
        sample: job.pass.wrapping_mul(job.igi.subsets()).wrapping_add(path.sample),
    }
}

fn pixel(rect: TileRect, Target { pixel, .. }: Target) -> [u32; 2] {
    [rect.x0 + pixel % rect.width(), rect.y0 + pixel / rect.width()]
}

/// What the paths meet, sixteen at a time.
#[inline(always)]
fn shade<S: Simd>(simd: S, job: &Job<'_>, light: &mut TileLight, scratch: &mut Scratch) {
    let Job { view, .. } = *job;
    for start in (0..scratch.paths.len()).step_by(SURFACES) {
        let direction = scratch.rays.as_stream().direction;
        view.world.surfaces(simd, &scratch.hits, direction, start, &mut scratch.surfaces);
        for i in start..scratch.paths.len().min(start + SURFACES) {
            if !shade_plain(job, light, scratch, i) {
                shade_any(simd, job, light, scratch, i);
            }
        }
    }
}

/// Lights a diffuse surface that a camera ray meets, where that is all there is to be done; false if it is not.
#[inline(always)]
fn shade_plain(job: &Job<'_>, light: &mut TileLight, scratch: &mut Scratch, i: usize) -> bool {
    let Job { view, igi, .. } = *job;
    let Scratch { paths, points, hits, surfaces, .. } = scratch;
    let (path, lane) = (&paths[i], i % SURFACES);
    if surfaces.hit >> lane & 1 == 0 || path.bounce > 0 || view.aovs != AovSet::EMPTY {
        return false;
    }
    let pixel = id(job, light.rect, path).pixel;
    if compensates(job, pixel, path) {
        return false;
    }
    let material = surfaces.material[lane];
    let Some(albedo) = view.world.plain_albedo(hits, i, material) else { return false };
    let side = surfaces.side[lane];
    let ns = SurfaceBlock::vector(&surfaces.ns, lane) * side;
    let weight = path.throughput * (albedo * std::f32::consts::FRAC_1_PI);
    points.points.push(Point {
        group: group(igi, pixel, path.sample),
        target: path.target,
        weight,
        origin: SurfaceBlock::vector(&surfaces.outside, lane),
        ns,
        ng: SurfaceBlock::vector(&surfaces.ng, lane) * side,
        glossy: DIFFUSE,
    });
    let surface = Surface::new(ns, hits.t[i], hits.inst_id[i], material);
    light.record(EdgeSample { pixel: path.target.pixel, surface, weight });
    true
}

/// Whether a path speaks for its pixel where short paths put back what the bound takes away: one camera ray speaks for all, since
/// the filter mixes many.
#[inline(always)]
fn compensates(job: &Job<'_>, pixel: [u32; 2], path: &Path) -> bool {
    let Job { igi, vpls, pass, .. } = *job;
    let speaks = path.bounce > 0 || path.sample == speaker(igi, pixel, pass);
    igi.compensate == 1 && vpls.bound.is_finite() && speaks
}

/// The camera ray that speaks for all of its pixel in a frame where one is enough.
#[inline(always)]
fn speaker(igi: &Igi, [x, y]: [u32; 2], pass: u32) -> u32 {
    (x + 2 * y + pass) % igi.subsets()
}

/// [`shade_one`] as a function of its own.
#[inline(never)]
fn shade_any<S: Simd>(simd: S, job: &Job<'_>, light: &mut TileLight, scratch: &mut Scratch, i: usize) {
    simd.vectorize(
        #[inline(always)]
        || shade_one(job, light, scratch, i),
    );
}

/// What one path meets: emission, a point to be lit, and how the path goes on.
#[inline(always)]
fn shade_one(job: &Job<'_>, light: &mut TileLight, scratch: &mut Scratch, i: usize) {
    let Job { view, igi, vpls, .. } = *job;
    let Scratch { paths, next, points, hits, surfaces, .. } = scratch;
    let (world, mut path) = (view.world, paths[i]);
    let id = id(job, light.rect, &path);
    let camera = Scattered { from: path.ray.origin, pdf_solid_angle: None };

    if hits.prim_id[i] == MISS {
        if path.bound_over_cos == 0.0 {
            light.add_radiance(path.target, path.throughput * world.escaped(path.ray.direction, &camera));
        }
        return;
    }
    let wo_world = -path.ray.direction;
    let surface = world.surface_of(hits, i, surfaces, wo_world);
    let hit = surface.hit;
    let wo = surface.frame.local_from_world(wo_world);

    // Of what comes from near by, the share above the bound: 1 - bound / (cos cos' / d²)
    if path.bound_over_cos > 0.0 {
        let cos = surface.frame.normal.dot(wo_world).abs();
        let share = 1.0 - path.bound_over_cos * hit.t * hit.t / cos;
        if share.is_nan() || share <= 0.0 {
            return;
        }
        path.throughput *= share;
    }
    light.add_radiance(path.target, path.throughput * world.emitted(&surface, wo_world, &camera));
    let bsdf = world.materials.bsdf(surface.material, &surface.attributes);
    let delta = bsdf.is_delta();
    if path.bounce == 0 && path.sample == 0 && view.aovs != AovSet::EMPTY {
        light.record_aov(path.target.pixel, view.aov_sample(&surface, hit.t, bsdf.albedo()));
    }

    // Light it
    let outwards = if wo_world.dot(surface.ng) < 0.0 { -1.0 } else { 1.0 };
    let albedo = match bsdf {
        Bsdf::Lambert(lambert) => lambert.albedo,
        _ => bsdf.albedo().max(Vec3::splat(LEAST_ALBEDO)),
    };
    if !delta {
        let demodulation = albedo * std::f32::consts::FRAC_1_PI;
        let glossy = match bsdf {
            Bsdf::Lambert(_) => None,
            bsdf => Some(GlossyPoint { frame: surface.frame, bsdf, wo, demodulation }),
        };
        let (ns, ng) = (surface.frame.normal * outwards, surface.ng * outwards);
        let point = Point {
            group: group(igi, id.pixel, path.sample),
            target: path.target,
            weight: path.throughput * demodulation,
            origin: surface.ray_along(ng).origin,
            ns,
            ng,
            glossy: DIFFUSE,
        };
        points.push(point, glossy);
        if path.target.channel == Channel::Surface {
            let surface = Surface::new(ns, path.distance + hit.t, surface.hit.inst_id, surface.material);
            let weight = path.throughput * demodulation;
            light.record(EdgeSample { pixel: path.target.pixel, surface, weight });
        }
    }

    // Go on
    if path.bounce >= igi.max_bounces {
        return;
    }
    let vertex = Vertex::new(path.bounce);
    let SampleId { pixel, sample } = id;
    let (mut survival, bounce) = (1.0, path.bounce + 1);
    let brightness = path.throughput.max_element();
    if path.bounce > 0 && brightness < DIM {
        survival = brightness / DIM;
        if view.sampler.get_1d(pixel, sample, vertex.roulette()) >= survival {
            return;
        }
    }
    // Short paths put back light of VPLs, which shine by broad lobes only. What comes by the sharp ones of the surface that they meet, be it
    // glass or a highlight, photons bring, from near and far
    let twice = igi.photons > 0 && path.bound_over_cos > 0.0;
    let sharp = (bsdf.has_sharp_lobes() && !twice).then(|| {
        let u = view.sampler.get_2d(pixel, sample, vertex.direction());
        bsdf.sample_sharp(wo, view.sampler.get_1d(pixel, sample, vertex.lobe()), u)
    });
    if let Some(scattered) = sharp.flatten() {
        let throughput = path.throughput * scattered.throughput / survival;
        let channel = match path.target.channel {
            Channel::Surface if !delta => Channel::Highlight,
            channel => channel,
        };
        let target = Target { channel, ..path.target };
        path.distance += hit.t;
        go_on(next, &path, &surface, scattered.wi, throughput, (target, bounce, 0.0));
    }
    if !delta && compensates(job, pixel, &path) {
        let up = warp::cosine_hemisphere(view.sampler.get_2d(pixel, sample, vertex.light_point()));
        let wi = if wo.z < 0.0 { Vec3::new(up.x, up.y, -up.z) } else { up };
        let factor = match bsdf {
            Bsdf::Lambert(lambert) => lambert.albedo,
            bsdf => bsdf.eval_broad(wo, wi) * (std::f32::consts::PI / up.z.max(1e-6)),
        };
        let weight = if path.bounce > 0 { 1.0 } else { igi.subsets() as f32 };
        let throughput = path.throughput * factor * (weight / survival);
        let channel = match path.target.channel {
            Channel::Surface => Channel::Bounced,
            channel => channel,
        };
        let target = Target { channel, ..path.target };
        go_on(next, &path, &surface, wi, throughput, (target, bounce, vpls.bound / up.z.max(1e-6)));
    }
}

/// Sends a path on.
#[inline(always)]
fn go_on(
    next: &mut Vec<Path>,
    path: &Path,
    surface: &SurfacePoint,
    wi: Vec3,
    throughput: Vec3,
    (target, bounce, bound_over_cos): (Target, u32, f32),
) {
    let direction = surface.frame.world_from_local(wi).normalize_or(surface.ng);
    if !consistent(surface, direction, wi) || throughput == Vec3::ZERO || !throughput.is_finite() {
        return;
    }
    let mut ray = surface.ray_along(direction);
    if bound_over_cos > 0.0 {
        // Farther away the term is below the bound
        ray.t_far = bound_over_cos.recip().sqrt();
    }
    next.push(Path { ray, throughput, target, bounce, bound_over_cos, ..*path });
}

/// Which VPLs light a pixel's sample.
#[inline(always)]
fn group(igi: &Igi, [x, y]: [u32; 2], sample: u32) -> u32 {
    let n = igi.interleave;
    (y % n * n + x % n) * igi.subsets() + sample
}
