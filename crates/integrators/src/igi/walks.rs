//! From lights to virtual point lights.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Ray, Vec2, Vec3, vec2};
use sunfleck_shading::{Bsdf, Glow, VirtualEmitter};

use super::Igi;
use super::choice::Choice;
use super::vpl::{Glossy, Shine, Vpl, Vpls};
use crate::direct::consistent;
use crate::view::{SampleId, View};
use crate::world::SurfacePoint;

/// Random decisions are those of pixels that no film has: of VPLs on lights, of walks, of probes. Each kind and each frame has a
/// sequence of its own. In one that went on through the frames, the VPLs of a set would be numbers at equal strides, which in
/// a low-discrepancy sequence reach but a part of all decisions.
const ON_LIGHTS: u32 = 0;
const WALKS: u32 = 1;
const PROBES: u32 = 2;

const fn sequence(kind: u32, pass: u32) -> [u32; 2] {
    [u32::MAX - kind, pass]
}

/// Camera rays of a row and of a column by which distances are judged.
const PROBE_ROWS: u32 = 24;
/// A walk ends at a surface with this probability at least.
const LEAST_ABSORPTION: f32 = 0.15;
/// Nobody waits for longer walks: their share is below a millionth.
const LONGEST: u32 = 80;

/// Which sample dimension decides what.
mod dimension {
    pub(super) const POINT: u32 = 0;
    pub(super) const DIRECTION: u32 = 2;
    pub(super) const LIGHT: u32 = 4;
    pub(super) const SIDE: u32 = 5;
    /// Of the first surface; four each.
    pub(super) const SURFACE: u32 = 6;
}

/// Makes the VPLs of a frame. Of each share, half are on lights, and half where walks from lights ended.
///
/// * `film` — size of the film, pixels.
pub(super) fn vpls<S: Simd>(simd: S, view: &View<'_>, igi: &Igi, pass: u32, film: Vec2) -> Vpls {
    let per_share = igi.vpls_per_subset();
    let shares = igi.sets() * igi.subsets();
    let on_lights = per_share.div_ceil(2);
    let walks = per_share - on_lights;
    let numbers = || {
        let number = |kind, i| view.sampler.get_1d(sequence(kind, pass), i, dimension::LIGHT);
        let first = (0..shares * on_lights).map(|i| number(ON_LIGHTS, i));
        first.chain((0..shares * walks).map(|i| number(WALKS, i))).collect()
    };
    let choice = &Choice::new(simd, view, igi, pass, film).keeping(view, pass, numbers);
    let make = |share: u32| {
        let light = |i| {
            let number = share * on_lights + i;
            emitter(view, choice, (sequence(ON_LIGHTS, pass), number), number as usize, on_lights)
        };
        let walk = |i| {
            let number = share * walks + i;
            let vpl = (shares * on_lights + number) as usize;
            walk(simd, view, choice, (sequence(WALKS, pass), number), vpl, walks)
        };
        (0..on_lights).filter_map(light).chain((0..walks).filter_map(walk)).collect()
    };
    let shares = (0..shares).into_par_iter().map(make).collect();
    Vpls { shares, bound: bound(simd, view, igi, film) }
}

/// The bound of geometry terms: see [`Igi::clamp`].
fn bound<S: Simd>(simd: S, view: &View<'_>, igi: &Igi, film: Vec2) -> f32 {
    let (mut sum, mut hits) = (0.0, 0u32);
    for i in 0..PROBE_ROWS * PROBE_ROWS {
        let at = vec2((i % PROBE_ROWS) as f32 + 0.5, (i / PROBE_ROWS) as f32 + 0.5) / PROBE_ROWS as f32;
        let ray = view.camera.ray(at * film, Vec2::splat(0.5));
        let seed = view.alpha_seed(SampleId { pixel: sequence(PROBES, 0), sample: i }, 0);
        if let Some(hit) = view.world.intersect(simd, &ray, seed) {
            sum += hit.t;
            hits += 1;
        }
    }
    let distance = igi.clamp * sum / hits.max(1) as f32;
    if distance > 0.0 { (distance * distance).recip() } else { f32::INFINITY }
}

/// A VPL on a light, one of `count` that share its work.
fn emitter(
    view: &View<'_>,
    choice: &Choice,
    numbers: ([u32; 2], u32),
    vpl: usize,
    count: u32,
) -> Option<Vpl> {
    let emitter = start(view, choice, numbers, vpl, count)?;
    Some(Vpl::new(emitter.position, Shine::Glow(emitter.glow)))
}

/// Where on which light a VPL begins, one of `count` that share its work.
///
/// * `(sequence, number)` — of random numbers. * `vpl` — which of all.
fn start(
    view: &View<'_>,
    choice: &Choice,
    (sequence, number): ([u32; 2], u32),
    vpl: usize,
    count: u32,
) -> Option<VirtualEmitter> {
    let world = view.world;
    let light_u = view.sampler.get_1d(sequence, number, dimension::LIGHT);
    let (light, probability) = choice.of_vpl(vpl, light_u)?;
    let point_u = view.sampler.get_2d(sequence, number, dimension::POINT);
    world.lights.virtual_emitter(&world.materials, light, probability * count as f32, point_u)
}

/// A VPL where a walk, one of `count`, ends; none if it leaves the scene.
fn walk<S: Simd>(
    simd: S,
    view: &View<'_>,
    choice: &Choice,
    (sequence, number): ([u32; 2], u32),
    vpl: usize,
    count: u32,
) -> Option<Vpl> {
    let world = view.world;
    let emitter = start(view, choice, (sequence, number), vpl, count)?;
    let bounds = world.bounds();
    let direction_u = view.sampler.get_2d(sequence, number, dimension::DIRECTION);
    let side_u = view.sampler.get_1d(sequence, number, dimension::SIDE);
    let emitted = emitter.emit(direction_u, side_u, (bounds.center(), 0.5 * bounds.diagonal()))?;
    let mut flux = emitted.flux;
    let mut ray = match emitted.ng {
        Some(ng) => {
            let error = emitted.ray.origin.abs() * sunfleck_math::float::gamma(32);
            let origin = offset_ray_origin(emitted.ray.origin, error, ng, emitted.ray.direction);
            Ray { origin, ..emitted.ray }
        }
        None => emitted.ray,
    };
    for bounce in 0..LONGEST {
        let seed = view.alpha_seed(SampleId { pixel: sequence, sample: number }, bounce + 1);
        let hit = world.intersect(simd, &ray, seed)?;
        let wi_world = -ray.direction;
        let surface = world.surface(&hit, wi_world);
        let bsdf = world.materials.bsdf(surface.material, &surface.attributes);
        let dimension = dimension::SURFACE + 4 * bounce;

        // Absorbed here?
        let survival = survival(&bsdf);
        let roulette_u = view.sampler.get_1d(sequence, number, dimension);
        let wi = surface.frame.local_from_world(wi_world);
        if roulette_u >= survival {
            let flux = flux / (1.0 - survival);
            return (!bsdf.is_delta()).then(|| lit(&surface, bsdf, wi, wi_world, flux));
        }
        flux /= survival;

        // Scatter
        let lobe_u = view.sampler.get_1d(sequence, number, dimension + 1);
        let u = view.sampler.get_2d(sequence, number, dimension + 2);
        let scattered = bsdf.sample(wi, lobe_u, u)?;
        let direction = surface.frame.world_from_local(scattered.wi).normalize_or(surface.ng);
        if !consistent(&surface, direction, scattered.wi) {
            return None;
        }
        flux *= scattered.throughput;
        if let Bsdf::Dielectric(glass) = bsdf {
            // Flux is not squeezed as radiance is
            if scattered.wi.z * wi.z < 0.0 {
                let eta = if wi.z > 0.0 { glass.ior } else { glass.ior.recip() };
                flux *= eta * eta;
            }
        }
        if flux == Vec3::ZERO || !flux.is_finite() {
            return None;
        }
        ray = surface.ray_along(direction);
    }
    None
}

/// With which probability a walk goes on: about the share of light that is reflected.
fn survival(bsdf: &Bsdf) -> f32 {
    if bsdf.is_delta() { 1.0 } else { bsdf.albedo().max_element().min(1.0 - LEAST_ABSORPTION) }
}

/// A lit surface as a VPL.
fn lit(surface: &SurfacePoint, bsdf: Bsdf, wi: Vec3, wi_world: Vec3, flux: Vec3) -> Vpl {
    let ng = if wi_world.dot(surface.ng) < 0.0 { -surface.ng } else { surface.ng };
    let shine = match bsdf {
        Bsdf::Lambert(lambert) => {
            let intensity = lambert.albedo * flux * std::f32::consts::FRAC_1_PI;
            Shine::Glow(Glow::Area { ng: facing(surface, wi), double_sided: false, intensity })
        }
        bsdf => Shine::Glossy(Glossy { frame: surface.frame, ng, bsdf, wi, flux }),
    };
    Vpl::new(surface.position, shine)
}

/// The shading normal on the lit side: a bumpy surface reflects by it.
fn facing(surface: &SurfacePoint, wi: Vec3) -> Vec3 {
    if wi.z < 0.0 { -surface.frame.normal } else { surface.frame.normal }
}
