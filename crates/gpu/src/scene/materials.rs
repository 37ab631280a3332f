use std::ops::Range;
use std::sync::Arc;

use sunfleck_constants::bsdf::{CONDUCTOR, PLASTIC, PRINCIPLED, ROUGH_DIELECTRIC};
use sunfleck_constants::material::THIN;
use sunfleck_shaders::{SurfaceFeature, SurfaceFeatures};
use sunfleck_shading::{
    MaterialTable, PackedImage, PackedMaterial, PackedRecords, PackedTexture, packed_albedo_table,
};

use crate::GpuError;
use crate::buffer::SegmentedArray;
use crate::buffer::{Array, MirroredBuffer, Pool, Upload};

/// Materials, textures and images of a world on the GPU. Each image has a range of the texels.
#[derive(Debug)]
pub(super) struct Materials {
    materials: MirroredBuffer<PackedMaterial>,
    textures: MirroredBuffer<PackedTexture>,
    /// Values of the sRGB codes, then the images.
    texels: Pool<u32>,
    images: Vec<(PackedImage, Range<u32>)>,
    albedo_table: Array<[f32; 2]>,
    surface_features: SurfaceFeatures,
    /// Table from which the content was packed.
    source: Option<Arc<MaterialTable>>,
}

impl Materials {
    /// Creates a table without materials.
    ///
    /// * `binding` — largest size of a binding, bytes.
    pub(super) fn new(upload: &mut Upload<'_>, binding: u64) -> Result<Self, GpuError> {
        let gpu = upload.gpu;
        Ok(Self {
            materials: MirroredBuffer::new(gpu, "materials")?,
            textures: MirroredBuffer::new(gpu, "textures")?,
            texels: Pool::new(upload, "texels", u32::MAX, binding)?,
            images: Vec::new(),
            albedo_table: Array::new(gpu, "tables", &packed_albedo_table())?,
            surface_features: SurfaceFeatures::NONE,
            source: None,
        })
    }

    /// Updates the content to another table. Images that it shares with the previous one keep their ranges.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        materials: &Arc<MaterialTable>,
    ) -> Result<(), GpuError> {
        if self.source.as_ref().is_some_and(|source| Arc::ptr_eq(source, materials)) {
            return Ok(());
        }
        let PackedRecords { materials: records, mut textures, images, codes } = materials.packed_records();
        if self.source.is_none() {
            let words = images.iter().map(|image| image.bytes().len() / 4);
            self.texels.reserve(upload, codes.len() + words.sum::<usize>())?;
            let first = self.texels.allocate(upload, codes.len())?.start;
            self.texels.write(upload, first, &codes);
        }
        self.update_images(upload, images)?;
        for texture in &mut textures {
            texture.first = self.images[texture.first as usize].1.start;
            texture.levels = self.images[texture.levels as usize].1.start;
        }
        self.surface_features = features_of(&records, &textures);
        self.materials.update(upload, records)?;
        self.textures.update(upload, textures)?;
        self.source = Some(materials.clone());
        Ok(())
    }

    /// Makes `images` the resident images, in this order.
    fn update_images(&mut self, upload: &mut Upload<'_>, images: Vec<PackedImage>) -> Result<(), GpuError> {
        let mut known = std::mem::take(&mut self.images);
        let mut kept = Vec::new();
        for image in images {
            let place = known.iter().position(|(old, _)| old.is_same(&image));
            kept.push((image, place.map(|place| known.swap_remove(place).1)));
        }
        // Images that are gone make room for new ones
        for (_, range) in known {
            self.texels.free(range);
        }
        for (image, place) in kept {
            let range = match place {
                Some(range) => range,
                None => {
                    let range = self.texels.allocate(upload, image.bytes().len() / 4)?;
                    self.texels.write_bytes(upload, range.start, image.bytes());
                    range
                }
            };
            self.images.push((image, range));
        }
        Ok(())
    }

    /// Optional features of surfaces that the materials use.
    pub(super) fn surface_features(&self) -> SurfaceFeatures {
        self.surface_features
    }

    /// Layout of the array of texels.
    pub(super) fn segmentation(&self) -> SegmentedArray {
        self.texels.segmentation("texels")
    }

    pub(super) fn resources(&self) -> Vec<(String, &wgpu::Buffer)> {
        let records = [
            ("materials", self.materials.buffer()),
            ("textures", self.textures.buffer()),
            ("tables", &self.albedo_table.buffer),
        ];
        let records = records.map(|(name, buffer)| (name.to_owned(), buffer));
        records.into_iter().chain(self.texels.resources("texels")).collect()
    }
}

fn features_of(materials: &[PackedMaterial], textures: &[PackedTexture]) -> SurfaceFeatures {
    let any = |has: fn(&PackedMaterial) -> bool| materials.iter().any(has);
    let read = |has: fn(u32) -> bool| textures.iter().any(|texture| has(texture.sampling));
    let found = [
        (SurfaceFeature::Patterns, any(|material| material.procedural.pattern != 0)),
        (SurfaceFeature::BaseMaps, any(|material| material.base_texture != PackedTexture::NONE)),
        (
            SurfaceFeature::SurfaceMaps,
            any(|material| {
                [material.surface_texture, material.coat_texture].iter().any(|&it| it != PackedTexture::NONE)
            }),
        ),
        (SurfaceFeature::NormalMaps, any(|material| material.normal_texture != PackedTexture::NONE)),
        (SurfaceFeature::EmissionMaps, any(|material| material.emission_texture != PackedTexture::NONE)),
        (SurfaceFeature::Holes, any(|material| material.alpha != 0)),
        (SurfaceFeature::Panes, any(|material| material.alpha == THIN)),
        (
            SurfaceFeature::Interfaces,
            any(|material| matches!(material.kind, CONDUCTOR | ROUGH_DIELECTRIC | PLASTIC)),
        ),
        (SurfaceFeature::Anisotropy, any(|material| material.anisotropy != 0.0)),
        (SurfaceFeature::Principled, any(|material| material.kind == PRINCIPLED)),
        (SurfaceFeature::WideTexels, read(|sampling| sampling & 3 >= 2)),
        (SurfaceFeature::Blocks, read(|sampling| sampling & 64 == 0)),
        (SurfaceFeature::Borders, read(|sampling| sampling & 60 != 0)),
        (SurfaceFeature::SecondSets, read(|sampling| sampling & 128 != 0)),
    ];
    found.into_iter().filter(|&(_, present)| present).map(|(feature, _)| feature).collect()
}
