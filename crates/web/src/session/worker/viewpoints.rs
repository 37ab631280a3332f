//! Answers to clients that move the camera: free space around it, and free views of objects.

use fearless_simd::Level;
use sunfleck_engine::FreeSpace;
use sunfleck_scene::NodeId;

use super::Worker;
use crate::protocol::{Pose, Reply, Sphere, SphereView};
use crate::session::focus::free_view;

impl Worker {
    /// Returns the free space around a camera pose, and the surface at a position of its image.
    pub(super) fn free_space(&self, pose: Pose, [x, y]: [f32; 2]) -> Result<Reply, String> {
        let camera = pose.camera().map_err(|error| error.to_string())?;
        let FreeSpace { ahead, around, enclosed } =
            FreeSpace::around(&self.opened.world, &camera, Level::new());
        let [ahead, around] = [ahead, around].map(|distance| Some(distance).filter(|d| d.is_finite()));
        let surface = self.pick(x, y, Some(pose))?.map(|picked| picked.position);
        Ok(Reply::FreeSpace { ahead, around, enclosed, surface })
    }

    /// Returns a view of nodes in which little is in front of them.
    pub(super) fn focus(
        &self,
        nodes: &[NodeId],
        sphere: Sphere,
        wanted: SphereView,
    ) -> Result<Reply, String> {
        let Some(backward) = wanted.backward.try_normalize() else {
            return Err("the direction to the camera must have a length".into());
        };
        let is_length = |length: f32| length.is_finite() && length > 0.0;
        if !(sphere.center.is_finite() && is_length(sphere.radius) && is_length(wanted.distance)) {
            return Err("the sphere and its distance must be finite and positive".into());
        }
        let world = &self.opened.world;
        let wanted = SphereView { backward, ..wanted };
        let view = free_view(world.scene(), world.committed(), nodes, sphere, wanted);
        Ok(Reply::Focus { sphere, view })
    }
}
