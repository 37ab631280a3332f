//! Distribution by which lights are sampled for VPLs and photons [Wald03, §14; Wald03b]. A coarse path-traced image
//! estimates the contribution of each light. Its pixels are noisy, but only sums over the whole image are used.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_constants::dimension::{OF_LIGHT, OF_POINT};
use sunfleck_constants::igi::{
    COARSE_LENGTH, COARSE_PIXEL, COARSE_SURVIVAL, MOST_OVER_MEAN, NO_LIGHT, UNITS,
};
use sunfleck_image::color::luminance;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_shading::{BsdfContext, VirtualEmitter};
use sunfleck_transport::{DirectSampling, scatter, survives};

use super::Igi;
use super::light_history::{LightContribution, LightHistory};
use crate::dimension::Vertex;
use crate::view::{SampleId, View};

/// Least number of paths of the coarse image, which determines the squares of small images.
const MIN_PATHS: f32 = 2048.0;
/// Largest edge length of the squares that have one path each, pixels.
const MAX_EDGE: f32 = 12.0;

/// Distribution over lights.
#[derive(Debug)]
pub(crate) struct LightDistribution {
    lights: DiscreteCdf,
    /// Light of each virtual point light; `None` without a history.
    vpl_lights: Option<Vec<u32>>,
}

/// Discrete distribution that is sampled by inverting its cumulative sums. Lights that are near in the scene are near
/// in their order, so if the weights change slightly from frame to frame, most virtual point lights stay on their light
/// or move to one nearby; an alias table would scatter them. The sums are f64, so that each of tens of thousands of
/// lights has its probability to seven digits. The distributions of `sampling` are f32, since they also return the
/// position within an interval.
#[derive(Debug)]
pub(super) struct DiscreteCdf {
    /// Sums of the weights of the first 0, 1, 2 … lights.
    sums: Vec<f64>,
}

impl DiscreteCdf {
    pub(super) fn new(weights: impl Iterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let running = weights.map(|weight| {
            sum += weight;
            sum
        });
        Self { sums: std::iter::once(0.0).chain(running).collect() }
    }

    /// Samples a light by a uniform in [0, 1); `None` if all weights are 0.
    pub(super) fn sample(&self, u: f64) -> Option<usize> {
        let total = self.sums.last().copied().filter(|&total| total > 0.0)?;
        // The last light whose interval starts at or before u; never one of weight 0
        let light = self.sums.partition_point(|&sum| sum <= u * total).clamp(1, self.sums.len() - 1) - 1;
        (self.sums[light + 1] > self.sums[light]).then_some(light)
    }

    fn probability(&self, light: usize) -> f64 {
        let total = self.sums.last().copied().unwrap_or(0.0);
        (self.sums[light + 1] - self.sums[light]) / total
    }

    fn len(&self) -> usize {
        self.sums.len() - 1
    }
}

impl LightDistribution {
    /// Estimates the contributions of lights in frame number `pass`, and makes the distribution that mixes them with
    /// power.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities")]
    pub(super) fn new<S: Simd>(simd: S, view: &View<'_>, igi: &Igi, pass: u32, film: Vec2) -> Self {
        let lights = view.world.lights();
        let mut weights: Vec<f32> = lights.power_shares().collect();
        if igi.importance > 0.0 && weights.len() > 1 {
            let mut contributions = vec![LightContribution::default(); weights.len()];
            // Added in the order of pixels, so that the sums do not depend on the number of threads
            let rows = trace_coarse_image(simd, view, pass, film);
            let (sum, count) = rows
                .iter()
                .flatten()
                .fold((0.0, 0u32), |(sum, count), (_, l)| (sum + f64::from(*l), count + 1));
            // Clamp outliers, so that a single path does not decide
            let limit = match igi.smooth {
                true => f64::from(MOST_OVER_MEAN) * sum / f64::from(count.max(1)),
                false => f64::INFINITY,
            };
            for &(light, luminance) in rows.iter().flatten() {
                contributions[light].sum += f64::from(luminance).min(limit);
                contributions[light].count += 1.0;
            }
            if let Some(history) = view.history.filter(|_| pass == 0) {
                history.with_state(|state: &mut LightHistory| state.accumulate(&mut contributions));
            }
            let total: f64 = contributions.iter().map(|light| light.sum).sum();
            if total > 0.0 {
                let rounded = || contributions.iter().map(LightContribution::rounded).collect::<Vec<_>>();
                let shares = match igi.smooth {
                    true => lights.contribution_shares(&rounded()),
                    false => contributions.iter().map(|light| (light.sum / total) as f32).collect(),
                };
                for (weight, share) in weights.iter_mut().zip(shares) {
                    *weight = (1.0 - igi.importance) * *weight + igi.importance * share;
                }
            }
        }
        Self { lights: DiscreteCdf::new(weights.into_iter().map(quantize)), vpl_lights: None }
    }

    /// Returns the cumulative sums of the first 0, 1, 2 … lights, scaled to 2³¹.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "integers up to 2³¹")]
    pub(super) fn sums(&self) -> Vec<u32> {
        let total = self.lights.sums.last().copied().unwrap_or(0.0);
        let scale = if total > 0.0 { 2f64.powi(31) / total } else { 0.0 };
        self.lights.sums.iter().map(|sum| (sum * scale) as u32).collect()
    }

    /// If `view` has a history, samples the lights of all virtual point lights and reuses those of the previous frame
    /// where possible. Later frames of an accumulated image sample anew: repeating the same lights would add no
    /// information.
    ///
    /// * `samples` — returns one uniform in [0, 1) for each virtual point light.
    pub(super) fn with_history(self, view: &View<'_>, pass: u32, samples: impl Fn() -> Vec<f32>) -> Self {
        let Some(history) = view.history.filter(|_| pass == 0) else { return self };
        let light = |u: f32| self.lights.sample(f64::from(u)).and_then(|light| u32::try_from(light).ok());
        let fresh = || samples().into_iter().map(|u| light(u).unwrap_or(NO_LIGHT)).collect();
        let probabilities = (0..self.lights.len()).map(|light| self.lights.probability(light)).collect();
        let reuse = |state: &mut LightHistory| state.reuse_lights(probabilities, fresh, view.spec.seed);
        let vpl_lights = Some(history.with_state(reuse));
        Self { vpl_lights, ..self }
    }

    /// Samples a point on a light, for one of `count` walks or VPLs that share the flux. `None` if nothing is emitted
    /// there.
    ///
    /// * `vpl` — index of the VPL among all VPLs of the frame; `None` for photons.
    pub(crate) fn emitter(
        &self,
        view: &View<'_>,
        id: SampleId,
        vpl: Option<u32>,
        count: u32,
    ) -> Option<VirtualEmitter> {
        let (world, SampleId { pixel, sample }) = (view.world, id);
        let reused = self.vpl_lights.as_ref().and_then(|lights| lights.get(vpl? as usize));
        let (light, probability) = match reused {
            Some(&light) => self.with_probability(light as usize)?,
            None => self.sample(view.sampler.get_1d(pixel, sample, OF_LIGHT))?,
        };
        let point_u = view.sampler.get_2d(pixel, sample, OF_POINT);
        world.lights().virtual_emitter(world.materials(), light, probability * count as f32, point_u)
    }

    /// Samples a light and returns its index and probability; `None` if no light emits.
    fn sample(&self, u: f32) -> Option<(usize, f32)> {
        self.with_probability(self.lights.sample(f64::from(u))?)
    }

    #[allow(clippy::cast_possible_truncation, reason = "a probability")]
    fn with_probability(&self, light: usize) -> Option<(usize, f32)> {
        (light < self.lights.len()).then(|| (light, self.lights.probability(light) as f32))
    }
}

/// Rounds a weight to an integer multiple of 2⁻³⁰, to at least one if it is positive: sums of integers are the same in
/// any order and on any device.
fn quantize(weight: f32) -> f64 {
    match weight > 0.0 {
        true => f64::from((weight * UNITS + 0.5).floor().max(1.0)),
        false => 0.0,
    }
}

/// Returns the squares of a film that have one path each in the coarse image: edge length in pixels, and the numbers of
/// columns and rows.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of squares")]
pub fn coarse_squares(film: Vec2) -> (f32, [u32; 2]) {
    let edge = (film.x * film.y / MIN_PATHS).sqrt().min(MAX_EDGE);
    (edge, [film.x, film.y].map(|size| (size / edge).ceil().max(1.0) as u32))
}

/// Traces the coarse image. Returns the contributions of lights to each row of squares: index of the light and
/// luminance.
fn trace_coarse_image<S: Simd>(simd: S, view: &View<'_>, pass: u32, film: Vec2) -> Vec<Vec<(usize, f32)>> {
    let (edge, [columns, rows]) = coarse_squares(film);
    let row = |y: u32| {
        let mut contributions = Vec::new();
        simd.vectorize(
            #[inline(always)]
            || {
                for x in 0..columns {
                    let id = SampleId { pixel: [COARSE_PIXEL + x, y], sample: pass };
                    trace_path(simd, view, id, vec2(x as f32, y as f32), edge, &mut contributions);
                }
            },
        );
        contributions
    };
    (0..rows).into_par_iter().map(row).collect()
}

/// Traces one path and appends the contribution of each light sample.
///
/// * `corner` — column and row of the square. * `cell` — its edge length, pixels.
#[inline(always)]
fn trace_path<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    corner: Vec2,
    cell: f32,
    contributions: &mut Vec<(usize, f32)>,
) {
    let world = view.world;
    let SampleId { pixel, sample } = id;
    let offset = view.sampler.get_2d(pixel, sample, crate::dimension::FILM);
    let mut ray = view.camera.ray((corner + offset) * cell, Vec2::splat(0.5));
    let mut throughput = Vec3::ONE;
    for bounce in 0..COARSE_LENGTH {
        let Some(hit) = world.intersect(simd, &ray, view.alpha_seed(id, 2 * bounce)) else { return };
        let surface = world.surface_interaction(&hit, -ray.direction, 0.0);
        let bsdf = world.bsdf(&surface);
        let wo = surface.frame.local_from_world(-ray.direction);
        let vertex = Vertex::new(bounce);
        if !bsdf.is_delta() {
            let light_u = view.sampler.get_1d(pixel, sample, vertex.light());
            let point_u = view.sampler.get_2d(pixel, sample, vertex.light_point());
            let direct =
                world.sample_direct(&surface, &bsdf, wo, light_u, point_u, DirectSampling::LightsOnly);
            if let Some(direct) = direct
                && let seed = view.alpha_seed(id, 2 * bounce + 1)
                && let transmittance = world.transmittance(simd, &direct.shadow_ray, seed)
                && transmittance != Vec3::ZERO
            {
                let luminance = luminance(throughput * direct.radiance * transmittance);
                if luminance.is_finite() {
                    contributions.push((direct.light, luminance));
                }
            }
        }
        let lobe_u = view.sampler.get_1d(pixel, sample, vertex.lobe());
        let u = view.sampler.get_2d(pixel, sample, vertex.direction());
        let scattering = scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, lobe_u, u);
        let Some(scattering) = scattering else { return };
        throughput *= scattering.sample.throughput;
        let survival = throughput.max_element().min(COARSE_SURVIVAL);
        let roulette_u = view.sampler.get_1d(pixel, sample, vertex.roulette());
        if !survives(survival, roulette_u) {
            return;
        }
        throughput /= survival;
        ray = scattering.ray;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(weights: &[f64]) -> LightDistribution {
        LightDistribution { lights: DiscreteCdf::new(weights.iter().copied()), vpl_lights: None }
    }

    #[test]
    fn lights_are_sampled_by_weight_and_none_of_weight_zero() {
        let weights = [0.0, 3.0, 0.0, 1.0, 4.0, 0.0];
        let lights = distribution(&weights);
        let mut counts = [0u32; 6];
        for i in 0..8000 {
            let (light, probability) = lights.sample((i as f32 + 0.5) / 8000.0).unwrap();
            assert!((f64::from(probability) - weights[light] / 8.0).abs() < 1e-6, "light {light}");
            counts[light] += 1;
        }
        assert_eq!(counts, [0, 3000, 0, 1000, 4000, 0], "an inverted distribution is exact");
        assert!(distribution(&[0.0]).sample(0.5).is_none(), "no light emits");
        assert!(lights.sample(0.0).is_some_and(|(light, _)| light == 1), "the smallest sample");
        assert!(lights.sample(sunfleck_math::float::ONE_MINUS_EPSILON).is_some_and(|(light, _)| light == 4));
    }

    #[test]
    fn small_changes_of_weights_move_samples_to_nearby_lights() {
        let before: Vec<f64> = (0..1000).map(|i| 1.0 + f64::from(i % 7)).collect();
        let after: Vec<f64> =
            before.iter().enumerate().map(|(i, w)| if i == 500 { w * 1.5 } else { *w }).collect();
        let (before, after) = (distribution(&before), distribution(&after));
        let moved = |i: u32| {
            let u = (i as f32 + 0.5) / 1000.0;
            before.sample(u).unwrap().0.abs_diff(after.sample(u).unwrap().0)
        };
        assert!((0..1000).all(|i| moved(i) <= 2), "samples move by two lights at most");
    }
}
