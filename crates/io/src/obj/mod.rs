//! Wavefront OBJ with its material libraries [Wavefront].
//!
//! `parse` reads the OBJ file, `mtl` the material libraries; `material` converts materials, `glass` tells panes from solids. Each object (`o`) becomes a
//! node with a mesh, which has a material slot for each of its materials.

mod glass;
mod material;
mod mtl;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use sunfleck_image::io_reason;
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{Material, MaterialId, Mesh, MeshData, Node, Scene};

use crate::corners::{AttributeArrays, NO_INDEX, VertexWelder};
use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::images::Images;
use crate::mesh_file::{DEFAULT_ALBEDO, report_degenerate, report_smoothing};
use crate::normals::smooth_with_creases;
use crate::report::Reporter;
use crate::tangents::{TangentInput, any_tangent, tangents_of_corners};
use crate::{FileKind, FileLocation, FileReference, Resolver};

use material::MaterialConverter;
use mtl::Mtl;
use parse::{Obj, Object};

/// Reads an OBJ file and the material libraries and textures that it refers to.
pub(crate) fn load(
    bytes: &[u8],
    title: &str,
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<Scene, ParseError> {
    let mut obj = parse::parse(bytes, report)?;
    report_degenerate(obj.degenerate, FileLocation::File, report);
    add_missing_normals(&mut obj, report);
    let library = read_libraries(&obj, files, report);

    let mut scene = Scene::default();
    let materials = {
        let converter = MaterialConverter { scene: &mut scene, images: Images::default(), files, report };
        add_materials(&obj, &library, converter).at(|| FileLocation::File)?
    };
    let arrays = AttributeArrays {
        positions: &obj.positions,
        colors: &obj.colors,
        uvs: &obj.uvs,
        normals: &obj.normals,
    };
    let mut welder = VertexWelder::new(arrays);
    for object in &obj.objects {
        let name = if object.name.is_empty() { title } else { &object.name };
        add_object(&mut scene, name, object, &materials, &mut welder)?;
    }
    glass::make_sheets_thin(&mut scene, report).at(|| FileLocation::File)?;
    Ok(scene)
}

/// Computes normals for corners without one: smooth across all objects of the file, with creases at sharp edges.
fn add_missing_normals(obj: &mut Obj, report: &mut Reporter) {
    let lacks_normal =
        |triangle: &&mut [crate::corners::Corner; 3]| triangle.iter().any(|corner| corner.normal == NO_INDEX);
    let mut without_normals: Vec<_> =
        obj.objects.iter_mut().flat_map(|o| &mut o.triangles).filter(lacks_normal).collect();
    if without_normals.is_empty() {
        return;
    }
    report_smoothing(report);
    let triangles: Vec<[u32; 3]> = without_normals.iter().map(|t| t.map(|corner| corner.position)).collect();
    let smooth = smooth_with_creases(&obj.positions, &triangles);
    let first = u32::try_from(obj.normals.len()).unwrap_or(NO_INDEX);
    for (triangle, normals) in without_normals.iter_mut().zip(smooth.corners) {
        for (corner, normal) in
            triangle.iter_mut().zip(normals).filter(|(corner, _)| corner.normal == NO_INDEX)
        {
            corner.normal = first.saturating_add(normal);
        }
    }
    obj.normals.extend(smooth.normals);
}

fn read_libraries(obj: &Obj, files: &dyn Resolver, report: &mut Reporter) -> BTreeMap<String, Mtl> {
    let mut library = BTreeMap::new();
    for (name, location) in &obj.libraries {
        let name = name.replace('\\', "/");
        match files.read(FileReference::new(&name, FileKind::MaterialLibrary)) {
            Ok(bytes) => library.extend(mtl::parse(&bytes, Path::new(&name), report)),
            Err(error) => {
                report.warn(
                    location.clone(),
                    format!("cannot read the material library {name}: {}", io_reason(&error)),
                );
            }
        }
    }
    library
}

/// Materials of the scene in the order of [`Obj::materials`], and that of faces without a material, if there are such
/// faces.
#[derive(Debug)]
struct Materials {
    named: Vec<MaterialId>,
    unnamed: Option<MaterialId>,
}

fn add_materials(
    obj: &Obj,
    library: &BTreeMap<String, Mtl>,
    mut converter: MaterialConverter<'_>,
) -> Result<Materials, ImportProblem> {
    // White does not change vertex colours, which replace the grey of faces without a material.
    let default_albedo = if obj.colors.is_empty() { DEFAULT_ALBEDO } else { Vec3::ONE };
    let mut named = Vec::with_capacity(obj.materials.len());
    for (name, location) in &obj.materials {
        let material = match library.get(name) {
            Some(mtl) => converter.material(name, mtl)?,
            None => {
                converter.report.warn(
                    location.clone(),
                    format!(
                        "material {name:?} is not defined in a material library: a grey material is used"
                    ),
                );
                Material::lambert(name.clone(), default_albedo)
            }
        };
        named.push(converter.scene.add_material(material)?);
    }
    let any_unnamed = obj.objects.iter().any(|object| object.materials.contains(&NO_INDEX));
    let unnamed = any_unnamed
        .then(|| converter.scene.add_material(Material::lambert("grey", default_albedo)))
        .transpose()?;
    Ok(Materials { named, unnamed })
}

fn add_object(
    scene: &mut Scene,
    name: &str,
    object: &Object,
    materials: &Materials,
    welder: &mut VertexWelder<'_>,
) -> Result<(), ParseError> {
    let mut data = MeshData { name: name.to_string(), ..welder.mesh(&object.triangles) };
    let mut slot_of = BTreeMap::new();
    let mut instance_materials = Vec::new();
    for &material in &object.materials {
        let slot = *slot_of.entry(material).or_insert_with(|| {
            instance_materials.extend(materials.named.get(material as usize).or(materials.unnamed.as_ref()));
            instance_materials.len() - 1
        });
        let slot = u16::try_from(slot).ok().filter(|&slot| slot < u16::MAX);
        let too_many =
            || ParseError::unsupported(FileLocation::File, "an object has more than 65535 materials");
        data.slots.push(slot.ok_or_else(too_many)?);
    }
    let has_normal_map = |id: &MaterialId| scene.material(*id).is_some_and(|m| m.normal_map.is_some());
    if instance_materials.iter().any(has_normal_map) && !data.uv0.is_empty() {
        add_tangents(&mut data);
    }
    let mesh = scene.add_mesh(Mesh::new(data).at(|| FileLocation::File)?).at(|| FileLocation::File)?;
    scene.add_node(Node::new(name).with_mesh(mesh, instance_materials)).at(|| FileLocation::File)?;
    Ok(())
}

/// Computes tangents; each vertex gets that of one of its corners. Vertices are not split, since OBJ, unlike glTF, does
/// not define the tangent space of normal maps.
fn add_tangents(data: &mut MeshData) {
    let MeshData { positions, normals, uv0: uvs, triangles, .. } = data;
    let corners = tangents_of_corners(&TangentInput { positions, normals, uvs, triangles });
    let mut tangents: Vec<Vec4> = normals.iter().map(|&normal| any_tangent(normal)).collect();
    for (&vertex, &tangent) in triangles.as_flattened().iter().zip(corners.as_flattened()) {
        tangents[vertex as usize] = tangent;
    }
    data.tangents = tangents;
}
