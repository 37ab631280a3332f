//! Wavefront OBJ with its material libraries [Wavefront].
//!
//! `parse` reads the lines of the OBJ and `mtl` those of the libraries; `material` translates materials. Each `o` becomes
//! a node with a mesh, which has a slot for each material used in it.

mod material;
mod mtl;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{Material, MaterialId, Mesh, MeshData, Node, Scene};

use crate::corners::{NONE, Pools, Unifier};
use crate::error::{At, Fault, Problem};
use crate::images::Images;
use crate::mesh_file::{GREY, report_degenerate, report_smoothing};
use crate::normals::smooth_with_creases;
use crate::report::Reporter;
use crate::tangents::{Untangented, any_tangent, tangents_of_corners};
use crate::{FileLocation, Resolver};

use material::Maker;
use mtl::Mtl;
use parse::{Obj, Object};

/// Reads an OBJ file and the material libraries and textures that it names.
pub(crate) fn load(
    bytes: &[u8],
    title: &str,
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<Scene, Fault> {
    let mut obj = parse::parse(bytes, report)?;
    report_degenerate(obj.degenerate, FileLocation::File, report);
    add_missing_normals(&mut obj, report);
    let library = read_libraries(&obj, files, report);

    let mut scene = Scene::default();
    let materials = {
        let maker = Maker { scene: &mut scene, images: Images::default(), files, report };
        add_materials(&obj, &library, maker).at(|| FileLocation::File)?
    };
    let pools =
        Pools { positions: &obj.positions, colors: &obj.colors, uvs: &obj.uvs, normals: &obj.normals };
    let mut unifier = Unifier::new(pools);
    for object in &obj.objects {
        let name = if object.name.is_empty() { title } else { &object.name };
        add_object(&mut scene, name, object, &materials, &mut unifier)?;
    }
    Ok(scene)
}

/// Gives corners without normal one, smooth across the whole file, except where edges are sharp.
fn add_missing_normals(obj: &mut Obj, report: &mut Reporter) {
    let lacks =
        |triangle: &&mut [crate::corners::Corner; 3]| triangle.iter().any(|corner| corner.normal == NONE);
    let mut bare: Vec<_> = obj.objects.iter_mut().flat_map(|o| &mut o.triangles).filter(lacks).collect();
    if bare.is_empty() {
        return;
    }
    report_smoothing(report);
    let triangles: Vec<[u32; 3]> = bare.iter().map(|t| t.map(|corner| corner.position)).collect();
    let smooth = smooth_with_creases(&obj.positions, &triangles);
    let first = u32::try_from(obj.normals.len()).unwrap_or(NONE);
    for (triangle, normals) in bare.iter_mut().zip(smooth.corners) {
        for (corner, normal) in triangle.iter_mut().zip(normals).filter(|(corner, _)| corner.normal == NONE) {
            corner.normal = first.saturating_add(normal);
        }
    }
    obj.normals.extend(smooth.normals);
}

fn read_libraries(obj: &Obj, files: &dyn Resolver, report: &mut Reporter) -> BTreeMap<String, Mtl> {
    let mut library = BTreeMap::new();
    for (name, place) in &obj.libraries {
        let name = name.replace('\\', "/");
        match files.read(&name) {
            Ok(bytes) => library.extend(mtl::parse(&bytes, Path::new(&name), report)),
            Err(error) => {
                report.warn(place.clone(), format!("cannot read the material library {name}: {error}"));
            }
        }
    }
    library
}

/// The scene's materials in the order of the file's, then the one for faces without material, if there are such faces.
#[derive(Debug)]
struct Materials {
    named: Vec<MaterialId>,
    unnamed: Option<MaterialId>,
}

fn add_materials(
    obj: &Obj,
    library: &BTreeMap<String, Mtl>,
    mut maker: Maker<'_>,
) -> Result<Materials, Problem> {
    // Vertex colours replace the grey of what has no material.
    let plain = if obj.colors.is_empty() { GREY } else { Vec3::ONE };
    let mut named = Vec::with_capacity(obj.materials.len());
    for (name, place) in &obj.materials {
        let material = match library.get(name) {
            Some(mtl) => maker.material(name, mtl)?,
            None => {
                maker
                    .report
                    .warn(place.clone(), format!("material {name:?} is not in a library: it is shown grey"));
                Material::lambert(name.clone(), plain)
            }
        };
        named.push(maker.scene.add_material(material)?);
    }
    let any_unnamed = obj.objects.iter().any(|object| object.materials.contains(&NONE));
    let unnamed =
        any_unnamed.then(|| maker.scene.add_material(Material::lambert("grey", plain))).transpose()?;
    Ok(Materials { named, unnamed })
}

fn add_object(
    scene: &mut Scene,
    name: &str,
    object: &Object,
    materials: &Materials,
    unifier: &mut Unifier<'_>,
) -> Result<(), Fault> {
    let mut data = MeshData { name: name.to_string(), ..unifier.mesh(&object.triangles) };
    let mut slot_of = BTreeMap::new();
    let mut instance_materials = Vec::new();
    for &material in &object.materials {
        let slot = *slot_of.entry(material).or_insert_with(|| {
            instance_materials.extend(materials.named.get(material as usize).or(materials.unnamed.as_ref()));
            instance_materials.len() - 1
        });
        let slot = u16::try_from(slot).ok().filter(|&slot| slot < u16::MAX);
        let too_many = || Fault::unsupported(FileLocation::File, "an object has more than 65535 materials");
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

/// Gives each vertex the tangent of one of its corners. Vertices are not split: OBJ's normal maps are not tied to an
/// algorithm as glTF's are.
fn add_tangents(data: &mut MeshData) {
    let MeshData { positions, normals, uv0: uvs, triangles, .. } = data;
    let corners = tangents_of_corners(&Untangented { positions, normals, uvs, triangles });
    let mut tangents: Vec<Vec4> = normals.iter().map(|&normal| any_tangent(normal)).collect();
    for (&vertex, &tangent) in triangles.as_flattened().iter().zip(corners.as_flattened()) {
        tangents[vertex as usize] = tangent;
    }
    data.tangents = tangents;
}
