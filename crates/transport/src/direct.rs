//! Next-event estimation with multiple importance sampling [Veach95].

use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::mis;
use sunfleck_shading::{Bsdf, BsdfContext, LightSample};

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
        // A constant environment is sampled on the side of the viewer only, see `LightTable::pdf_environment`
        let receiver_normal = if wo.z < 0.0 { -surface.ng } else { surface.ng };
        let light =
            self.lights.sample(&self.materials, surface.position, receiver_normal, light_u, point_u)?;
        let radiance = reflected_radiance(surface.ng, &surface.frame, bsdf, wo, &light, sampling);
        if radiance == Vec3::ZERO {
            return None;
        }
        let shadow_ray = surface.spawn_shadow_ray(light.wi, light.distance);
        Some(DirectLight { shadow_ray, radiance, light: light.light })
    }
}

/// Returns the estimate of the radiance towards the viewer by a light sample, as [`DirectLight::radiance`]; black if
/// nothing is reflected.
///
/// * `ng`, `frame` — geometric normal and shading frame of the surface.
/// * `wo` — direction to the viewer, in the shading frame.
#[inline(always)]
pub fn reflected_radiance(
    ng: Vec3,
    frame: &Frame,
    bsdf: &Bsdf,
    wo: Vec3,
    light: &LightSample,
    sampling: DirectSampling,
) -> Vec3 {
    let wi = frame.local_from_world(light.wi);
    let context = BsdfContext::RADIANCE;
    let scattering = bsdf.eval(context, wo, wi);
    if !same_hemisphere(ng, light.wi, wi) || scattering == Vec3::ZERO {
        return Vec3::ZERO;
    }
    let weight = match sampling {
        DirectSampling::Mis if !light.delta => {
            mis::power(light.pdf_solid_angle, bsdf.pdf_solid_angle(context, wo, wi))
        }
        DirectSampling::Mis | DirectSampling::LightsOnly => 1.0,
    };
    scattering * light.radiance * (weight / light.pdf_solid_angle)
}
