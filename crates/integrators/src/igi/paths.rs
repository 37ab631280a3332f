//! A tile of a frame: waves of rays, whose surfaces are lit by virtual point lights.
//!
//! The first surface that is not a perfect mirror or glass is lit for the filter to mix. What is seen in its highlights, and the
//! light that the bound of geometry terms has taken away, comes by paths that go on from there.

use fearless_simd::Simd;
use sunfleck_constants::igi::{DIM, LEAST_ALBEDO};
use sunfleck_image::{AovSet, TileRect};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::warp;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{InteractionBlock, LastScattering, SurfaceInteraction, scatter, spawn, survives};

use super::Igi;
use super::blocks::{Blocks, Channel, DIFFUSE, GlossyPoint, Point, Points, Target};
use super::camera::Pattern;
use super::chance::counters_of;
use super::gather::{Gather, Rules};
use super::photons::{PhotonMap, Receiver};
use super::primary::Primary;
use super::tile_sums::TileSums;
use super::vpl::{self, VPL_LOBES, Vpls};
use crate::dimension::Vertex;
use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::tile_light::{Surface, TileLight};
use crate::view::{RayCount, SampleId, View};

/// A path that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) ray: Ray,
    pub(super) throughput: Vec3,
    pub(super) target: Target,
    /// Camera ray of the pixel.
    pub(super) sample: u32,
    /// Surfaces before.
    pub(super) bounce: u32,
    /// Length of the path so far.
    pub(super) distance: f32,
    /// For paths that put back what a bound has taken away, the bound over the cosine where they begin, else 0: they carry
    /// the share of light above it.
    pub(super) bound_over_cos: f32,
}

/// What is to be done about the surfaces that rays have met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Lit by VPLs.
    pub(super) points: Points,
    /// Followed further.
    next: Vec<Path>,
}

/// A hit, and where its surface is.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub(super) hits: &'a HitBuffer,
    pub(super) i: usize,
    pub(super) surfaces: &'a InteractionBlock,
    pub(super) lane: usize,
}

/// What one tile needs again and again.
#[derive(Debug)]
pub(crate) struct Scratch {
    primary: Primary,
    light: TileSums,
    paths: Vec<Path>,
    met: Met,
    rays: RayBuffer,
    hits: HitBuffer,
    surfaces: InteractionBlock,
    blocks: Blocks,
    gather: Gather,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            primary: Primary::default(),
            light: TileSums::default(),
            paths: Vec::new(),
            met: Met::default(),
            rays: RayBuffer::default(),
            hits: HitBuffer::default(),
            surfaces: InteractionBlock::new(),
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
    pub(super) pattern: &'a Pattern,
    /// Number of the frame.
    pub(super) pass: u32,
    /// See [`Igi::merges`].
    pub(super) merges: bool,
}

impl Job<'_> {
    /// Where a pixel of a tile is in the film.
    #[inline(always)]
    pub(super) fn pixel(&self, rect: TileRect, pixel: u32) -> [u32; 2] {
        [rect.x0 + pixel % rect.width(), rect.y0 + pixel / rect.width()]
    }

    /// A camera ray of a pixel of a tile.
    #[inline(always)]
    pub(super) fn sample_id(&self, rect: TileRect, pixel: u32, ray: u32) -> SampleId {
        let sample = self.pass.wrapping_mul(self.igi.subsets()).wrapping_add(ray);
        SampleId { pixel: self.pixel(rect, pixel), sample }
    }

    /// How much of a surface a camera ray stands for: see [`View::footprint`]. Those of a frame have the same share.
    #[inline(always)]
    pub(super) fn footprint(&self, direction: Vec3, t: f32) -> f32 {
        self.view.footprint(direction, t, self.pass.saturating_mul(self.igi.subsets()))
    }

    /// The camera ray of a pixel that speaks for all where one is enough.
    #[inline(always)]
    pub(super) fn speaker(&self, [x, y]: [u32; 2]) -> u32 {
        (x + 2 * y + self.pass) % self.igi.subsets()
    }
}

/// The light of a tile.
#[inline(always)]
pub(super) fn render<S: Simd>(
    simd: S,
    job: &Job<'_>,
    rect: TileRect,
    scratch: &mut Scratch,
    times: &mut StageTimes,
) -> TileLight {
    let mut lap = Lap::start(times);
    let mut light = std::mem::take(&mut scratch.light);
    light.start(rect);
    let mut rays = RayCount { intersect: scratch.primary.trace(simd, job, rect), occluded: 0 };
    lap.end(RenderStage::Trace);
    scratch.primary.shade(simd, job, &mut light, &mut scratch.surfaces, &mut scratch.met);
    lap.end(RenderStage::Shade);
    let mut first = true;
    loop {
        rays.occluded += gather(simd, job, &mut light, scratch, first);
        first = false;
        lap.end(RenderStage::Shadows);
        // Paths that have ended must be gone before the buffers change places: else the next tile would follow them once more
        scratch.paths.clear();
        std::mem::swap(&mut scratch.paths, &mut scratch.met.next);
        if scratch.paths.is_empty() {
            break;
        }
        rays.intersect += scratch.paths.len() as u64;
        intersect(simd, job, rect, scratch);
        lap.end(RenderStage::Trace);
        shade(simd, job, &mut light, scratch);
        lap.end(RenderStage::Shade);
    }
    let finished = light.finish(job.igi.subsets(), rays);
    scratch.light = light;
    lap.end(RenderStage::Film);
    finished
}

/// Lights the points that have been met by VPLs and photons; the number of shadow rays.
///
/// * `first` — whether they are on the first surfaces that camera rays meet.
#[inline(never)]
fn gather<S: Simd>(simd: S, job: &Job<'_>, light: &mut TileSums, scratch: &mut Scratch, first: bool) -> u64 {
    let Scratch { met: Met { points, .. }, blocks, gather, .. } = scratch;
    let rules = Rules { bound: job.vpls.bound, roulette: job.igi.roulette };
    simd.vectorize(
        #[inline(always)]
        || {
            blocks.fill(&points.points, job.igi);
            let rays = gather.light(simd, job.view, job.vpls, points, blocks, rules);
            let part = (job.igi.subsets() as f32).recip();
            let wholes = vpl::first_whole(job.igi);
            for (at, &i) in blocks.points.iter().enumerate() {
                if let Some(point) = points.points.get(i as usize) {
                    let irradiance = blocks.blocks[at / LANES].irradiance(at % LANES);
                    let whole = point.group >= wholes;
                    let several = first && !whole;
                    let caustic = caustic(simd, job, light.rect, points, point, several);
                    let part = if whole { part } else { 1.0 };
                    light.add(point, irradiance * part + caustic);
                }
            }
            points.clear();
            rays
        },
    )
}

/// Irradiance of a point by photons.
///
/// * `several` — whether each camera ray of the pixel has such a point: one then speaks for all.
#[inline(always)]
fn caustic<S: Simd>(
    simd: S,
    job: &Job<'_>,
    rect: TileRect,
    points: &Points,
    point: &Point,
    several: bool,
) -> Vec3 {
    let Job { igi, photons, .. } = *job;
    if !photons.reaches(point.origin) {
        return Vec3::ZERO;
    }
    let mut share = 1.0;
    if several {
        if point.group % igi.subsets() != job.speaker(job.pixel(rect, point.target.pixel)) {
            return Vec3::ZERO;
        }
        share = igi.subsets() as f32;
    }
    let at = Receiver { position: point.origin, ng: point.ng, ns: point.ns };
    let glossy = points.glossy.get(point.glossy as usize);
    share * photons.irradiance(simd, &at, |wi| glossy.map_or(Vec3::ONE, |glossy| glossy.factor(wi)))
}

/// The closest surface on each path.
fn intersect<S: Simd>(simd: S, job: &Job<'_>, rect: TileRect, scratch: &mut Scratch) {
    let Scratch { rays, hits, paths, .. } = scratch;
    rays.clear();
    for path in paths.iter() {
        rays.push(&path.ray);
    }
    hits.resize(paths.len());
    let seed = |i: usize| {
        let path = &paths[i];
        job.view.alpha_seed(job.sample_id(rect, path.target.pixel, path.sample), path.bounce)
    };
    let (stream, incoherent) = (rays.as_stream(), Coherence::Incoherent);
    job.view.world.intersect_stream(simd.level(), &stream, incoherent, &seed, &mut hits.as_stream());
}

/// What the paths meet, sixteen at a time.
#[inline(never)]
fn shade<S: Simd>(simd: S, job: &Job<'_>, light: &mut TileSums, scratch: &mut Scratch) {
    let Scratch { paths, met, rays, hits, surfaces, .. } = scratch;
    simd.vectorize(
        #[inline(always)]
        || {
            for (block, start) in paths.chunks(LANES).zip((0u32..).step_by(LANES)) {
                let mut which = [0; LANES];
                which.iter_mut().zip(start..).for_each(|(which, i)| *which = i);
                let direction = rays.as_stream().direction;
                job.view.world.surface_interactions(simd, hits, direction, &which[..block.len()], surfaces);
                for (lane, path) in block.iter().enumerate() {
                    let at = Lane { hits, i: which[lane] as usize, surfaces, lane };
                    shade_any(simd, job, light, path, &at, met);
                }
            }
        },
    );
}

/// Whether a path speaks for its pixel where short paths put back what the bound takes away: one camera ray speaks for all, since
/// the filter mixes many.
#[inline(always)]
pub(super) fn compensates(job: &Job<'_>, pixel: [u32; 2], path: &Path) -> bool {
    let speaks = path.bounce > 0 || path.sample == job.speaker(pixel);
    job.igi.compensate && job.vpls.bound.is_finite() && speaks
}

/// [`shade_one`] as a function of its own.
#[inline(never)]
pub(super) fn shade_any<S: Simd>(
    simd: S,
    job: &Job<'_>,
    light: &mut TileSums,
    path: &Path,
    at: &Lane<'_>,
    met: &mut Met,
) {
    simd.vectorize(
        #[inline(always)]
        || shade_one(job, light, *path, at, met),
    );
}

/// What one path meets: emission, a point to be lit, and how the path goes on.
#[inline(always)]
fn shade_one(job: &Job<'_>, light: &mut TileSums, mut path: Path, at: &Lane<'_>, met: &mut Met) {
    let Job { view, igi, .. } = *job;
    let world = view.world;
    let id = job.sample_id(light.rect, path.target.pixel, path.sample);
    let camera = LastScattering { position: path.ray.origin, pdf_solid_angle: None };

    if at.hits.prim_id[at.i] == MISS {
        if path.bound_over_cos == 0.0 {
            light.add_radiance(path.target, path.throughput * world.escaped(path.ray.direction, &camera));
        }
        return;
    }
    let wo_world = -path.ray.direction;
    let width = if path.bounce == 0 { job.footprint(path.ray.direction, at.hits.t[at.i]) } else { 0.0 };
    let surface = world.surface_interaction_of(at.hits, at.i, (at.surfaces, at.lane), wo_world, width);
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
    let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
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
        let weight = path.throughput * demodulation;
        let sample = match path.target.channel {
            Channel::Surface => {
                let seen = Surface::new(ns, path.distance + hit.t, hit.inst_id, surface.material);
                light.record(path.target.pixel, seen, weight)
            }
            Channel::Bounced | Channel::Highlight => 0,
        };
        let point = Point {
            group: vpl::share(job, id.pixel, path.sample),
            target: path.target,
            sample,
            weight,
            origin: surface.spawn_ray(ng).origin,
            ns,
            ng,
            glossy: DIFFUSE,
            counters: counters_of(view, id, path.bounce),
        };
        met.points.push(point, glossy);
    }

    // Go on
    if path.bounce >= igi.max_bounces {
        return;
    }
    let vertex = Vertex::new(path.bounce);
    let SampleId { pixel, sample } = id;
    let roulette_u = || view.sampler.get_1d(pixel, sample, vertex.roulette());
    let (mut survival, bounce) = (1.0, path.bounce + 1);
    let brightness = path.throughput.max_element();
    if path.bounce > 0 && brightness < DIM {
        survival = brightness / DIM;
        if !survives(survival, roulette_u()) {
            return;
        }
    }
    // Short paths put back light of VPLs, which carry no specular lobes. What comes by specular lobes of the surface that they meet, be it
    // glass or a highlight, photons bring, from near and far
    let twice = igi.photons > 0 && path.bound_over_cos > 0.0;
    let specular = (bsdf.lobes().intersects(Lobes::SPECULAR) && !twice).then(|| {
        let u = view.sampler.get_2d(pixel, sample, vertex.direction());
        let context = BsdfContext::RADIANCE.with_lobes(Lobes::SPECULAR);
        scatter(&surface, &bsdf, context, wo, view.sampler.get_1d(pixel, sample, vertex.lobe()), u)
    });
    // At the first surface roulette is about what is reflected, since what is seen there is for certain
    let followed = specular.flatten().and_then(|scattering| {
        let throughput = path.throughput * scattering.sample.throughput / survival;
        let brightness = throughput.max_element();
        if path.bounce > 0 || brightness >= DIM {
            return Some((scattering.ray, throughput));
        }
        let survival = brightness / DIM;
        survives(survival, roulette_u()).then(|| (scattering.ray, throughput / survival))
    });
    if let Some((ray, throughput)) = followed {
        let channel = match path.target.channel {
            Channel::Surface if !delta => Channel::Highlight,
            channel => channel,
        };
        let target = Target { channel, ..path.target };
        if path.sample == 0 && channel != Channel::Bounced {
            light.record_level(path.target.pixel, bounce);
        }
        path.distance += hit.t;
        go_on(&mut met.next, &path, ray, throughput, (target, bounce, 0.0));
    }
    if !delta && compensates(job, pixel, &path) {
        compensate(job, pixel, &path, &surface, &bsdf, survival.recip(), &mut met.next);
    }
}

/// [`compensate`] for a diffuse surface that a camera ray meets.
#[inline(never)]
pub(super) fn compensate_plain(job: &Job<'_>, rect: TileRect, path: &Path, at: &Lane<'_>, met: &mut Met) {
    let world = job.view.world;
    let width = job.footprint(path.ray.direction, at.hits.t[at.i]);
    let surface =
        world.surface_interaction_of(at.hits, at.i, (at.surfaces, at.lane), -path.ray.direction, width);
    let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
    let pixel = job.pixel(rect, path.target.pixel);
    compensate(job, pixel, path, &surface, &bsdf, 1.0, &mut met.next);
}

/// Sends out a short path that puts back what the bound takes away of the light on a surface.
///
/// * `scale` — a factor of the path's throughput.
#[inline(always)]
fn compensate(
    job: &Job<'_>,
    pixel: [u32; 2],
    path: &Path,
    surface: &SurfaceInteraction,
    bsdf: &Bsdf,
    scale: f32,
    next: &mut Vec<Path>,
) {
    let wo = surface.frame.local_from_world(-path.ray.direction);
    let vertex = Vertex::new(path.bounce);
    // One path of a pixel in each frame: numbered by frames, since the numbers of camera rays that speak would reach but a part of all
    // directions
    let up = warp::cosine_hemisphere(job.view.sampler.get_2d(pixel, job.pass, vertex.light_point()));
    let wi = if wo.z < 0.0 { Vec3::new(up.x, up.y, -up.z) } else { up };
    let factor = match bsdf {
        Bsdf::Lambert(lambert) => lambert.albedo,
        bsdf => bsdf.eval(VPL_LOBES, wo, wi) * (std::f32::consts::PI / up.z.max(1e-6)),
    };
    let weight = if path.bounce > 0 { 1.0 } else { job.igi.subsets() as f32 };
    let throughput = path.throughput * factor * (weight * scale);
    let channel = match path.target.channel {
        Channel::Surface => Channel::Bounced,
        channel => channel,
    };
    let target = Target { channel, ..path.target };
    let bound_over_cos = job.vpls.bound / up.z.max(1e-6);
    if let Some(ray) = spawn(surface, wi) {
        // Farther away the term is below the bound
        let ray = Ray { t_far: bound_over_cos.recip().sqrt(), ..ray };
        go_on(next, path, ray, throughput, (target, path.bounce + 1, bound_over_cos));
    }
}

/// Sends a path on.
#[inline(always)]
fn go_on(
    next: &mut Vec<Path>,
    path: &Path,
    ray: Ray,
    throughput: Vec3,
    (target, bounce, bound_over_cos): (Target, u32, f32),
) {
    if throughput == Vec3::ZERO || !throughput.is_finite() {
        return;
    }
    next.push(Path { ray, throughput, target, bounce, bound_over_cos, ..*path });
}
