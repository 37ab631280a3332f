//! Points of shapes with the triangle that stands for the surface around them.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, vec2};

use super::{Shape, UnitShape};
use crate::{Frame, atan2};

/// Point of a shape, and its tangent plane as a triangle: what is computed from the corners of a triangle, such as
/// normal, tangents and the footprint of textures, has the values of the shape at this point.
///
/// The triangle's first corner is the point. Its edges are as long as the shape is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapePoint {
    /// Corners in object space, counter-clockwise seen from the front.
    pub corners: [Vec3; 3],
    /// Texture coordinates of the corners; (0, 0) is the upper left corner of the image, as in glTF.
    ///
    /// Around an axis, u grows with the azimuth, from x to y, and v against z: images stand upright. On spheres v is
    /// the polar angle from +z over π, on disks it is 0 at the rim and 1 in the centre. Rectangles and each side of a
    /// cube show the whole image.
    pub uv: [Vec2; 3],
}

impl Shape {
    /// Returns the point of a location: see [`UnitShape::location_of`].
    #[inline]
    pub fn point_at(&self, location: Vec2) -> ShapePoint {
        let (p, n) = self.unit.at(location);
        let (uv, east, north, per_length) = self.unit.texture_frame(p, n, location);
        let m = &self.object_from_unit.matrix3;
        let position = self.object_from_unit.transform_point3(p);
        let (mut right, mut up) =
            ((position + *m * east, uv + per_length[0]), (position + *m * north, uv + per_length[1]));
        if self.flipped != (m.determinant() < 0.0) {
            std::mem::swap(&mut right, &mut up);
        }
        ShapePoint { corners: [position, right.0, up.0], uv: [uv, right.1, up.1] }
    }

    /// Returns the unit normal of the front at a location.
    #[inline]
    pub fn normal_at(&self, location: Vec2) -> Vec3 {
        let [p, q, r] = self.point_at(location).corners;
        (q - p).cross(r - p).normalize_or(Vec3::Z)
    }
}

impl UnitShape {
    /// Returns the texture coordinates of a point, two orthogonal unit tangents `east` and `north` with `east × north`
    /// along the normal, and the change of the texture coordinates along each.
    #[inline]
    fn texture_frame(self, p: Vec3, n: Vec3, location: Vec2) -> (Vec2, Vec3, Vec3, [Vec2; 2]) {
        // Around an axis: u is the azimuth. At a pole it changes without bound, and any direction is east.
        let azimuth = || atan2(p.y, p.x) * (1.0 / TAU);
        let u_around = || if azimuth() < 0.0 { azimuth() + 1.0 } else { azimuth() };
        let distance = (p.x * p.x + p.y * p.y).sqrt();
        let east = Vec3::new(-p.y, p.x, 0.0).normalize_or(Vec3::X);
        let along_u = vec2(1.0 / (TAU * distance).max(1e-6), 0.0);
        match self {
            Self::Sphere => {
                let uv = vec2(u_around(), atan2(distance, p.z) * (1.0 / PI));
                (uv, east, n.cross(east), [along_u, vec2(0.0, -1.0 / PI)])
            }
            Self::Disk { hole } => {
                let (width, inwards) = (1.0 - hole, n.cross(east));
                let uv = vec2(u_around(), (1.0 - distance) / width);
                (uv, east, inwards, [along_u, vec2(0.0, 1.0 / width)])
            }
            Self::Rectangle => {
                (vec2(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y), Vec3::X, Vec3::Y, [vec2(0.5, 0.0), vec2(0.0, -0.5)])
            }
            Self::Cylinder | Self::Cone { .. } => {
                let north = n.cross(east);
                let uv = vec2(u_around(), 1.0 - p.z);
                (uv, east, north, [along_u, vec2(0.0, -north.z)])
            }
            Self::Cube => {
                // The axes of a side are the two that follow its own; on the sides that face backwards, u is mirrored.
                let Frame { tangent, bitangent, .. } = cube_frame(n);
                let (s, t) = (p.dot(tangent), location.y);
                (vec2(0.5 + 0.5 * s, 0.5 - 0.5 * t), tangent, bitangent, [vec2(0.5, 0.0), vec2(0.0, -0.5)])
            }
        }
    }
}

/// Returns the axes of a side of the cube.
fn cube_frame(normal: Vec3) -> Frame {
    let bitangent = Vec3::new(normal.y.abs(), normal.z.abs(), normal.x.abs());
    Frame { tangent: bitangent.cross(normal), bitangent, normal }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3, vec3};
    use proptest::prelude::*;

    use super::*;

    const UNIT_SHAPES: [UnitShape; 7] = [
        UnitShape::Sphere,
        UnitShape::Disk { hole: 0.25 },
        UnitShape::Rectangle,
        UnitShape::Cylinder,
        UnitShape::Cone { top: 0.0 },
        UnitShape::Cone { top: 0.5 },
        UnitShape::Cube,
    ];

    /// Returns a point of the surface.
    fn surface_point(unit: UnitShape, a: f32, b: f32) -> Vec3 {
        let (sin, cos) = crate::sin_cos(TAU * a);
        match unit {
            UnitShape::Sphere => {
                let z = 2.0 * b - 1.0;
                let r = (1.0 - z * z).sqrt();
                vec3(r * cos, r * sin, z)
            }
            UnitShape::Disk { hole } => {
                let r = hole + (1.0 - hole) * b;
                vec3(r * cos, r * sin, 0.0)
            }
            UnitShape::Rectangle => vec3(2.0 * a - 1.0, 2.0 * b - 1.0, 0.0),
            UnitShape::Cylinder => vec3(cos, sin, b),
            UnitShape::Cone { top } => {
                let r = 1.0 + (top - 1.0) * b;
                vec3(r * cos, r * sin, b)
            }
            UnitShape::Cube => {
                let side = (a * 6.0).min(5.999);
                let (s, t) = (2.0 * side.fract() - 1.0, 2.0 * b - 1.0);
                let sign = if side >= 3.0 { -1.0 } else { 1.0 };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 5")]
                match side as u32 % 3 {
                    0 => vec3(sign, s, t),
                    1 => vec3(t, sign, s),
                    _ => vec3(s, t, sign),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn locations_lead_back_to_the_point(kind in 0usize..7, a in 0f32..1.0, b in 0f32..1.0) {
            let unit = UNIT_SHAPES[kind];
            let p = surface_point(unit, a, b);
            let point = Shape::new(unit).point_at(unit.location_of(p.as_dvec3()));
            prop_assert!(point.corners[0].abs_diff_eq(p, 1.5e-6), "{unit:?}: {p} became {}", point.corners[0]);
        }

        /// Finite differences of the texture coordinates of points of the surface.
        #[test]
        fn the_triangle_has_the_slope_of_the_texture_coordinates(kind in 0usize..7, a in 0.05f32..0.95, b in 0.1f32..0.9) {
            let unit = UNIT_SHAPES[kind];
            let at = |a, b| {
                let p = surface_point(unit, a, b);
                Shape::new(unit).point_at(unit.location_of(p.as_dvec3()))
            };
            let (here, h) = (at(a, b), 1e-3);
            let [p, q, r] = here.corners;
            for there in [at(a + h, b), at(a, b + h)] {
                let way = there.corners[0] - p;
                prop_assume!(way.length() < 0.1 && (there.uv[0] - here.uv[0]).length() < 0.1);
                let predicted = (here.uv[1] - here.uv[0]) * way.dot(q - p) + (here.uv[2] - here.uv[0]) * way.dot(r - p);
                let found = there.uv[0] - here.uv[0];
                prop_assert!((predicted - found).length() < 2e-4, "{unit:?}: {predicted} but {found}");
            }
        }

        #[test]
        fn normals_point_outwards_whatever_the_transform(kind in 0usize..7, a in 0f32..1.0, b in 0.01f32..0.99, mirrored: bool, flipped: bool) {
            let unit = UNIT_SHAPES[kind];
            let scale = vec3(if mirrored { -2.0 } else { 2.0 }, 0.5, 1.5);
            let object_from_unit = crate::transform::rotation_y(0.7) * Affine3::from_scale(scale);
            let shape = Shape { unit, object_from_unit, flipped };
            let p = surface_point(unit, a, b);
            let location = unit.location_of(p.as_dvec3());
            let (_, n) = unit.at(location);
            let expected = object_from_unit.matrix3.inverse().transpose() * n * if flipped { -1.0 } else { 1.0 };
            let normal = shape.normal_at(location);
            prop_assert!(normal.dot(expected.normalize_or(Vec3::Z)) > 0.9999, "{shape:?}: {normal} is not {expected}");
        }

        #[test]
        fn points_are_within_the_bounds(kind in 0usize..7, a in 0f32..1.0, b in 0f32..1.0, m in prop::array::uniform9(-2f32..2.0), t in prop::array::uniform3(-9f32..9.0)) {
            let unit = UNIT_SHAPES[kind];
            let matrix3 = glam::Mat3::from_cols_array(&m);
            let shape = Shape { unit, object_from_unit: Affine3 { matrix3, translation: t.into() }, flipped: false };
            let p = shape.object_from_unit.transform_point3(surface_point(unit, a, b));
            let bounds = shape.bounds();
            prop_assert!(bounds.contains(p), "{p} is outside of {bounds:?}");
        }
    }

    #[test]
    fn the_box_of_a_tilted_disk_is_tight() {
        let axis = vec3(1.0, 2.0, 3.0).normalize_or(Vec3::Z);
        let shape = Shape::about_axis(UnitShape::Disk { hole: 0.0 }, Vec3::ZERO, axis, 2.0);
        let extent = axis.to_array().map(|a| 2.0 * (1.0 - a * a).sqrt());
        assert!(shape.bounds().max.abs_diff_eq(Vec3::from_array(extent), 1e-5), "{:?}", shape.bounds());
    }
}
