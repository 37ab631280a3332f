//! What a camera ray sees: the first surface, through perfect mirrors and glass.

use fearless_simd::{Level, Simd};
use sunfleck_constants::path::MOST_FOLLOWED;
use sunfleck_image::Features;
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_shading::BsdfContext;
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{InteractionBlock, LastScattering, SurfaceInteraction, scatter};

use super::canvas::BandCanvas;
use crate::view::{RayCount, SampleId, View};

/// Surface that a pixel of the full image shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrimarySurface {
    /// As [`Features::albedo`].
    pub(super) albedo: Vec3,
    /// Unit shading normal.
    pub(super) normal: Vec3,
    /// Reciprocal of the length of the path to it, 1/m.
    pub(super) inverse_distance: f32,
    /// Its tangent plane; `None` behind mirrors and glass.
    pub(super) plane: Option<Plane>,
}

/// Plane through a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) point: Vec3,
    pub(super) normal: Vec3,
}

/// What a camera ray sees.
#[derive(Clone, Copy, Debug)]
pub(super) enum Primary {
    Surface(PrimarySurface),
    /// Radiance of the environment, times what mirrors and glass leave of it.
    Environment(Vec3),
}

/// Camera ray that has reached a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    pub(super) pixel: [u32; 2],
    /// The ray from the last mirror, or from the camera.
    pub(super) ray: Ray,
    pub(super) surface: SurfaceInteraction,
    /// Length of the path, metres.
    pub(super) distance: f32,
    /// Throughput of the mirrors and the glass on it.
    pub(super) throughput: Vec3,
}

/// Rays of a tile at mirrors and glass, with the buffers of their streams.
#[derive(Default)]
pub(super) struct Specular {
    pub(super) followed: Vec<Followed>,
    rays: RayBuffer,
    hits: HitBuffer,
}

impl View<'_> {
    /// Returns the features of a surface that scatters light diffusely, or glossily.
    ///
    /// * `is_first` — whether the camera sees it directly.
    #[inline(always)]
    pub(super) fn primary(&self, at: &Followed, is_first: bool) -> Primary {
        let Followed { ray, surface, distance, throughput, .. } = at;
        let bsdf = self.world.materials().bsdf(surface.material, &surface.attributes);
        let Features { albedo, normal, inverse_distance } =
            self.surface_features(surface, &bsdf, -ray.direction, *distance, *throughput);
        let plane = is_first.then_some(Plane { point: surface.position, normal: surface.ng });
        Primary::Surface(PrimarySurface { albedo, normal, inverse_distance, plane })
    }

    /// Returns the radiance that a ray sees which leaves the scene.
    #[inline(always)]
    pub(super) fn environment(&self, direction: Vec3, origin: Vec3) -> Vec3 {
        self.world.escaped(direction, &LastScattering::delta(origin))
    }

    /// Follows all rays through mirrors and glass, and draws what each of them sees.
    #[inline(always)]
    pub(super) fn follow<S: Simd>(
        &self,
        simd: S,
        level: Level,
        specular: &mut Specular,
        count: &mut RayCount,
        canvas: &mut BandCanvas<'_>,
    ) {
        let Specular { followed, rays, hits } = specular;
        let mut block = InteractionBlock::new();
        for bounce in 0..MOST_FOLLOWED {
            rays.clear();
            let mut left = 0;
            for i in 0..followed.len() {
                let mut at = followed[i];
                if self.scattered(&mut at) {
                    rays.push(&at.ray);
                    followed[left] = at;
                    left += 1;
                } else {
                    canvas.draw(at.pixel, &self.primary(&at, bounce == 0));
                }
            }
            followed.truncate(left);
            if followed.is_empty() {
                return;
            }
            let stream = rays.as_stream();
            hits.resize(stream.len());
            let id = |i: usize| SampleId { pixel: followed[i].pixel, sample: 0 };
            let seed = |i: usize| self.alpha_seed(id(i), 2 * bounce + 2);
            let coherence = Coherence::Incoherent;
            self.world.intersect_stream(level, &stream, coherence, &seed, &mut hits.as_stream());
            count.intersect += stream.len() as u64;
            #[expect(clippy::cast_possible_truncation, reason = "at most one ray per pixel of a tile")]
            let all: Vec<u32> = (0..followed.len() as u32).collect();
            for which in all.chunks(LANES) {
                self.world.surface_interactions(simd, hits, stream.direction, which, &mut block);
                for (lane, &i) in which.iter().enumerate() {
                    let (i, at) = (i as usize, &mut followed[i as usize]);
                    if hits.prim_id[i] == MISS {
                        continue;
                    }
                    let wo = -at.ray.direction;
                    at.surface = self.world.surface_interaction_of(hits, i, (&block, lane), wo, 0.0);
                    at.distance += hits.t[i];
                }
            }
            left = 0;
            for i in 0..followed.len() {
                let at = followed[i];
                if hits.prim_id[i] == MISS {
                    let radiance = at.throughput * self.environment(at.ray.direction, at.ray.origin);
                    canvas.draw(at.pixel, &Primary::Environment(radiance));
                } else {
                    followed[left] = at;
                    left += 1;
                }
            }
            followed.truncate(left);
        }
        for at in followed.iter() {
            canvas.draw(at.pixel, &self.primary(at, false));
        }
        followed.clear();
    }

    /// Reflects or refracts a ray, whichever is stronger, unless the surface is neither a mirror nor clear glass. Returns
    /// whether it did.
    #[inline(always)]
    fn scattered(&self, at: &mut Followed) -> bool {
        let bsdf = self.world.materials().bsdf(at.surface.material, &at.surface.attributes);
        if !bsdf.is_delta() {
            return false;
        }
        let local = at.surface.frame.local_from_world(-at.ray.direction);
        match scatter(&at.surface, &bsdf, BsdfContext::RADIANCE, local, 0.5, Vec2::ZERO) {
            Some(scattering) => {
                at.throughput *= scattering.sample.throughput;
                at.ray = scattering.ray;
                true
            }
            None => false,
        }
    }
}
