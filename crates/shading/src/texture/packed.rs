//! Textures and images as plain arrays for the GPU.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::material as constants;
use sunfleck_scene::{Texels, TextureFilter, Wrap};

use super::{ImageSampler, TextureLookup, TextureTable};

/// A texture as one material refers to it: an image, its sampling, and the affine map from the mesh's texture
/// coordinates. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedTexture {
    /// First column of the affine map.
    pub x_axis: [f32; 2],
    /// Second column of the affine map.
    pub y_axis: [f32; 2],
    /// Third column of the affine map.
    pub translation: [f32; 2],
    /// Index of the image's first word.
    pub first: u32,
    /// Width of the image in texels.
    pub width: u32,
    /// Height of the image in texels.
    pub height: u32,
    /// Format, wrapping along u and v, and flags: bits of [`sunfleck_constants::material`].
    pub sampling: u32,
    /// Texels per unit of the mesh's texture coordinates: the square root of the number of texels in a unit square.
    pub density: f32,
    /// Index of the first word of the mip levels 1, 2, …: each half as wide and high as the previous one, rounded up,
    /// down to a single texel. An image of a single texel has none.
    pub levels: u32,
}

impl PackedTexture {
    /// Index that stands for no texture.
    pub const NONE: u32 = constants::NO_TEXTURE;
}

/// Texels of an image, shared with the scene: one word per texel for 8-bit codes, with red in the lowest byte; two
/// words for 16-bit codes, with red in the lower half of the first; four for floats.
#[derive(Clone, Debug)]
pub struct PackedImage(Texels);

impl PackedImage {
    /// Returns the words as bytes, the lowest byte of each word first.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Texels::Srgb8(codes) | Texels::Linear8(codes) => codes.as_flattened(),
            Texels::Linear16(codes) => bytemuck::cast_slice(codes),
            Texels::Float(values) => bytemuck::cast_slice(values),
        }
    }

    /// Returns whether both images share their memory. The encoding (sRGB or linear) is not compared.
    pub fn is_same(&self, other: &Self) -> bool {
        share_words(&self.0, &other.0)
    }
}

/// Collects the textures that materials refer to.
#[derive(Debug)]
pub(crate) struct TexturePacker<'a> {
    table: &'a TextureTable,
    /// Distinct images.
    pub(crate) images: Vec<PackedImage>,
    /// Textures, whose `first` and `levels` are indices of `images`.
    pub(crate) textures: Vec<PackedTexture>,
}

impl<'a> TexturePacker<'a> {
    pub(crate) fn new(table: &'a TextureTable) -> Self {
        Self { table, images: Vec::new(), textures: Vec::new() }
    }

    /// Adds the texture of a lookup and returns its index, or [`PackedTexture::NONE`].
    pub(crate) fn add(&mut self, lookup: Option<&TextureLookup>) -> u32 {
        let Some(lookup) = lookup else { return PackedTexture::NONE };
        let image = &self.table.images[lookup.image as usize];
        let texture = PackedTexture {
            x_axis: lookup.x_axis.to_array(),
            y_axis: lookup.y_axis.to_array(),
            translation: lookup.translation.to_array(),
            first: self.image(&image.texels),
            levels: self.image(&self.table.levels[lookup.image as usize].texels),
            density: lookup.density,
            width: image.width(),
            height: image.height(),
            sampling: sampling(image) | if lookup.second_set { constants::SECOND_SET } else { 0 },
        };
        self.textures.push(texture);
        index(self.textures.len() - 1)
    }

    fn image(&mut self, texels: &Texels) -> u32 {
        let known = self.images.iter().position(|known| share_words(&known.0, texels));
        index(known.unwrap_or_else(|| {
            self.images.push(PackedImage(texels.clone()));
            self.images.len() - 1
        }))
    }
}

impl TextureTable {
    /// Returns the linear values of the sRGB codes, as bits of floats.
    pub(crate) fn packed_codes(&self) -> impl Iterator<Item = u32> {
        (0..=u8::MAX).map(|code| self.srgb.linear(code).to_bits())
    }
}

fn sampling(image: &ImageSampler) -> u32 {
    let format = match image.texels {
        Texels::Srgb8(_) => constants::SRGB8,
        Texels::Linear8(_) => constants::LINEAR8,
        Texels::Linear16(_) => constants::LINEAR16,
        Texels::Float(_) => constants::FLOAT,
    };
    let [u_wrap, v_wrap] = image.wrap().map(|wrap| match wrap {
        Wrap::Repeat => constants::REPEAT,
        Wrap::MirroredRepeat => constants::MIRRORED_REPEAT,
        Wrap::ClampToEdge => constants::CLAMP_TO_EDGE,
    });
    let bilinear = if image.filter() == TextureFilter::Linear { constants::BILINEAR } else { 0 };
    format | u_wrap << constants::U_WRAP_BIT | v_wrap << constants::V_WRAP_BIT | bilinear
}

/// Returns whether two textures share the memory of their texels. The encoding (sRGB or linear) is not compared.
pub(super) fn share_words(a: &Texels, b: &Texels) -> bool {
    match (a, b) {
        (Texels::Srgb8(a) | Texels::Linear8(a), Texels::Srgb8(b) | Texels::Linear8(b)) => Arc::ptr_eq(a, b),
        (Texels::Linear16(a), Texels::Linear16(b)) => Arc::ptr_eq(a, b),
        (Texels::Float(a), Texels::Float(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Converts an index to 32 bits; arrays of more than 2³² elements are beyond any GPU.
fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
