//! Trees as GPUs walk them, and hits.

/// Units of a node, or of a leaf.
pub const NODE: u32 = 4;
/// Most children of a node.
pub const WIDTH: u32 = 4;
/// Marks where a leaf is.
pub const LEAF_BIT: u32 = 0x8000_0000;
/// Bits of a reference that say where the first child is; above is how many of four are no nodes, so that a bit is carried where leaves begin.
pub const FIRST_BITS: u32 = 29;
/// These bits.
pub const FIRST_MASK: u32 = (1 << FIRST_BITS) - 1;

/// The lower half of a word of a box that there is not: a half size below 0, which no ray meets.
pub const NO_BOX: u32 = 0xff00;
/// Of a half size the upper 16 bits are kept, and these are the largest number.
pub const MOST_HALF: u32 = 0x7f7f;

/// In the place of the second `prim_id` of a leaf with one triangle only.
pub const NO_TRIANGLE: u32 = 0xffff_ffff;
/// In the place of the first, if the leaf is an instance.
pub const IS_INSTANCE: u32 = 0xffff_fffe;
/// Instead of an instance: the world, and what stands in it as it is.
pub const NOWHERE: u32 = 0xffff_ffff;

/// Most places where rays that lie together enter the trees.
pub const PLACES: u32 = 8;
/// Instead of such a place: all of the world, since there is no way that all rays go.
pub const ROOT: u32 = 0xffff_ffff;
/// After the last place, if there are not as many as there may be.
pub const NO_PLACE: u32 = 0xffff_fffe;

/// Boxes of nodes grow by one part in so many of their largest coordinate: more than rounding does to what is made of them, and to a ray within them.
pub const MARGIN_PARTS: u32 = 1_000_000;

/// The length of stacks in linked shaders, which no other arrays have: they get the length that a world needs.
pub const LINKED_STACK: u32 = 251;

/// Testing a node with its boxes costs about as much as so many triangles.
pub const NODE_PRICE: f32 = 1.6;

/// The `prim_id` of no hit.
pub const MISS: u32 = 0xffff_ffff;
