//! Points of shapes with the triangle that stands for the surface around them.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, vec2};

use super::{BezierPatchPoint, Shape, UnitShape};
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
    /// cube show the whole image. Patches have their own.
    pub uv: [Vec2; 3],
}

impl Shape {
    /// Returns the point of a location: see [`UnitShape::location_of`].
    #[inline]
    pub fn point_at(&self, location: Vec2) -> ShapePoint {
        let (p, (uv, east, north, per_length)) = match &self.unit {
            UnitShape::Patch(patch) => {
                let BezierPatchPoint { position, along_u, along_v, uv, .. } = patch.at(location);
                (position, (uv, along_u.0, along_v.0, [along_u.1, along_v.1]))
            }
            unit => {
                let (p, n) = unit.at(location);
                (p, unit.texture_frame(p, n, location))
            }
        };
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
    /// Returns the texture coordinates of a point of a shape other than a patch, two orthogonal unit tangents `east` and
    /// `north` with `east × north` along the normal, and the change of the texture coordinates along each.
    #[inline]
    fn texture_frame(&self, p: Vec3, n: Vec3, location: Vec2) -> (Vec2, Vec3, Vec3, [Vec2; 2]) {
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
                let (width, inwards) = (1.0 - *hole, n.cross(east));
                let uv = vec2(u_around(), (1.0 - distance) / width);
                (uv, east, inwards, [along_u, vec2(0.0, 1.0 / width)])
            }
            Self::Rectangle | Self::Patch(_) => {
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
