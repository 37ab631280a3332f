//! From lights to virtual point lights.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_constants::dimension::{OF_DIRECTION, OF_LIGHT, OF_SIDE, ON_LIGHTS, PROBES, WALKS};
use sunfleck_constants::igi::PROBE_ROWS;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_shading::{Bsdf, EmitterKind, VirtualEmitter};
use sunfleck_transport::{BoundingSphere, SurfaceInteraction};

use super::Igi;
use super::choice::Choice;
use super::vpl::{Glossy, Shine, Vpl, Vpls};
use crate::light_walk::{self, Arrival, sequence};
use crate::view::{SampleId, View};

/// How many VPLs there are.
struct Numbers {
    shares: u32,
    /// Of a share, those on lights …
    on_lights: u32,
    /// … and those where walks end.
    walks: u32,
}

impl Numbers {
    fn of(igi: &Igi) -> Self {
        let per_share = igi.vpls_per_subset();
        let on_lights = per_share.div_ceil(2);
        Self { shares: igi.sets() * igi.subsets(), on_lights, walks: per_share - on_lights }
    }
}

/// The numbers in [0, 1) that choose the lights of all VPLs: of those on lights, then of those where walks end.
pub(super) fn choices(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<f32> {
    let Numbers { shares, on_lights, walks } = Numbers::of(igi);
    let number = |kind, i| view.sampler.get_1d(sequence(kind, pass), i, OF_LIGHT);
    let first = (0..shares * on_lights).map(|i| number(ON_LIGHTS, i));
    first.chain((0..shares * walks).map(|i| number(WALKS, i))).collect()
}

/// Makes the VPLs of a frame. Of each share, half are on lights, and half where walks from lights ended.
///
/// * `distance_seen` — see [`distance_seen`], metres.
pub(super) fn vpls<S: Simd>(
    simd: S,
    view: &View<'_>,
    igi: &Igi,
    pass: u32,
    choice: &Choice,
    distance_seen: f32,
) -> Vpls {
    let Numbers { shares, on_lights, walks } = Numbers::of(igi);
    let make = |share: u32| {
        // In its set
        let first = share % igi.subsets() * igi.vpls_per_subset();
        let light = |i| {
            let sample = share * on_lights + i;
            let id = SampleId { pixel: sequence(ON_LIGHTS, pass), sample };
            let emitter = choice.emitter(view, id, Some(sample), on_lights)?;
            Some(Vpl::new(emitter.position, Shine::EmitterKind(emitter.glow), first + i))
        };
        let walk = |i| {
            let sample = share * walks + i;
            let id = SampleId { pixel: sequence(WALKS, pass), sample };
            let emitter = choice.emitter(view, id, Some(shares * on_lights + sample), walks)?;
            walk(simd, view, id, &emitter, first + on_lights + i)
        };
        (0..on_lights).filter_map(light).chain((0..walks).filter_map(walk)).collect()
    };
    let distance = igi.clamp * distance_seen;
    let bound = if distance > 0.0 { (distance * distance).recip() } else { f32::INFINITY };
    Vpls { shares: (0..shares).into_par_iter().map(make).collect(), bound }
}

/// The mean distance that the camera sees; 0 if that is nothing.
pub(super) fn distance_seen<S: Simd>(simd: S, view: &View<'_>, film: Vec2) -> f32 {
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
    sum / hits.max(1) as f32
}

/// A VPL where a walk ends; none if it leaves the scene.
fn walk<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    emitter: &VirtualEmitter,
    number: u32,
) -> Option<Vpl> {
    let SampleId { pixel, sample } = id;
    let direction_u = view.sampler.get_2d(pixel, sample, OF_DIRECTION);
    let side_u = view.sampler.get_1d(pixel, sample, OF_SIDE);
    let BoundingSphere { center, radius } = view.world.bounding_sphere();
    let emitted = emitter.emit(direction_u, side_u, (center, radius))?;
    let end = light_walk::walk(simd, view, id, &emitted, |_| ())?;
    (!end.bsdf.is_delta()).then(|| lit(&end, number))
}

/// A lit surface as a VPL.
fn lit(end: &Arrival, number: u32) -> Vpl {
    let Arrival { surface, bsdf, wi, wi_world, flux, .. } = *end;
    let ng = if wi_world.dot(surface.ng) < 0.0 { -surface.ng } else { surface.ng };
    let shine = match bsdf {
        Bsdf::Lambert(lambert) => {
            let intensity = lambert.albedo * flux * std::f32::consts::FRAC_1_PI;
            Shine::EmitterKind(EmitterKind::Area { ng: facing(&surface, wi), double_sided: false, intensity })
        }
        bsdf => Shine::Glossy(Glossy { frame: surface.frame, ng, bsdf, wi, flux }),
    };
    Vpl::new(surface.position, shine, number)
}

/// The shading normal on the lit side: a bumpy surface reflects by it.
fn facing(surface: &SurfaceInteraction, wi: Vec3) -> Vec3 {
    if wi.z < 0.0 { -surface.frame.normal } else { surface.frame.normal }
}
