//! Shapes as nodes of the scene, and instances of groups of shapes.

use std::rc::Rc;

use sunfleck_math::{Affine3, DVec3};
use sunfleck_scene::{MaterialId, MeshId, Node, NodeId};

use super::Importer;
use super::tree::{Class, Object};
use crate::error::ParseError;

/// Nodes that a scene may have for each of its elements, beside those that any scene may have: instances of large groups
/// need more nodes than the file has elements.
const NODES_PER_ELEMENT: usize = 16;
const MIN_NODES: usize = 100_000;

/// Shape that was converted, with its place.
#[derive(Clone, Debug)]
pub(super) struct PlacedShape {
    pub(super) name: String,
    /// Meshes at the same place with their materials, that on top first.
    pub(super) layers: Vec<(MeshId, MaterialId)>,
    pub(super) to_world: Affine3,
}

impl Importer<'_, '_> {
    /// Adds a shape of the scene: itself, those that it consists of, or an instance of a group.
    pub(super) fn shape_of_scene(&mut self, object: &Object) -> Result<(), ParseError> {
        match object.plugin.as_str() {
            // Only its instances are visible
            "shapegroup" => Ok(()),
            "instance" => self.instance(object),
            _ => {
                for part in self.parts(object, self.scene.origin(), 0)? {
                    self.add_part(object, &part, None)?;
                }
                Ok(())
            }
        }
    }

    /// Returns the parts of a shape; `merge` has several.
    fn parts(
        &mut self,
        object: &Object,
        origin: DVec3,
        depth: usize,
    ) -> Result<Vec<PlacedShape>, ParseError> {
        self.parts += 1;
        self.check_count(object, self.parts)?;
        if object.plugin != "merge" {
            return Ok(self.part(object, origin)?.into_iter().collect());
        }
        object.is_used.set(true);
        if depth > 16 {
            return Err(object.place.error("too many shapes are within each other"));
        }
        let mut parts = Vec::new();
        for shape in self.inner(object, Class::Shape)? {
            parts.extend(self.parts(&shape, origin, depth + 1)?);
        }
        Ok(parts)
    }

    fn instance(&mut self, object: &Object) -> Result<(), ParseError> {
        object.is_used.set(true);
        let to_world = object.transform_from("to_world", DVec3::ZERO, self.scene.origin())?;
        let groups = self.inner(object, Class::Shape)?;
        let [group] = &groups[..] else {
            return Err(object.place.error("an instance needs one group of shapes"));
        };
        if group.plugin != "shapegroup" {
            return Err(object.place.error(format!("there are no instances of the {}", group.title())));
        }
        let parts = match self.groups.get(&group.number) {
            Some(parts) => Rc::clone(parts),
            None => {
                group.is_used.set(true);
                let mut parts = Vec::new();
                for shape in self.inner(group, Class::Shape)? {
                    parts.extend(self.parts(&shape, DVec3::ZERO, 0)?);
                }
                let parts = Rc::new(parts);
                self.groups.insert(group.number, Rc::clone(&parts));
                parts
            }
        };
        let node = self.add_node(object, Node::new(object.name()).at(to_world))?;
        parts.iter().try_for_each(|part| self.add_part(object, part, Some(node)))
    }

    fn add_part(
        &mut self,
        object: &Object,
        part: &PlacedShape,
        parent: Option<NodeId>,
    ) -> Result<(), ParseError> {
        let PlacedShape { name, layers, to_world } = part;
        for &(mesh, material) in layers {
            let node = Node { parent, ..Node::new(name).at(*to_world).with_mesh(mesh, vec![material]) };
            self.add_node(object, node)?;
        }
        Ok(())
    }

    /// Adds a node for an object.
    pub(super) fn add_node(&mut self, object: &Object, node: Node) -> Result<NodeId, ParseError> {
        self.nodes += 1;
        self.check_count(object, self.nodes)?;
        self.scene.add_node(node).map_err(|error| object.place.problem(error.into()))
    }
    /// Errors: there are more shapes or nodes than a scene may have, which few elements can refer to many times.
    fn check_count(&self, object: &Object, count: usize) -> Result<(), ParseError> {
        let max = MIN_NODES + NODES_PER_ELEMENT.saturating_mul(self.file.elements);
        let too_many = || object.place.error(format!("the scene has more than {max} shapes and instances"));
        if count > max { Err(too_many()) } else { Ok(()) }
    }
}
