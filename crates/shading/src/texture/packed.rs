//! Images and lookups as plain arrays.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_scene::{Texels, TextureFilter, Wrap};

use super::{ImageSampler, TextureLookup, TextureTable};

/// An image as one material reads it: its texels, its sampling rule, and the affine map from the mesh's coordinates.
///
/// 40 bytes.
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
    /// Bits 0 and 1 are the format: 0 sRGB codes, 1 linear codes, 2 floats. Bits 2 and 3 are the wrap along u, 4 and 5 along
    /// v: 0 repeats, 1 mirrors, 2 clamps. Bit 6: bilinear. Bit 7: reads the mesh's second coordinates.
    pub sampling: u32,
}

impl PackedTexture {
    /// The index of no texture.
    pub const NONE: u32 = u32::MAX;
}

/// Collects the textures that materials refer to.
#[derive(Debug)]
pub(crate) struct TexturePacker<'a> {
    table: &'a TextureTable,
    /// Images that are there already, with their first words. Textures may share one.
    images: Vec<(&'a Texels, u32)>,
    pub(crate) textures: Vec<PackedTexture>,
    /// Linear values of the sRGB codes as bits of floats, then images: codes as one word of each texel, red the lowest byte; floats
    /// as four.
    pub(crate) texels: Vec<u32>,
}

impl<'a> TexturePacker<'a> {
    pub(crate) fn new(table: &'a TextureTable) -> Self {
        let texels = (0..=u8::MAX).map(|code| table.srgb.linear(code).to_bits()).collect();
        Self { table, images: Vec::new(), textures: Vec::new(), texels }
    }

    /// Index of the texture of a lookup.
    pub(crate) fn add(&mut self, lookup: Option<&TextureLookup>) -> u32 {
        let Some(lookup) = lookup else { return PackedTexture::NONE };
        let image = &self.table.images[lookup.image as usize];
        let texture = PackedTexture {
            x_axis: lookup.x_axis.to_array(),
            y_axis: lookup.y_axis.to_array(),
            translation: lookup.translation.to_array(),
            first: self.first_word(&image.texels),
            width: image.width(),
            height: image.height(),
            sampling: sampling(image) | u32::from(lookup.second_set) << 7,
        };
        self.textures.push(texture);
        index(self.textures.len() - 1)
    }

    fn first_word(&mut self, texels: &'a Texels) -> u32 {
        if let Some((_, first)) = self.images.iter().find(|(known, _)| is_same(known, texels)) {
            return *first;
        }
        let first = index(self.texels.len());
        match texels {
            Texels::Srgb8(codes) | Texels::Linear8(codes) => {
                self.texels.extend(codes.iter().map(|&code| u32::from_le_bytes(code)));
            }
            Texels::Float(values) => self.texels.extend(values.iter().flatten().map(|v| v.to_bits())),
        }
        self.images.push((texels, first));
        first
    }
}

fn sampling(image: &ImageSampler) -> u32 {
    let format = match image.texels {
        Texels::Srgb8(_) => 0,
        Texels::Linear8(_) => 1,
        Texels::Float(_) => 2,
    };
    let [u_wrap, v_wrap] = image.wrap().map(|wrap| match wrap {
        Wrap::Repeat => 0,
        Wrap::MirroredRepeat => 1,
        Wrap::ClampToEdge => 2,
    });
    format | u_wrap << 2 | v_wrap << 4 | u32::from(image.filter() == TextureFilter::Linear) << 6
}

/// Whether two textures share their words; what codes mean is not in them.
fn is_same(a: &Texels, b: &Texels) -> bool {
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
