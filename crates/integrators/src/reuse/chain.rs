//! Mirrors and glass between the camera and a surface, and where they were.

use sunfleck_math::{Affine3, Vec3};
use sunfleck_sampling::rng;

use super::comparison::FirstSurface;

/// Mirrors and glass between the camera and a surface.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) id: u32,
    pub(super) first: FirstSurface,
    /// Unit direction of the camera ray.
    pub(super) direction: Vec3,
    /// Length of the path, metres.
    pub(super) distance: f32,
    /// Moves points of the earlier world to their image in the earlier mirrors; `None` if there is no earlier frame, or
    /// if a mirror did not exist.
    pub(super) folded: Option<Affine3>,
    pub(super) mirrors_are_still: bool,
    /// Whether there are no mirrors.
    pub(super) is_direct: bool,
}

impl Chain {
    pub(super) fn new(direction: Vec3, has_past: bool) -> Self {
        Self {
            id: 0,
            first: FirstSurface { node: u32::MAX, ng: Vec3::ZERO },
            direction,
            distance: 0.0,
            folded: has_past.then_some(Affine3::IDENTITY),
            mirrors_are_still: true,
            is_direct: true,
        }
    }

    pub(super) fn mix(&mut self, id: u32) {
        self.id = rng::pcg(self.id ^ id);
    }

    /// Adds a mirror.
    ///
    /// * `by` — moves points to their image in it, as it was before.
    pub(super) fn fold(&mut self, by: Option<Affine3>, is_still: bool) {
        self.is_direct = false;
        self.mirrors_are_still &= is_still;
        self.folded = self.folded.zip(by).map(|(folded, by)| folded * by);
    }
}
