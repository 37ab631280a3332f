//! The view of the previous frame, and the motion since then.

use std::sync::Arc;

use sunfleck_math::Vec3;
use sunfleck_transport::Motion;

use super::projection::FilmProjection;
use crate::{ViewSpec, World};

/// View of the previous frame, and the motion since then.
#[derive(Debug)]
pub(super) struct PreviousView<'a> {
    pub(super) motion: Motion<'a>,
    pub(super) projection: FilmProjection,
    /// Position of the camera in world space.
    origin: Vec3,
    /// Whether the current camera is the same.
    pub(super) is_same: bool,
    /// Whether the current world is the same.
    pub(super) is_same_world: bool,
}

impl<'a> PreviousView<'a> {
    /// Compares the previous view with the current one.
    ///
    /// * `previous` — world and view of the previous frame.
    pub(super) fn new(previous: (&'a Arc<World>, &ViewSpec), world: &Arc<World>, spec: &ViewSpec) -> Self {
        let (previous_world, previous_spec) = previous;
        Self {
            motion: world.motion_since(previous_world),
            projection: FilmProjection::new(previous_spec),
            origin: previous_spec.world_from_view.translation,
            is_same: previous_spec.has_same_camera(spec),
            is_same_world: Arc::ptr_eq(previous_world, world),
        }
    }

    /// Returns the unit direction from a point to the previous camera; `None` at its position.
    pub(super) fn to_previous_viewer(&self, position: Vec3) -> Option<Vec3> {
        match self.projection.is_parallel {
            true => self.projection.backward(),
            false => (self.origin - position).try_normalize(),
        }
    }
}
