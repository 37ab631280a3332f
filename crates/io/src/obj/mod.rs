//! Wavefront OBJ with its material libraries [Wavefront].
//!
//! `parse` reads the OBJ file, `mtl` the material libraries; `material` converts materials, `textures` their textures,
//! for which `maps` computes images, and `glass` tells panes from solids. Each object (`o`) becomes a node with a mesh,
//! which has a material slot for each of its materials. Free-form surfaces of an object become bicubic patches in another one.
//! Points (`p`), and the vertices of a file without faces, lines
//! and points, become spheres.

mod glass;
mod maps;
mod material;
mod mtl;
mod parse;
mod surface;
#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod tests;
mod textures;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sunfleck_image::io_reason;
use sunfleck_math::{DVec3, Vec3};
use sunfleck_scene::{Material, MaterialId, Mesh, MeshData, Node, Scene};

use crate::corners::{AttributeArrays, Corner, NO_INDEX, VertexWelder};
use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::images::Images;
use crate::mesh_file::{DEFAULT_ALBEDO, report_degenerate, report_smoothing};
use crate::normals::{CornerNormals, smooth_in_groups, smooth_with_creases};
use crate::origin::{Bounds, place};
use crate::patch::patch;
use crate::points::PointCloud;
use crate::report::Reporter;
use crate::tangents::{YAxis, add_tangents};
use crate::text::decoded;
use crate::{FileKind, FileLocation, FileReference, Resolver};

use material::MaterialConverter;
use mtl::Mtl;
use parse::{MaterialUse, Obj, Object};
use surface::Patch;

/// Reads an OBJ file and the material libraries and textures that it refers to.
pub(crate) fn load(
    bytes: &[u8],
    title: &str,
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<Scene, ParseError> {
    let mut obj = parse::parse(&decoded(bytes), report)?;
    report_degenerate(obj.degenerate, FileLocation::File, report);
    let mut scene = Scene::default();
    let positions = local_positions(&mut obj, &mut scene)?;
    add_missing_normals(&mut obj, &positions, report);
    let library = read_libraries(&obj, files, report);

    let materials = {
        let converter = MaterialConverter { scene: &mut scene, images: Images::default(), files, report };
        add_materials(&obj, &library, converter).at(|| FileLocation::File)?
    };
    let arrays =
        AttributeArrays { positions: &positions, colors: &obj.colors, uvs: &obj.uvs, normals: &obj.normals };
    let mut welder = VertexWelder::new(arrays);
    for object in &obj.objects {
        let name = if object.name.is_empty() { title } else { &object.name };
        if !object.triangles.is_empty() {
            add_object(&mut scene, name, object, &materials, &mut welder)?;
        }
        add_patches(&mut scene, name, object, &materials, report)?;
    }
    add_points(&mut scene, title, &obj, &positions, &materials, report)?;
    glass::make_sheets_thin(&mut scene, report).at(|| FileLocation::File)?;
    Ok(scene)
}

/// Reads the mesh of an OBJ file: all of its faces, in the coordinates of the file, without materials. Normals that the
/// file lacks are left out if it has none; texture coordinates begin at the upper left corner of the image.
pub(crate) fn mesh_data(bytes: &[u8], report: &mut Reporter) -> Result<MeshData, ParseError> {
    let obj = parse::parse(&decoded(bytes), report)?;
    report_degenerate(obj.degenerate, FileLocation::File, report);
    let patches: usize = obj.objects.iter().map(|object| object.patches.len()).sum();
    if patches > 0 {
        let message =
            format!("free-form surfaces of a mesh within another scene are left out: {patches} patches");
        report.warn(FileLocation::File, message);
    }
    let positions: Vec<Vec3> = obj.positions.iter().map(|position| position.as_vec3()).collect();
    let arrays =
        AttributeArrays { positions: &positions, colors: &obj.colors, uvs: &obj.uvs, normals: &obj.normals };
    let triangles: Vec<[Corner; 3]> = obj.objects.into_iter().flat_map(|object| object.triangles).collect();
    Ok(VertexWelder::new(arrays).mesh(&triangles))
}

/// Returns the positions relative to the origin of the scene.
fn local_positions(obj: &mut Obj, scene: &mut Scene) -> Result<Vec<Vec3>, ParseError> {
    let positions = std::mem::take(&mut obj.positions);
    let corners = obj.objects.iter().flat_map(|object| object.triangles.as_flattened());
    let used = corners.map(|corner| corner.position).chain(obj.points.iter().map(|&[position, _]| position));
    let of_surfaces = obj.objects.iter().flat_map(|object| &object.patches).flat_map(|patch| patch.points);
    let bounds: Bounds = used.map(|position| positions[position as usize]).chain(of_surfaces).collect();
    let origin = place(bounds, scene)?;
    Ok(positions.iter().map(|&position| (position - origin).as_vec3()).collect())
}

/// Computes normals for corners without one, across all objects of the file: in the smoothing groups of the file; for
/// faces before the first group, smooth with creases at sharp edges.
fn add_missing_normals(obj: &mut Obj, positions: &[Vec3], report: &mut Reporter) {
    let Obj { objects, normals, .. } = obj;
    let faces = objects.iter_mut().flat_map(|o| o.triangles.iter_mut().zip(o.smoothing.iter().copied()));
    let lacking = faces.filter(|(triangle, _)| triangle.iter().any(|corner| corner.normal == NO_INDEX));
    let (ungrouped, grouped): (Vec<_>, Vec<_>) = lacking.partition(|(_, group)| *group == NO_INDEX);
    let triangles = |faces: &[(&mut [Corner; 3], u32)]| -> Vec<[u32; 3]> {
        faces.iter().map(|(triangle, _)| triangle.map(|corner| corner.position)).collect()
    };
    if !ungrouped.is_empty() {
        report_smoothing(report);
        let smooth = smooth_with_creases(positions, &triangles(&ungrouped));
        set_normals(ungrouped, smooth, normals);
    }
    if !grouped.is_empty() {
        let message = "faces without normals: they are computed in the smoothing groups of the file";
        report.note(FileLocation::File, message);
        let groups: Vec<u32> = grouped.iter().map(|&(_, group)| group).collect();
        let smooth = smooth_in_groups(positions, &triangles(&grouped), &groups);
        set_normals(grouped, smooth, normals);
    }
}

/// Adds the computed normals, and sets their indices where corners have none.
fn set_normals(faces: Vec<(&mut [Corner; 3], u32)>, computed: CornerNormals, normals: &mut Vec<Vec3>) {
    let first = u32::try_from(normals.len()).unwrap_or(NO_INDEX);
    for ((triangle, _), indices) in faces.into_iter().zip(computed.corners) {
        let missing = triangle.iter_mut().zip(indices).filter(|(corner, _)| corner.normal == NO_INDEX);
        missing.for_each(|(corner, index)| corner.normal = first.saturating_add(index));
    }
    normals.extend(computed.normals);
}

/// Reads the material libraries. Returns their materials by the bytes of their names.
fn read_libraries(obj: &Obj, files: &dyn Resolver, report: &mut Reporter) -> BTreeMap<Vec<u8>, Mtl> {
    let mut library = BTreeMap::new();
    for (statement, location) in &obj.libraries {
        for (name, bytes) in library_files(&statement.replace('\\', "/"), files) {
            match bytes {
                Ok(bytes) => library.extend(mtl::parse(&decoded(&bytes), Path::new(&name), report)),
                Err(error) => {
                    let reason = io_reason(&error);
                    let message = format!("cannot read the material library {name}: {reason}");
                    report.warn(location.clone(), message);
                }
            }
        }
    }
    library
}

/// Reads the files of a `mtllib` statement: a file whose name may contain spaces, or several files.
fn library_files(statement: &str, files: &dyn Resolver) -> Vec<(String, io::Result<Vec<u8>>)> {
    let read = |name: &str| files.read(FileReference::new(name, FileKind::MaterialLibrary));
    let whole = read(statement);
    let names = library_names(statement);
    if whole.is_ok() || names.len() < 2 {
        return vec![(statement.to_string(), whole)];
    }
    names.into_iter().map(|name| (name.to_string(), read(name))).collect()
}

/// Splits a list of file names after each `.mtl`.
fn library_names(statement: &str) -> Vec<&str> {
    let (mut names, mut begin) = (Vec::new(), 0);
    for (space, _) in statement.match_indices(char::is_whitespace).chain([(statement.len(), "")]) {
        let name = statement[begin..space].trim();
        if name.to_ascii_lowercase().ends_with(".mtl") || space == statement.len() && !name.is_empty() {
            names.push(name);
            begin = space;
        }
    }
    names
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
    library: &BTreeMap<Vec<u8>, Mtl>,
    mut converter: MaterialConverter<'_>,
) -> Result<Materials, ImportProblem> {
    // White does not change vertex colours, which replace the grey of faces without a material.
    let default_albedo = if obj.colors.is_empty() { DEFAULT_ALBEDO } else { Vec3::ONE };
    let mut named = Vec::with_capacity(obj.materials.len());
    for MaterialUse { key, name, location } in &obj.materials {
        let material = match library.get(key) {
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
    let used = obj.materials.iter().filter(|material| library.contains_key(&material.key)).count();
    if used < library.len() {
        let message = format!("materials of the libraries that no face uses: {}", library.len() - used);
        converter.report.note(FileLocation::File, message);
    }
    let is_unnamed = |object: &Object| {
        object.materials.contains(&NO_INDEX) || object.patches.iter().any(|patch| patch.material == NO_INDEX)
    };
    let any_unnamed =
        obj.objects.iter().any(is_unnamed) || obj.points.iter().any(|&[_, material]| material == NO_INDEX);
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
    let (slots, instance_materials) = slots(object.materials.iter().copied(), materials)?;
    data.slots = slots;
    let has_normal_map = |id: &MaterialId| scene.material(*id).is_some_and(|m| m.normal_map.is_some());
    if instance_materials.iter().any(has_normal_map) && !data.uv0.is_empty() {
        add_tangents(&mut data, YAxis::OfUv);
    }
    let mesh = scene.add_mesh(Mesh::new(data).at(|| FileLocation::File)?).at(|| FileLocation::File)?;
    scene.add_node(Node::new(name).with_mesh(mesh, instance_materials)).at(|| FileLocation::File)?;
    Ok(())
}

/// Adds the free-form surfaces of an object as one mesh.
fn add_patches(
    scene: &mut Scene,
    name: &str,
    object: &Object,
    materials: &Materials,
    report: &mut Reporter,
) -> Result<(), ParseError> {
    let origin = scene.origin();
    let shape = |surface: &Patch| patch(&surface.points, Some(surface.uv), origin);
    let shapes = object.patches.iter().map(|surface| (shape(surface), surface.material));
    let (shapes, used): (Vec<_>, Vec<_>) = shapes.filter(|(shape, _)| shape.is_valid()).unzip();
    if shapes.len() < object.patches.len() {
        let left_out = object.patches.len() - shapes.len();
        let message = format!("surfaces without an area, which are left out: {left_out}");
        report.note(FileLocation::File, message);
    }
    if shapes.is_empty() {
        return Ok(());
    }
    let (slots, instance_materials) = slots(used.into_iter(), materials)?;
    let data = MeshData { name: name.to_string(), shapes, slots, ..MeshData::default() };
    let mesh = scene.add_mesh(Mesh::new(data).at(|| FileLocation::File)?).at(|| FileLocation::File)?;
    scene.add_node(Node::new(name).with_mesh(mesh, instance_materials)).at(|| FileLocation::File)?;
    Ok(())
}

/// Returns the slots of faces or points with these materials, and the material of each slot.
fn slots(
    used: impl Iterator<Item = u32>,
    materials: &Materials,
) -> Result<(Vec<u16>, Vec<MaterialId>), ParseError> {
    let (mut slots, mut slot_of, mut of_slots) = (Vec::new(), BTreeMap::new(), Vec::new());
    for material in used {
        let slot = *slot_of.entry(material).or_insert_with(|| {
            of_slots.extend(materials.named.get(material as usize).or(materials.unnamed.as_ref()));
            of_slots.len() - 1
        });
        let slot = u16::try_from(slot).ok().filter(|&slot| slot < u16::MAX);
        let too_many =
            || ParseError::unsupported(FileLocation::File, "an object has more than 65535 materials");
        slots.push(slot.ok_or_else(too_many)?);
    }
    Ok((slots, of_slots))
}

/// Adds the points of the file as one mesh.
fn add_points(
    scene: &mut Scene,
    title: &str,
    obj: &Obj,
    positions: &[Vec3],
    materials: &Materials,
    report: &mut Reporter,
) -> Result<(), ParseError> {
    let vertices = || obj.points.iter().map(|&[vertex, _]| vertex as usize);
    let (slots, of_slots) = slots(obj.points.iter().map(|&[_, material]| material), materials)?;
    let cloud = PointCloud {
        positions: vertices().map(|vertex| positions[vertex].as_dvec3()).collect(),
        colors: vertices().filter_map(|vertex| obj.colors.get(vertex).copied()).collect(),
        radii: Vec::new(),
        slots,
    };
    cloud.add_to(scene, title, DVec3::ZERO, of_slots, report)
}
