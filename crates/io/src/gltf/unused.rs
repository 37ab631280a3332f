//! What a file holds and the scene does not: one note each.

use std::collections::BTreeSet;

use crate::FileLocation;

use super::Importer;
use super::model::Primitive;
use super::primitive::uv_name;

/// Number of attribute names that are listed.
const MAX_NAMES: usize = 8;

impl Importer<'_> {
    /// Adds notes about members of the file that are not imported.
    pub(super) fn report_unused(&mut self) {
        let root = self.root;
        let extras = [
            usize::from(root.extras.is_some()),
            root.scenes.iter().filter(|scene| scene.extras.is_some()).count(),
            root.nodes.iter().filter(|node| node.extras.is_some()).count(),
            root.meshes.iter().filter(|mesh| has_other_extras(&mesh.extras)).count(),
            root.materials.iter().filter(|material| material.extras.is_some()).count(),
            root.cameras.iter().filter(|camera| camera.extras.is_some()).count(),
        ];
        let extras: usize = extras.iter().sum();
        if extras > 0 {
            self.note("extras", format!("extras are not imported: those of {extras} objects"));
        }
        let occlusion = root.materials.iter().filter(|material| material.occlusion_texture.is_some()).count();
        if occlusion > 0 {
            let message = format!(
                "occlusion textures are not used, since occlusion is computed: those of {occlusion} materials"
            );
            self.note("materials", message);
        }
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let unused: BTreeSet<&str> =
            primitives.flat_map(|primitive| self.unused_attributes(primitive)).collect();
        if !unused.is_empty() {
            let listed: Vec<&str> = unused.iter().copied().take(MAX_NAMES).collect();
            let more = if unused.len() > MAX_NAMES { ", …" } else { "" };
            self.note("meshes", format!("vertex attributes that are not used: {}{more}", listed.join(", ")));
        }
    }

    fn note(&mut self, path: &str, message: String) {
        self.report.note(FileLocation::Json(path.to_string()), message);
    }

    /// Returns the attributes of a primitive that are not read.
    fn unused_attributes<'p>(&self, primitive: &'p Primitive) -> impl Iterator<Item = &'p str> {
        let uv_sets = self.uv_sets;
        primitive.attributes.keys().map(String::as_str).filter(move |name| {
            let is_uv_set = |set: &u32| **name == *uv_name(*set);
            let is_set_of_skin =
                |prefix| name.strip_prefix(prefix).is_some_and(|set| set.parse::<u32>().is_ok());
            let is_read = matches!(*name, "POSITION" | "NORMAL" | "TANGENT" | "COLOR_0")
                || uv_sets.iter().any(is_uv_set)
                || is_set_of_skin("JOINTS_")
                || is_set_of_skin("WEIGHTS_");
            !is_read
        })
    }
}

/// Returns whether there is more than the names of morph targets, which are used.
fn has_other_extras(extras: &serde_json::Value) -> bool {
    match extras {
        serde_json::Value::Null => false,
        serde_json::Value::Object(members) => members.keys().any(|name| name != "targetNames"),
        _ => true,
    }
}
