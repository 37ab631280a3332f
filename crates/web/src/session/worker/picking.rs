//! Objects at positions of the image.

use fearless_simd::Level;
use sunfleck_integrators::CameraRays;
use sunfleck_math::Vec2;

use super::Worker;
use crate::protocol::{PickedObject, Pose};

impl Worker {
    /// Returns the object at a position of the image: 0 … 1 from the upper left corner.
    pub(super) fn pick(&self, x: f32, y: f32, pose: Option<Pose>) -> Result<Option<PickedObject>, String> {
        if !(x.is_finite() && y.is_finite()) {
            return Err("the position in the image must be finite".into());
        }
        let camera = match pose {
            Some(pose) => pose.camera().map_err(|error| error.to_string())?,
            None => self.view.camera.clone(),
        };
        let [width, height] = self.view.pixels();
        let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
        let film = Vec2::new(x.clamp(0.0, 1.0) * width as f32, y.clamp(0.0, 1.0) * height as f32);
        let world = &self.opened.world;
        // The ray passes through the centre of the lens
        let picked = world.committed().pick(Level::new(), &rays.ray(film, Vec2::splat(0.5)));
        Ok(picked.and_then(|picked| {
            let node = world.scene().node(picked.node)?;
            let materials = node.instance.as_ref().map_or(&[][..], |instance| &instance.materials);
            Some(PickedObject {
                node: picked.node,
                name: node.name.clone(),
                triangle: picked.prim_id,
                material: materials.get(usize::from(picked.slot)).copied(),
                position: picked.position,
                distance: picked.distance,
            })
        }))
    }
}
