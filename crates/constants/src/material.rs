//! Kinds of alpha, formats and sampling rules of textures, and solid patterns.

/// Alpha mode: the surface is opaque.
pub const OPAQUE: u32 = 0;
/// Alpha mode: the surface exists where alpha is at least a cutoff.
pub const MASK: u32 = 1;
/// Alpha mode: the surface exists with probability alpha.
pub const BLEND: u32 = 2;
/// Alpha mode: the surface stops rays with the probability that [`THIN_DIELECTRIC`](crate::bsdf::THIN_DIELECTRIC) does
/// not transmit them without a change.
pub const THIN: u32 = 3;
/// Number of panes of thin glass on the way of a shadow ray whose colours are multiplied; others are left to chance.
pub const MOST_PANES: u32 = 8;

/// Index that stands for no texture.
pub const NO_TEXTURE: u32 = 0xffff_ffff;

/// Format of an image, in the lowest bits of its sampling rule: four bytes in a word, red lowest; the colour is
/// sRGB-encoded.
pub const SRGB8: u32 = 0;
/// Format of an image: four bytes in a word, red lowest; values are bytes / 255.
pub const LINEAR8: u32 = 1;
/// Format of an image: four floats in four words.
pub const FLOAT: u32 = 2;
/// Format of an image: four 16-bit codes in two words, red lowest; values are codes / 65535.
pub const LINEAR16: u32 = 3;
/// Wrap mode: the image repeats.
pub const REPEAT: u32 = 0;
/// Wrap mode: the image repeats, mirrored every second time.
pub const MIRRORED_REPEAT: u32 = 1;
/// Wrap mode: the texels of the border continue.
pub const CLAMP_TO_EDGE: u32 = 2;
/// Lowest bit of the wrap mode along u.
pub const U_WRAP_BIT: u32 = 2;
/// Lowest bit of the wrap mode along v.
pub const V_WRAP_BIT: u32 = 4;
/// Bit that is set if texels are interpolated.
pub const BILINEAR: u32 = 64;
/// Bit that is set if the mesh's second texture coordinates are read.
pub const SECOND_SET: u32 = 128;

/// Kind of solid pattern: none.
pub const NO_PATTERN: u32 = 0;
/// Kind of solid pattern: rings around an axis.
pub const WOOD: u32 = 1;
/// Kind of solid pattern: veins in a stone.
pub const MARBLE: u32 = 2;
/// Kind of solid pattern: bricks in mortar.
pub const BRICKS: u32 = 3;
/// Width of the flank of a joint between bricks, over which depth grows as a smooth step.
pub const FLANK: f32 = 0.5;
