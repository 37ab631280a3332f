//! Objects at positions of the image.

use fearless_simd::Level;

use super::Worker;
use crate::protocol::{PickedObject, Pose};
use crate::session::image_ray::ray_at;

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
        let ray = ray_at(&camera, self.view.pixels(), [x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)]);
        let world = &self.opened.world;
        let picked = world.committed().pick(Level::new(), &ray);
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
