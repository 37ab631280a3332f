//! Shapes: surfaces that are given by a formula instead of triangles.

mod bicubic;
mod farthest;
mod location;
mod patch;
mod point;

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Affine3, Vec3};
use serde::{Deserialize, Serialize};
use sunfleck_constants::shape as kind;

use crate::Aabb;

pub use bicubic::{Bicubic, BicubicPoint, bicubic, split_bicubic};
pub use patch::{BezierPatch, BezierPatchPoint};
pub use point::ShapePoint;

/// Surface of a [`Shape`], in a space of its own in which it has unit size; patches have any size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnitShape {
    /// Sphere of radius 1 about the origin; its normals point outwards.
    Sphere,
    /// Disk of radius 1 in the plane z = 0 with its normal along +z.
    Disk {
        /// Radius of the hole in its middle, in [0, 1).
        hole: f32,
    },
    /// Square −1 ≤ x, y ≤ 1 in the plane z = 0 with its normal along +z.
    Rectangle,
    /// Side of a cylinder of radius 1 about the z axis, 0 ≤ z ≤ 1, open at both ends; its normals point outwards.
    Cylinder,
    /// Side of a cone about the z axis, with radius 1 at z = 0, open at both ends; its normals point outwards.
    Cone {
        /// Radius at z = 1, in [0, 1]; 0 is a cone with an apex.
        top: f32,
    },
    /// Cube −1 ≤ x, y, z ≤ 1; its normals point outwards.
    Cube,
    /// Bicubic Bézier patch.
    Patch(Arc<BezierPatch>),
}

impl UnitShape {
    /// Returns the kind, one of [`sunfleck_constants::shape`], and the parameter of the kind, or 0.
    pub fn packed(&self) -> (u32, f32) {
        match *self {
            Self::Sphere => (kind::SPHERE, 0.0),
            Self::Disk { hole } => (kind::DISK, hole),
            Self::Rectangle => (kind::RECTANGLE, 0.0),
            Self::Cylinder => (kind::CYLINDER, 0.0),
            Self::Cone { top } => (kind::CONE, top),
            Self::Cube => (kind::CUBE, 0.0),
            Self::Patch(_) => (kind::PATCH, 0.0),
        }
    }

    /// Returns the area of one side.
    pub fn area(&self) -> f32 {
        match self {
            Self::Patch(patch) => patch.area(),
            Self::Sphere => 4.0 * PI,
            Self::Disk { hole } => PI * (1.0 - *hole * *hole),
            Self::Rectangle => 4.0,
            Self::Cylinder => TAU,
            Self::Cone { top } => PI * (1.0 + *top) * (1.0 + (1.0 - *top) * (1.0 - *top)).sqrt(),
            Self::Cube => 24.0,
        }
    }
}

/// Surface that is the image of a [`UnitShape`] under an affine transform: an ellipsoid, a disk, a box, a cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The surface in unit space.
    pub unit: UnitShape,
    /// Transform from unit space to that of the object.
    pub object_from_unit: Affine3,
    /// Whether the normals are reversed: the front of a sphere is then inside.
    #[serde(default)]
    pub flipped: bool,
}

impl Shape {
    /// Returns a shape of unit size.
    pub const fn new(unit: UnitShape) -> Self {
        Self { unit, object_from_unit: Affine3::IDENTITY, flipped: false }
    }

    /// Returns a sphere.
    pub fn sphere(center: Vec3, radius: f32) -> Self {
        let object_from_unit =
            Affine3::from_scale_rotation_translation(Vec3::splat(radius), glam::Quat::IDENTITY, center);
        Self { object_from_unit, ..Self::new(UnitShape::Sphere) }
    }

    /// Returns a disk, or one half of a shape of revolution about the line from `base` to `base + axis`: its unit x and
    /// y axes have length `radius`, and its z axis is `axis`.
    pub fn about_axis(unit: UnitShape, base: Vec3, axis: Vec3, radius: f32) -> Self {
        let frame = crate::Frame::from_normal(axis.normalize_or(Vec3::Z));
        let object_from_unit =
            Affine3::from_cols(frame.tangent * radius, frame.bitangent * radius, axis, base);
        Self { object_from_unit, ..Self::new(unit) }
    }

    /// Returns the shape moved by an affine transform.
    #[must_use]
    pub fn transformed(&self, transform: &Affine3) -> Self {
        Self { object_from_unit: *transform * self.object_from_unit, ..self.clone() }
    }

    /// Returns the box around the shape, rounded outwards by a few units in the last place.
    pub fn bounds(&self) -> Aabb {
        let (m, center) = (&self.object_from_unit.matrix3, self.object_from_unit.translation);
        // Along each axis, a circle of radius r extends by r √(x² + y²) of that row of the matrix.
        let round = |r: f32| {
            let squares = m.x_axis * m.x_axis + m.y_axis * m.y_axis;
            Vec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt()) * r
        };
        let (low, high) = match self.unit {
            UnitShape::Patch(ref patch) => {
                // A patch is inside the convex hull of its control points.
                let points = patch.points().map(|point| self.object_from_unit.transform_point3(point));
                points.iter().fold((points[0], points[0]), |(low, high), &p| (low.min(p), high.max(p)))
            }
            UnitShape::Sphere => {
                let squares = m.x_axis * m.x_axis + m.y_axis * m.y_axis + m.z_axis * m.z_axis;
                let extent = Vec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt());
                (center - extent, center + extent)
            }
            UnitShape::Disk { .. } => (center - round(1.0), center + round(1.0)),
            UnitShape::Rectangle => {
                let extent = m.x_axis.abs() + m.y_axis.abs();
                (center - extent, center + extent)
            }
            UnitShape::Cylinder | UnitShape::Cone { .. } => {
                let top = match self.unit {
                    UnitShape::Cone { top } => top,
                    _ => 1.0,
                };
                let (base, end) = (round(1.0), round(top));
                let apex = center + m.z_axis;
                ((center - base).min(apex - end), (center + base).max(apex + end))
            }
            UnitShape::Cube => {
                let extent = m.x_axis.abs() + m.y_axis.abs() + m.z_axis.abs();
                (center - extent, center + extent)
            }
        };
        let padding = low.abs().max(high.abs()).max_element() * (4.0 * f32::EPSILON);
        Aabb { min: low - padding, max: high + padding }
    }

    /// Returns the point of the shape that is farthest in a direction of any length; one of them if there are several. Of
    /// patches, another point may be farther by a millionth of the size.
    pub fn farthest_point(&self, direction: Vec3) -> Vec3 {
        let in_unit = self.object_from_unit.matrix3.transpose() * direction;
        // Of a circle about the z axis
        let on_circle =
            |radius: f32, z: f32| (in_unit.truncate().normalize_or(glam::Vec2::X) * radius).extend(z);
        let farther = |p: Vec3, q: Vec3| if p.dot(in_unit) >= q.dot(in_unit) { p } else { q };
        let point = match self.unit {
            UnitShape::Sphere => in_unit.normalize_or(Vec3::Z),
            UnitShape::Disk { .. } => on_circle(1.0, 0.0),
            UnitShape::Rectangle => Vec3::ONE.copysign(in_unit).with_z(0.0),
            UnitShape::Cylinder => farther(on_circle(1.0, 0.0), on_circle(1.0, 1.0)),
            UnitShape::Cone { top } => farther(on_circle(1.0, 0.0), on_circle(top, 1.0)),
            UnitShape::Cube => Vec3::ONE.copysign(in_unit),
            UnitShape::Patch(ref patch) => patch.farthest_point(in_unit.as_dvec3()),
        };
        self.object_from_unit.transform_point3(point)
    }

    /// Returns whether the shape has an area: its values are finite and its transform is not singular. The unit z axis
    /// of a flat shape may be any that is not in its plane.
    pub fn is_valid(&self) -> bool {
        let area = self.object_from_unit.matrix3.determinant().abs();
        let in_range = match self.unit {
            UnitShape::Disk { hole } => (0.0..1.0).contains(&hole),
            UnitShape::Cone { top } => (0.0..=1.0).contains(&top),
            UnitShape::Patch(ref patch) => patch.is_valid(),
            _ => true,
        };
        self.object_from_unit.is_finite() && area > 0.0 && area.is_finite() && in_range
    }
}
