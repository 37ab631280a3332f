//! Primary surface of each pixel, through perfect mirrors and clear glass, and its motion vector.
//!
//! The ray through the centre of a pixel is followed through perfect mirrors and clear glass to the primary surface,
//! which is seen at its virtual image. The motion vector leads to the virtual image of where the surface was in the
//! previous world, by the mirrors as they were, projected into the previous view. That is exact for plane mirrors, and
//! the closer for others the smaller the motion.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_constants::path::MOST_FOLLOWED;
use sunfleck_constants::reuse::{CALM, PLANE_PIXELS, PLANE_SHARE};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer, RayStream};
use sunfleck_math::{Ray, Vec2, Vec3, vec2};
use sunfleck_sampling::rng;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{
    InstanceMotion, InteractionBlock, Panes, PreviousPoint, SurfaceInteraction, scatter,
};

use super::chain::SpecularChain;
use super::comparison::{FirstSurface, node_of};
use super::highlights::PreviousHighlights;
use super::previous_view::PreviousView;
use super::virtual_image::{reflection_at, rotation_about};
use crate::view::{RayCount, SampleId, View};

/// Primary surface at the centre of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelSurface {
    /// Hash of the node, of its material, and of the mirrors and glass in front, with the bit [`CALM`].
    pub(super) id: u32,
    /// Position in world space; 0 if the ray leaves the scene.
    pub(super) position: Vec3,
    /// Unit geometric normal; 0 if the ray leaves the scene.
    pub(super) ng: Vec3,
    /// The first surface, which may be a mirror in front, as it was in the previous frame.
    pub(super) first: FirstSurface,
    /// The same surface in the previous frame, if it existed.
    pub(super) previous: Option<PreviousSurface>,
    /// Highlights of the surface in the previous frame.
    pub(super) highlights: PreviousHighlights,
}

/// Primary surface of a pixel in the previous frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreviousSurface {
    /// Point of the previous film, pixels from the upper left corner.
    pub(super) film: Vec2,
    /// Position and geometric normal in the previous world.
    pub(super) point: PreviousPoint,
    /// Largest distance of points of the same surface from its tangent plane, metres.
    pub(super) tolerance: f32,
    /// Whether neither the surface nor the mirrors and glass in front of it have moved.
    pub(super) is_still: bool,
}

/// Ray through the centre of a pixel, as far as it has been followed.
#[derive(Clone, Copy)]
pub(super) struct FollowedRay {
    pub(super) id: SampleId,
    /// Segment after the last interface.
    pub(super) ray: Ray,
    /// Mirrors and glass that the ray has met.
    pub(super) chain: SpecularChain,
}

/// Returns the primary surfaces of all pixels of a view, row by row, and the number of rays.
///
/// * `previous` — view of the previous frame, if there is one.
pub(super) fn primary_surfaces(
    view: &View<'_>,
    previous: Option<&PreviousView<'_>>,
    level: Level,
) -> (Vec<PixelSurface>, RayCount) {
    let pass = SurfacePass { view, previous };
    let rows: Vec<(Vec<PixelSurface>, RayCount)> =
        (0..view.spec.height).into_par_iter().map(|y| pass.row(level, y)).collect();
    let mut rays = RayCount::default();
    let mut surfaces = Vec::with_capacity(rows.iter().map(|(row, _)| row.len()).sum());
    for (row, count) in rows {
        surfaces.extend(row);
        rays += count;
    }
    mark_calm(&mut surfaces, view.spec.width);
    (surfaces, rays)
}

/// Finds the primary surfaces of a view.
#[derive(Debug)]
pub(super) struct SurfacePass<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) previous: Option<&'a PreviousView<'a>>,
}

impl SurfacePass<'_> {
    /// Returns the primary surfaces of a row of pixels, and the number of rays.
    fn row(&self, level: Level, y: u32) -> (Vec<PixelSurface>, RayCount) {
        let view = self.view;
        let width = view.spec.width;
        let mut buffer = RayBuffer::with_capacity(width as usize);
        for x in 0..width {
            buffer.push(&view.camera.ray(vec2(x as f32 + 0.5, y as f32 + 0.5), Vec2::splat(0.5)));
        }
        let rays = buffer.as_stream();
        let mut hits = HitBuffer::with_len(width as usize);
        let id = |x: u32| SampleId { pixel: [x, y], sample: 0 };
        #[expect(clippy::cast_possible_truncation, reason = "less than the width")]
        let seed = |i: usize| view.alpha_seed(id(i as u32), 0);
        let (coherence, panes) = (Coherence::Coherent, Panes::ByMajority);
        let world = view.world;
        world.intersect_stream_through(level, &rays, coherence, panes, &seed, &mut hits.as_stream());
        let mut count = RayCount { intersect: width.into(), occluded: 0 };
        let surfaces = dispatch!(level, simd => self.follow_all(simd, y, &rays, &hits, &mut count));
        (surfaces, count)
    }

    fn follow_all<S: Simd>(
        &self,
        simd: S,
        y: u32,
        rays: &RayStream<'_>,
        hits: &HitBuffer,
        count: &mut RayCount,
    ) -> Vec<PixelSurface> {
        let mut surfaces = Vec::with_capacity(rays.len());
        let mut block = InteractionBlock::new();
        let all: Vec<u32> = (0..self.view.spec.width).collect();
        for which in all.chunks(LANES) {
            self.view.world.surface_interactions(simd, hits, rays.direction, which, &mut block);
            for (lane, &x) in which.iter().enumerate() {
                let i = x as usize;
                let Some(ray) = rays.get(i) else { continue };
                let first = (hits.prim_id[i] != MISS).then(|| {
                    self.view.world.surface_interaction_of(hits, i, (&block, lane), -ray.direction, 0.0)
                });
                surfaces.push(self.follow(simd, SampleId { pixel: [x, y], sample: 0 }, ray, first, count));
            }
        }
        surfaces
    }

    /// Follows a ray through perfect mirrors and clear glass.
    ///
    /// * `first` — surface that it hits.
    fn follow<S: Simd>(
        &self,
        simd: S,
        id: SampleId,
        camera_ray: Ray,
        first: Option<SurfaceInteraction>,
        rays: &mut RayCount,
    ) -> PixelSurface {
        let world = self.view.world;
        let mut found = first;
        let chain = SpecularChain::new(camera_ray.direction, self.previous.is_some());
        let mut followed = FollowedRay { id, ray: camera_ray, chain };
        for bounce in 0..=MOST_FOLLOWED {
            let Some(surface) = found else { break };
            let FollowedRay { ray, chain, .. } = &mut followed;
            let bsdf = world.bsdf(&surface).of_all_rays();
            chain.distance += surface.hit.t;
            chain.mix(self.id_of(&surface));
            if bounce == 0 {
                chain.first = self.previous_first_surface(&surface);
            }
            // The stronger of reflection and refraction is followed
            let scattering = match bsdf.is_delta() && bounce < MOST_FOLLOWED {
                true => {
                    let wo = surface.frame.local_from_world(-ray.direction);
                    scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, 0.5, Vec2::ZERO)
                }
                false => None,
            };
            let Some(scattering) = scattering else {
                return self.surface_of_hit(simd, &followed, &surface, &bsdf, rays);
            };
            let is_reflection = scattering.sample.lobe.intersects(Lobes::REFLECTION);
            let point = self.previous_point_of(&surface, surface.frame.normal);
            let image = point.map(|PreviousPoint { position, normal }| match is_reflection {
                true => reflection_at(position, normal),
                false => rotation_about(position, scattering.ray.direction, ray.direction),
            });
            chain.add_interface(image, self.is_still(&surface));
            *ray = scattering.ray;
            rays.intersect += 1;
            let hit = world.intersect_for_most(simd, ray, self.view.alpha_seed(id, 2 * bounce + 2));
            found = hit.map(|hit| world.surface_interaction(&hit, -ray.direction, 0.0));
        }
        self.surface_of_miss(&followed)
    }

    /// Returns the infinitely distant surface of a ray that leaves the scene.
    fn surface_of_miss(&self, followed: &FollowedRay) -> PixelSurface {
        let &FollowedRay { id, ray, mut chain } = followed;
        let is_still = chain.interfaces_are_still;
        let film = self.previous.zip(chain.image_from_world).and_then(|(previous, image_from_world)| {
            match previous.is_same && is_still {
                true => Some(centre(id)),
                false => previous.projection.direction(image_from_world.transform_vector3(ray.direction)),
            }
        });
        let point = PreviousPoint { position: Vec3::ZERO, normal: Vec3::ZERO };
        chain.mix(u32::MAX);
        PixelSurface {
            id: chain.id & !CALM,
            position: Vec3::ZERO,
            ng: Vec3::ZERO,
            first: chain.first,
            previous: film.map(|film| PreviousSurface { film, point, tolerance: 0.0, is_still }),
            highlights: PreviousHighlights::FIXED,
        }
    }

    /// Returns the surface at which a ray ends.
    fn surface_of_hit<S: Simd>(
        &self,
        simd: S,
        followed: &FollowedRay,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        rays: &mut RayCount,
    ) -> PixelSurface {
        let chain = &followed.chain;
        let previous = self.previous_surface(followed, surface);
        let highlights = match (&previous, bsdf.highlight_alpha()) {
            (Some(previous), Some(alpha)) => {
                self.previous_highlights(simd, followed, surface, previous, alpha, rays)
            }
            _ => PreviousHighlights::FIXED,
        };
        PixelSurface {
            id: chain.id & !CALM,
            position: surface.position,
            ng: surface.ng,
            first: chain.first,
            previous,
            highlights,
        }
    }

    /// Returns the surface at which a ray ends, as it was in the previous frame; `None` if it did not exist, or was
    /// behind the camera.
    fn previous_surface(
        &self,
        followed: &FollowedRay,
        surface: &SurfaceInteraction,
    ) -> Option<PreviousSurface> {
        let FollowedRay { id, chain, .. } = followed;
        let (previous, image_from_world) = self.previous.zip(chain.image_from_world)?;
        let point = self.previous_point_of(surface, surface.ng)?;
        let is_still = self.is_still(surface) && chain.interfaces_are_still;
        let film = match is_still && previous.is_same {
            true => centre(*id),
            false => previous.projection.point(image_from_world.transform_point3(point.position))?,
        };
        let side = self.view.camera.pixel_side(chain.direction, chain.distance);
        let tolerance = PLANE_PIXELS * side + PLANE_SHARE * chain.distance;
        Some(PreviousSurface { film, point, tolerance, is_still })
    }

    /// Returns the first surface of a camera ray, as it was in the previous frame.
    fn previous_first_surface(&self, surface: &SurfaceInteraction) -> FirstSurface {
        let point = self.previous_point_of(surface, surface.ng);
        let ng = point.map_or(surface.ng, |point| point.normal);
        FirstSurface { node: node_of(self.view.world, surface.hit.inst_id), ng }
    }

    /// Returns where a surface was, with a normal that turned with it.
    pub(super) fn previous_point_of(
        &self,
        surface: &SurfaceInteraction,
        normal: Vec3,
    ) -> Option<PreviousPoint> {
        self.previous?.motion.previous_point(&surface.hit, surface.position, normal)
    }

    fn is_still(&self, surface: &SurfaceInteraction) -> bool {
        self.previous.is_some_and(|previous| previous.motion.of(surface.hit.inst_id) == InstanceMotion::Still)
    }

    /// Returns an identifier of a surface that is the same in all frames, unless materials are added or removed.
    fn id_of(&self, surface: &SurfaceInteraction) -> u32 {
        rng::pcg(rng::pcg(node_of(self.view.world, surface.hit.inst_id)) ^ surface.material)
    }
}

/// Marks the pixels whose neighbours all show the same surface as they do. Other pixels are mixtures of surfaces, which
/// would leave a trail where edges move on, so that calm pixels must not reuse them.
///
/// * `surfaces` — those of all pixels, row by row.
fn mark_calm(surfaces: &mut [PixelSurface], width: u32) {
    let width = (width as usize).max(1);
    let ids: Vec<u32> = surfaces.iter().map(|surface| surface.id).collect();
    let rows = ids.len() / width;
    surfaces.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, surface) in row.iter_mut().enumerate() {
            let (top, bottom) = (y.saturating_sub(1), (y + 2).min(rows));
            let (left, right) = (x.saturating_sub(1), (x + 2).min(width));
            let is_calm = (top..bottom)
                .all(|y| ids[y * width + left..y * width + right].iter().all(|&id| id == surface.id));
            if is_calm {
                surface.id |= CALM;
            }
        }
    });
}

/// Returns the centre of a pixel on the film.
fn centre(id: SampleId) -> Vec2 {
    let [x, y] = id.pixel.map(|edge| edge as f32 + 0.5);
    vec2(x, y)
}
