//! Features of camera rays for denoising, through perfect mirrors and clear glass.
//!
//! A denoiser keeps the edges and textures that it knows of. What is seen in a mirror is known only if the features are
//! those of the reflected surface. At glass, one of reflection and refraction is followed, with the random number by
//! which the path of the same sample decides, so that features and light are of the same surface.

use fearless_simd::Simd;
use sunfleck_constants::path::{MOST_FOLLOWED, VERTEX_BITS};
use sunfleck_image::Features;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_shading::{Bsdf, BsdfContext};
use sunfleck_transport::{LastScattering, SurfaceInteraction, scatter};

use crate::dimension::Vertex;
use crate::view::{RayCount, SampleId, View};

impl View<'_> {
    /// Returns the features of a camera ray.
    ///
    /// * `first` — the surface that the ray hits. * `bsdf` — that of the surface.
    /// * `wo` — unit direction to the viewer. * `distance` — length of the ray.
    pub(crate) fn features<S: Simd>(
        &self,
        simd: S,
        first: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        distance: f32,
        id: SampleId,
        rays: &mut RayCount,
    ) -> Features {
        let (mut surface, mut bsdf, mut wo, mut distance) = (*first, *bsdf, wo, distance);
        let mut left = Vec3::ONE;
        // As `SampleResult::node`, so that alpha tests decide as those of the path
        let mut node = 0u32;
        for bounce in 0..MOST_FOLLOWED {
            if !bsdf.is_delta() {
                break;
            }
            let lobe_u = self.sampler.get_1d(id.pixel, id.sample, Vertex::new(bounce).lobe());
            let local = surface.frame.local_from_world(wo);
            let scattering = scatter(&surface, &bsdf, BsdfContext::RADIANCE, local, lobe_u, Vec2::ZERO);
            let Some(scattering) = scattering else { break };
            left *= scattering.sample.throughput;
            node += 1 + (u32::from(bsdf.is_passed(scattering.sample.lobe)) << VERTEX_BITS);
            rays.intersect += 1;
            let ray = scattering.ray;
            let Some(hit) = self.world.intersect(simd, &ray, self.alpha_seed(id, 2 * node)) else {
                return Features { albedo: left.min(Vec3::ONE), ..Features::MISS };
            };
            wo = -ray.direction;
            surface = self.world.surface_interaction(&hit, wo, 0.0);
            bsdf = self.world.bsdf(&surface);
            distance += hit.t;
        }
        self.surface_features(&surface, &bsdf, wo, distance, left)
    }

    /// Returns the features of a surface.
    ///
    /// * `left` — what mirrors and glass between the viewer and the surface leave of its light.
    pub(crate) fn surface_features(
        &self,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        distance: f32,
        left: Vec3,
    ) -> Features {
        let emitted = self.world.emitted(surface, wo, &LastScattering::delta(surface.position));
        let mu = surface.frame.normal.dot(wo).abs().min(1.0);
        Features {
            albedo: (left * (bsdf.reflectance(mu) + emitted)).min(Vec3::ONE),
            normal: surface.frame.normal,
            inverse_distance: distance.max(f32::MIN_POSITIVE).recip(),
        }
    }
}
