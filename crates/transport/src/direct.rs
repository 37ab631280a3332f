//! Next-event estimation with multiple importance sampling [Veach95].

use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_sampling::mis;
use sunfleck_shading::{Bsdf, BsdfContext};

use crate::scatter::same_hemisphere;
use crate::{SurfaceInteraction, World};

/// Light sample: unoccluded radiance that a surface reflects towards the viewer.
#[derive(Clone, Copy, Debug)]
pub struct DirectLight {
    /// Ray from the surface to the light.
    pub shadow_ray: Ray,
    /// Estimate of the radiance towards the viewer, W/(m² sr): includes bsdf, MIS weight and density, but not
    /// visibility.
    pub radiance: Vec3,
    /// Index of the light in the light table.
    pub light: usize,
}

/// Weighting of light samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectSampling {
    /// Multiple importance sampling of lights and bsdf, with the power heuristic.
    Mis,
    /// Only lights are sampled, with weight 1.
    LightsOnly,
}

impl World {
    /// Samples a light and a point on it. Returns `None` if the sample contributes nothing.
    ///
    /// * `wo` — direction to the viewer, in the shading frame. * `light_u`, `point_u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample_direct(
        &self,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        light_u: f32,
        point_u: Vec2,
        sampling: DirectSampling,
    ) -> Option<DirectLight> {
        // No bsdf transmits but specular ones, for which lights are not sampled
        let facing = if wo.z < 0.0 { -surface.ng } else { surface.ng };
        let light = self.lights.sample(&self.materials, surface.position, facing, light_u, point_u)?;
        let wi = surface.frame.local_from_world(light.wi);
        if !same_hemisphere(surface, light.wi, wi) {
            return None;
        }
        let context = BsdfContext::RADIANCE;
        let scattering = bsdf.eval(context, wo, wi);
        if scattering == Vec3::ZERO {
            return None;
        }
        let weight = match sampling {
            DirectSampling::Mis if !light.delta => {
                mis::power(light.pdf_solid_angle, bsdf.pdf_solid_angle(context, wo, wi))
            }
            DirectSampling::Mis | DirectSampling::LightsOnly => 1.0,
        };
        let radiance = scattering * light.radiance * (weight / light.pdf_solid_angle);
        let shadow_ray = surface.spawn_shadow_ray(light.wi, light.distance);
        Some(DirectLight { shadow_ray, radiance, light: light.light })
    }
}
