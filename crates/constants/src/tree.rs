//! Layout of the GPU's acceleration structure, and markers of hits.

/// Number of units (of four words) of a node, or of a leaf.
pub const NODE: u32 = 4;
/// Largest number of children of a node.
pub const WIDTH: u32 = 4;
/// Bit that marks the index of a leaf.
pub const LEAF_BIT: u32 = 0x8000_0000;
/// Number of bits of a node's reference that hold the index of its first child. The bits above hold 4 minus the number
/// of children that are nodes, so that adding the slot of a child carries into [`LEAF_BIT`] where the leaves begin.
pub const FIRST_BITS: u32 = 29;
/// Mask of the index of the first child.
pub const FIRST_MASK: u32 = (1 << FIRST_BITS) - 1;

/// Lower half-word of the box of a missing child: a negative half size, which no ray hits.
pub const NO_BOX: u32 = 0xff00;
/// Largest upper half-word of a half size.
pub const MOST_HALF: u32 = 0x7f7f;

/// Second `prim_id` of a leaf with a single triangle.
pub const NO_TRIANGLE: u32 = 0xffff_ffff;
/// Second `prim_id` of a leaf that is a shape: this number plus the kind of the shape.
pub const SHAPE: u32 = 0xffff_fff0;
/// Last word of the first unit of a leaf that is an instance.
pub const IS_INSTANCE: u32 = 0xffff_fffe;
/// Index of an instance that stands for the world, and for geometry that is stored in world space.
pub const NOWHERE: u32 = 0xffff_ffff;

/// Largest number of entry points of a group of neighbouring rays.
pub const PLACES: u32 = 8;
/// Entry point of rays that do not form a beam: the root.
pub const ROOT: u32 = 0xffff_ffff;
/// Value that ends a list of fewer than [`PLACES`] entry points.
pub const NO_PLACE: u32 = 0xffff_fffe;

/// Boxes of nodes are enlarged by their largest coordinate divided by this number. That is more than the rounding
/// errors of the box, and of a ray in the node.
pub const MARGIN_PARTS: u32 = 1_000_000;

/// Length of traversal stacks in linked shaders. No other array has this length: specialisation replaces it by the
/// length that a world needs.
pub const LINKED_STACK: u32 = 251;

/// Cost of testing the boxes of a node, in triangle tests.
pub const NODE_COST: f32 = 1.6;

/// The `prim_id` of a ray that hits nothing.
pub const MISS: u32 = 0xffff_ffff;
