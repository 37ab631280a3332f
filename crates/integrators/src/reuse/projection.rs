//! Projection of points of the world onto the film: the inverse of [`CameraRays`](crate::CameraRays).

use sunfleck_math::{Affine3, Vec2, Vec3, tan, vec2};
use sunfleck_scene::Projection;

use crate::ViewSpec;

/// Projection of points of the world onto the film of a view. A thin lens is treated as a pinhole at its centre.
#[derive(Clone, Copy, Debug)]
pub struct FilmProjection {
    /// Inverse of the transform of the camera.
    pub view_from_world: Affine3,
    /// Pixels per unit of the plane at unit distance, or per metre if parallel.
    pub scale: f32,
    /// Centre of the film, pixels.
    pub centre: Vec2,
    /// Whether all rays are parallel.
    pub is_parallel: bool,
}

impl FilmProjection {
    /// Returns the projection of a view.
    pub fn new(spec: &ViewSpec) -> Self {
        let (half_height, is_parallel) = match spec.projection {
            Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } => {
                (tan(fov_y_radians * 0.5), false)
            }
            Projection::Orthographic { height } => (height * 0.5, true),
        };
        let centre = vec2(spec.width as f32, spec.height as f32) * 0.5;
        let scale = centre.y / half_height;
        Self { view_from_world: spec.world_from_view.inverse(), scale, centre, is_parallel }
    }

    /// Returns the point of the film where a point of the world is seen, in pixels from the upper left corner; `None`
    /// behind the camera.
    #[inline(always)]
    pub(super) fn point(&self, position: Vec3) -> Option<Vec2> {
        self.on_film(self.view_from_world.transform_point3(position))
    }

    /// Returns the point of the film where an infinitely distant point is seen; `None` behind the camera, and if rays
    /// are parallel, since they see one direction only.
    ///
    /// * `direction` — unit direction to the point.
    #[inline(always)]
    pub(super) fn direction(&self, direction: Vec3) -> Option<Vec2> {
        if self.is_parallel { None } else { self.on_film(self.view_from_world.transform_vector3(direction)) }
    }

    /// Returns the unit direction opposite to that of the camera, in world space; `None` if the camera has size 0.
    pub(super) fn backward(&self) -> Option<Vec3> {
        self.view_from_world.matrix3.transpose().z_axis.try_normalize()
    }

    #[inline(always)]
    fn on_film(&self, in_view: Vec3) -> Option<Vec2> {
        if in_view.z >= 0.0 {
            return None;
        }
        let depth = if self.is_parallel { 1.0 } else { -in_view.z };
        let film = self.centre + vec2(in_view.x, -in_view.y) * (self.scale / depth);
        film.is_finite().then_some(film)
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;
    use sunfleck_scene::Camera;

    use super::*;
    use crate::{CameraRays, PlacedCamera};

    #[test]
    fn points_are_projected_to_where_their_rays_started() {
        let place =
            sunfleck_math::transform::rotation_y(0.7) * Affine3::from_translation(vec3(1.0, -2.0, 0.5));
        for projection in [
            Projection::Perspective { fov_y_radians: 1.1 },
            Projection::Orthographic { height: 4.0 },
            Projection::ThinLens { fov_y_radians: 1.1, lens_radius: 0.1, focus_distance: 2.0 },
        ] {
            let (width, height) = (200, 100);
            let camera = PlacedCamera {
                name: String::new(),
                camera: Camera::new("camera", projection),
                world_from_view: place,
            };
            let spec = ViewSpec::new(&camera, width, height);
            let (rays, film) =
                (CameraRays::new(projection, place, width, height), FilmProjection::new(&spec));
            for at in [vec2(3.0, 97.5), vec2(100.0, 50.0), vec2(180.25, 20.0)] {
                let ray = rays.ray(at, Vec2::splat(0.5));
                assert!((film.point(ray.at(3.0)).unwrap() - at).length() < 1e-2, "{projection:?}, {at}");
                assert_eq!(film.point(ray.at(-3.0)), None, "behind the camera");
            }
        }
    }
}
