//! From lights to virtual point lights.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_shading::{Bsdf, Glow};

use super::Igi;
use super::choice::Choice;
use super::vpl::{Glossy, Shine, Vpl, Vpls};
use crate::light_walk::{self, Arrival, dimension, sequence};
use crate::view::{SampleId, View};
use crate::world::{Sphere, SurfacePoint};

/// Kinds of random decisions: of VPLs on lights, of walks, of probes.
const ON_LIGHTS: u32 = 0;
const WALKS: u32 = 1;
const PROBES: u32 = 2;

/// Camera rays of a row and of a column by which distances are judged.
const PROBE_ROWS: u32 = 24;
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
    let per_group = igi.vpls_per_subset();
    let groups = igi.sets() * igi.subsets();
    let on_lights = per_group.div_ceil(2);
    let walks = per_group - on_lights;
    let make = |group: u32| {
        let light = |i| emitter(view, choice, sequence(ON_LIGHTS, pass), group * on_lights + i, on_lights);
        let walk = |i| walk(simd, view, choice, sequence(WALKS, pass), group * walks + i, walks);
        (0..on_lights).filter_map(light).chain((0..walks).filter_map(walk)).collect()
    };
    let distance = igi.clamp * distance_seen;
    let bound = if distance > 0.0 { (distance * distance).recip() } else { f32::INFINITY };
    Vpls { groups: (0..groups).into_par_iter().map(make).collect(), bound }
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

/// A VPL on a light, one of `count` that share its work.
fn emitter(view: &View<'_>, choice: &Choice, sequence: [u32; 2], number: u32, count: u32) -> Option<Vpl> {
    let emitter = choice.emitter(view, SampleId { pixel: sequence, sample: number }, count)?;
    Some(Vpl::new(emitter.position, Shine::Glow(emitter.glow)))
}

/// A VPL where a walk, one of `count`, ends; none if it leaves the scene.
fn walk<S: Simd>(
    simd: S,
    view: &View<'_>,
    choice: &Choice,
    sequence: [u32; 2],
    number: u32,
    count: u32,
) -> Option<Vpl> {
    let id = SampleId { pixel: sequence, sample: number };
    let emitter = choice.emitter(view, id, count)?;
    let direction_u = view.sampler.get_2d(sequence, number, dimension::DIRECTION);
    let side_u = view.sampler.get_1d(sequence, number, dimension::SIDE);
    let Sphere { center, radius } = view.world.sphere();
    let emitted = emitter.emit(direction_u, side_u, (center, radius))?;
    let end = light_walk::walk(simd, view, id, &emitted, |_| ())?;
    (!end.bsdf.is_delta()).then(|| lit(&end))
}

/// A lit surface as a VPL.
fn lit(end: &Arrival) -> Vpl {
    let Arrival { surface, bsdf, wi, wi_world, flux, .. } = *end;
    let ng = if wi_world.dot(surface.ng) < 0.0 { -surface.ng } else { surface.ng };
    let shine = match bsdf {
        Bsdf::Lambert(lambert) => {
            let intensity = lambert.albedo * flux * std::f32::consts::FRAC_1_PI;
            Shine::Glow(Glow::Area { ng: facing(&surface, wi), double_sided: false, intensity })
        }
        bsdf => Shine::Glossy(Glossy { frame: surface.frame, ng, bsdf, wi, flux }),
    };
    Vpl::new(surface.position, shine)
}

/// The shading normal on the lit side: a bumpy surface reflects by it.
fn facing(surface: &SurfacePoint, wi: Vec3) -> Vec3 {
    if wi.z < 0.0 { -surface.frame.normal } else { surface.frame.normal }
}
