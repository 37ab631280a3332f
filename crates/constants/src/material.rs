//! Materials, textures and solid patterns.

/// What the alpha of a base colour means: nothing.
pub const OPAQUE: u32 = 0;
/// The surface is there where alpha is at least a cutoff.
pub const MASK: u32 = 1;
/// It is there with the probability alpha.
pub const BLEND: u32 = 2;

/// Index of the texture of who has none.
pub const NO_TEXTURE: u32 = 0xffff_ffff;

/// Format of an image, the lowest bits of how it is sampled: four bytes in a word, red the lowest; the colour sRGB-encoded.
pub const SRGB8: u32 = 0;
/// Four bytes in a word, values / 255.
pub const LINEAR8: u32 = 1;
/// Four floats in as many words.
pub const FLOAT: u32 = 2;
/// Beyond the border of an image is the image again.
pub const REPEAT: u32 = 0;
/// It is mirrored every second time.
pub const MIRRORED_REPEAT: u32 = 1;
/// The texels of the border go on.
pub const CLAMP_TO_EDGE: u32 = 2;
/// At which bit it stands what is beyond the border along u.
pub const U_WRAP_BIT: u32 = 2;
/// And along v.
pub const V_WRAP_BIT: u32 = 4;
/// Set if texels are interpolated.
pub const BILINEAR: u32 = 64;
/// Set if the mesh's second coordinates are read.
pub const SECOND_SET: u32 = 128;

/// The solid pattern of who has none.
pub const NO_PATTERN: u32 = 0;
/// Rings around an axis.
pub const WOOD: u32 = 1;
/// Veins in a stone.
pub const MARBLE: u32 = 2;
/// Bricks in mortar.
pub const BRICKS: u32 = 3;
/// Width of the flank of a joint between bricks, where depth grows in a smooth step.
pub const FLANK: f32 = 0.5;
