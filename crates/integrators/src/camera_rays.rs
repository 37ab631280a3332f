//! Generation of camera rays for all projections.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16};
use sunfleck_math::{Affine3, Ray, Vec2, Vec3, tan, vec3};
use sunfleck_sampling::warp;
use sunfleck_scene::Projection;
use sunfleck_transport::vectors::{V, normalize_or, splat, weighted};

/// Camera with a film of a given size; generates rays.
#[derive(Clone, Copy, Debug)]
pub struct CameraRays {
    world_from_view: Affine3,
    projection: Projection,
    /// Half extents of the film: at unit distance, or in metres if orthographic.
    half: Vec2,
    /// Reciprocal of the film's size in pixels.
    pixel: Vec2,
    pixel_side: PixelSide,
}

/// Edge length of a pixel at a hit distance `t`: `fixed + t · (direction · per_depth)`, metres.
#[derive(Clone, Copy, Debug)]
struct PixelSide {
    /// Constant term, for parallel rays.
    fixed: f32,
    /// Linear term, for rays from a point.
    per_depth: Vec3,
}

impl CameraRays {
    /// Makes a camera with a film of `width` × `height` square pixels.
    pub fn new(projection: Projection, world_from_view: Affine3, width: u32, height: u32) -> Self {
        let half_height = match projection {
            Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } => {
                tan(fov_y_radians * 0.5)
            }
            Projection::Orthographic { height } => height * 0.5,
        };
        let size = Vec2::new(width.max(1) as f32, height.max(1) as f32);
        let half = Vec2::new(half_height * size.x / size.y, half_height);
        let pixel = size.recip();
        let side = 2.0 * half.y * pixel.y;
        let m = &world_from_view.matrix3;
        let pixel_side = match projection {
            Projection::Orthographic { .. } => {
                PixelSide { fixed: side * m.y_axis.length(), per_depth: Vec3::ZERO }
            }
            Projection::Perspective { .. } | Projection::ThinLens { .. } => {
                PixelSide { fixed: 0.0, per_depth: -m.z_axis.normalize_or_zero() * side }
            }
        };
        Self { world_from_view, projection, half, pixel, pixel_side }
    }

    /// Returns the edge length of a pixel, metres, in the plane parallel to the film that a ray along the unit
    /// `direction` intersects at `t`.
    #[inline(always)]
    pub fn pixel_side(&self, direction: Vec3, t: f32) -> f32 {
        self.pixel_side.fixed + t * direction.dot(self.pixel_side.per_depth)
    }

    /// Returns whether rays depend on the lens sample.
    #[inline(always)]
    pub fn has_lens(&self) -> bool {
        matches!(self.projection, Projection::ThinLens { .. })
    }

    /// Returns the ray through a point of the film, in world space with a unit direction.
    ///
    /// * `film` — pixels from the upper left corner. * `lens` — uniform in the unit square.
    #[inline(always)]
    pub fn ray(&self, film: Vec2, lens: Vec2) -> Ray {
        let ndc = film * self.pixel * 2.0 - Vec2::ONE;
        let on_film = vec3(ndc.x * self.half.x, -ndc.y * self.half.y, -1.0);
        let (origin, direction) = match self.projection {
            Projection::Perspective { .. } => (Vec3::ZERO, on_film),
            Projection::Orthographic { .. } => (vec3(on_film.x, on_film.y, 0.0), Vec3::NEG_Z),
            Projection::ThinLens { focus_distance, .. } => {
                let on_lens = self.on_lens(lens).extend(0.0);
                (on_lens, on_film * focus_distance - on_lens)
            }
        };
        let direction = self.world_from_view.transform_vector3(direction).normalize_or(Vec3::NEG_Z);
        Ray::new(self.world_from_view.transform_point3(origin), direction)
    }

    /// Samples a point of the lens, metres from its centre; returns the centre for projections without a lens.
    ///
    /// * `lens` — uniform in the unit square.
    pub(crate) fn on_lens(&self, lens: Vec2) -> Vec2 {
        match self.projection {
            Projection::ThinLens { lens_radius, .. } => warp::concentric_disk(lens) * lens_radius,
            Projection::Perspective { .. } | Projection::Orthographic { .. } => Vec2::ZERO,
        }
    }

    /// Returns the origins and unit directions of sixteen rays; equal to those of [`CameraRays::ray`].
    ///
    /// * `film` — pixels from the upper left corner. * `on_lens` — results of [`CameraRays::on_lens`].
    #[inline(always)]
    pub(crate) fn rays<S: Simd>(
        &self,
        simd: S,
        film: [f32x16<S>; 2],
        on_lens: [f32x16<S>; 2],
    ) -> (V<S>, V<S>) {
        let number = |x: f32| f32x16::splat(simd, x);
        let (zero, one, two) = (number(0.0), number(1.0), number(2.0));
        let x = (film[0] * number(self.pixel.x) * two - one) * number(self.half.x);
        let y = -(film[1] * number(self.pixel.y) * two - one) * number(self.half.y);
        let (origin, direction) = match self.projection {
            Projection::Perspective { .. } => ([zero; 3], [x, y, -one]),
            Projection::Orthographic { .. } => ([x, y, zero], [zero, zero, -one]),
            Projection::ThinLens { focus_distance, .. } => {
                let distance = number(focus_distance);
                let [u, v] = on_lens;
                ([u, v, zero], [x * distance - u, y * distance - v, -distance])
            }
        };
        let m = self.world_from_view.matrix3;
        let columns = [splat(simd, m.x_axis), splat(simd, m.y_axis), splat(simd, m.z_axis)];
        let direction = normalize_or(simd, weighted(columns, direction), splat(simd, Vec3::NEG_Z));
        let (moved, translation) = (weighted(columns, origin), splat(simd, self.world_from_view.translation));
        let origin = [moved[0] + translation[0], moved[1] + translation[1], moved[2] + translation[2]];
        (origin, direction)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use sunfleck_transport::vectors::vector;

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
    fn rays_through_a_lens_intersect_in_the_plane_of_focus() {
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
    fn sixteen_rays_equal_single_rays() {
        let turned =
            sunfleck_math::transform::rotation_y(0.7) * Affine3::from_translation(vec3(1.0, -2.0, 0.5));
        let projections = [
            Projection::Perspective { fov_y_radians: FOV },
            Projection::ThinLens { fov_y_radians: FOV, lens_radius: 0.3, focus_distance: 5.0 },
            Projection::Orthographic { height: 4.0 },
        ];
        for projection in projections {
            let camera = CameraRays::new(projection, turned, 200, 100);
            let film = [0, 1].map(|k| std::array::from_fn::<f32, 16, _>(|i| (7 * i + 40 * k) as f32 + 0.3));
            let lens = Vec2::new(0.2, 0.9);
            let on_lens = camera.on_lens(lens);
            dispatch!(Level::new(), simd => {
                let film = film.map(|row| f32x16::load_array(simd, row));
                let on_lens = on_lens.to_array().map(|x| f32x16::splat(simd, x));
                let (origin, direction) = camera.rays(simd, film, on_lens);
                let (origin, direction) = (origin.map(|row| row.to_array()), direction.map(|row| row.to_array()));
                for i in 0..16 {
                    let ray = camera.ray(Vec2::new(film[0].to_array()[i], film[1].to_array()[i]), lens);
                    assert_eq!(vector(&origin, i), ray.origin, "{projection:?}, ray {i}");
                    assert!((vector(&direction, i) - ray.direction).length() < 1e-6, "{projection:?}, ray {i}");
                }
            });
        }
    }

    #[test]
    fn orthographic_rays_are_parallel() {
        let camera = CameraRays::new(Projection::Orthographic { height: 4.0 }, Affine3::IDENTITY, 100, 100);
        let ray = camera.ray(Vec2::new(0.0, 100.0), Vec2::ZERO);
        assert_eq!((ray.origin, ray.direction), (vec3(-2.0, -2.0, 0.0), Vec3::NEG_Z));
    }
}
