//! Scattering at a surface: sampling of the bsdf, the same-hemisphere test, and the next ray.

use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_shading::{Bsdf, BsdfContext, BsdfSample, Lobes};

use crate::{LastScattering, SurfaceInteraction};

/// Next segment of a path.
#[derive(Clone, Copy, Debug)]
pub struct Scattering {
    /// Ray that leaves the surface, with a unit direction.
    pub ray: Ray,
    /// Direction, throughput, density and lobe sampled by the bsdf.
    pub sample: BsdfSample,
}

impl Scattering {
    /// Returns the data of this scattering at `surface` that multiple importance sampling needs at the next vertex.
    ///
    /// * `before` — the scattering before this one. Behind a pane of thin glass it is still the last one, since shadow
    ///   rays pass the pane, too.
    #[inline(always)]
    pub fn last(&self, surface: &SurfaceInteraction, bsdf: &Bsdf, before: &LastScattering) -> LastScattering {
        if bsdf.is_passed(self.sample.lobe) {
            return *before;
        }
        let pdf_solid_angle = (!self.sample.is_delta()).then_some(self.sample.pdf_solid_angle);
        let is_transmitted = self.sample.lobe.intersects(Lobes::TRANSMISSION);
        LastScattering { position: surface.position, pdf_solid_angle, is_transmitted }
    }
}

/// Samples the bsdf and spawns the next ray. Returns `None` if nothing is scattered into the sampled direction, or if
/// geometric and shading normal disagree about its side.
///
/// * `context` — lobes to sample, and whether the path carries radiance or importance.
/// * `wo` — direction that the path comes from, in the shading frame.
/// * `lobe_u`, `u` — uniform in [0, 1).
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
    let ray = match bsdf.is_passed(sample.lobe) {
        true => passed(surface, wo),
        false => spawn(surface, sample.wi)?,
    };
    Some(Scattering { ray, sample })
}

/// Returns the ray that goes straight on through a pane of thin glass. Geometric and shading normal may disagree about
/// the side of the viewer, since shadow rays know no shading normal.
///
/// * `wo` — direction that the ray comes from, in the shading frame.
#[inline(always)]
pub fn passed(surface: &SurfaceInteraction, wo: Vec3) -> Ray {
    surface.spawn_ray(surface.frame.world_from_local(-wo).normalize_or(-surface.ng))
}

/// Spawns the ray that leaves a surface along a direction. Returns `None` if geometric and shading normal disagree
/// about its side.
///
/// * `wi` — unit direction in the shading frame.
#[inline(always)]
pub fn spawn(surface: &SurfaceInteraction, wi: Vec3) -> Option<Ray> {
    leaving_direction(surface.ng, &surface.frame, wi).map(|direction| surface.spawn_ray(direction))
}

/// Returns the unit direction in world space of a direction that leaves a surface; see [`spawn`].
///
/// * `ng`, `frame` — geometric normal and shading frame of the surface.
/// * `wi` — unit direction in the shading frame.
#[inline(always)]
pub fn leaving_direction(ng: Vec3, frame: &Frame, wi: Vec3) -> Option<Vec3> {
    let direction = frame.world_from_local(wi).normalize_or(ng);
    same_hemisphere(ng, direction, wi).then_some(direction)
}

/// Returns whether a direction lies on the same side of the geometric and of the shading normal. Other directions would
/// leak light through the surface.
///
/// * `ng` — geometric normal.
/// * `world`, `local` — the same direction in the world and in the shading frame.
#[inline(always)]
pub(crate) fn same_hemisphere(ng: Vec3, world: Vec3, local: Vec3) -> bool {
    world.dot(ng) * local.z > 0.0
}
