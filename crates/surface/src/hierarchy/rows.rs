//! Sums of rows: the fraction of the light of a texel that arrives anywhere.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_kernel::{Coherence, RayBuffer};
use sunfleck_math::{Frame, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind, warp};
use sunfleck_transport::{AlphaSeed, World};

use super::cells::index;
use crate::atlas::Atlas;

/// Rays of each side of a texel that find whether light leaves the scene from it.
const RAYS: u32 = 64;
/// Elements whose rays are traced by one task.
const ELEMENTS_PER_TASK: usize = 64;
/// Largest factor of a row: a texel whose sum is smaller sees what no link found.
const LARGEST_FACTOR: f64 = 2.0;
/// Difference of these random numbers from those of links.
const STREAM: u32 = 0x52_6f_77;

/// Deviation of the sums of rows, means over the area of all sides of texels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowSums {
    /// Fraction of the area that is closed: none of 64 rays of a texel leaves the scene, so that its sum should be 1.
    pub closed: f64,
    /// Mean of |sum − 1| over closed rows before normalising.
    pub deviation: f64,
    /// Mean of sum − 1 over closed rows before normalising.
    pub bias: f64,
    /// Largest |sum − 1| of a closed row before normalising.
    pub largest: f64,
    /// Mean of the change of the sum over all rows by normalising.
    pub changed: f64,
}

/// Returns the factor of each row: closed rows are normalised to a sum of 1, other sums are reduced to 1.
///
/// * `sums` — of each element. * `areas` — of each texel.
pub(super) fn factors(sums: &[f32], is_closed: &[bool], areas: &[f32]) -> (Vec<f32>, RowSums) {
    let (mut report, mut total, mut closed) = (RowSums::default(), 0.0, 0.0);
    let mut factors = Vec::with_capacity(sums.len());
    for ((&sum, &is_closed), &area) in sums.iter().zip(is_closed).zip(areas.iter().chain(areas)) {
        let (sum, area) = (f64::from(sum), f64::from(area));
        let factor =
            if sum > 0.0 && (is_closed || sum > 1.0) { (1.0 / sum).min(LARGEST_FACTOR) } else { 1.0 };
        total += area;
        report.changed += area * (sum * factor - sum).abs();
        if is_closed {
            closed += area;
            report.bias += area * (sum - 1.0);
            report.deviation += area * (sum - 1.0).abs();
            report.largest = report.largest.max((sum - 1.0).abs());
        }
        #[allow(clippy::cast_possible_truncation, reason = "a number of about 1")]
        factors.push(factor as f32);
    }
    let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
    report.closed = share(closed, total);
    report.changed = share(report.changed, total);
    report.deviation = share(report.deviation, closed);
    report.bias = share(report.bias, closed);
    (factors, report)
}

/// Returns for each element whether all of its rays hit surfaces.
pub(super) fn closed(world: &World, atlas: &Atlas, seed: u32) -> Vec<bool> {
    let mut closed = vec![false; 2 * atlas.texels().len()];
    let sampler = Sampler::new(SamplerKind::Sobol, seed ^ STREAM);
    closed.par_chunks_mut(ELEMENTS_PER_TASK).enumerate().for_each(|(task, closed)| {
        let mut rays = RayBuffer::with_capacity(closed.len() * RAYS as usize);
        let mut element_of = Vec::with_capacity(closed.len() * RAYS as usize);
        for (i, closed) in closed.iter_mut().enumerate() {
            *closed = push_rays(world, atlas, &sampler, task * ELEMENTS_PER_TASK + i, &mut rays);
            element_of.resize(rays.as_stream().len(), i);
        }
        let mut occluded = vec![false; element_of.len()];
        let seed = |ray: usize| AlphaSeed { pixel: [index(task), STREAM], sample: index(ray), stream: 0 };
        let stream = rays.as_stream();
        world.occluded_stream(Level::new(), &stream, Coherence::Incoherent, &seed, &mut occluded);
        for (i, occluded) in element_of.into_iter().zip(occluded) {
            closed[i] &= occluded;
        }
    });
    closed
}

/// Adds the cosine-distributed rays of an element. Returns whether it has a surface.
fn push_rays(world: &World, atlas: &Atlas, sampler: &Sampler, element: usize, rays: &mut RayBuffer) -> bool {
    let texels = atlas.texels().len();
    let (texel, is_front) = if element < texels { (element, true) } else { (element - texels, false) };
    if atlas.areas()[texel] <= 0.0 {
        return false;
    }
    let mut ray = |sample: u32| {
        let [point, direction] =
            [0, 2].map(|dimension| sampler.get_2d([index(element), STREAM], sample, dimension));
        let surface = atlas.interaction_in(world, index(texel), point, is_front, 0.0)?;
        let normal: Vec3 = if is_front { surface.ng } else { -surface.ng };
        let local = warp::cosine_hemisphere(direction);
        rays.push(&surface.spawn_ray(Frame::from_normal(normal).world_from_local(local)));
        Some(())
    };
    (0..RAYS).all(|sample| ray(sample).is_some())
}
