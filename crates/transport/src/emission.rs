//! Radiance of lights that a sampled direction hits, weighted against light sampling [Veach95, balance and power
//! heuristics].

use sunfleck_kernel::Hit;
use sunfleck_math::{Vec3, vec2};
use sunfleck_sampling::mis;
use sunfleck_shading::SurfaceAttributes;

use crate::{SurfaceInteraction, World};

/// Scattering at the previous vertex of a path, as multiple importance sampling needs it.
#[derive(Clone, Copy, Debug)]
pub struct LastScattering {
    /// Position of the vertex, in the world.
    pub position: Vec3,
    /// Density of the sampled direction, sr⁻¹; `None` if light sampling cannot sample it (camera rays, delta lobes).
    pub pdf_solid_angle: Option<f32>,
    /// Whether the sampled direction is on the other side of the surface than the viewer.
    pub is_transmitted: bool,
}

impl LastScattering {
    /// Returns a vertex from which light sampling cannot sample the direction, such as a camera or a mirror.
    pub fn delta(position: Vec3) -> Self {
        Self { position, pdf_solid_angle: None, is_transmitted: false }
    }
}

impl World {
    /// Returns the radiance that a surface emits towards the viewer, weighted against light sampling.
    ///
    /// * `wo_world` — unit direction to the viewer, in world space.
    #[inline(always)]
    pub fn emitted(&self, surface: &SurfaceInteraction, wo_world: Vec3, last: &LastScattering) -> Vec3 {
        let is_front = wo_world.dot(surface.ng) > 0.0;
        let radiance = self.emission(surface.material, &surface.attributes, is_front);
        if radiance == Vec3::ZERO {
            return radiance;
        }
        let Some(pdf) = last.pdf_solid_angle else { return radiance };
        let Hit { inst_id, prim_id, u, v, .. } = surface.hit;
        let at = vec2(u, v);
        let light_pdf = self.lights.pdf_surface(inst_id, prim_id, last.position, surface.position, at);
        radiance * mis::power(pdf, light_pdf)
    }

    /// Returns the radiance that a side of a surface emits.
    #[inline(always)]
    pub fn emission(&self, material: u32, at: &SurfaceAttributes, is_front: bool) -> Vec3 {
        let emits =
            self.materials.is_emissive(material) && (is_front || self.materials.is_double_sided(material));
        if emits { self.materials.emission(material, at) } else { Vec3::ZERO }
    }

    /// Returns the radiance of the environment along a ray that left the scene, weighted against light sampling.
    ///
    /// * `direction` — unit direction of the ray.
    #[inline(always)]
    pub fn escaped(&self, direction: Vec3, last: &LastScattering) -> Vec3 {
        let radiance = self.lights.environment_radiance(direction);
        if radiance == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let Some(pdf) = last.pdf_solid_angle else { return radiance };
        radiance * mis::power(pdf, self.lights.pdf_environment(direction, last.is_transmitted))
    }
}
