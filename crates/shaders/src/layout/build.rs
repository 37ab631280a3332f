use bytemuck::{Pod, Zeroable};
use sunfleck_math::Affine3;

use super::Instance;

/// An instance that can be hit, for the kernels that make the top level.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Placement {
    /// First row of `world_from_object`.
    pub x: [f32; 4],
    /// Second row.
    pub y: [f32; 4],
    /// Third row.
    pub z: [f32; 4],
    /// Index in the world.
    pub inst_id: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
    /// Zero.
    pub unused2: u32,
}

impl Placement {
    /// An instance somewhere.
    pub fn new(world_from_object: &Affine3, inst_id: u32) -> Self {
        let Instance { x, y, z, .. } = Instance::new(world_from_object, 0, inst_id);
        Self { x, y, z, inst_id, unused0: 0, unused1: 0, unused2: 0 }
    }
}

/// A box and something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Bounds {
    /// Lower corner.
    pub low: [f32; 3],
    /// What else is needed.
    pub also: f32,
    /// Upper corner.
    pub high: [f32; 3],
    /// Zero.
    pub unused: u32,
}

/// What instances are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Key {
    /// Place on the curve.
    pub code: u32,
    /// Which instance.
    pub item: u32,
}

/// The children of an inner node and the keys below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Link {
    /// A node, or a key if the highest bit is set.
    pub left: u32,
    /// As `left`.
    pub right: u32,
    /// First key.
    pub first: u32,
    /// Last key.
    pub last: u32,
}

/// What a top level has once.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Whole {
    /// Lower corner of the box around everything.
    pub low: [f32; 3],
    /// By how much every box grows.
    pub padding: f32,
    /// Upper corner.
    pub high: [f32; 3],
    /// Inner nodes on the way to a leaf.
    pub depth: u32,
}

/// What a dispatch does for a top level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    /// Instances.
    pub count: u32,
    /// As many or more: a power of two, at least a block of the sort.
    pub padded: u32,
    /// Where the top level is, but for the root.
    pub first: u32,
    /// Deepest tree that is used.
    pub most_depth: u32,
    /// See `shaders/build/top.wesl`.
    pub a: u32,
    /// See `a`.
    pub b: u32,
    /// See `a`.
    pub c: u32,
    /// Zero.
    pub unused: u32,
}

/// A node of a bottom level that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MovedNode {
    /// Where it is among the units.
    pub at: u32,
    /// Which box is its own; that of the root is the first.
    pub own: u32,
    /// Which is that of its first child that is a node; those of the others follow.
    pub below: u32,
    /// Zero.
    pub unused: u32,
}

/// What a dispatch does for a bottom level that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Refit {
    /// Nodes that there is something to do for.
    pub count: u32,
    /// The first of them in the order.
    pub first: u32,
    /// Word where the triangles of the mesh begin.
    pub triangles: u32,
    /// Word where its positions begin.
    pub positions: u32,
    /// Where its cost goes.
    pub cost: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
    /// Zero.
    pub unused2: u32,
}
