//! Shapes with a formula, and the parts that all shapes have: transform, material, emission.

use glam::DAffine3;
use sunfleck_math::{Affine3, Shape, UnitShape, Vec3, pow};
use sunfleck_scene::{Mesh, MeshData, MeshId};

use super::description::ShapeEntry;
use super::instances::Part;
use super::parameter::Directive;
use super::texture::UvSpace;
use super::{Importer, transform};
use crate::error::{ImportProblem, ParseError};

impl Importer<'_, '_> {
    /// Returns the mesh, the material and the place of a shape; `None` if the shape is not supported or has no area.
    pub(super) fn part(&mut self, entry: &ShapeEntry) -> Result<Option<Part>, ParseError> {
        let ShapeEntry { directive, transform, .. } = entry;
        let place = &directive.place;
        let Some(to_world) = transform::single(transform) else {
            return Err(place.error("the transform is not finite"));
        };
        let converted = match directive.kind.as_str() {
            "trianglemesh" | "loopsubdiv" | "bilinearmesh" => self.triangles(entry, &to_world)?,
            "plymesh" => self.ply_mesh(entry)?,
            "sphere" | "disk" | "cylinder" | "cone" => {
                let shape = Shape { flipped: entry.is_reversed, ..self.formula(directive) };
                if shape.is_valid() && to_world.matrix3.determinant() != 0.0 {
                    let uv = if directive.kind == "disk" { UvSpace::Same } else { UvSpace::Flipped };
                    let materials = self.materials(entry, uv, area(&shape, &to_world))?;
                    let data = MeshData { shapes: vec![shape], ..MeshData::default() };
                    Some((self.add_mesh(directive, data)?, materials))
                } else {
                    self.omissions
                        .warn(place, format!("a shape {} without an area is left out", directive.title()));
                    None
                }
            }
            _ => {
                let message = format!("the shape {} is not supported and is left out", directive.title());
                self.omissions.warn(place, message);
                return Ok(None);
            }
        };
        self.unused(directive);
        let Some((mesh, materials)) = converted else { return Ok(None) };
        Ok(Some(Part { name: directive.kind.clone(), mesh, materials, transform: *transform }))
    }

    pub(super) fn add_mesh(&mut self, directive: &Directive, data: MeshData) -> Result<MeshId, ParseError> {
        let data = MeshData { name: directive.kind.clone(), ..data };
        let mesh = Mesh::new(data).map_err(|error| directive.place.problem(ImportProblem::Mesh(error)))?;
        self.scene.add_mesh(mesh).map_err(|error| directive.place.problem(error.into()))
    }

    /// Returns the shape of a formula [PBRT4, §6.2–6.4]. Parts of spheres and the like are whole here.
    fn formula(&mut self, directive: &Directive) -> Shape {
        let radius = directive.float("radius", 1.0);
        let mut is_part = directive.number("phimax").is_some_and(|degrees| degrees < 360.0);
        let shape = match directive.kind.as_str() {
            "sphere" => {
                is_part |= directive.number("zmin").is_some_and(|z| z > -radius)
                    || directive.number("zmax").is_some_and(|z| z < radius);
                Shape::sphere(Vec3::ZERO, radius)
            }
            "disk" => {
                let hole = directive.float("innerradius", 0.0) / radius;
                let height = Vec3::Z * directive.float("height", 0.0);
                along_z(UnitShape::Disk { hole }, radius, height, height + Vec3::Z)
            }
            "cylinder" => {
                let (low, high) = (directive.float("zmin", -1.0), directive.float("zmax", 1.0));
                along_z(UnitShape::Cylinder, radius, Vec3::Z * low.min(high), Vec3::Z * low.max(high))
            }
            _ => along_z(
                UnitShape::Cone { top: 0.0 },
                radius,
                Vec3::ZERO,
                Vec3::Z * directive.float("height", 1.0),
            ),
        };
        if is_part {
            let message = format!("a part of a shape {} is not supported: it is whole", directive.title());
            self.omissions.warn(&directive.place, message);
        }
        shape
    }
}

/// Returns a shape about the z axis, whose azimuth begins at +x.
fn along_z(unit: UnitShape, radius: f32, base: Vec3, end: Vec3) -> Shape {
    let object_from_unit = Affine3::from_cols(Vec3::X * radius, Vec3::Y * radius, end - base, base);
    Shape { object_from_unit, ..Shape::new(unit) }
}

/// Returns the area of a shape in the world; `None` for one that is not scaled by the same factor along its axes.
fn area(shape: &Shape, to_world: &Affine3) -> Option<f32> {
    let scale = |m: &Affine3| {
        let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::length);
        let is_similar = (x - y).abs() <= 1e-4 * x && (x - z).abs() <= 1e-4 * x;
        is_similar.then(|| pow(m.matrix3.determinant().abs(), 1.0 / 3.0))
    };
    let scale_to_world = scale(to_world)?;
    let m = &shape.object_from_unit.matrix3;
    let own = match shape.unit {
        // The z axis is not part of a disk
        UnitShape::Disk { .. } => m.x_axis.length_squared(),
        UnitShape::Cylinder => m.x_axis.length() * m.z_axis.length(),
        _ => scale(&shape.object_from_unit)? * scale(&shape.object_from_unit)?,
    };
    Some(shape.unit.area() * own * scale_to_world * scale_to_world)
}

impl Importer<'_, '_> {
    /// Returns a transform to the world of the scene, which may be the mirror image of pbrt's.
    pub(super) fn world(
        &self,
        transform: &DAffine3,
        place: &crate::renderer::place::SourcePlace,
    ) -> Result<Affine3, ParseError> {
        let world = transform::single(&(self.scene_from_world * *transform));
        world.ok_or_else(|| place.error("the transform is not finite"))
    }
}
