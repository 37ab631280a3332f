//! Positions of highlights in the previous frame.

use fearless_simd::Simd;
use sunfleck_constants::path::MOST_FOLLOWED;
use sunfleck_constants::reuse::{HIGHLIGHT_TURN, IMAGE_ALPHA, MOST_FRAMES};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_shading::reflected;
use sunfleck_transport::{InstanceMotion, SurfaceInteraction, spawn};

use super::surfaces::{FollowedRay, PreviousSurface, SurfacePass};
use super::virtual_image::reflection_at;
use crate::view::RayCount;

/// Highlights of a surface in the previous frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreviousHighlights {
    /// Point of the previous film, pixels from the upper left corner; `None` if they moved with the surface, or did not
    /// exist.
    pub(super) film: Option<Vec2>,
    /// Largest number of frames that they may be a mean of, unless they are found at `film`.
    pub(super) most_frames: f32,
}

impl PreviousHighlights {
    /// Highlights that stay where they are on the surface.
    pub(super) const FIXED: Self = Self { film: None, most_frames: MOST_FRAMES };
}

impl SurfacePass<'_> {
    /// Returns the highlights of a surface in the previous frame: those of a smooth surface move as the virtual image
    /// of what it reflects.
    ///
    /// * `followed` — ray that ends at the surface.
    /// * `previous` — the surface in the previous frame.
    /// * `alpha` — roughness `α` of its microfacets.
    pub(super) fn previous_highlights<S: Simd>(
        &self,
        simd: S,
        followed: &FollowedRay,
        surface: &SurfaceInteraction,
        previous: &PreviousSurface,
        alpha: f32,
        rays: &mut RayCount,
    ) -> PreviousHighlights {
        let FollowedRay { id, ray, chain } = followed;
        let (Some(view), Some(image_from_world)) = (self.previous, chain.image_from_world) else {
            return PreviousHighlights::FIXED;
        };
        let to_viewer = -ray.direction;
        let at_rest = previous.is_still && view.is_same;
        let turn = match chain.is_direct && !at_rest {
            true => {
                let to_previous_viewer = view.to_previous_viewer(previous.point.position);
                (to_previous_viewer.unwrap_or(to_viewer) - to_viewer).length()
            }
            false => 0.0,
        };
        let most_frames = (HIGHLIGHT_TURN * alpha / turn.max(f32::MIN_POSITIVE)).clamp(1.0, MOST_FRAMES);
        let fixed = PreviousHighlights { film: None, most_frames };
        if alpha > IMAGE_ALPHA || (at_rest && view.is_same_world) {
            return fixed;
        }
        // The image of what is seen in the direction of ideal reflection
        let wo = surface.frame.local_from_world(to_viewer);
        let Some(reflected) = spawn(surface, reflected(wo)) else { return fixed };
        rays.intersect += 1;
        let seed = self.view.alpha_seed(*id, 2 * MOST_FOLLOWED + 4);
        let hit = self.view.world.intersect_for_most(simd, &reflected, seed);
        let reflects_still = hit.is_none_or(|hit| view.motion.of(hit.inst_id) == InstanceMotion::Still);
        if at_rest && reflects_still {
            return fixed;
        }
        let Some(mirror) = self.previous_point_of(surface, surface.frame.normal) else { return fixed };
        let image_from_world = image_from_world * reflection_at(previous.point.position, mirror.normal);
        let film = match hit {
            None => view.projection.direction(image_from_world.transform_vector3(reflected.direction)),
            Some(hit) => {
                let point = view.motion.previous_point(&hit, reflected.at(hit.t), Vec3::Y);
                let image = point.map(|point| image_from_world.transform_point3(point.position));
                image.and_then(|image| view.projection.point(image))
            }
        };
        PreviousHighlights { film, ..fixed }
    }
}
