//! Material table as plain arrays, which a GPU reads by the same indices.

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::bsdf;
use sunfleck_constants::material::{BLEND, MASK, OPAQUE};
use sunfleck_math::Vec4;
use sunfleck_scene::Alpha;

use super::MaterialTable;
use super::record::MaterialRecord;
use crate::procedural::PackedProcedural;
use crate::texture::{PackedImage, PackedTexture, TexturePacker};

/// A [`MaterialTable`] that refers to its parts by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedMaterials {
    /// By the table's index.
    pub materials: Vec<PackedMaterial>,
    /// What materials refer to.
    pub textures: Vec<PackedTexture>,
    /// What textures refer to, after the 256 linear values of sRGB codes: words are four codes, red the lowest byte, or the bits
    /// of a float.
    pub texels: Vec<u32>,
}

/// A [`MaterialTable`] whose images stay where they are.
#[derive(Clone, Debug, Default)]
pub struct PackedRecords {
    /// By the table's index.
    pub materials: Vec<PackedMaterial>,
    /// What materials refer to; `first` and `levels` are indices of `images`.
    pub textures: Vec<PackedTexture>,
    /// What textures refer to.
    pub images: Vec<PackedImage>,
    /// The 256 linear values of sRGB codes, bits of floats.
    pub codes: Vec<u32>,
}

/// A material. 192 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedMaterial {
    /// Factor of the base colour and of alpha; a mirror's reflectance, a dielectric's tint.
    pub base: [f32; 4],
    /// Emitted.
    pub radiance: [f32; 3],
    /// Of the scattering model: one of the kinds in [`sunfleck_constants::bsdf`].
    pub kind: u32,
    /// Factor.
    pub metallic: f32,
    /// Factor.
    pub roughness: f32,
    /// Of a dielectric.
    pub ior: f32,
    /// Multiplies x and y of the normal map.
    pub normal_scale: f32,
    /// Of the base colour, or [`PackedTexture::NONE`].
    pub base_texture: u32,
    /// Of roughness (green) and metallic (blue), or none.
    pub surface_texture: u32,
    /// Normal map, or none.
    pub normal_texture: u32,
    /// Of emission, or none.
    pub emission_texture: u32,
    /// [`OPAQUE`], [`MASK`] or [`BLEND`].
    pub alpha: u32,
    /// Of a mask.
    pub cutoff: f32,
    /// 1 or 0.
    pub double_sided: u32,
    /// Zero.
    pub unused: u32,
    /// All zeros without one.
    pub procedural: PackedProcedural,
}

impl MaterialTable {
    /// The same as plain arrays. Images that no material reads are left out.
    pub fn packed(&self) -> PackedMaterials {
        let PackedRecords { materials, mut textures, images, codes: mut texels } = self.packed_records();
        let mut firsts = Vec::with_capacity(images.len());
        for image in &images {
            firsts.push(u32::try_from(texels.len()).unwrap_or(u32::MAX));
            let words = image.bytes().chunks_exact(4);
            texels.extend(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
        }
        for texture in &mut textures {
            texture.first = firsts[texture.first as usize];
            texture.levels = firsts[texture.levels as usize];
        }
        PackedMaterials { materials, textures, texels }
    }

    /// As [`packed`](Self::packed), without a copy of the images.
    pub fn packed_records(&self) -> PackedRecords {
        let mut packer = TexturePacker::new(&self.textures);
        let materials = self.records.iter().map(|record| packed(record, &mut packer)).collect();
        let codes = self.textures.packed_codes().collect();
        PackedRecords { materials, textures: packer.textures, images: packer.images, codes }
    }
}

fn packed(record: &MaterialRecord, textures: &mut TexturePacker<'_>) -> PackedMaterial {
    let (alpha, cutoff) = match record.alpha {
        Alpha::Opaque => (OPAQUE, 0.0),
        Alpha::Mask { cutoff } => (MASK, cutoff),
        Alpha::Blend => (BLEND, 0.0),
    };
    let procedural = record.procedural.as_deref();
    let plain = PackedMaterial {
        base: Vec4::ONE.to_array(),
        radiance: record.radiance.to_array(),
        kind: bsdf::LAMBERT,
        metallic: 0.0,
        roughness: 1.0,
        ior: 1.0,
        normal_scale: record.normal_map.map_or(1.0, |map| map.scale),
        base_texture: PackedTexture::NONE,
        surface_texture: PackedTexture::NONE,
        normal_texture: textures.add(record.normal_map.as_ref().map(|map| &map.lookup)),
        emission_texture: textures.add(record.emission_texture.as_ref()),
        alpha,
        cutoff,
        double_sided: record.double_sided.into(),
        unused: 0,
        procedural: procedural.map_or(Zeroable::zeroed(), PackedProcedural::new),
    };
    record.surface.packed(plain, textures)
}
