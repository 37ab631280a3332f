//! First pass: light that arrives at the texels directly.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::{AlphaSeed, World};

use super::TexelMedia;
use super::cluster_tree::index;
use crate::atlas::Atlas;

/// Texels that are lit by one task.
const TEXELS_PER_TASK: usize = 256;

/// Options of [`direct_irradiance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrradianceOptions {
    /// Light samples of each texel.
    pub samples: u32,
    /// Seed of all random numbers.
    pub seed: u32,
}

impl Default for IrradianceOptions {
    fn default() -> Self {
        Self { samples: 16, seed: 0 }
    }
}

/// Returns the irradiance on the fronts of all texels that have a medium, W/m², by all lights of a world: emissive
/// surfaces, punctual lights and the environment, with shadows. Other texels are dark.
///
/// * `transmittance` — Fresnel's transmittance at the boundary of the medium for a cosine of the angle of incidence
///   [Radiosity03, Eq. 8]; `|_| 1.0` for the irradiance itself.
pub fn direct_irradiance(
    world: &World,
    atlas: &Atlas,
    media: &TexelMedia,
    options: IrradianceOptions,
    transmittance: impl Fn(f32) -> f32 + Sync,
) -> Vec<Vec3> {
    let sampler = Sampler::new(SamplerKind::Sobol, options.seed);
    let (level, samples) = (Level::new(), options.samples.max(1));
    let mut irradiance = vec![Vec3::ZERO; atlas.texels().len()];
    irradiance.par_chunks_mut(TEXELS_PER_TASK).enumerate().for_each(|(chunk, irradiance)| {
        let first = chunk * TEXELS_PER_TASK;
        dispatch!(level, simd => {
            for (i, irradiance) in irradiance.iter_mut().enumerate() {
                if media.of_texel(first + i) == TexelMedia::NONE {
                    continue;
                }
                let texel = index(first + i);
                let light = TexelLight { world, atlas, sampler: &sampler, texel, seed: options.seed };
                let mut sum = Vec3::ZERO;
                for sample in 0..samples {
                    sum += light.sample(simd, sample, &transmittance).unwrap_or(Vec3::ZERO);
                }
                *irradiance = sum / samples as f32;
            }
        });
    });
    irradiance
}

/// Light that arrives at a texel.
struct TexelLight<'a> {
    world: &'a World,
    atlas: &'a Atlas,
    sampler: &'a Sampler,
    texel: u32,
    seed: u32,
}

impl TexelLight<'_> {
    /// Returns an estimate of the irradiance at a random point; `None` if no light was found.
    #[inline(always)]
    fn sample<S: Simd>(&self, simd: S, sample: u32, transmittance: &impl Fn(f32) -> f32) -> Option<Vec3> {
        let u = |dimension| self.sampler.get_2d([self.texel, 0], sample, dimension);
        let surface = self.atlas.interaction_in(self.world, self.texel, u(0), true, 0.0)?;
        let lights = self.world.lights();
        let light = lights.sample(self.world.materials(), surface.position, surface.ng, u(4).x, u(2))?;
        let cosine = light.wi.dot(surface.ng);
        if cosine <= 0.0 {
            return None;
        }
        let ray = surface.spawn_shadow_ray(light.wi, light.distance);
        let seed = AlphaSeed { pixel: [self.texel, 0], sample, stream: self.seed };
        let visible = self.world.transmittance(simd, &ray, seed);
        Some(light.radiance * visible * (cosine * transmittance(cosine) / light.pdf_solid_angle))
    }
}
