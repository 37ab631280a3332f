//! Selection of shooting elements.

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_sampling::Sampler;
use sunfleck_shading::luminance;

use super::Elements;
use crate::atlas::Pyramid;

/// MIP pyramids of the luminance of power, divided by π, of both sides.
pub(super) struct Selection {
    sides: [Pyramid<f32>; 2],
    /// Sum of both sides.
    total: f32,
}

/// An element that shoots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shooter {
    pub(super) element: usize,
    /// Radiance times area over the probability of the element, W/sr. Its luminance is that of all elements together.
    pub(super) intensity: Vec3,
}

impl Selection {
    /// Returns `None` if no element sends light.
    pub(super) fn new(elements: &Elements, radiance: &[Vec3]) -> Option<Self> {
        let (front, back) = radiance.split_at(elements.texels());
        let pyramid = |side: &[Vec3]| {
            let power = |(radiance, area): (&Vec3, &f32)| luminance(*radiance).max(0.0) * area;
            Pyramid::new(side.par_iter().zip(&elements.areas).map(power).collect())
        };
        let sides = [pyramid(front)?, pyramid(back)?];
        let total = sides[0].sum() + sides[1].sum();
        (total > 0.0 && total.is_finite()).then_some(Self { sides, total })
    }

    /// Selects elements of an iteration with stratified random numbers: dimension 0 of its first pixel.
    pub(super) fn select(
        &self,
        radiance: &[Vec3],
        sampler: &Sampler,
        iteration: u32,
        count: u32,
    ) -> Vec<Shooter> {
        let select = |i: u32| {
            let u = sampler.get_1d([iteration, 0], i, 0);
            let front = self.sides[0].sum() / self.total;
            let (side, u) = if u < front { (0, u / front) } else { (1, (u - front) / (1.0 - front)) };
            let (texel, _) = self.sides[side].select(u.min(sunfleck_math::float::ONE_MINUS_EPSILON))?;
            let element = texel as usize + side * (radiance.len() / 2);
            // L A / p with p = lum(L) A / Φ
            Some(Shooter {
                element,
                intensity: radiance[element] * (self.total / luminance(radiance[element])),
            })
        };
        (0..count).into_par_iter().map(select).flatten_iter().collect()
    }
}
