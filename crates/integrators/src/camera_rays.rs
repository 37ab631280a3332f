use sunfleck_math::{Affine3, Ray, Vec2, Vec3, tan, vec3};
use sunfleck_sampling::warp;
use sunfleck_scene::Projection;

/// A camera looking at a film of a certain size.
#[derive(Clone, Copy, Debug)]
pub struct CameraRays {
    world_from_view: Affine3,
    projection: Projection,
    /// Half extents of the film: at unit distance, or in metres if orthographic.
    half: Vec2,
    /// One over the film's size in pixels.
    pixel: Vec2,
}

impl CameraRays {
    /// For a film of `width` × `height` square pixels.
    pub fn new(projection: Projection, world_from_view: Affine3, width: u32, height: u32) -> Self {
        let half_height = match projection {
            Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } => {
                tan(fov_y_radians * 0.5)
            }
            Projection::Orthographic { height } => height * 0.5,
        };
        let size = Vec2::new(width.max(1) as f32, height.max(1) as f32);
        let half = Vec2::new(half_height * size.x / size.y, half_height);
        Self { world_from_view, projection, half, pixel: size.recip() }
    }

    /// Whether rays depend on where they pass the lens.
    #[inline(always)]
    pub fn has_lens(&self) -> bool {
        matches!(self.projection, Projection::ThinLens { .. })
    }

    /// The ray through a point of the film, unit direction, in the world.
    ///
    /// * `film` — in pixels from the upper left corner. * `lens` — uniform in the unit square.
    #[inline(always)]
    pub fn ray(&self, film: Vec2, lens: Vec2) -> Ray {
        let ndc = film * self.pixel * 2.0 - Vec2::ONE;
        let on_film = vec3(ndc.x * self.half.x, -ndc.y * self.half.y, -1.0);
        let (origin, direction) = match self.projection {
            Projection::Perspective { .. } => (Vec3::ZERO, on_film),
            Projection::Orthographic { .. } => (vec3(on_film.x, on_film.y, 0.0), Vec3::NEG_Z),
            Projection::ThinLens { lens_radius, focus_distance, .. } => {
                let on_lens = (warp::concentric_disk(lens) * lens_radius).extend(0.0);
                (on_lens, on_film * focus_distance - on_lens)
            }
        };
        let direction = self.world_from_view.transform_vector3(direction).normalize_or(Vec3::NEG_Z);
        Ray::new(self.world_from_view.transform_point3(origin), direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOV: f32 = std::f32::consts::FRAC_PI_2;

    #[test]
    fn corners_and_centre_of_a_pinhole() {
        let camera =
            CameraRays::new(Projection::Perspective { fov_y_radians: FOV }, Affine3::IDENTITY, 200, 100);
        let towards = |x, y| camera.ray(Vec2::new(x, y), Vec2::ZERO).direction;
        assert!((towards(100.0, 50.0) - Vec3::NEG_Z).length() < 1e-6);
        assert!((towards(0.0, 0.0) - vec3(-2.0, 1.0, -1.0) / 6f32.sqrt()).length() < 1e-6);
    }

    #[test]
    fn rays_through_a_lens_meet_in_the_plane_of_focus() {
        let lens = Projection::ThinLens { fov_y_radians: FOV, lens_radius: 0.3, focus_distance: 5.0 };
        let pinhole = Projection::Perspective { fov_y_radians: FOV };
        let film = Vec2::new(20.0, 70.0);
        let at = |projection, u| {
            let ray = CameraRays::new(projection, Affine3::IDENTITY, 100, 100).ray(film, u);
            ray.at((-5.0 - ray.origin.z) / ray.direction.z)
        };
        let focus = at(pinhole, Vec2::ZERO);
        for u in [Vec2::new(0.1, 0.9), Vec2::new(0.7, 0.2), Vec2::new(0.99, 0.5)] {
            assert!((at(lens, u) - focus).length() < 1e-5);
        }
    }

    #[test]
    fn orthographic_rays_are_parallel() {
        let camera = CameraRays::new(Projection::Orthographic { height: 4.0 }, Affine3::IDENTITY, 100, 100);
        let ray = camera.ray(Vec2::new(0.0, 100.0), Vec2::ZERO);
        assert_eq!((ray.origin, ray.direction), (vec3(-2.0, -2.0, 0.0), Vec3::NEG_Z));
    }
}
