//! World transforms of instances, lights and cameras, in an order that depends on the scene only.

use std::collections::BTreeMap;

use sunfleck_math::transform::look_at;
use sunfleck_math::{Aabb, Affine3, Mat3, Vec3};

use crate::{CameraId, LightId, MaterialId, MeshId, Node, NodeId, Scene};

/// Visible mesh instance in world space. Its index in [`Scene::world_instances`] is its `inst_id`.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldInstance<'a> {
    /// Node of the instance.
    pub node: NodeId,
    /// Mesh.
    pub mesh: MeshId,
    /// Material of each slot of the mesh; there may be more materials than slots.
    pub materials: &'a [MaterialId],
    /// Transform from object to world space; invertible.
    pub world_from_object: Affine3,
}

/// Visible punctual light in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldLight {
    /// Node of the light.
    pub node: NodeId,
    /// Light.
    pub light: LightId,
    /// Transform from light to world space; the light points along −z.
    pub world_from_light: Affine3,
}

/// Camera in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldCamera {
    /// Node of the camera.
    pub node: NodeId,
    /// Camera.
    pub camera: CameraId,
    /// Transform from view to world space, a rotation and a translation; the camera looks along −z.
    pub world_from_view: Affine3,
}

/// World transform and visibility of a node.
#[derive(Clone, Copy)]
pub(crate) struct WorldNode {
    pub(crate) world_from_node: Affine3,
    visible: bool,
}

/// Returns the transform that a node has in the scene, as opposed to that of a pose.
fn current_transform(_: NodeId, node: &Node) -> Affine3 {
    node.parent_from_node
}

/// Largest deviation of a rotation's columns from orthonormal ones that is due to rounding.
const ROUNDING: f32 = 1e-5;

/// Returns the rotation and the translation of a camera. A rotation is returned as it is.
fn without_scale(world_from_view: Affine3) -> Affine3 {
    let Affine3 { matrix3: m, translation } = world_from_view;
    let product = m.transpose() * m - Mat3::IDENTITY;
    let is_rotation = product.abs_diff_eq(Mat3::ZERO, ROUNDING) && m.determinant() > 0.0;
    if is_rotation || !world_from_view.is_finite() {
        return world_from_view;
    }
    // Scaled to about unit length, so that tiny axes have a direction
    let largest =
        [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.abs().max_element()).into_iter().fold(0.0, f32::max);
    let scale = 1.0 / largest.max(f32::MIN_POSITIVE);
    let rotation = look_at(Vec3::ZERO, m.z_axis * -scale, m.y_axis * scale);
    Affine3 { matrix3: rotation.matrix3, translation }
}

impl Scene {
    /// Returns the visible instances, ordered by node id. Instances with a singular transform are omitted.
    pub fn world_instances(&self) -> Vec<WorldInstance<'_>> {
        let world_nodes = self.world_nodes(current_transform);
        let invertible = |m: &Affine3| {
            let det = m.matrix3.determinant();
            det != 0.0 && det.is_finite() && m.inverse().is_finite()
        };
        self.nodes()
            .filter_map(|(id, node)| {
                let instance = node.instance.as_ref()?;
                let WorldNode { world_from_node, visible } = world_nodes[&id];
                (visible && invertible(&world_from_node)).then_some(WorldInstance {
                    node: id,
                    mesh: instance.mesh,
                    materials: &instance.materials,
                    world_from_object: world_from_node,
                })
            })
            .collect()
    }

    /// Returns bounds of all visible instances in world space, those of their meshes' boxes; empty if there are none.
    pub fn world_bounds(&self) -> Aabb {
        let instances = self.world_instances();
        let boxes = instances.iter().filter_map(|placed| {
            let in_object = self.mesh(placed.mesh)?.bounds();
            (!in_object.is_empty()).then(|| in_object.transformed(&placed.world_from_object))
        });
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }

    /// Returns the visible lights, ordered by node id.
    pub fn world_lights(&self) -> Vec<WorldLight> {
        let world_nodes = self.world_nodes(current_transform);
        let lights = self.nodes().filter(|(id, _)| world_nodes[id].visible);
        lights
            .filter_map(|(node, n)| Some((node, n.light?)))
            .map(|(node, light)| WorldLight {
                node,
                light,
                world_from_light: world_nodes[&node].world_from_node,
            })
            .collect()
    }

    /// Returns all cameras, ordered by node id. Scale and shear of their nodes are ignored, as in glTF [glTF2, §3.10.2].
    pub fn world_cameras(&self) -> Vec<WorldCamera> {
        let world_nodes = self.world_nodes(current_transform);
        self.nodes()
            .filter_map(|(node, n)| Some((node, n.camera?)))
            .map(|(node, camera)| WorldCamera {
                node,
                camera,
                world_from_view: without_scale(world_nodes[&node].world_from_node),
            })
            .collect()
    }

    /// Computes the world transform and visibility of every node. Parents may have higher ids than their children.
    ///
    /// * `parent_from_node` — transform of each node.
    pub(crate) fn world_nodes(
        &self,
        parent_from_node: impl Fn(NodeId, &Node) -> Affine3,
    ) -> BTreeMap<NodeId, WorldNode> {
        let mut world_nodes: BTreeMap<NodeId, WorldNode> = BTreeMap::new();
        let mut ancestors = Vec::new();
        for (id, _) in self.nodes() {
            // Ascend to the nearest ancestor whose world transform is known, then descend. The loop ends, since edits
            // are checked for cycles.
            let mut next = Some(id).filter(|id| !world_nodes.contains_key(id));
            while let Some(ancestor) = next {
                ancestors.push(ancestor);
                next = self.node(ancestor).and_then(|n| n.parent).filter(|id| !world_nodes.contains_key(id));
            }
            while let Some(id) = ancestors.pop() {
                let Some(node) = self.node(id) else { continue };
                let parent = node.parent.and_then(|parent| world_nodes.get(&parent)).copied();
                let WorldNode { world_from_node, visible } =
                    parent.unwrap_or(WorldNode { world_from_node: Affine3::IDENTITY, visible: true });
                world_nodes.entry(id).or_insert_with(|| WorldNode {
                    world_from_node: world_from_node * parent_from_node(id, node),
                    visible: visible && node.visible,
                });
            }
        }
        world_nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Camera, Projection};
    use sunfleck_math::transform::{rotation_x, rotation_y};
    use sunfleck_math::vec3;

    /// Returns `world_from_view` of a camera below a node with a transform.
    fn view(world_from_parent: Affine3, parent_from_camera: Affine3) -> Affine3 {
        let mut scene = Scene::default();
        let projection = Projection::Orthographic { height: 2.0 };
        let camera = scene.add_camera(Camera::new("", projection)).unwrap();
        let parent = scene.add_node(Node::new("parent").at(world_from_parent)).unwrap();
        let mut node = Node::new("camera").at(parent_from_camera).with_camera(camera);
        node.parent = Some(parent);
        scene.add_node(node).unwrap();
        scene.world_cameras()[0].world_from_view
    }

    #[test]
    fn the_scale_of_a_cameras_parents_is_ignored() {
        let place = Affine3::from_translation(vec3(0.0, 0.0, 200.0));
        for scale in [vec3(0.01, 0.01, 0.01), vec3(0.02, 0.01, 0.01), vec3(-0.03, 0.02, 0.01)] {
            let found = view(Affine3::from_scale(scale), place);
            assert_eq!(found.matrix3, Mat3::IDENTITY, "{scale}");
            assert!((found.translation - vec3(0.0, 0.0, 2.0)).length() < 1e-5, "{scale}: {found:?}");
        }
        let turned = rotation_y(0.3) * rotation_x(-0.2);
        let found = view(turned * Affine3::from_scale(Vec3::splat(1e-3)), place);
        assert!(found.matrix3.abs_diff_eq(turned.matrix3, 1e-6), "{found:?}");
        assert_eq!(view(turned, Affine3::IDENTITY), turned, "a rotation keeps its bits");
    }
}
