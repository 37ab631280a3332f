//! Next-event estimation with multiple importance sampling [Veach95].

use sunfleck_kernel::Hit;
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_sampling::mis;
use sunfleck_shading::Bsdf;

use crate::world::{SurfacePoint, World};

/// Light that reaches the viewer by way of a surface, if nothing blocks it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectLight {
    /// From the surface to the light.
    pub(crate) shadow_ray: Ray,
    /// Radiance towards the viewer.
    pub(crate) radiance: Vec3,
    /// Which light, in the order of the table.
    pub(crate) light: usize,
}

/// What the last scattering of a path says about light found by following it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scattered {
    /// Where it happened.
    pub(crate) from: Vec3,
    /// Its density; `None` if light sampling could not have made this direction (camera rays, delta lobes).
    pub(crate) pdf_solid_angle: Option<f32>,
}

/// Whether light sampling shares its work with BSDF sampling, or does it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Technique {
    Combined,
    Alone,
}

impl World {
    /// Picks a light and a point on it. `None`: this sample brings nothing.
    #[inline(always)]
    pub(crate) fn sample_direct(
        &self,
        surface: &SurfacePoint,
        bsdf: &Bsdf,
        wo: Vec3,
        light_u: f32,
        point_u: Vec2,
        technique: Technique,
    ) -> Option<DirectLight> {
        let light = self.lights.sample(&self.materials, surface.position, light_u, point_u)?;
        let wi = surface.frame.local_from_world(light.wi);
        if !consistent(surface, light.wi, wi) {
            return None;
        }
        let scattering = bsdf.eval(wo, wi);
        if scattering == Vec3::ZERO {
            return None;
        }
        let weight = match technique {
            Technique::Combined if !light.delta => {
                mis::power(light.pdf_solid_angle, bsdf.pdf_solid_angle(wo, wi))
            }
            Technique::Combined | Technique::Alone => 1.0,
        };
        let radiance = scattering * light.radiance * (weight / light.pdf_solid_angle);
        let shadow_ray = surface.shadow_ray(light.wi, light.distance);
        Some(DirectLight { shadow_ray, radiance, light: light.light })
    }

    /// Radiance of the surface itself towards the viewer, weighted against light sampling.
    #[inline(always)]
    pub(crate) fn emitted(&self, surface: &SurfacePoint, wo_world: Vec3, last: &Scattered) -> Vec3 {
        if !self.materials.is_emissive(surface.material) {
            return Vec3::ZERO;
        }
        if wo_world.dot(surface.ng) <= 0.0 && !self.materials.is_double_sided(surface.material) {
            return Vec3::ZERO;
        }
        let radiance = self.materials.emission(surface.material, &surface.attributes);
        let Some(pdf) = last.pdf_solid_angle else { return radiance };
        let Hit { inst_id, prim_id, .. } = surface.hit;
        radiance * mis::power(pdf, self.lights.pdf_triangle(inst_id, prim_id, last.from, surface.position))
    }

    /// Radiance of the environment along a ray that left the scene, weighted against light sampling.
    #[inline(always)]
    pub(crate) fn escaped(&self, direction: Vec3, last: &Scattered) -> Vec3 {
        let radiance = self.lights.environment_radiance(direction);
        if radiance == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let Some(pdf) = last.pdf_solid_angle else { return radiance };
        radiance * mis::power(pdf, self.lights.pdf_environment(direction))
    }
}

/// Whether a direction lies on the same side of the shading and of the geometric surface: otherwise light would leak
/// through, or fall on a side that the surface does not have.
#[inline(always)]
pub(crate) fn consistent(surface: &SurfacePoint, world: Vec3, local: Vec3) -> bool {
    world.dot(surface.ng) * local.z > 0.0
}
