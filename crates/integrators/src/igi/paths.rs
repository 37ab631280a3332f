//! Rendering of a tile: waves of rays, whose hits are lit by virtual point lights.
//!
//! The light of the first surface that is not a perfect mirror or glass is filtered. Paths continue from there to
//! render its specular highlights, and for bias compensation: they add the light that the bound of geometry terms takes
//! away.

use fearless_simd::Simd;
use sunfleck_constants::igi::{DIM, LEAST_ALBEDO};
use sunfleck_image::{AovSample, AovSet, TileRect};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::warp;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{InteractionBlock, LastScattering, SurfaceInteraction, scatter, spawn, survives};

use super::Igi;
use super::blocks::{
    DIFFUSE, GlossyPoint, LightChannel, PixelTarget, PointBlocks, ShadingPoint, ShadingPoints,
};
use super::camera::SamplePattern;
use super::chance::counters_of;
use super::gather::{Gather, GatherOptions};
use super::photons::{PhotonMap, Receiver};
use super::primary::Primary;
use super::tile_sums::TileSums;
use super::vpl::{self, VPL_LOBES, Vpls};
use crate::dimension::Vertex;
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::tile_light::{TileLight, VisibleSurface};
use crate::view::{RayCount, SampleId, View};

/// Path to be extended by one ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) ray: Ray,
    pub(super) throughput: Vec3,
    pub(super) target: PixelTarget,
    /// Number of the camera ray in its pixel.
    pub(super) sample: u32,
    /// Number of previous surfaces.
    pub(super) bounce: u32,
    /// Length of the path so far, metres.
    pub(super) distance: f32,
    /// For paths of bias compensation, the bound of the geometry term divided by the cosine at their first surface:
    /// such a path carries the share of light above the bound. 0 for other paths.
    pub(super) bound_over_cos: f32,
    /// Whether the path has gone straight on through panes only, so that it sees what is behind the scene.
    pub(super) is_straight: bool,
}

/// Output of the shading of a wave.
#[derive(Debug, Default)]
pub(super) struct ShadingOutput {
    /// Points to be lit by VPLs.
    pub(super) points: ShadingPoints,
    /// Paths of the next wave.
    next: Vec<Path>,
}

/// Reference to a hit in a buffer and to its surface interaction in a block.
#[derive(Clone, Copy)]
pub(super) struct HitRef<'a> {
    pub(super) hits: &'a HitBuffer,
    /// Index into `hits`.
    pub(super) i: usize,
    pub(super) surfaces: &'a InteractionBlock,
    /// Lane of `surfaces`.
    pub(super) lane: usize,
}

/// Buffers of a worker, reused from tile to tile.
#[derive(Debug)]
pub(crate) struct Scratch {
    primary: Primary,
    light: TileSums,
    paths: Vec<Path>,
    output: ShadingOutput,
    rays: RayBuffer,
    hits: HitBuffer,
    surfaces: InteractionBlock,
    blocks: PointBlocks,
    gather: Gather,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            primary: Primary::default(),
            light: TileSums::default(),
            paths: Vec::new(),
            output: ShadingOutput::default(),
            rays: RayBuffer::default(),
            hits: HitBuffer::default(),
            surfaces: InteractionBlock::new(),
            blocks: PointBlocks::default(),
            gather: Gather::default(),
        }
    }
}

/// Data that all tiles of a frame share.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameContext<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) igi: &'a Igi,
    pub(super) vpls: &'a Vpls,
    pub(super) photons: &'a PhotonMap,
    pub(super) pattern: &'a SamplePattern,
    /// Number of the frame.
    pub(super) pass: u32,
    /// See [`Igi::merges`].
    pub(super) merges: bool,
}

impl FrameContext<'_> {
    /// Returns the film coordinates of a pixel of a tile.
    #[inline(always)]
    pub(super) fn pixel(&self, rect: TileRect, pixel: u32) -> [u32; 2] {
        [rect.x0 + pixel % rect.width(), rect.y0 + pixel / rect.width()]
    }

    /// Returns the sample of a camera ray of a pixel of a tile.
    #[inline(always)]
    pub(super) fn sample_id(&self, rect: TileRect, pixel: u32, ray: u32) -> SampleId {
        let sample = self.pass.wrapping_mul(self.igi.subsets()).wrapping_add(ray);
        SampleId { pixel: self.pixel(rect, pixel), sample }
    }

    /// Returns the texture footprint of a camera ray: see [`View::footprint`]. All rays of a frame have the same one.
    #[inline(always)]
    pub(super) fn footprint(&self, direction: Vec3, t: f32) -> f32 {
        self.view.footprint(direction, t, self.pass.saturating_mul(self.igi.subsets()))
    }

    /// Returns the camera ray of a pixel that is used where a single one suffices.
    #[inline(always)]
    pub(super) fn representative(&self, [x, y]: [u32; 2]) -> u32 {
        (x + 2 * y + self.pass) % self.igi.subsets()
    }
}

/// Renders a tile.
#[inline(always)]
pub(super) fn render<S: Simd>(
    simd: S,
    ctx: &FrameContext<'_>,
    rect: TileRect,
    scratch: &mut Scratch,
    times: &mut StageTimes,
) -> TileLight {
    let mut timer = StageTimer::start(times);
    let mut light = std::mem::take(&mut scratch.light);
    light.start(rect);
    let mut rays = RayCount { intersect: scratch.primary.trace(simd, ctx, rect), occluded: 0 };
    timer.end(RenderStage::Trace);
    scratch.primary.shade(simd, ctx, &mut light, &mut scratch.surfaces, &mut scratch.output);
    timer.end(RenderStage::Shade);
    let mut first = true;
    loop {
        rays.occluded += gather(simd, ctx, &mut light, scratch, first);
        first = false;
        timer.end(RenderStage::Shadows);
        // Remove the paths of this wave before the buffers are swapped, else the next tile would continue them
        scratch.paths.clear();
        std::mem::swap(&mut scratch.paths, &mut scratch.output.next);
        if scratch.paths.is_empty() {
            break;
        }
        rays.intersect += scratch.paths.len() as u64;
        intersect(simd, ctx, rect, scratch);
        timer.end(RenderStage::Trace);
        shade(simd, ctx, &mut light, scratch);
        timer.end(RenderStage::Shade);
    }
    let finished = light.finish(ctx.igi.subsets(), rays);
    scratch.light = light;
    timer.end(RenderStage::Film);
    finished
}

/// Adds light from VPLs and photons to the shading points of a wave. Returns the number of shadow rays.
///
/// * `first` — whether the points lie on the first surfaces that camera rays hit.
#[inline(never)]
fn gather<S: Simd>(
    simd: S,
    ctx: &FrameContext<'_>,
    light: &mut TileSums,
    scratch: &mut Scratch,
    first: bool,
) -> u64 {
    let Scratch { output: ShadingOutput { points, .. }, blocks, gather, .. } = scratch;
    let options = GatherOptions { bound: ctx.vpls.bound, roulette: ctx.igi.roulette };
    simd.vectorize(
        #[inline(always)]
        || {
            blocks.fill(&points.points, ctx.igi);
            let rays = gather.light(simd, ctx.view, ctx.vpls, points, blocks, options);
            let set_scale = (ctx.igi.subsets() as f32).recip();
            let first_set_group = vpl::first_set_group(ctx.igi);
            for (at, &i) in blocks.points.iter().enumerate() {
                if let Some(point) = points.points.get(i as usize) {
                    let irradiance = blocks.blocks[at / LANES].irradiance(at % LANES);
                    let merged = point.group >= first_set_group;
                    let several = first && !merged;
                    let caustic = caustic(simd, ctx, light.rect, points, point, several);
                    let scale = if merged { set_scale } else { 1.0 };
                    light.add(point, irradiance * scale + caustic);
                }
            }
            points.clear();
            rays
        },
    )
}

/// Returns the irradiance of a point by photons.
///
/// * `several` — whether each camera ray of the pixel has such a point; then only one of them gathers photons, and its
///   irradiance is scaled by the number of rays.
#[inline(always)]
fn caustic<S: Simd>(
    simd: S,
    ctx: &FrameContext<'_>,
    rect: TileRect,
    points: &ShadingPoints,
    point: &ShadingPoint,
    several: bool,
) -> Vec3 {
    let FrameContext { igi, photons, .. } = *ctx;
    if !photons.reaches(point.origin) {
        return Vec3::ZERO;
    }
    let mut scale = 1.0;
    if several {
        if point.group % igi.subsets() != ctx.representative(ctx.pixel(rect, point.target.pixel)) {
            return Vec3::ZERO;
        }
        scale = igi.subsets() as f32;
    }
    let at = Receiver { position: point.origin, ng: point.ng, ns: point.ns };
    let glossy = points.glossy.get(point.glossy as usize);
    scale * photons.irradiance(simd, &at, |wi| glossy.map_or(Vec3::ONE, |glossy| glossy.factor(wi)))
}

/// Finds the closest hit of each path.
fn intersect<S: Simd>(simd: S, ctx: &FrameContext<'_>, rect: TileRect, scratch: &mut Scratch) {
    let Scratch { rays, hits, paths, .. } = scratch;
    rays.clear();
    for path in paths.iter() {
        rays.push(&path.ray);
    }
    hits.resize(paths.len());
    let seed = |i: usize| {
        let path = &paths[i];
        ctx.view.alpha_seed(ctx.sample_id(rect, path.target.pixel, path.sample), path.bounce)
    };
    let (stream, incoherent) = (rays.as_stream(), Coherence::Incoherent);
    ctx.view.world.intersect_stream(simd.level(), &stream, incoherent, &seed, &mut hits.as_stream());
}

/// Shades the hits of all paths, sixteen at a time.
#[inline(never)]
fn shade<S: Simd>(simd: S, ctx: &FrameContext<'_>, light: &mut TileSums, scratch: &mut Scratch) {
    let Scratch { paths, output, rays, hits, surfaces, .. } = scratch;
    simd.vectorize(
        #[inline(always)]
        || {
            for (block, start) in paths.chunks(LANES).zip((0u32..).step_by(LANES)) {
                let mut which = [0; LANES];
                which.iter_mut().zip(start..).for_each(|(which, i)| *which = i);
                let direction = rays.as_stream().direction;
                ctx.view.world.surface_interactions(simd, hits, direction, &which[..block.len()], surfaces);
                for (lane, path) in block.iter().enumerate() {
                    let at = HitRef { hits, i: which[lane] as usize, surfaces, lane };
                    shade_any(simd, ctx, light, path, &at, output);
                }
            }
        },
    );
}

/// Returns whether a path spawns a short path of bias compensation. Only one of the camera rays of a pixel does, since
/// the filter averages over many pixels.
#[inline(always)]
pub(super) fn compensates(ctx: &FrameContext<'_>, pixel: [u32; 2], path: &Path) -> bool {
    let is_representative = path.bounce > 0 || path.sample == ctx.representative(pixel);
    ctx.igi.compensate && ctx.vpls.bound.is_finite() && is_representative
}

/// Calls [`shade_one`]; not inlined.
#[inline(never)]
pub(super) fn shade_any<S: Simd>(
    simd: S,
    ctx: &FrameContext<'_>,
    light: &mut TileSums,
    path: &Path,
    at: &HitRef<'_>,
    output: &mut ShadingOutput,
) {
    simd.vectorize(
        #[inline(always)]
        || shade_one(ctx, light, *path, at, output),
    );
}

/// Shades the hit of one path: adds emission, appends a shading point, and extends the path.
#[inline(always)]
fn shade_one(
    ctx: &FrameContext<'_>,
    light: &mut TileSums,
    mut path: Path,
    at: &HitRef<'_>,
    output: &mut ShadingOutput,
) {
    let FrameContext { view, igi, .. } = *ctx;
    let world = view.world;
    let id = ctx.sample_id(light.rect, path.target.pixel, path.sample);
    let camera = LastScattering::delta(path.ray.origin);

    if at.hits.prim_id[at.i] == MISS {
        let is_background = path.is_straight && !view.spec.shows_environment;
        if path.bound_over_cos == 0.0 && !is_background {
            light.add_radiance(path.target, path.throughput * world.escaped(path.ray.direction, &camera));
        }
        return;
    }
    let wo_world = -path.ray.direction;
    let width = if path.bounce == 0 { ctx.footprint(path.ray.direction, at.hits.t[at.i]) } else { 0.0 };
    let surface = world.surface_interaction_of(at.hits, at.i, (at.surfaces, at.lane), wo_world, width);
    let hit = surface.hit;
    let wo = surface.frame.local_from_world(wo_world);

    // Bias compensation: weight by the share of the geometry term above the bound, 1 - bound / (cos cos' / d²)
    if path.bound_over_cos > 0.0 {
        let cos = surface.frame.normal.dot(wo_world).abs();
        let share = 1.0 - path.bound_over_cos * hit.t * hit.t / cos;
        if share.is_nan() || share <= 0.0 {
            return;
        }
        path.throughput *= share;
    }
    light.add_radiance(path.target, path.throughput * world.emitted(&surface, wo_world, &camera));
    let bsdf = world.bsdf(&surface);
    let delta = bsdf.is_delta();
    if path.bounce == 0 && path.sample == 0 && view.aovs != AovSet::EMPTY {
        // Mirrors and glass are not looked through: the surfaces behind them are found later, by other rays
        let features = view.surface_features(&surface, &bsdf, wo_world, hit.t, Vec3::ONE);
        let aov = AovSample { features, ..view.aov_sample(&surface, hit.t, bsdf.albedo()) };
        light.record_aov(path.target.pixel, aov);
    }

    // Append a shading point
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
            LightChannel::Surface => {
                let visible = VisibleSurface::new(ns, path.distance + hit.t, hit.inst_id, surface.material);
                light.record(path.target.pixel, visible, weight)
            }
            LightChannel::Bounced | LightChannel::Highlight => 0,
        };
        let point = ShadingPoint {
            group: vpl::subset_group(ctx, id.pixel, path.sample),
            target: path.target,
            sample,
            weight,
            origin: surface.spawn_ray(ng).origin,
            ns,
            ng,
            glossy: DIFFUSE,
            counters: counters_of(view, id, path.bounce),
        };
        output.points.push(point, glossy);
    }

    // Extend the path
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
    // Paths of bias compensation replace light of VPLs, which do not emit by specular lobes. Light that specular lobes
    // of the surface scatter towards such a path is already that of photons, at any distance
    let by_photons = igi.photons > 0 && path.bound_over_cos > 0.0;
    let specular = (bsdf.lobes().intersects(Lobes::SPECULAR) && !by_photons).then(|| {
        let u = view.sampler.get_2d(pixel, sample, vertex.direction());
        let context = BsdfContext::RADIANCE.with_lobes(Lobes::SPECULAR);
        scatter(&surface, &bsdf, context, wo, view.sampler.get_1d(pixel, sample, vertex.lobe()), u)
    });
    let specular = specular.flatten();
    let is_passed = specular.as_ref().is_some_and(|scattering| bsdf.is_passed(scattering.sample.lobe));
    // At the first surface, Russian roulette decides by the throughput after scattering, since the surface is always
    // shaded
    let followed = specular.and_then(|scattering| {
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
            LightChannel::Surface if !delta => LightChannel::Highlight,
            channel => channel,
        };
        let target = PixelTarget { channel, ..path.target };
        if path.sample == 0 && channel != LightChannel::Bounced {
            light.record_depth(path.target.pixel, bounce);
        }
        path.distance += hit.t;
        path.is_straight &= is_passed;
        extend(&mut output.next, &path, ray, throughput, (target, bounce, 0.0));
    }
    if !delta && compensates(ctx, pixel, &path) {
        compensate(ctx, pixel, &path, &surface, &bsdf, survival.recip(), &mut output.next);
    }
}

/// Calls [`compensate`] for a diffuse surface that a camera ray hits.
#[inline(never)]
pub(super) fn compensate_plain(
    ctx: &FrameContext<'_>,
    rect: TileRect,
    path: &Path,
    at: &HitRef<'_>,
    output: &mut ShadingOutput,
) {
    let world = ctx.view.world;
    let width = ctx.footprint(path.ray.direction, at.hits.t[at.i]);
    let surface =
        world.surface_interaction_of(at.hits, at.i, (at.surfaces, at.lane), -path.ray.direction, width);
    let bsdf = world.bsdf(&surface);
    let pixel = ctx.pixel(rect, path.target.pixel);
    compensate(ctx, pixel, path, &surface, &bsdf, 1.0, &mut output.next);
}

/// Spawns a short path that adds the light of a surface that the bound of the geometry term takes away.
///
/// * `scale` — factor of the path's throughput.
#[inline(always)]
fn compensate(
    ctx: &FrameContext<'_>,
    pixel: [u32; 2],
    path: &Path,
    surface: &SurfaceInteraction,
    bsdf: &Bsdf,
    scale: f32,
    next: &mut Vec<Path>,
) {
    let wo = surface.frame.local_from_world(-path.ray.direction);
    let vertex = Vertex::new(path.bounce);
    // Each pixel has one such path per frame. Its sample index is that of the frame, since the indices of
    // representative camera rays would cover only a part of all directions
    let up = warp::cosine_hemisphere(ctx.view.sampler.get_2d(pixel, ctx.pass, vertex.light_point()));
    let wi = if wo.z < 0.0 { Vec3::new(up.x, up.y, -up.z) } else { up };
    let factor = match bsdf {
        Bsdf::Lambert(lambert) => lambert.albedo,
        bsdf => bsdf.eval(VPL_LOBES, wo, wi) * (std::f32::consts::PI / up.z.max(1e-6)),
    };
    let weight = if path.bounce > 0 { 1.0 } else { ctx.igi.subsets() as f32 };
    let throughput = path.throughput * factor * (weight * scale);
    let channel = match path.target.channel {
        LightChannel::Surface => LightChannel::Bounced,
        channel => channel,
    };
    let target = PixelTarget { channel, ..path.target };
    let bound_over_cos = ctx.vpls.bound / up.z.max(1e-6);
    if let Some(ray) = spawn(surface, wi) {
        // At larger distances the geometry term is below the bound
        let ray = Ray { t_far: bound_over_cos.recip().sqrt(), ..ray };
        extend(next, path, ray, throughput, (target, path.bounce + 1, bound_over_cos));
    }
}

/// Appends the next segment of a path, unless its throughput is zero or not finite.
#[inline(always)]
fn extend(
    next: &mut Vec<Path>,
    path: &Path,
    ray: Ray,
    throughput: Vec3,
    (target, bounce, bound_over_cos): (PixelTarget, u32, f32),
) {
    if throughput == Vec3::ZERO || !throughput.is_finite() {
        return;
    }
    next.push(Path { ray, throughput, target, bounce, bound_over_cos, ..*path });
}
