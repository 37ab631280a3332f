//! Perfect mirrors and clear glass between the camera and the primary surface.

use sunfleck_constants::reuse::NO_NODE;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_sampling::rng;

use super::comparison::FirstSurface;

/// Perfect mirrors and clear glass between the camera and the primary surface.
#[derive(Clone, Copy)]
pub(super) struct SpecularChain {
    /// Hash of the surfaces so far.
    pub(super) id: u32,
    /// The first surface, as it was in the previous frame.
    pub(super) first: FirstSurface,
    /// Unit direction of the camera ray.
    pub(super) direction: Vec3,
    /// Length of the path, metres.
    pub(super) distance: f32,
    /// Transform of points of the previous world to their virtual image in the previous interfaces; `None` if there is
    /// no previous frame, or if an interface did not exist in it.
    pub(super) image_from_world: Option<Affine3>,
    /// Whether no interface has moved since the previous frame.
    pub(super) interfaces_are_still: bool,
    /// Whether there are no interfaces.
    pub(super) is_direct: bool,
}

impl SpecularChain {
    /// Returns the chain of a camera ray that has not met a surface.
    pub(super) fn new(direction: Vec3, has_previous: bool) -> Self {
        Self {
            id: 0,
            first: FirstSurface { node: NO_NODE, ng: Vec3::ZERO },
            direction,
            distance: 0.0,
            image_from_world: has_previous.then_some(Affine3::IDENTITY),
            interfaces_are_still: true,
            is_direct: true,
        }
    }

    /// Adds a surface to the hash.
    pub(super) fn mix(&mut self, id: u32) {
        self.id = rng::pcg(self.id ^ id);
    }

    /// Adds a mirror or the surface of glass.
    ///
    /// * `image` — transform of points to their virtual image in the interface of the previous world; `None` if it did
    ///   not exist.
    /// * `is_still` — whether it has not moved since.
    pub(super) fn add_interface(&mut self, image: Option<Affine3>, is_still: bool) {
        self.is_direct = false;
        self.interfaces_are_still &= is_still;
        self.image_from_world = self.image_from_world.zip(image).map(|(outer, image)| outer * image);
    }
}
