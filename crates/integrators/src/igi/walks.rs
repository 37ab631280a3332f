//! Placement of virtual point lights: on lights, and at the ends of random walks from lights.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_constants::dimension::{OF_DIRECTION, OF_LIGHT, OF_SIDE, ON_LIGHTS, PROBES, WALKS};
use sunfleck_constants::igi::PROBE_ROWS;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_shading::{Bsdf, EmitterKind, VirtualEmitter};
use sunfleck_transport::{BoundingSphere, SurfaceInteraction};

use super::Igi;
use super::light_distribution::LightDistribution;
use super::vpl::{GlossyVpl, Vpl, VplEmission, Vpls};
use crate::light_walk::{self, LightVertex, sequence};
use crate::view::{SampleId, View};

/// Numbers of VPLs.
struct VplCounts {
    /// Number of subsets of all sets.
    subsets: u32,
    /// VPLs of a subset that lie on lights.
    on_lights: u32,
    /// VPLs of a subset at the ends of walks.
    walks: u32,
}

impl VplCounts {
    fn of(igi: &Igi) -> Self {
        let per_subset = igi.vpls_per_subset();
        let on_lights = per_subset.div_ceil(2);
        Self { subsets: igi.sets() * igi.subsets(), on_lights, walks: per_subset - on_lights }
    }
}

/// Returns the uniforms in [0, 1) that sample the lights of all VPLs: those on lights, then those at the ends of walks.
pub(super) fn light_samples(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<f32> {
    let VplCounts { subsets, on_lights, walks } = VplCounts::of(igi);
    let number = |kind, i| view.sampler.get_1d(sequence(kind, pass), i, OF_LIGHT);
    let first = (0..subsets * on_lights).map(|i| number(ON_LIGHTS, i));
    first.chain((0..subsets * walks).map(|i| number(WALKS, i))).collect()
}

/// Makes the VPLs of a frame. Half of the VPLs of each subset are on lights, and half are at the ends of walks.
///
/// * `distance_seen` — see [`distance_seen`], metres.
pub(super) fn vpls<S: Simd>(
    simd: S,
    view: &View<'_>,
    igi: &Igi,
    pass: u32,
    lights: &LightDistribution,
    distance_seen: f32,
) -> Vpls {
    let VplCounts { subsets, on_lights, walks } = VplCounts::of(igi);
    let make = |subset: u32| {
        // Number of the subset's first VPL in its set
        let first = subset % igi.subsets() * igi.vpls_per_subset();
        let light = |i| {
            let sample = subset * on_lights + i;
            let id = SampleId { pixel: sequence(ON_LIGHTS, pass), sample };
            let emitter = lights.emitter(view, id, Some(sample), on_lights)?;
            Some(Vpl::new(emitter.position, VplEmission::Emitter(emitter.kind), first + i))
        };
        let walk = |i| {
            let sample = subset * walks + i;
            let id = SampleId { pixel: sequence(WALKS, pass), sample };
            let emitter = lights.emitter(view, id, Some(subsets * on_lights + sample), walks)?;
            walk(simd, view, id, &emitter, first + on_lights + i)
        };
        (0..on_lights).filter_map(light).chain((0..walks).filter_map(walk)).collect()
    };
    let distance = igi.clamp * distance_seen;
    let bound = if distance > 0.0 { (distance * distance).recip() } else { f32::INFINITY };
    Vpls { subsets: (0..subsets).into_par_iter().map(make).collect(), bound }
}

/// Returns the mean distance that the camera sees, metres; 0 if no ray hits a surface.
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

/// Traces a walk and returns the VPL at its end; `None` if the walk leaves the scene.
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
    (!end.bsdf.is_delta()).then(|| vpl_at(&end, number))
}

/// Makes the VPL of a light vertex.
fn vpl_at(end: &LightVertex, number: u32) -> Vpl {
    let LightVertex { surface, bsdf, wi, wi_world, flux, .. } = *end;
    let ng = if wi_world.dot(surface.ng) < 0.0 { -surface.ng } else { surface.ng };
    let emission = match bsdf {
        Bsdf::Lambert(lambert) => {
            let intensity = lambert.albedo * flux * std::f32::consts::FRAC_1_PI;
            VplEmission::Emitter(EmitterKind::Area {
                ng: facing(&surface, wi),
                double_sided: false,
                intensity,
            })
        }
        bsdf => VplEmission::Glossy(GlossyVpl { frame: surface.frame, ng, bsdf, wi, flux }),
    };
    Vpl::new(surface.position, emission, number)
}

/// Returns the shading normal on the lit side.
fn facing(surface: &SurfaceInteraction, wi: Vec3) -> Vec3 {
    if wi.z < 0.0 { -surface.frame.normal } else { surface.frame.normal }
}
