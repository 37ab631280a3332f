//! Shading of plain surfaces: ideally diffuse ones, for which all hits of a batch need the same computation.

use sunfleck_math::{Frame, Vec2, Vec3};
use sunfleck_shading::{BATCH_SIZE, BatchRow, Bsdf, BsdfContext, Lambert, batch_row, set_batch_row};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{
    DirectSampling, LastScattering, leaving_direction, reflected_radiance, shadow_ray_end,
};

use super::PathTracer;
use super::batch::ShadingBatch;
use super::spawned_rays::SpawnedRays;
use super::streams::{ShadowRayKind, Streams};
use crate::view::View;

/// Light reflected at the plain hits of a batch.
#[derive(Debug)]
pub(super) struct Reflection {
    albedo: [BatchRow; 3],
    /// Estimates of direct light that is reflected towards the viewer; see [`reflected_radiance`].
    direct: [BatchRow; 3],
    /// Sampled directions in world space, and their densities, sr⁻¹: 0 where the path ends.
    direction: [BatchRow; 3],
    pdf_solid_angle: BatchRow,
    throughput: [BatchRow; 3],
    /// Shadow rays and next rays.
    shadow: SpawnedRays,
    next: SpawnedRays,
}

impl Default for Reflection {
    fn default() -> Self {
        let axes = [[0.0; BATCH_SIZE]; 3];
        let (albedo, direct, direction, throughput) = (axes, axes, axes, axes);
        let (shadow, next) = Default::default();
        Self { albedo, direct, direction, pdf_solid_angle: [0.0; BATCH_SIZE], throughput, shadow, next }
    }
}

impl Reflection {
    /// Computes direct light, and samples the next directions, of the first `count` hits.
    #[allow(
        clippy::needless_range_loop,
        reason = "an index into many arrays, so that the loop is vectorised"
    )]
    #[inline(always)]
    fn compute(&mut self, batch: &ShadingBatch, count: usize) {
        let Self { albedo, direct, direction, pdf_solid_angle, throughput, .. } = self;
        for i in 0..count.min(BATCH_SIZE) {
            let (ng, frame) = (batch_row(&batch.ng, i), Frame::from_normal(batch_row(&batch.ns, i)));
            let wo = frame.local_from_world(batch_row(&batch.wo, i));
            let bsdf = Bsdf::Lambert(Lambert { albedo: batch_row(albedo, i) });
            let light = batch.lights.candidate(i);
            let radiance = reflected_radiance(ng, &frame, &bsdf, wo, &light, DirectSampling::Mis);
            set_batch_row(direct, i, if light.pdf_solid_angle > 0.0 { radiance } else { Vec3::ZERO });

            let u = Vec2::new(batch.direction_u[0][i], batch.direction_u[1][i]);
            let sample = bsdf.sample(BsdfContext::RADIANCE, wo, 0.0, u);
            let (mut leaves, mut pdf, mut factor) = (Vec3::ZERO, 0.0, Vec3::ZERO);
            if let Some(sample) = sample
                && let Some(direction) = leaving_direction(ng, &frame, sample.wi)
            {
                (leaves, pdf, factor) = (direction, sample.pdf_solid_angle, sample.throughput);
            }
            set_batch_row(direction, i, leaves);
            pdf_solid_angle[i] = pdf;
            set_batch_row(throughput, i, factor);
        }
    }
}

/// Samples direct light at the first `count` hits of the batch, and spawns the next rays.
///
/// * `start` — index in [`Streams::order`] of the first hit of the batch.
#[inline(always)]
pub(super) fn shade_plain(
    view: &View<'_>,
    path: &PathTracer,
    bounce: u32,
    streams: &mut Streams,
    start: usize,
    count: usize,
) {
    let Streams { live, next, results, shadow, order, batch, reflection, .. } = streams;
    let which = &order[start..start + count];
    for (i, &at) in which.iter().enumerate() {
        let at = at as usize;
        let result = &results[live.slot[at] as usize];
        let width = match bounce {
            0 => view.footprint(-batch_row(&batch.wo, i), live.hits.t[at], result.id.sample),
            _ => 0.0,
        };
        let material = batch.blocks[i / LANES].material[i % LANES];
        set_batch_row(&mut reflection.albedo, i, view.world.plain_albedo(&live.hits, at, material, width));
    }
    reflection.compute(batch, count);
    for (i, &at) in which.iter().enumerate() {
        let at = at as usize;
        let slot = live.slot[at];
        let result = &mut results[slot as usize];
        let scatterings = result.scatterings(bounce);
        if scatterings >= path.max_bounces {
            continue;
        }
        let outside = batch_row(&batch.outside, i);
        let direct = batch_row(&reflection.direct, i);
        if direct != Vec3::ZERO {
            let t_far = shadow_ray_end(batch.lights.distance[i]);
            reflection.shadow.push(outside, batch_row(&batch.lights.wi, i), t_far);
            shadow.slot.push(slot);
            let direct = live.throughput[at] * direct;
            shadow.kind.push(ShadowRayKind::Direct(direct, direct * result.diffuse_share));
        }
        let pdf_solid_angle = reflection.pdf_solid_angle[i];
        if pdf_solid_angle == 0.0 {
            continue;
        }
        let throughput = live.throughput[at] * batch_row(&reflection.throughput, i);
        let eta_scale = live.eta_scale[at];
        let Some(throughput) = path.survivor(scatterings, throughput, eta_scale, batch.roulette_u[i]) else {
            continue;
        };
        result.aov.reflections = scatterings + 1;
        result.is_split = true;
        let last = LastScattering {
            position: batch_row(&batch.lights.from, i),
            pdf_solid_angle: Some(pdf_solid_angle),
            is_transmitted: false,
        };
        let direction = batch_row(&reflection.direction, i);
        reflection.next.push(outside, direction, f32::INFINITY);
        next.push_path(slot, throughput, eta_scale, last);
    }
    reflection.shadow.append_to(&mut shadow.rays);
    reflection.next.append_to(&mut next.rays);
}
