//! Table of the instances in images of ids, as JSON beside each image.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sunfleck_command::Failure;
use sunfleck_image::{instance_color, write_atomically};
use sunfleck_scene::Scene;

use super::output::{Outputs, WrittenFile};

/// Row of the table, for one instance.
#[derive(Debug, PartialEq, Serialize)]
struct IdRow {
    inst_id: u32,
    /// Colour in PNG and other display files, `#rrggbb`.
    color: String,
    /// Names of node, mesh and materials, which may be empty.
    node: String,
    mesh: String,
    materials: Vec<String>,
}

/// Returns the path of the table of an image: `a.ids.json` beside `a.png` or `a.exr`.
pub(super) fn path_beside(image: &Path) -> PathBuf {
    image.with_extension("ids.json")
}

/// Writes the tables of all images that hold ids.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(outputs: &Outputs, scene: &Scene) -> Result<Vec<WrittenFile>, Failure> {
    let tables = outputs.id_tables();
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let json =
        serde_json::to_string_pretty(&rows(scene)).map_err(|error| Failure::failed(error.to_string()))?;
    let write = |path: PathBuf| {
        write_atomically(&path, json.as_bytes()).map_err(|error| Failure::failed(error.to_string()))?;
        Ok(WrittenFile { path, bytes: json.len() as u64, denoised: None })
    };
    tables.into_iter().map(write).collect()
}

fn rows(scene: &Scene) -> Vec<IdRow> {
    let instances = scene.world_instances();
    let row = |(inst_id, instance): (u32, &sunfleck_scene::WorldInstance<'_>)| {
        let [r, g, b] = instance_color(inst_id);
        let node = scene.node(instance.node);
        let material = |id| scene.material(id).map_or(String::new(), |material| material.name.clone());
        IdRow {
            inst_id,
            color: format!("#{r:02x}{g:02x}{b:02x}"),
            node: node.map_or(String::new(), |node| node.name.clone()),
            mesh: scene.mesh(instance.mesh).map_or(String::new(), |mesh| mesh.data().name.clone()),
            materials: instance.materials.iter().map(|&id| material(id)).collect(),
        }
    };
    (0..).zip(&instances).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_has_a_row_with_its_names() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let rows = rows(&scene);
        assert_eq!(rows.len(), scene.world_instances().len());
        let names: Vec<_> = rows.iter().flat_map(|row| &row.materials).collect();
        assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty()), "{rows:?}");
        for (i, row) in rows.iter().enumerate() {
            assert!(rows[..i].iter().all(|other| other.color != row.color), "{row:?}");
        }
    }
}
