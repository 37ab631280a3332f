//! Choices of the user about how scene files are read.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, DVec3, Vec3};
use sunfleck_scene::{EditError, Node, NodeId, Scene, SceneEdit};

use crate::load::{read_bytes, read_file};
use crate::{Format, HostFiles, ImportError, LoadedScene, Resolver};

/// Axis that points up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// The y axis, as in scenes.
    Y,
    /// The z axis, as CAD programs and geographic data have it.
    Z,
}

impl UpAxis {
    /// Returns the name of the axis: `y` or `z`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// Options of loading a scene file. [`crate::load`] and [`crate::load_bytes`] are short forms with the default options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// Axis that points up; `None`: z in STL files, which come from CAD programs, and in BPT files, which hold Newell's
    /// teapot; y in all others.
    pub up: Option<UpAxis>,
    /// Reads files outside of the scene's folder that the scene refers to: see [`HostFiles`].
    pub allow_outside: bool,
}

impl LoadOptions {
    /// Reads a scene file and the files that it refers to, as [`crate::load`] does.
    ///
    /// Errors: [`ImportError`].
    pub fn load(&self, path: &Path) -> Result<LoadedScene, ImportError> {
        let bytes = read_file(path)?;
        read_bytes(path, &bytes, &HostFiles::beside(path).allowing_outside(self.allow_outside), self)
    }

    /// Reads a scene file from memory, as [`crate::load_bytes`] does.
    ///
    /// Errors: [`ImportError`].
    pub fn load_bytes(
        &self,
        name: &Path,
        bytes: &[u8],
        files: &dyn Resolver,
    ) -> Result<LoadedScene, ImportError> {
        read_bytes(name, bytes, files, self)
    }

    pub(crate) fn up(&self, format: Format) -> UpAxis {
        self.up.unwrap_or(match format {
            Format::Stl | Format::Bpt => UpAxis::Z,
            _ => UpAxis::Y,
        })
    }
}

/// Turns a scene whose z axis points up, so that its y axis does.
pub(crate) fn turn_z_up(scene: &mut Scene) -> Result<(), EditError> {
    // (x, y, z) becomes (x, z, −y), exactly
    let turn = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, Vec3::ZERO);
    let roots = scene.nodes().filter(|(_, node)| node.parent.is_none());
    let mut edits = Vec::new();
    if scene.animations().len() == 0 {
        let turned = |(id, node): (NodeId, &Node)| SceneEdit::Transform {
            id,
            parent_from_node: turn * node.parent_from_node,
        };
        edits.extend(roots.map(turned));
    } else {
        // An animation replaces the transforms of its nodes
        let id = scene.next_node_id();
        edits.push(SceneEdit::Node { id, node: Some(Node::new("z up").at(turn)) });
        let below =
            |(root, node): (NodeId, &Node)| SceneEdit::Node { id: root, node: Some(node.clone().below(id)) };
        edits.extend(roots.map(below));
    }
    let DVec3 { x, y, z } = scene.origin();
    edits.push(SceneEdit::Origin { origin: DVec3::new(x, z, -y) });
    scene.apply(SceneEdit::Batch(edits)).map(drop)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;
    use crate::NoFiles;

    /// Returns where the first vertex is in the world, with the y axis up.
    fn first_vertex(loaded: &LoadedScene) -> Vec3 {
        let instance = &loaded.scene.world_instances()[0];
        let vertex = loaded.scene.mesh(instance.mesh).unwrap().positions()[0];
        instance.world_from_object.transform_point3(vertex)
    }

    #[test]
    fn stl_has_z_up_unless_told_otherwise() {
        let triangle =
            "facet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4 2 3\nvertex 1 5 3\nendloop\nendfacet";
        let stl = format!("solid a\n{triangle}\nendsolid a\n");
        let obj = "v 1 2 3\nv 4 2 3\nv 1 5 3\nf 1 2 3\n";
        let (as_it_is, turned) = (vec3(1.0, 2.0, 3.0), vec3(1.0, 3.0, -2.0));
        for (name, text, up, expected) in [
            ("a.stl", stl.as_str(), None, turned),
            ("a.stl", stl.as_str(), Some(UpAxis::Y), as_it_is),
            ("a.obj", obj, None, as_it_is),
            ("a.obj", obj, Some(UpAxis::Z), turned),
        ] {
            let options = LoadOptions { up, ..LoadOptions::default() };
            let loaded = options.load_bytes(name.as_ref(), text.as_bytes(), &NoFiles).unwrap();
            assert_eq!(first_vertex(&loaded), expected, "{name} {up:?}");
            let told = loaded.report.entries.iter().filter(|entry| entry.message.contains("z axis")).count();
            assert_eq!(told, usize::from(expected == turned), "{name} {up:?}: {:?}", loaded.report);
        }
    }

    #[test]
    fn animated_scenes_turn_as_a_whole() {
        let animated = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "a"}],
            "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                "samplers": [{"input": 0, "output": 1}]}],
            "accessors": [{"componentType": 5126, "count": 1, "type": "SCALAR"},
                {"componentType": 5126, "count": 1, "type": "VEC3"}]}"#;
        let options = LoadOptions { up: Some(UpAxis::Z), ..LoadOptions::default() };
        let loaded = options.load_bytes("a.gltf".as_ref(), animated.as_bytes(), &NoFiles).unwrap();
        let nodes: Vec<&Node> = loaded.scene.nodes().map(|(_, node)| node).collect();
        assert_eq!([&*nodes[0].name, &*nodes[1].name], ["a", "z up"]);
        assert_eq!(nodes[0].parent_from_node, Affine3::IDENTITY, "the animation sets it");
        assert_eq!(nodes[1].parent_from_node.transform_vector3(Vec3::Z), Vec3::Y);
    }

    #[test]
    fn the_origin_turns_with_the_scene() {
        let mut scene = Scene::default();
        scene.set_origin(DVec3::new(5e5, 5.4e6, 100.0)).unwrap();
        turn_z_up(&mut scene).unwrap();
        assert_eq!(scene.origin(), DVec3::new(5e5, 100.0, -5.4e6));
        // The report states the origin of the scene, not that of the file
        let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 500000 5400000 100\nvertex 500010 5400000 100\n\
            vertex 500000 5400010 100\nendloop\nendfacet\nendsolid a\n";
        let loaded = LoadOptions::default().load_bytes("a.stl".as_ref(), stl.as_bytes(), &NoFiles).unwrap();
        assert_eq!(loaded.scene.origin(), DVec3::new(500_005.0, 100.0, -5_400_005.0));
        let note = "relative to the origin (500005, 100, -5400005)";
        assert!(
            loaded.report.entries.iter().any(|entry| entry.message.ends_with(note)),
            "{:?}",
            loaded.report
        );
    }
}
