//! Shapes of the scene, and of objects that have instances.

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DAffine3;
use sunfleck_math::Affine3;
use sunfleck_scene::{MaterialId, MeshId, Node, NodeId};

use super::{Importer, transform};
use crate::error::ParseError;
use crate::renderer::place::SourcePlace;

/// Nodes that a scene may have for each of its directives, beside those that any scene may have: instances of large
/// objects need more nodes than the file has directives.
const NODES_PER_DIRECTIVE: usize = 16;
const MIN_NODES: usize = 50_000;

/// Shape that was converted.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) mesh: MeshId,
    /// Materials at the same place, that on top first.
    pub(super) materials: Rc<[MaterialId]>,
    /// Transform to the world of pbrt.
    pub(super) transform: DAffine3,
}

impl Importer<'_, '_> {
    pub(super) fn shapes(&mut self) -> Result<(), ParseError> {
        for entry in std::mem::take(&mut self.description.shapes) {
            if let Some(part) = self.part(&entry)? {
                let place = self.world(&part.transform, &entry.directive.place)?;
                self.add_part(&entry.directive.place, &part, place, None)?;
            }
        }
        self.instances()
    }

    fn instances(&mut self) -> Result<(), ParseError> {
        let mut objects: BTreeMap<String, Vec<(Part, Affine3)>> = BTreeMap::new();
        let instances = std::mem::take(&mut self.description.instances);
        for instance in &instances {
            let (name, place) = (&instance.directive.kind, &instance.directive.place);
            if !objects.contains_key(name) {
                let Some(entries) = self.description.objects.remove(name) else {
                    self.omissions
                        .warn(place, format!("there is no object {name:?}: its instances are left out"));
                    objects.insert(name.clone(), Vec::new());
                    continue;
                };
                let mut parts = Vec::new();
                for entry in entries {
                    if let Some(part) = self.part(&entry)? {
                        let own = transform::single(&part.transform);
                        let own =
                            own.ok_or_else(|| entry.directive.place.error("the transform is not finite"))?;
                        parts.push((part, own));
                    }
                }
                objects.insert(name.clone(), parts);
            }
            let Some(parts) = objects.get(name).filter(|parts| !parts.is_empty()) else { continue };
            let to_world = self.world(&instance.transform, place)?;
            let node = self.add_node(place, Node::new(name).at(to_world))?;
            parts.iter().try_for_each(|(part, own)| self.add_part(place, part, *own, Some(node)))?;
        }
        Ok(())
    }

    fn add_part(
        &mut self,
        place: &SourcePlace,
        part: &Part,
        to_parent: Affine3,
        parent: Option<NodeId>,
    ) -> Result<(), ParseError> {
        let Part { name, mesh, materials, .. } = part;
        for &material in &**materials {
            let node = Node { parent, ..Node::new(name).at(to_parent).with_mesh(*mesh, vec![material]) };
            self.add_node(place, node)?;
        }
        Ok(())
    }

    pub(super) fn add_node(&mut self, place: &SourcePlace, node: Node) -> Result<NodeId, ParseError> {
        self.nodes += 1;
        let max = MIN_NODES + NODES_PER_DIRECTIVE.saturating_mul(self.description.directives);
        if self.nodes > max {
            return Err(place.error(format!("the scene has more than {max} shapes and instances")));
        }
        self.scene.add_node(node).map_err(|error| place.problem(error.into()))
    }
}
