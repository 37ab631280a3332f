//! Which lights get VPLs [Wald03, §14; Wald03b]: a coarse path-traced picture tells how much of its light comes from each. That each
//! pixel is noise does not matter, only the sums over the picture do.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_constants::dimension::{OF_LIGHT, OF_POINT};
use sunfleck_constants::igi::{
    COARSE_LENGTH, COARSE_PIXEL, COARSE_SURVIVAL, MOST_OVER_MEAN, NO_LIGHT, UNITS,
};
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_shading::{BsdfContext, VirtualEmitter};
use sunfleck_transport::{Technique, scatter, survives};

use super::Igi;
use super::memory::{Found, Known};
use crate::dimension::Vertex;
use crate::view::{SampleId, View};

/// Small pictures have about so many paths …
const PATHS: f32 = 2048.0;
/// … and larger ones one for each square of so many pixels.
const EDGE: f32 = 12.0;

/// A distribution over lights.
#[derive(Debug)]
pub(crate) struct Choice {
    lights: Cumulative,
    /// The lights of virtual point lights, if they are remembered.
    kept: Option<Vec<u32>>,
}

/// A distribution that is inverted in the order of lights, neighbours in the scene being neighbours there: where the weights change a
/// little from frame to frame, most virtual point lights stay on their light or go to one near by. With an alias table they would go anywhere.
/// The sums are f64, so that the last of ten thousands of lights has its probability to seven digits; places inside of a piece, which
/// `sampling`'s distributions are made for, nobody asks for.
#[derive(Debug)]
pub(super) struct Cumulative {
    /// Sums of weights: of no light, of the first, of the first two …
    sums: Vec<f64>,
}

impl Cumulative {
    pub(super) fn new(weights: impl Iterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let upto = weights.map(|weight| {
            sum += weight;
            sum
        });
        Self { sums: std::iter::once(0.0).chain(upto).collect() }
    }

    /// The light at a place in [0, 1); `None` if all weights are 0.
    pub(super) fn at(&self, place: f64) -> Option<usize> {
        let total = self.sums.last().copied().filter(|&total| total > 0.0)?;
        // The last light that begins there or before: none of weight 0
        let light = self.sums.partition_point(|&sum| sum <= place * total).clamp(1, self.sums.len() - 1) - 1;
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

impl Choice {
    /// For what is seen in frame number `pass`.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities")]
    pub(super) fn new<S: Simd>(simd: S, view: &View<'_>, igi: &Igi, pass: u32, film: Vec2) -> Self {
        let lights = view.world.lights();
        let mut weights: Vec<f32> = lights.power_shares().collect();
        if igi.importance > 0.0 && weights.len() > 1 {
            let mut found = vec![Found::default(); weights.len()];
            // In the order of pixels, so that the sums are the same on any number of threads
            let rows = contributions(simd, view, pass, film);
            let (sum, times) = rows
                .iter()
                .flatten()
                .fold((0.0, 0u32), |(sum, times), (_, l)| (sum + f64::from(*l), times + 1));
            let most = match igi.smooth {
                true => f64::from(MOST_OVER_MEAN) * sum / f64::from(times.max(1)),
                false => f64::INFINITY,
            };
            for &(light, luminance) in rows.iter().flatten() {
                found[light].sum += f64::from(luminance).min(most);
                found[light].times += 1.0;
            }
            if let Some(memory) = view.memory.filter(|_| pass == 0) {
                memory.recall(|known: &mut Known| known.recall(&mut found));
            }
            let total: f64 = found.iter().map(|found| found.sum).sum();
            if total > 0.0 {
                let shares = match igi.smooth {
                    true => lights.found_shares(&found.iter().map(Found::rounded).collect::<Vec<_>>()),
                    false => found.iter().map(|found| (found.sum / total) as f32).collect(),
                };
                for (weight, share) in weights.iter_mut().zip(shares) {
                    *weight = (1.0 - igi.importance) * *weight + igi.importance * share;
                }
            }
        }
        Self { lights: Cumulative::new(weights.into_iter().map(units)), kept: None }
    }

    /// Sums of the lights' parts: of no light, of the first, of the first two, as shares of 2³¹.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares of 2³¹")]
    pub(super) fn sums(&self) -> Vec<u32> {
        let total = self.lights.sums.last().copied().unwrap_or(0.0);
        let scale = if total > 0.0 { 2f64.powi(31) / total } else { 0.0 };
        self.lights.sums.iter().map(|sum| (sum * scale) as u32).collect()
    }

    /// With the lights of all virtual point lights chosen, as far as can be as in the frame before, if `view` has a memory. In frames
    /// that are added up to others, each chooses anew: the same ones again would tell nothing.
    ///
    /// * `numbers` — one in [0, 1) for each of them.
    pub(super) fn keeping(self, view: &View<'_>, pass: u32, numbers: impl Fn() -> Vec<f32>) -> Self {
        let Some(memory) = view.memory.filter(|_| pass == 0) else { return self };
        let light = |u: f32| self.lights.at(f64::from(u)).and_then(|light| u32::try_from(light).ok());
        let fresh = || numbers().into_iter().map(|u| light(u).unwrap_or(NO_LIGHT)).collect();
        let shares = (0..self.lights.len()).map(|light| self.lights.probability(light)).collect();
        let kept = memory.recall(|known: &mut Known| known.keep(shares, fresh, view.spec.seed));
        let kept = Some(kept);
        Self { kept, ..self }
    }

    /// A point on a light, for one of `count` walks or VPLs that share their work. `None`: nothing shines there.
    ///
    /// * `vpl` — which of all VPLs it is for, if for one.
    pub(crate) fn emitter(
        &self,
        view: &View<'_>,
        id: SampleId,
        vpl: Option<u32>,
        count: u32,
    ) -> Option<VirtualEmitter> {
        let (world, SampleId { pixel, sample }) = (view.world, id);
        let kept = self.kept.as_ref().and_then(|kept| kept.get(vpl? as usize));
        let (light, probability) = match kept {
            Some(&light) => self.with_probability(light as usize)?,
            None => self.light(view.sampler.get_1d(pixel, sample, OF_LIGHT))?,
        };
        let point_u = view.sampler.get_2d(pixel, sample, OF_POINT);
        world.lights().virtual_emitter(world.materials(), light, probability * count as f32, point_u)
    }

    /// A light, and the probability of its choice; `None` if nothing shines.
    fn light(&self, u: f32) -> Option<(usize, f32)> {
        self.with_probability(self.lights.at(f64::from(u))?)
    }

    #[allow(clippy::cast_possible_truncation, reason = "a probability")]
    fn with_probability(&self, light: usize) -> Option<(usize, f32)> {
        (light < self.lights.len()).then(|| (light, self.lights.probability(light) as f32))
    }
}

/// A weight as a whole number of parts of 2³⁰, at least one if there is any: sums of these are the same in any order and by any device.
fn units(weight: f32) -> f64 {
    match weight > 0.0 {
        true => f64::from((weight * UNITS + 0.5).floor().max(1.0)),
        false => 0.0,
    }
}

/// The squares of a film that get one path each of the coarse picture: their edge in pixels, their columns and rows.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of squares")]
pub fn coarse_squares(film: Vec2) -> (f32, [u32; 2]) {
    let edge = (film.x * film.y / PATHS).sqrt().min(EDGE);
    (edge, [film.x, film.y].map(|size| (size / edge).ceil().max(1.0) as u32))
}

/// What lights bring to each row of squares: index and luminance.
fn contributions<S: Simd>(simd: S, view: &View<'_>, pass: u32, film: Vec2) -> Vec<Vec<(usize, f32)>> {
    let (edge, [columns, rows]) = coarse_squares(film);
    let row = |y: u32| {
        let mut found = Vec::new();
        simd.vectorize(
            #[inline(always)]
            || {
                for x in 0..columns {
                    let id = SampleId { pixel: [COARSE_PIXEL + x, y], sample: pass };
                    path(simd, view, id, vec2(x as f32, y as f32), edge, &mut found);
                }
            },
        );
        found
    };
    (0..rows).into_par_iter().map(row).collect()
}

/// What lights bring to one path.
#[inline(always)]
fn path<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    corner: Vec2,
    cell: f32,
    found: &mut Vec<(usize, f32)>,
) {
    let world = view.world;
    let SampleId { pixel, sample } = id;
    let offset = view.sampler.get_2d(pixel, sample, crate::dimension::FILM);
    let mut ray = view.camera.ray((corner + offset) * cell, Vec2::splat(0.5));
    let mut throughput = Vec3::ONE;
    for bounce in 0..COARSE_LENGTH {
        let Some(hit) = world.intersect(simd, &ray, view.alpha_seed(id, 2 * bounce)) else { return };
        let surface = world.surface_interaction(&hit, -ray.direction, 0.0);
        let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
        let wo = surface.frame.local_from_world(-ray.direction);
        let vertex = Vertex::new(bounce);
        if !bsdf.is_delta() {
            let light_u = view.sampler.get_1d(pixel, sample, vertex.light());
            let point_u = view.sampler.get_2d(pixel, sample, vertex.light_point());
            let direct = world.sample_direct(&surface, &bsdf, wo, light_u, point_u, Technique::LightsOnly);
            if let Some(direct) = direct
                && let seed = view.alpha_seed(id, 2 * bounce + 1)
                && let transmittance = world.transmittance(simd, &direct.shadow_ray, seed)
                && transmittance != Vec3::ZERO
            {
                let luminance =
                    (throughput * direct.radiance * transmittance).dot(Vec3::new(0.2126, 0.7152, 0.0722));
                if luminance.is_finite() {
                    found.push((direct.light, luminance));
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

    fn choice(weights: &[f64]) -> Choice {
        Choice { lights: Cumulative::new(weights.iter().copied()), kept: None }
    }

    #[test]
    fn lights_are_chosen_by_weight_and_none_of_weight_zero() {
        let weights = [0.0, 3.0, 0.0, 1.0, 4.0, 0.0];
        let choice = choice(&weights);
        let mut counts = [0u32; 6];
        for i in 0..8000 {
            let (light, probability) = choice.light((i as f32 + 0.5) / 8000.0).unwrap();
            assert!((f64::from(probability) - weights[light] / 8.0).abs() < 1e-6, "light {light}");
            counts[light] += 1;
        }
        assert_eq!(counts, [0, 3000, 0, 1000, 4000, 0], "an inverted distribution is exact");
        assert!(
            Choice { lights: Cumulative::new([0.0].into_iter()), kept: None }.light(0.5).is_none(),
            "dark"
        );
        assert!(choice.light(0.0).is_some_and(|(light, _)| light == 1), "the first number");
        assert!(choice.light(sunfleck_math::float::ONE_MINUS_EPSILON).is_some_and(|(light, _)| light == 4));
    }

    #[test]
    fn a_small_change_moves_few_choices() {
        let before: Vec<f64> = (0..1000).map(|i| 1.0 + f64::from(i % 7)).collect();
        let after: Vec<f64> =
            before.iter().enumerate().map(|(i, w)| if i == 500 { w * 1.5 } else { *w }).collect();
        let (before, after) = (choice(&before), choice(&after));
        let moved = |i: u32| {
            let u = (i as f32 + 0.5) / 1000.0;
            before.light(u).unwrap().0.abs_diff(after.light(u).unwrap().0)
        };
        assert!((0..1000).all(|i| moved(i) <= 2), "to a light near by, if at all");
    }
}
