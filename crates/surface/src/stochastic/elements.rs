//! The sides of all texels, on which light is stored.

use std::f32::consts::FRAC_1_PI;

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use crate::atlas::{Atlas, AtlasImages};

/// Texels of an atlas with their materials. Each has two elements: element `i` of `n` texels is the front of texel `i`,
/// element `n + i` its back.
#[derive(Clone, Debug)]
pub struct Elements {
    /// Images over the atlas.
    pub images: AtlasImages,
    /// Areas of the texels, m², without what is cut out by alpha.
    pub areas: Vec<f32>,
}

impl Elements {
    /// Evaluates materials at all texels.
    pub fn new(world: &World, atlas: &Atlas) -> Self {
        let images = AtlasImages::new(world, atlas);
        let areas =
            atlas.areas().iter().zip(&images.coverage).map(|(area, coverage)| area * coverage).collect();
        Self { images, areas }
    }

    /// Returns the number of texels, half of that of elements.
    pub fn texels(&self) -> usize {
        self.areas.len()
    }

    /// Returns the texel of an element, and whether the element is its front.
    #[inline(always)]
    pub fn texel_of(&self, element: usize) -> (usize, bool) {
        let count = self.texels();
        if element < count { (element, true) } else { (element - count, false) }
    }

    /// Returns the emitted radiance of an element.
    #[inline(always)]
    pub fn emission(&self, element: usize) -> Vec3 {
        let (texel, is_front) = self.texel_of(element);
        self.images.emission[usize::from(!is_front)][texel]
    }

    /// Returns the emitted and the reflected radiance of all elements.
    ///
    /// * `irradiance` — of all elements, W/m².
    pub fn radiance(&self, irradiance: &[Vec3]) -> Vec<Vec3> {
        let radiance = |(element, irradiance): (usize, &Vec3)| {
            let (texel, _) = self.texel_of(element);
            self.emission(element) + self.images.reflectance[texel] * *irradiance * FRAC_1_PI
        };
        irradiance.par_iter().enumerate().map(radiance).collect()
    }

    /// Returns the area-weighted inner product of two functions of elements, summed over the channels, in f64.
    pub(super) fn inner_product(&self, a: &[Vec3], b: &[Vec3]) -> f64 {
        let areas = self.areas.iter().chain(&self.areas);
        areas
            .zip(a.iter().zip(b))
            .map(|(&area, (a, b))| f64::from(area) * a.as_dvec3().dot(b.as_dvec3()))
            .sum()
    }
}
