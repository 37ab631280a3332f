use std::ops::Range;
use std::sync::Arc;

use sunfleck_shaders::{SurfaceFeature, SurfaceFeatures};
use sunfleck_shading::{
    MaterialTable, PackedImage, PackedMaterial, PackedRecords, PackedTexture, packed_albedo_table,
};

use crate::GpuError;
use crate::buffer::Parts;
use crate::buffer::{Array, Pool, Twin, Upload};

/// The materials and the images that they read: each image has a range of the texels.
#[derive(Debug)]
pub(super) struct Materials {
    materials: Twin<PackedMaterial>,
    textures: Twin<PackedTexture>,
    /// The values of sRGB codes, then images.
    texels: Pool<u32>,
    images: Vec<(PackedImage, Range<u32>)>,
    albedo_table: Array<[f32; 2]>,
    details: SurfaceFeatures,
    /// What they are of.
    from: Option<Arc<MaterialTable>>,
}

impl Materials {
    /// No materials.
    ///
    /// * `binding` — bytes that a binding reaches.
    pub(super) fn new(upload: &mut Upload<'_>, binding: u64) -> Result<Self, GpuError> {
        let gpu = upload.gpu;
        Ok(Self {
            materials: Twin::new(gpu, "materials")?,
            textures: Twin::new(gpu, "textures")?,
            texels: Pool::new(upload, "texels", u32::MAX, binding)?,
            images: Vec::new(),
            albedo_table: Array::new(gpu, "tables", &packed_albedo_table())?,
            details: SurfaceFeatures::NONE,
            from: None,
        })
    }

    /// Goes on to other materials. Images that are there already stay where they are.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        materials: &Arc<MaterialTable>,
    ) -> Result<(), GpuError> {
        if self.from.as_ref().is_some_and(|from| Arc::ptr_eq(from, materials)) {
            return Ok(());
        }
        let PackedRecords { materials: records, mut textures, images, codes } = materials.packed_records();
        if self.from.is_none() {
            let words = images.iter().map(|image| image.bytes().len() / 4);
            self.texels.reserve(upload, codes.len() + words.sum::<usize>())?;
            let first = self.texels.take(upload, codes.len())?.start;
            self.texels.write(upload, first, &codes);
        }
        self.hold(upload, images)?;
        for texture in &mut textures {
            texture.first = self.images[texture.first as usize].1.start;
            texture.levels = self.images[texture.levels as usize].1.start;
        }
        self.details = details_of(&records, &textures);
        self.materials.update(upload, records)?;
        self.textures.update(upload, textures)?;
        self.from = Some(materials.clone());
        Ok(())
    }

    /// Makes `images` those of the texels, in their order.
    fn hold(&mut self, upload: &mut Upload<'_>, images: Vec<PackedImage>) -> Result<(), GpuError> {
        let mut known = std::mem::take(&mut self.images);
        let mut kept = Vec::new();
        for image in images {
            let place = known.iter().position(|(old, _)| old.is_same(&image));
            kept.push((image, place.map(|place| known.swap_remove(place).1)));
        }
        // Who goes makes room for those who come
        for (_, range) in known {
            self.texels.give(range);
        }
        for (image, place) in kept {
            let range = match place {
                Some(range) => range,
                None => {
                    let range = self.texels.take(upload, image.bytes().len() / 4)?;
                    self.texels.write_bytes(upload, range.start, image.bytes());
                    range
                }
            };
            self.images.push((image, range));
        }
        Ok(())
    }

    /// What they have of what materials may have.
    pub(super) fn details(&self) -> SurfaceFeatures {
        self.details
    }

    /// The array that may be split.
    pub(super) fn parts(&self) -> Parts {
        self.texels.parts("texels")
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

fn details_of(materials: &[PackedMaterial], textures: &[PackedTexture]) -> SurfaceFeatures {
    let any = |has: fn(&PackedMaterial) -> bool| materials.iter().any(has);
    let read = |has: fn(u32) -> bool| textures.iter().any(|texture| has(texture.sampling));
    let found = [
        (SurfaceFeature::Patterns, any(|material| material.procedural.pattern != 0)),
        (SurfaceFeature::BaseMaps, any(|material| material.base_texture != PackedTexture::NONE)),
        (SurfaceFeature::SurfaceMaps, any(|material| material.surface_texture != PackedTexture::NONE)),
        (SurfaceFeature::NormalMaps, any(|material| material.normal_texture != PackedTexture::NONE)),
        (SurfaceFeature::EmissionMaps, any(|material| material.emission_texture != PackedTexture::NONE)),
        (SurfaceFeature::Holes, any(|material| material.alpha != 0)),
        (SurfaceFeature::Floats, read(|sampling| sampling & 3 == 2)),
        (SurfaceFeature::Blocks, read(|sampling| sampling & 64 == 0)),
        (SurfaceFeature::Borders, read(|sampling| sampling & 60 != 0)),
        (SurfaceFeature::SecondSets, read(|sampling| sampling & 128 != 0)),
    ];
    found.into_iter().filter(|&(_, is_there)| is_there).map(|(detail, _)| detail).collect()
}
