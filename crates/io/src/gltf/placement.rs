//! Placement of nodes relative to the origin of the scene.
//!
//! Translations of nodes are doubles in the file; a scene has single precision. Where a scene is far from zero, as on a
//! map, its origin is subtracted in double precision from the topmost nodes that are far away, so that the nodes below
//! them are composed of small numbers.

use std::collections::BTreeSet;

use glam::{DAffine3, DMat3, DMat4, DQuat};
use sunfleck_math::{Affine3, DVec3, Mat3, Vec3};

use crate::origin::Bounds;

use super::model::{Accessor, Node, Root};

/// World transforms of the nodes of a file, in double precision.
pub(super) struct WorldNodes {
    /// Nodes of the imported scene with their parents, parents first.
    order: Vec<(usize, Option<usize>)>,
    /// World transform of each of these nodes.
    world: Vec<DAffine3>,
    /// Bounds of meshes and cameras.
    pub(super) bounds: Bounds,
}

impl WorldNodes {
    /// Computes the transforms of the nodes below `roots`. A node is placed once, at its first parent.
    pub(super) fn new(root: &Root, roots: &[usize]) -> Self {
        let order = ordered(root, roots);
        let mut world = vec![DAffine3::IDENTITY; root.nodes.len()];
        let mut bounds = Bounds::EMPTY;
        for &(index, parent) in &order {
            let node = &root.nodes[index];
            world[index] = parent.map_or(DAffine3::IDENTITY, |parent| world[parent]) * transform(node);
            add_content(root, node, &world[index], &mut bounds);
        }
        Self { order, world, bounds }
    }
}

/// Transforms of the nodes that are placed relative to the origin of the scene.
#[derive(Debug, Default)]
pub(super) struct Placement {
    /// Transforms of nodes that differ from those of the file.
    moved: Vec<Option<Moved>>,
}

/// Transform of a node that is placed relative to the origin.
#[derive(Clone, Copy, Debug)]
struct Moved {
    parent_from_node: DAffine3,
    /// Difference of the translation to that of the file.
    offset: DVec3,
}

impl Placement {
    /// Places nodes relative to an origin in the coordinates of the file.
    pub(super) fn new(root: &Root, nodes: WorldNodes, origin: DVec3) -> Self {
        if origin == DVec3::ZERO {
            return Self::default();
        }
        let WorldNodes { order, world, .. } = nodes;
        let joints: BTreeSet<usize> =
            root.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
        let mut is_moved = vec![false; root.nodes.len()];
        let mut moved = vec![None; root.nodes.len()];
        for (index, parent) in order {
            let node = &root.nodes[index];
            if parent.is_some_and(|parent| is_moved[parent]) {
                is_moved[index] = true;
                continue;
            }
            let position = world[index].translation;
            let has_content = node.mesh.is_some() || node.camera.is_some() || node.extensions.light.is_some();
            let is_nearer = (position - origin).length() < position.length();
            if has_content || is_nearer || joints.contains(&index) {
                let mut relative = world[index];
                relative.translation -= origin;
                let parent_from_world = parent.map_or(DAffine3::IDENTITY, |parent| world[parent].inverse());
                let parent_from_node = parent_from_world * relative;
                let offset = parent_from_node.translation - transform(node).translation;
                (is_moved[index], moved[index]) = (true, Some(Moved { parent_from_node, offset }));
            }
        }
        Self { moved }
    }

    /// Returns the transform of a node, unless it is that of the file.
    pub(super) fn parent_from_node(&self, node: usize) -> Option<Affine3> {
        let DAffine3 { matrix3, translation } = self.moved.get(node)?.as_ref()?.parent_from_node;
        let columns = [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis].map(|column| column.as_vec3());
        let [x, y, z] = columns;
        Some(Affine3::from_mat3_translation(Mat3::from_cols(x, y, z), translation.as_vec3()))
    }

    /// Returns a translation of a node, of its rest pose or of an animation, relative to the origin.
    pub(super) fn translation(&self, node: usize, of_file: DVec3) -> Vec3 {
        let moved = self.moved.get(node).and_then(Option::as_ref);
        (of_file + moved.map_or(DVec3::ZERO, |moved| moved.offset)).as_vec3()
    }
}

/// Returns the nodes below `roots` with their parents, parents first; each node once.
fn ordered(root: &Root, roots: &[usize]) -> Vec<(usize, Option<usize>)> {
    let mut visited = vec![false; root.nodes.len()];
    let mut stack: Vec<_> = roots.iter().map(|&index| (index, None)).collect();
    let mut order = Vec::new();
    while let Some((index, parent)) = stack.pop() {
        let Some(node) = root.nodes.get(index) else { continue };
        if !std::mem::replace(&mut visited[index], true) {
            order.push((index, parent));
            stack.extend(node.children.iter().map(|&child| (child, Some(index))));
        }
    }
    order
}

/// Returns the transform of a node in double precision.
fn transform(node: &Node) -> DAffine3 {
    if let Some(matrix) = &node.matrix {
        return DAffine3::from_mat4(DMat4::from_cols_array(matrix));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, |r| DQuat::from_array(r.map(f64::from)));
    let length = rotation.length();
    let rotation = if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY };
    let scale = DVec3::from_array(node.scale.unwrap_or([1.0; 3]).map(f64::from));
    let translation = DVec3::from_array(node.translation.unwrap_or_default());
    DAffine3 { matrix3: DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), translation }
}

/// Extends the bounds by the corners of the box of a node's mesh, and by its camera.
fn add_content(root: &Root, node: &Node, world_from_node: &DAffine3, bounds: &mut Bounds) {
    if node.camera.is_some() {
        bounds.add(world_from_node.translation);
    }
    let mesh = node.mesh.and_then(|mesh| root.meshes.get(mesh));
    for primitive in mesh.into_iter().flat_map(|mesh| &mesh.primitives) {
        let accessor = primitive.attributes.get("POSITION").and_then(|&index| root.accessors.get(index));
        let Some([min, max]) = accessor.map(extent) else { continue };
        for corner in 0..8 {
            let of = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
            bounds.add(world_from_node.transform_point3(DVec3::new(of(0), of(1), of(2))));
        }
    }
}

/// Returns the box that an accessor of positions states, or a unit box.
fn extent(accessor: &Accessor) -> [[f64; 3]; 2] {
    let scale = match (accessor.normalized, accessor.component_type) {
        (true, 5120) => f64::from(i8::MAX),
        (true, 5121) => f64::from(u8::MAX),
        (true, 5122) => f64::from(i16::MAX),
        (true, 5123) => f64::from(u16::MAX),
        _ => 1.0,
    };
    let corner = |values: &serde_json::Value, default: f64| {
        [0, 1, 2]
            .map(|axis| values.get(axis).and_then(serde_json::Value::as_f64).map_or(default, |v| v / scale))
    };
    [corner(&accessor.min, -1.0), corner(&accessor.max, 1.0)]
}
