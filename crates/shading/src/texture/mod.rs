//! Images read at surface points.

mod halve;
mod levels;
mod lookup;
mod means;
mod packed;
mod sampler;
mod srgb;
mod table;

pub(crate) use levels::Levels;
pub(crate) use lookup::TextureLookup;
pub(crate) use means::Means;
pub(crate) use packed::TexturePacker;
pub use packed::{PackedImage, PackedTexture};
pub(crate) use sampler::ImageSampler;
pub(crate) use srgb::SrgbTable;
pub(crate) use table::TextureTable;
