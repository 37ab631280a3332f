//! What a camera ray sees: the first surface, through perfect mirrors and glass.

use fearless_simd::{Level, Simd};
use sunfleck_constants::path::MOST_FOLLOWED;
use sunfleck_image::Features;
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_shading::BsdfContext;
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{InteractionBlock, LastScattering, Panes, SurfaceInteraction, scatter};

use super::canvas::BandCanvas;
use super::light::BRIGHT;
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
    /// Radiance of an emitter or of the environment, times what mirrors and glass leave of it.
    Radiance(Vec3),
}

/// Camera ray behind the mirrors and the glass that it has met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    pub(super) pixel: [u32; 2],
    /// The ray from the last mirror, or from the camera.
    pub(super) ray: Ray,
    /// Length of the path up to its origin, metres.
    pub(super) distance: f32,
    /// Throughput of the mirrors and the glass.
    pub(super) throughput: Vec3,
    /// Whether the ray has gone straight on through panes only, so that it sees what is behind the scene.
    pub(super) is_straight: bool,
}

/// Rays at mirrors and glass, with the buffers of their streams.
#[derive(Default)]
pub(super) struct Specular {
    pub(super) followed: Vec<Followed>,
    rays: RayBuffer,
    hits: HitBuffer,
}

impl View<'_> {
    /// Reflects or refracts a ray that has reached a surface, whichever is stronger; then returns `None`, since the ray
    /// goes on. If the surface is neither a mirror nor clear glass, returns its features, or the radiance that it
    /// emits.
    ///
    /// * `is_followed` — whether to follow it; else mirrors and glass have features, too.
    #[inline(always)]
    pub(super) fn follow_or_primary(
        &self,
        at: &mut Followed,
        surface: &SurfaceInteraction,
        is_first: bool,
        is_followed: bool,
    ) -> Option<Primary> {
        let own = self.world.bsdf(surface);
        let bsdf = own.of_all_rays();
        let wo = -at.ray.direction;
        if bsdf.is_delta() && is_followed {
            let local = surface.frame.local_from_world(wo);
            let scattering = scatter(surface, &bsdf, BsdfContext::RADIANCE, local, 0.5, Vec2::ZERO);
            if let Some(scattering) = scattering {
                at.throughput *= scattering.sample.throughput;
                at.is_straight &= own.is_passed(scattering.sample.lobe);
                at.ray = scattering.ray;
                return None;
            }
        }
        let emitted = self.world.emitted(surface, wo, &LastScattering::delta(at.ray.origin));
        if emitted.max_element() > BRIGHT {
            return Some(Primary::Radiance(at.throughput * emitted));
        }
        let Features { albedo, normal, inverse_distance } =
            self.surface_features(surface, &bsdf, wo, at.distance, at.throughput);
        let plane = is_first.then_some(Plane { point: surface.position, normal: surface.ng });
        Some(Primary::Surface(PrimarySurface { albedo, normal, inverse_distance, plane }))
    }

    /// Returns the radiance that a ray sees which leaves the scene.
    ///
    /// * `is_straight` — whether it is that of the camera, and thus sees the background instead of the environment.
    #[inline(always)]
    pub(super) fn beyond(&self, direction: Vec3, origin: Vec3, is_straight: bool) -> Vec3 {
        if is_straight && !self.spec.shows_environment {
            return Vec3::ZERO;
        }
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
        // The first surface is known
        for bounce in 1..=MOST_FOLLOWED {
            if followed.is_empty() {
                return;
            }
            rays.clear();
            followed.iter().for_each(|at| rays.push(&at.ray));
            let stream = rays.as_stream();
            hits.resize(stream.len());
            let id = |i: usize| SampleId { pixel: followed[i].pixel, sample: 0 };
            let seed = |i: usize| self.alpha_seed(id(i), 2 * bounce);
            let (coherence, panes) = (Coherence::Incoherent, Panes::ClearByMajority);
            let found = &mut hits.as_stream();
            self.world.intersect_stream_through(level, &stream, coherence, panes, &seed, found);
            count.intersect += stream.len() as u64;
            let (mut remaining, mut first) = (0, 0);
            while first < followed.len() {
                let end = (first + LANES).min(followed.len());
                #[expect(clippy::cast_possible_truncation, reason = "at most one ray per pixel of a band")]
                let which: [u32; LANES] = std::array::from_fn(|lane| (first + lane).min(end - 1) as u32);
                let which = &which[..end - first];
                self.world.surface_interactions(simd, hits, stream.direction, which, &mut block);
                for lane in 0..which.len() {
                    let i = first + lane;
                    let mut at = followed[i];
                    if hits.prim_id[i] == MISS {
                        let seen = self.beyond(at.ray.direction, at.ray.origin, at.is_straight);
                        canvas.draw(simd, at.pixel, &Primary::Radiance(at.throughput * seen));
                        continue;
                    }
                    at.distance += hits.t[i];
                    let wo = -at.ray.direction;
                    let surface = self.world.surface_interaction_of(hits, i, (&block, lane), wo, 0.0);
                    match self.follow_or_primary(&mut at, &surface, false, bounce < MOST_FOLLOWED) {
                        Some(primary) => canvas.draw(simd, at.pixel, &primary),
                        None => {
                            followed[remaining] = at;
                            remaining += 1;
                        }
                    }
                }
                first = end;
            }
            followed.truncate(remaining);
        }
    }
}
