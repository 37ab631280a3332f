//! Turntable: the camera orbits the scene.

use std::f32::consts::TAU;

use sunfleck_integrators::PlacedCamera;
use sunfleck_math::{Affine3, Mat3, Vec3, cos, sin, vec3};

/// Rotation of the camera about the vertical axis through the centre of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Angle, counter-clockwise seen from above, radians.
    radians: f32,
}

impl Turn {
    /// Returns the turn of a frame of a full round.
    pub(super) fn of_frame(frame: u32, frames: u32) -> Self {
        Self { radians: TAU * (frame as f32 / frames.max(1) as f32) }
    }

    /// Rotates a camera about the vertical axis through `centre`.
    pub(super) fn apply(self, camera: &mut PlacedCamera, centre: Vec3) {
        // The first frame has the bits of the image without a turntable
        if self.radians != 0.0 {
            let (sine, cosine) = (sin(self.radians), cos(self.radians));
            let turn = Mat3::from_cols(vec3(cosine, 0.0, -sine), Vec3::Y, vec3(sine, 0.0, cosine));
            let turn = Affine3::from_mat3(turn);
            let to = Affine3::from_translation(centre);
            camera.world_from_view = to * turn * Affine3::from_translation(-centre) * camera.world_from_view;
        }
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::transform::look_at;
    use sunfleck_scene::Camera;

    use super::*;

    #[test]
    fn a_quarter_turn_moves_the_camera_and_keeps_what_it_looks_at() {
        let centre = Vec3::new(1.0, 2.0, 3.0);
        let mut camera = PlacedCamera {
            name: "camera".into(),
            camera: Camera::perspective("camera", 1.0),
            world_from_view: look_at(centre + Vec3::new(0.0, 1.0, 4.0), centre, Vec3::Y),
        };
        Turn::of_frame(1, 4).apply(&mut camera, centre);
        let expected = look_at(centre + Vec3::new(4.0, 1.0, 0.0), centre, Vec3::Y);
        assert!(camera.world_from_view.abs_diff_eq(expected, 1e-5), "{:?}", camera.world_from_view);
        let before = camera.clone();
        Turn::of_frame(0, 4).apply(&mut camera, centre);
        assert_eq!(camera.world_from_view, before.world_from_view);
    }
}
