//! Shapes with a formula, and the parts that all shapes have: transform, material, emission.

use sunfleck_math::{DVec3, Shape, UnitShape, Vec3};
use sunfleck_scene::{Mesh, MeshData, MeshId};

use super::Importer;
use super::bsdf::Painted;
use super::instances::PlacedShape;
use super::texture::UvSpace;
use super::tree::Object;
use crate::error::{ImportProblem, ParseError};

impl Importer<'_, '_> {
    /// Returns the mesh, the material and the place of a shape; `None` if the shape is not supported.
    ///
    /// * `origin` — point that places are relative to: that of the scene, or of a group.
    pub(super) fn part(&mut self, object: &Object, origin: DVec3) -> Result<Option<PlacedShape>, ParseError> {
        object.is_used.set(true);
        let center = match object.own_place() {
            Some(name) => object.vector(name)?.unwrap_or_default(),
            None => DVec3::ZERO,
        };
        let to_world = object.transform_from("to_world", center, origin)?;
        let is_mirrored = to_world.matrix3.determinant() < 0.0;
        let uv_space = match object.plugin.as_str() {
            "obj" | "ply" | "serialized" | "cube" | "sphere" => UvSpace::Own,
            "rectangle" | "cylinder" => UvSpace::Upwards,
            "disk" => UvSpace::Polar,
            _ => {
                self.omissions
                    .warn(&object.place, format!("the {} is not supported and is left out", object.title()));
                return Ok(None);
            }
        };
        let painted = self.materials(object, uv_space)?;
        let of_formula = match object.plugin.as_str() {
            "obj" | "ply" | "serialized" | "cube" => None,
            _ => {
                let shape = formula(object, center, is_mirrored)?;
                if !shape.is_valid() || to_world.matrix3.determinant() == 0.0 {
                    self.omissions
                        .warn(&object.place, format!("the {} has no area and is left out", object.title()));
                    return Ok(None);
                }
                Some(self.mesh_of_shape(object, shape)?)
            }
        };
        let has_map = |painted: &Painted| {
            let material = self.scene.material(painted.id);
            self.bumps.contains_key(&painted.id) || material.is_some_and(|m| m.normal_map.is_some())
        };
        let has_normal_map = painted.iter().any(has_map);
        let mut layers = Vec::new();
        for &Painted { id, has_vertex_colors } in &*painted {
            let mesh = match of_formula {
                Some(mesh) => mesh,
                // Colours of vertices belong to the mesh, and not every layer shows them
                None => self.mesh(object, is_mirrored, has_normal_map, has_vertex_colors)?,
            };
            if let Some(bump) = self.bumps.get(&id).cloned() {
                self.apply_bump(object, (id, &bump), (mesh, &to_world), uv_space)?;
            }
            layers.push((mesh, id));
        }
        Ok(Some(PlacedShape { name: object.name().to_string(), layers, to_world }))
    }

    fn mesh_of_shape(&mut self, object: &Object, shape: Shape) -> Result<MeshId, ParseError> {
        let name = object.name().to_string();
        let mesh = Mesh::new(MeshData { name, shapes: vec![shape], ..MeshData::default() });
        let mesh = mesh.map_err(|error| object.place.problem(ImportProblem::Mesh(error)))?;
        self.scene.add_mesh(mesh).map_err(|error| object.place.problem(error.into()))
    }
}

/// Returns the shape of a formula about its [place](Object::own_place).
///
/// * `center` — that place. * `is_mirrored` — whether `to_world` mirrors the shape.
fn formula(object: &Object, center: DVec3, is_mirrored: bool) -> Result<Shape, ParseError> {
    let flips = object.boolean("flip_normals", false)?;
    let (shape, flipped) = match object.plugin.as_str() {
        "sphere" => {
            // A mirrored sphere of Mitsuba has its front inside, other shapes keep theirs
            (Shape::sphere(Vec3::ZERO, object.float("radius", 1.0)?), flips != is_mirrored)
        }
        "cylinder" => {
            let axis = (object.vector("p1")?.unwrap_or(DVec3::Z) - center).as_vec3();
            (Shape::about_axis(UnitShape::Cylinder, Vec3::ZERO, axis, object.float("radius", 1.0)?), flips)
        }
        "disk" => (Shape::new(UnitShape::Disk { hole: 0.0 }), flips),
        _ => (Shape::new(UnitShape::Rectangle), flips),
    };
    Ok(Shape { flipped, ..shape })
}
