//! What the centre of each pixel shows, and where that was in the frame before: motion vectors.
//!
//! Rays are followed through perfect mirrors and glass. The point that is seen at their end is moved to where it seems
//! to be, its image in the mirror, by reflecting it at the planes of the mirrors. The image of where it was before, in
//! the mirrors as they were before, is projected into the earlier view. That is exact for plane mirrors, and the closer
//! for others the smaller the motion.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_constants::path::MOST_FOLLOWED;
use sunfleck_constants::reuse::{CALM, HIGHLIGHT_TURN, IMAGE_ALPHA, MOST_FRAMES};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer, RayStream};
use sunfleck_math::{Affine3, Ray, Vec2, Vec3, vec2};
use sunfleck_sampling::rng;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{
    EarlierPoint, InstanceMotion, InteractionBlock, Motion, SurfaceInteraction, scatter, spawn,
};

use super::chain::Chain;
use super::comparison::FirstSurface;
use super::fold::{bent, mirrored};
use super::projection::FilmProjection;
use crate::view::{RayCount, SampleId, View};

/// What the centre of a pixel shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenSurface {
    /// Hash of the node, of its material slot, and of the mirrors in front, with the bit [`CALM`].
    pub(super) id: u32,
    /// Position in the world; 0 of a ray that leaves the scene.
    pub(super) position: Vec3,
    /// Unit geometric normal; 0 of a ray that leaves the scene.
    pub(super) ng: Vec3,
    /// The first surface, which may be a mirror in front, as it was in the frame before.
    pub(super) first: FirstSurface,
    /// The same surface in the frame before, if it existed.
    pub(super) past: Option<PastSurface>,
    /// Where the highlights of the surface were in the frame before.
    pub(super) highlights: PastHighlights,
}

/// A surface in the frame before.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastSurface {
    /// Point of the earlier film, pixels from the upper left corner.
    pub(super) film: Vec2,
    /// Position and normal in the earlier world.
    pub(super) point: EarlierPoint,
    /// Largest distance of points of the same surface from its tangent plane, metres.
    pub(super) tolerance: f32,
    /// Whether neither the surface nor the mirrors in front of it have moved.
    pub(super) is_still: bool,
}

/// Highlights in the frame before.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastHighlights {
    /// Point of the earlier film; `None` if they moved with the surface, or did not exist.
    pub(super) film: Option<Vec2>,
    /// Largest number of frames that they may be a mean of, unless they are found at `film`.
    pub(super) most_frames: f32,
}

impl PastHighlights {
    /// Highlights that stay where they are on the surface.
    const FIXED: Self = Self { film: None, most_frames: MOST_FRAMES };
}

/// The frame before, as far as motion depends on it.
#[derive(Debug)]
pub(super) struct EarlierView<'a> {
    pub(super) motion: Motion<'a>,
    pub(super) projection: FilmProjection,
    /// Position of the camera.
    pub(super) origin: Vec3,
    /// Whether the camera is the same.
    pub(super) is_same: bool,
    /// Whether the world is the same.
    pub(super) is_same_world: bool,
}

impl EarlierView<'_> {
    /// Returns the unit direction from a point to the earlier camera; `None` at its position.
    fn to_viewer(&self, position: Vec3) -> Option<Vec3> {
        match self.projection.is_parallel {
            true => self.projection.backward(),
            false => (self.origin - position).try_normalize(),
        }
    }
}

/// Finds the surfaces of a view.
#[derive(Debug)]
pub(super) struct SurfacePass<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) before: Option<&'a EarlierView<'a>>,
}

impl SurfacePass<'_> {
    /// Returns the surfaces of a row of pixels, and the number of rays.
    pub(super) fn row(&self, level: Level, y: u32) -> (Vec<SeenSurface>, RayCount) {
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
        view.world.intersect_stream(level, &rays, Coherence::Coherent, &seed, &mut hits.as_stream());
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
    ) -> Vec<SeenSurface> {
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

    /// Follows a ray through mirrors and glass.
    ///
    /// * `first` — the surface that it hits.
    fn follow<S: Simd>(
        &self,
        simd: S,
        id: SampleId,
        camera_ray: Ray,
        first: Option<SurfaceInteraction>,
        rays: &mut RayCount,
    ) -> SeenSurface {
        let world = self.view.world;
        let (mut ray, mut found) = (camera_ray, first);
        let mut chain = Chain::new(camera_ray.direction, self.before.is_some());
        for bounce in 0..=MOST_FOLLOWED {
            let Some(surface) = found else { break };
            let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
            chain.distance += surface.hit.t;
            chain.mix(self.id_of(&surface));
            if bounce == 0 {
                chain.first = self.first_before(&surface);
            }
            // Of reflection and refraction, the stronger one
            let scattering = match bsdf.is_delta() && bounce < MOST_FOLLOWED {
                true => {
                    let wo = surface.frame.local_from_world(-ray.direction);
                    scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, 0.5, Vec2::ZERO)
                }
                false => None,
            };
            let Some(scattering) = scattering else {
                return self.seen(simd, id, &surface, &bsdf, &ray, &chain, rays);
            };
            let is_reflection = scattering.sample.lobe.intersects(Lobes::REFLECTION);
            let fold = self.point_before(&surface, surface.frame.normal).map(|point| match is_reflection {
                true => mirrored(point.position, point.ng),
                false => bent(point.position, scattering.ray.direction, ray.direction),
            });
            chain.fold(fold, self.is_still(&surface));
            ray = scattering.ray;
            rays.intersect += 1;
            let hit = world.intersect(simd, &ray, self.view.alpha_seed(id, 2 * bounce + 2));
            found = hit.map(|hit| world.surface_interaction(&hit, -ray.direction, 0.0));
        }
        self.nothing(id, &ray, &chain)
    }

    /// Returns what a ray that leaves the scene shows.
    fn nothing(&self, id: SampleId, ray: &Ray, chain: &Chain) -> SeenSurface {
        let film = self.before.zip(chain.folded).and_then(|(before, folded)| {
            match before.is_same && chain.mirrors_are_still {
                true => Some(centre(id)),
                false => before.projection.direction(folded.transform_vector3(ray.direction)),
            }
        });
        let point = EarlierPoint { position: Vec3::ZERO, ng: Vec3::ZERO };
        let past =
            film.map(|film| PastSurface { film, point, tolerance: 0.0, is_still: chain.mirrors_are_still });
        let mut chain = *chain;
        chain.mix(u32::MAX);
        let (position, ng, highlights) = (Vec3::ZERO, Vec3::ZERO, PastHighlights::FIXED);
        SeenSurface { id: chain.id & !CALM, position, ng, first: chain.first, past, highlights }
    }

    /// Returns what a ray shows that ends at a surface.
    fn seen<S: Simd>(
        &self,
        simd: S,
        id: SampleId,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        ray: &Ray,
        chain: &Chain,
        rays: &mut RayCount,
    ) -> SeenSurface {
        let mut seen = SeenSurface {
            id: chain.id & !CALM,
            position: surface.position,
            ng: surface.ng,
            first: chain.first,
            past: None,
            highlights: PastHighlights::FIXED,
        };
        let (Some(before), Some(folded)) = (self.before, chain.folded) else { return seen };
        let Some(point) = self.point_before(surface, surface.ng) else { return seen };
        let is_still = self.is_still(surface) && chain.mirrors_are_still;
        let film = match is_still && before.is_same {
            true => Some(centre(id)),
            false => before.projection.point(folded.transform_point3(point.position)),
        };
        let Some(film) = film else { return seen };
        let side = self.view.camera.pixel_side(chain.direction, chain.distance);
        let tolerance = super::tolerance(side, chain.distance);
        seen.past = Some(PastSurface { film, point, tolerance, is_still });
        if let Some(alpha) = bsdf.highlight_alpha() {
            seen.highlights =
                self.highlights(simd, id, surface, ray, chain, point, folded, alpha, is_still, rays);
        }
        seen
    }

    /// Returns where the highlights of a surface were.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one point")]
    fn highlights<S: Simd>(
        &self,
        simd: S,
        id: SampleId,
        surface: &SurfaceInteraction,
        ray: &Ray,
        chain: &Chain,
        point: EarlierPoint,
        folded: Affine3,
        alpha: f32,
        is_still: bool,
        rays: &mut RayCount,
    ) -> PastHighlights {
        let Some(before) = self.before else { return PastHighlights::FIXED };
        let to_viewer = -ray.direction;
        let at_rest = is_still && before.is_same;
        let turn = match chain.is_direct && !at_rest {
            true => (before.to_viewer(point.position).unwrap_or(to_viewer) - to_viewer).length(),
            false => 0.0,
        };
        let most_frames = (HIGHLIGHT_TURN * alpha / turn.max(f32::MIN_POSITIVE)).clamp(1.0, MOST_FRAMES);
        let fixed = PastHighlights { film: None, most_frames };
        if alpha > IMAGE_ALPHA || (at_rest && before.is_same_world) {
            return fixed;
        }
        // The image of what is seen in the direction of ideal reflection
        let wo = surface.frame.local_from_world(to_viewer);
        let Some(reflected) = spawn(surface, Vec3::new(-wo.x, -wo.y, wo.z)) else { return fixed };
        rays.intersect += 1;
        let hit =
            self.view.world.intersect(simd, &reflected, self.view.alpha_seed(id, 2 * MOST_FOLLOWED + 4));
        let reflects_still = hit.is_none_or(|hit| before.motion.of(hit.inst_id) == InstanceMotion::Still);
        if at_rest && reflects_still {
            return fixed;
        }
        let normal = match self.point_before(surface, surface.frame.normal) {
            Some(point) => point.ng,
            None => return fixed,
        };
        let folded = folded * mirrored(point.position, normal);
        let film = match hit {
            None => before.projection.direction(folded.transform_vector3(reflected.direction)),
            Some(hit) => {
                let seen = before.motion.point_before(&hit, reflected.at(hit.t), Vec3::Y);
                seen.and_then(|seen| before.projection.point(folded.transform_point3(seen.position)))
            }
        };
        PastHighlights { film, ..fixed }
    }

    /// Returns the first surface of a camera ray, as it was in the frame before.
    fn first_before(&self, surface: &SurfaceInteraction) -> FirstSurface {
        let node = self.view.world.node_of(surface.hit.inst_id).map_or(u32::MAX, |node| node.0);
        FirstSurface { node, ng: self.point_before(surface, surface.ng).map_or(surface.ng, |point| point.ng) }
    }

    /// Returns where a surface was, with a normal that turned with it.
    fn point_before(&self, surface: &SurfaceInteraction, normal: Vec3) -> Option<EarlierPoint> {
        self.before?.motion.point_before(&surface.hit, surface.position, normal)
    }

    fn is_still(&self, surface: &SurfaceInteraction) -> bool {
        self.before.is_some_and(|before| before.motion.of(surface.hit.inst_id) == InstanceMotion::Still)
    }

    /// Returns an identifier of a surface that is the same in all frames, unless materials are added or removed.
    fn id_of(&self, surface: &SurfaceInteraction) -> u32 {
        let node = self.view.world.node_of(surface.hit.inst_id).map_or(u32::MAX, |node| node.0);
        rng::pcg(rng::pcg(node) ^ surface.material)
    }
}

/// Marks the pixels whose neighbours all show the same surface as they do. Other pixels are mixtures of surfaces, which
/// would leave a trail where edges move on, so that calm pixels must not reuse them.
///
/// * `surfaces` — of all pixels, row by row.
pub(super) fn mark_calm(surfaces: &mut [SeenSurface], width: u32) {
    let width = (width as usize).max(1);
    let ids: Vec<u32> = surfaces.iter().map(|seen| seen.id).collect();
    let rows = ids.len() / width;
    surfaces.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, seen) in row.iter_mut().enumerate() {
            let (top, bottom) = (y.saturating_sub(1), (y + 2).min(rows));
            let (left, right) = (x.saturating_sub(1), (x + 2).min(width));
            let is_calm = (top..bottom)
                .all(|y| ids[y * width + left..y * width + right].iter().all(|&id| id == seen.id));
            if is_calm {
                seen.id |= CALM;
            }
        }
    });
}

fn centre(id: SampleId) -> Vec2 {
    let [x, y] = id.pixel.map(|edge| edge as f32 + 0.5);
    vec2(x, y)
}
