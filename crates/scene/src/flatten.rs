//! The hierarchy resolved into world space, in an order that depends on the scene alone.

use std::collections::BTreeMap;

use sunfleck_math::Affine3;

use crate::{CameraId, LightId, MaterialId, MeshId, Node, NodeId, Scene};

/// A visible mesh instance in the world. Its place in [`Scene::world_instances`] is its `inst_id`.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldInstance<'a> {
    /// Where it comes from.
    pub node: NodeId,
    /// What is shown.
    pub mesh: MeshId,
    /// At least one for each slot of the mesh.
    pub materials: &'a [MaterialId],
    /// Invertible.
    pub world_from_object: Affine3,
}

/// A visible light in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldLight {
    /// Where it comes from.
    pub node: NodeId,
    /// Which light.
    pub light: LightId,
    /// It looks along its −z.
    pub world_from_light: Affine3,
}

/// A camera in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldCamera {
    /// Where it comes from.
    pub node: NodeId,
    /// Which camera.
    pub camera: CameraId,
    /// It looks along its −z.
    pub world_from_view: Affine3,
}

/// A node in the world.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) world_from_node: Affine3,
    visible: bool,
}

fn as_it_stands(_: NodeId, node: &Node) -> Affine3 {
    node.parent_from_node
}

impl Scene {
    /// Visible instances in the order of their nodes' ids. Instances squeezed flat by a singular transform show nothing
    /// and are left out.
    pub fn world_instances(&self) -> Vec<WorldInstance<'_>> {
        let placed = self.placed_nodes(as_it_stands);
        let invertible = |m: &Affine3| {
            let det = m.matrix3.determinant();
            det != 0.0 && det.is_finite() && m.inverse().is_finite()
        };
        self.nodes()
            .filter_map(|(id, node)| {
                let instance = node.instance.as_ref()?;
                let Placed { world_from_node, visible } = placed[&id];
                (visible && invertible(&world_from_node)).then_some(WorldInstance {
                    node: id,
                    mesh: instance.mesh,
                    materials: &instance.materials,
                    world_from_object: world_from_node,
                })
            })
            .collect()
    }

    /// Visible lights in the order of their nodes' ids.
    pub fn world_lights(&self) -> Vec<WorldLight> {
        let placed = self.placed_nodes(as_it_stands);
        let lights = self.nodes().filter(|(id, _)| placed[id].visible);
        lights
            .filter_map(|(node, n)| Some((node, n.light?)))
            .map(|(node, light)| WorldLight { node, light, world_from_light: placed[&node].world_from_node })
            .collect()
    }

    /// All cameras in the order of their nodes' ids.
    pub fn world_cameras(&self) -> Vec<WorldCamera> {
        let placed = self.placed_nodes(as_it_stands);
        self.nodes()
            .filter_map(|(node, n)| Some((node, n.camera?)))
            .map(|(node, camera)| WorldCamera {
                node,
                camera,
                world_from_view: placed[&node].world_from_node,
            })
            .collect()
    }

    /// World transform and visibility of every node; parents may have higher ids than their children.
    ///
    /// * `parent_from_node` — where nodes are in their parents.
    pub(crate) fn placed_nodes(
        &self,
        parent_from_node: impl Fn(NodeId, &Node) -> Affine3,
    ) -> BTreeMap<NodeId, Placed> {
        let mut placed: BTreeMap<NodeId, Placed> = BTreeMap::new();
        let mut path = Vec::new();
        for (id, _) in self.nodes() {
            // Walk up to the nearest placed ancestor (edits are checked for cycles), then place downwards.
            let mut above = Some(id).filter(|id| !placed.contains_key(id));
            while let Some(ancestor) = above {
                path.push(ancestor);
                above = self.node(ancestor).and_then(|n| n.parent).filter(|id| !placed.contains_key(id));
            }
            while let Some(id) = path.pop() {
                let Some(node) = self.node(id) else { continue };
                let above = node.parent.and_then(|parent| placed.get(&parent)).copied();
                let Placed { world_from_node, visible } =
                    above.unwrap_or(Placed { world_from_node: Affine3::IDENTITY, visible: true });
                placed.entry(id).or_insert_with(|| Placed {
                    world_from_node: world_from_node * parent_from_node(id, node),
                    visible: visible && node.visible,
                });
            }
        }
        placed
    }
}
