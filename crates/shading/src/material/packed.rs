//! Material table as plain arrays for the GPU, with the same dense indices.

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::bsdf;
use sunfleck_constants::material::{BLEND, MASK, OPAQUE};
use sunfleck_math::Vec4;
use sunfleck_scene::Alpha;

use super::MaterialTable;
use super::record::MaterialRecord;
use crate::procedural::PackedProcedural;
use crate::texture::{PackedImage, PackedTexture, TexturePacker};

/// A [`MaterialTable`] as arrays that refer to each other by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedMaterials {
    /// Materials by dense index.
    pub materials: Vec<PackedMaterial>,
    /// Textures to which materials refer.
    pub textures: Vec<PackedTexture>,
    /// The 256 linear values of sRGB codes as bits of floats, then the texels of images: a word is four 8-bit codes,
    /// with red in the lowest byte, or the bits of a float.
    pub texels: Vec<u32>,
}

/// A [`MaterialTable`] as arrays, with the images shared instead of copied.
#[derive(Clone, Debug, Default)]
pub struct PackedRecords {
    /// Materials by dense index.
    pub materials: Vec<PackedMaterial>,
    /// Textures to which materials refer; their `first` and `levels` are indices of `images`.
    pub textures: Vec<PackedTexture>,
    /// Images to which textures refer.
    pub images: Vec<PackedImage>,
    /// The 256 linear values of sRGB codes, as bits of floats.
    pub codes: Vec<u32>,
}

/// A material on the GPU. 256 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedMaterial {
    /// Factor of the base colour and of alpha; reflectance of a mirror; tint of a dielectric.
    pub base: [f32; 4],
    /// Emitted radiance, before the emission texture.
    pub radiance: [f32; 3],
    /// Scattering model: one of the kinds in [`sunfleck_constants::bsdf`].
    pub kind: u32,
    /// Factor of the metallic texture; of plastic, the part of the diffuse light inside its coating that is reflected
    /// back.
    pub metallic: f32,
    /// Factor of the roughness texture.
    pub roughness: f32,
    /// Index of refraction of a dielectric, thin or not, and of plastic; of metallic-roughness, the reflectance of the
    /// dielectric at normal incidence.
    pub ior: f32,
    /// Factor of x and y of the normal map.
    pub normal_scale: f32,
    /// Index of the base colour texture, or [`PackedTexture::NONE`].
    pub base_texture: u32,
    /// Index of the texture of roughness (green) and metallic (blue), or [`PackedTexture::NONE`].
    pub surface_texture: u32,
    /// Index of the normal map, or [`PackedTexture::NONE`].
    pub normal_texture: u32,
    /// Index of the emission texture, or [`PackedTexture::NONE`].
    pub emission_texture: u32,
    /// Alpha mode: [`OPAQUE`], [`MASK`], [`BLEND`] or [`THIN`](sunfleck_constants::material::THIN).
    pub alpha: u32,
    /// Alpha threshold of the mode [`MASK`].
    pub cutoff: f32,
    /// 1 if the material is double-sided, else 0.
    pub double_sided: u32,
    /// [`BECKMANN`](bsdf::BECKMANN) and [`NONLINEAR`](bsdf::NONLINEAR).
    pub flags: u32,
    /// Factor of the reflection by the coating of plastic.
    pub specular: [f32; 3],
    /// Fraction of diffuse light that the coating of plastic transmits.
    pub mean_transmittance: f32,
    /// Of a conductor: real part, 0, imaginary part of the index of refraction, 0. Of plastic: coefficients of the
    /// transmittance of its coating. Of the principled model: transmission, clearcoat, sheen, specular tint, sheen tint,
    /// flatness, gloss of the coating, 0.
    pub optics: [f32; 8],
    /// Anisotropy of the microfacets.
    pub anisotropy: f32,
    /// Index of the texture of clearcoat (red) and sheen (green), or [`PackedTexture::NONE`].
    pub coat_texture: u32,
    /// Zero.
    pub unused: [u32; 2],
    /// Procedural pattern; all zeros if there is none.
    pub procedural: PackedProcedural,
}

impl MaterialTable {
    /// Returns the table as plain arrays. Images to which no material refers are left out.
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

    /// Returns the table as [`packed`](Self::packed) does, without copies of the images.
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
        flags: 0,
        specular: [1.0; 3],
        mean_transmittance: 0.0,
        optics: [0.0; 8],
        anisotropy: 0.0,
        coat_texture: PackedTexture::NONE,
        unused: [0; 2],
        procedural: procedural.map_or(Zeroable::zeroed(), PackedProcedural::new),
    };
    record.surface.packed(plain, textures)
}
