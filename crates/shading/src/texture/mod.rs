//! Image textures: sampling, mip levels, and means over areas.

mod halve;
mod lookup;
mod mean_pyramid;
mod mip_levels;
mod packed;
mod sampler;
mod srgb;
mod table;

pub(crate) use lookup::TextureLookup;
pub(crate) use mean_pyramid::MeanPyramid;
pub(crate) use mip_levels::MipLevels;
pub(crate) use packed::TexturePacker;
pub use packed::{PackedImage, PackedTexture};
pub(crate) use sampler::ImageSampler;
pub(crate) use srgb::SrgbTable;
pub(crate) use table::TextureTable;
