//! Scattering at a surface: sampling a BSDF, the test of the side, and the next ray.

use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_shading::{Bsdf, BsdfContext, BsdfSample};

use crate::{LastScattering, SurfaceInteraction};

/// The next segment of a path.
#[derive(Clone, Copy, Debug)]
pub struct Scattering {
    /// Leaves the surface, unit direction.
    pub ray: Ray,
    /// Direction, throughput, density and lobe as the BSDF sampled them.
    pub sample: BsdfSample,
}

impl Scattering {
    /// What the next vertex must know of this scattering at `surface`.
    #[inline(always)]
    pub fn last(&self, surface: &SurfaceInteraction) -> LastScattering {
        let pdf_solid_angle = (!self.sample.is_delta()).then_some(self.sample.pdf_solid_angle);
        LastScattering { position: surface.position, pdf_solid_angle }
    }
}

/// Samples the BSDF and makes the ray that goes on. `None`: nothing is scattered into the sampled direction, or it lies on
/// different sides of the shading and of the geometric surface.
///
/// * `context` — lobes to sample, and whether the path carries radiance or importance. * `wo` — where the path comes from, in the shading frame. * `lobe_u`, `u` — uniform in [0, 1).
#[inline(always)]
pub fn scatter(
    surface: &SurfaceInteraction,
    bsdf: &Bsdf,
    context: BsdfContext,
    wo: Vec3,
    lobe_u: f32,
    u: Vec2,
) -> Option<Scattering> {
    let sample = bsdf.sample(context, wo, lobe_u, u)?;
    Some(Scattering { ray: spawn(surface, sample.wi)?, sample })
}

/// The ray that leaves a surface along a direction of its shading frame, if that is on the same side of both normals.
///
/// * `wi` — unit, in the shading frame.
#[inline(always)]
pub fn spawn(surface: &SurfaceInteraction, wi: Vec3) -> Option<Ray> {
    let direction = surface.frame.world_from_local(wi).normalize_or(surface.ng);
    same_hemisphere(surface, direction, wi).then(|| surface.spawn_ray(direction))
}

/// Whether a direction lies on the same side of the shading and of the geometric surface: otherwise light would leak
/// through, or fall on a side that the surface does not have.
///
/// * `world`, `local` — the same direction in the world and in the shading frame.
#[inline(always)]
pub(crate) fn same_hemisphere(surface: &SurfaceInteraction, world: Vec3, local: Vec3) -> bool {
    world.dot(surface.ng) * local.z > 0.0
}
