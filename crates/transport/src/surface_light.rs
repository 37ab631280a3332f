use std::fmt;

use sunfleck_math::Vec3;

use crate::{SurfaceInteraction, World};

/// Light that is stored on the surfaces of a world, such as a radiosity solution.
pub trait SurfaceLight: fmt::Debug + Send + Sync {
    /// Returns the radiance that leaves a surface towards the viewer, emission included; `None` where no light is
    /// stored, as on mirrors and glass.
    ///
    /// * `world` — the world of the surface.
    /// * `wo_world` — unit direction to the viewer, in world space.
    fn outgoing(&self, world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3>;
}
