//! Shapes with a formula, and the parts that all shapes have: transform, material, emission.

use sunfleck_math::{DVec3, Shape, UnitShape, Vec3};
use sunfleck_scene::{MaterialId, Mesh, MeshData, MeshId};

use super::Importer;
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
        let to_world = object.transform_from("to_world", origin)?;
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
        let painted = self.material(object, uv_space)?;
        let layers =
            std::iter::once(painted.id).chain(self.layers.get(&painted.id).into_iter().flatten().copied());
        let layers: Vec<_> = layers.collect();
        let has_map = |id: &MaterialId| {
            let material = self.scene.material(*id);
            self.bumps.contains_key(id) || material.is_some_and(|m| m.normal_map.is_some())
        };
        let has_normal_map = layers.iter().any(has_map);
        let mesh = match object.plugin.as_str() {
            "obj" | "ply" | "serialized" | "cube" => {
                self.mesh(object, is_mirrored, has_normal_map, painted.has_vertex_colors)?
            }
            _ => {
                let shape = formula(object, is_mirrored)?;
                if !shape.is_valid() || to_world.matrix3.determinant() == 0.0 {
                    self.omissions
                        .warn(&object.place, format!("the {} has no area and is left out", object.title()));
                    return Ok(None);
                }
                self.mesh_of_shape(object, shape)?
            }
        };
        for id in layers {
            if let Some(bump) = self.bumps.get(&id).cloned() {
                self.apply_bump(object, (id, &bump), (mesh, &to_world), uv_space)?;
            }
        }
        let (name, material) = (object.name().to_string(), painted.id);
        Ok(Some(PlacedShape { name, mesh, material, to_world }))
    }

    fn mesh_of_shape(&mut self, object: &Object, shape: Shape) -> Result<MeshId, ParseError> {
        let name = object.name().to_string();
        let mesh = Mesh::new(MeshData { name, shapes: vec![shape], ..MeshData::default() });
        let mesh = mesh.map_err(|error| object.place.problem(ImportProblem::Mesh(error)))?;
        self.scene.add_mesh(mesh).map_err(|error| object.place.problem(error.into()))
    }
}

/// Returns the shape of a formula.
///
/// * `is_mirrored` — whether `to_world` mirrors it.
fn formula(object: &Object, is_mirrored: bool) -> Result<Shape, ParseError> {
    let flips = object.boolean("flip_normals", false)?;
    let (shape, flipped) = match object.plugin.as_str() {
        "sphere" => {
            let center = object.vector("center")?.unwrap_or_default();
            // A mirrored sphere of Mitsuba has its front inside, other shapes keep theirs
            (Shape::sphere(center, object.float("radius", 1.0)?), flips != is_mirrored)
        }
        "cylinder" => {
            let base = object.vector("p0")?.unwrap_or_default();
            let axis = object.vector("p1")?.unwrap_or(Vec3::Z) - base;
            (Shape::about_axis(UnitShape::Cylinder, base, axis, object.float("radius", 1.0)?), flips)
        }
        "disk" => (Shape::new(UnitShape::Disk { hole: 0.0 }), flips),
        _ => (Shape::new(UnitShape::Rectangle), flips),
    };
    Ok(Shape { flipped, ..shape })
}
