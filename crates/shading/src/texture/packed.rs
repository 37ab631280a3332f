//! Images and lookups as plain arrays.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::material as constants;
use sunfleck_scene::{Texels, TextureFilter, Wrap};

use super::{ImageSampler, TextureLookup, TextureTable};

/// An image as one material reads it: its texels, its sampling rule, and the affine map from the mesh's coordinates.
///
/// 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedTexture {
    /// First column of the map.
    pub x_axis: [f32; 2],
    /// Second column.
    pub y_axis: [f32; 2],
    /// Third column.
    pub translation: [f32; 2],
    /// Index of the image's first word.
    pub first: u32,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Format, wraps along u and along v, and flags, as [`sunfleck_constants::material`] has them.
    pub sampling: u32,
    /// Texels in a unit of the mesh's coordinates, as the square root of those in its square.
    pub density: f32,
    /// Index of the first word of its smaller versions, from level 1 on: each half as wide and high as the one before, rounded
    /// up, down to a single texel. Of a single texel there are none.
    pub levels: u32,
}

impl PackedTexture {
    /// The index of no texture.
    pub const NONE: u32 = constants::NO_TEXTURE;
}

/// The texels of an image, which the scene has too: codes as one word of each texel, red the lowest byte; floats as four.
#[derive(Clone, Debug)]
pub struct PackedImage(Texels);

impl PackedImage {
    /// The words, each from its lowest byte.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Texels::Srgb8(codes) | Texels::Linear8(codes) => codes.as_flattened(),
            Texels::Float(values) => bytemuck::cast_slice(values),
        }
    }

    /// Whether both are the same memory; what codes mean is not in them.
    pub fn is_same(&self, other: &Self) -> bool {
        share_words(&self.0, &other.0)
    }
}

/// Collects the textures that materials refer to.
#[derive(Debug)]
pub(crate) struct TexturePacker<'a> {
    table: &'a TextureTable,
    /// Textures may share one.
    pub(crate) images: Vec<PackedImage>,
    /// Their `first` and `levels` are indices of images.
    pub(crate) textures: Vec<PackedTexture>,
}

impl<'a> TexturePacker<'a> {
    pub(crate) fn new(table: &'a TextureTable) -> Self {
        Self { table, images: Vec::new(), textures: Vec::new() }
    }

    /// Index of the texture of a lookup.
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
    /// Linear values of the sRGB codes, bits of floats.
    pub(crate) fn packed_codes(&self) -> impl Iterator<Item = u32> {
        (0..=u8::MAX).map(|code| self.srgb.linear(code).to_bits())
    }
}

fn sampling(image: &ImageSampler) -> u32 {
    let format = match image.texels {
        Texels::Srgb8(_) => constants::SRGB8,
        Texels::Linear8(_) => constants::LINEAR8,
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

/// Whether two textures share their words; what codes mean is not in them.
pub(super) fn share_words(a: &Texels, b: &Texels) -> bool {
    match (a, b) {
        (Texels::Srgb8(a) | Texels::Linear8(a), Texels::Srgb8(b) | Texels::Linear8(b)) => Arc::ptr_eq(a, b),
        (Texels::Float(a), Texels::Float(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Beyond 2³² words nothing binds the array anyway.
fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
