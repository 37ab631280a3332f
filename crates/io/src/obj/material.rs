//! Conversion of MTL materials, which use Phong's model, to physically based materials.

use glam::Affine2;
use sunfleck_math::Vec3;
use sunfleck_scene::{
    Alpha, ColorTexture, Emission, Material, NormalMap, Scene, Surface, TextureFilter, TextureRef, Wrap,
};

use crate::error::ImportProblem;
use crate::images::{Encoding, Image, Images, Pixels, Sampling};
use crate::report::Reporter;
use crate::{FileKind, FileReference, Resolver};

use super::mtl::{Mtl, TextureMap};

/// Converter of materials. Textures are read through `files`, whose names are relative to the OBJ file.
pub(super) struct MaterialConverter<'a> {
    pub(super) scene: &'a mut Scene,
    pub(super) images: Images,
    pub(super) files: &'a dyn Resolver,
    pub(super) report: &'a mut Reporter,
}

impl MaterialConverter<'_> {
    /// Converts a material and its textures. Textures that cannot be read are ignored with a warning.
    pub(super) fn material(&mut self, name: &str, mtl: &Mtl) -> Result<Material, ImportProblem> {
        let mut material =
            Material::new(name, Surface::Mirror { reflectance: unit(mtl.specular.unwrap_or(Vec3::ONE)) });
        if !is_mirror(mtl) {
            material.surface = match glass(mtl) {
                Some(glass) => glass,
                None => self.reflecting(mtl, &mut material.alpha)?,
            };
        }
        let radiance = mtl.emission.unwrap_or(Vec3::ZERO).max(Vec3::ZERO);
        if radiance != Vec3::ZERO {
            let texture = self.texture(mtl.emission_map.as_ref(), Encoding::Color)?;
            material.emission = Emission { radiance, texture };
        }
        if let Some(map) = &mtl.normal_map {
            let texture = self.texture(Some(map), Encoding::Linear)?;
            material.normal_map = texture.map(|texture| NormalMap { texture, scale: map.bump_scale });
        }
        Ok(material)
    }

    fn reflecting(&mut self, mtl: &Mtl, alpha: &mut Alpha) -> Result<Surface, ImportProblem> {
        let dissolve = mtl.dissolve.unwrap_or(1.0).clamp(0.0, 1.0);
        let masked = self.mask(mtl);
        let texture = match &masked {
            Some(name) => self.named_texture(name, mtl.diffuse_map.as_ref(), Encoding::Color)?,
            None => self.texture(mtl.diffuse_map.as_ref(), Encoding::Color)?,
        };
        if dissolve < 1.0 || masked.is_some() {
            *alpha = Alpha::Blend;
        }
        let specular = unit(mtl.specular.unwrap_or(Vec3::ZERO));
        let mut diffuse = unit(mtl.diffuse.unwrap_or(if texture.is_some() {
            Vec3::ONE
        } else {
            crate::mesh_file::DEFAULT_ALBEDO
        }));
        // Some exporters write black as the factor of a texture.
        if texture.is_some() && diffuse == Vec3::ZERO {
            diffuse = Vec3::ONE;
        }
        let color = |color: Vec3| ColorTexture { factor: color.extend(dissolve), texture };
        if mtl.roughness.is_none() && mtl.metallic.is_none() && !is_glossy(mtl) {
            return Ok(Surface::Lambert { albedo: color(diffuse) });
        }
        // A surface without diffuse reflection but with a bright highlight is a metal.
        let is_metal = diffuse.max_element() < 0.04 && specular.max_element() > 0.2;
        let metallic = mtl.metallic.unwrap_or(if is_metal { 1.0 } else { 0.0 }).clamp(0.0, 1.0);
        let base_color = color(if is_metal && mtl.metallic.is_none() { specular } else { diffuse });
        let roughness =
            mtl.roughness.unwrap_or_else(|| roughness_of_phong(mtl.phong_exponent.unwrap_or(10.0)));
        let roughness = roughness.clamp(0.0, 1.0);
        Ok(Surface::MetallicRoughness {
            base_color,
            metallic,
            roughness,
            ior: 1.5,
            metallic_roughness_texture: None,
        })
    }

    fn texture(
        &mut self,
        map: Option<&TextureMap>,
        encoding: Encoding,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        match map {
            Some(map) if self.image(map).is_some() => self.named_texture(&map.file, Some(map), encoding),
            _ => Ok(None),
        }
    }

    fn named_texture(
        &mut self,
        name: &str,
        map: Option<&TextureMap>,
        encoding: Encoding,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        let wrap = if map.is_some_and(|map| map.clamp) { Wrap::ClampToEdge } else { Wrap::Repeat };
        let sampling = Sampling { encoding, wrap: [wrap; 2], filter: TextureFilter::Linear };
        let texture = self.images.texture(self.scene, name, sampling)?;
        let uv_transform = map.map_or(Affine2::IDENTITY, |map| map.uv_transform);
        Ok(texture.map(|texture| TextureRef { texture, uv_set: 0, uv_transform }))
    }

    fn image(&mut self, map: &TextureMap) -> Option<Image> {
        let files = self.files;
        let read = || {
            let read = |name: &str| files.read(FileReference::new(name, FileKind::Image));
            let found = map.candidates().find_map(|name| read(&name).ok());
            // If all candidates fail, the error is that of the name in the file.
            let bytes = found.map_or_else(|| read(&map.file), Ok);
            let bytes = bytes.map_err(|source| ImportProblem::Read { what: map.file.clone(), source })?;
            Image::decode(&bytes, map.file.rsplit('.').next().unwrap_or_default())
        };
        match self.images.image(&map.file, read) {
            Ok(image) => image.cloned(),
            Err(problem) => {
                let message = format!("the texture is ignored: {problem}");
                self.report.warn_in(&map.library, map.location.clone(), message);
                None
            }
        }
    }

    /// Creates an image with the colours of `map_Kd` and the alpha of `map_d`. Returns its name, or `None` without a
    /// `map_d`.
    fn mask(&mut self, mtl: &Mtl) -> Option<String> {
        let mask_map = mtl.dissolve_map.as_ref()?;
        let mask = self.image(mask_map)?;
        let color = mtl.diffuse_map.as_ref().and_then(|map| self.image(map));
        let color_name = mtl.diffuse_map.as_ref().map_or("", |map| &map.file);
        let name = format!("{color_name} masked by {}", mask_map.file);
        let Some(image) = masked(color.as_ref(), &mask) else {
            let message = "the mask is ignored: floating-point images are not supported as masks";
            self.report.warn_in(&mask_map.library, mask_map.location.clone(), message);
            return None;
        };
        self.images.insert(name.clone(), image);
        Some(name)
    }
}

/// Combines each texel of `color` (white if `None`) with the value of the nearest texel of `mask` as its alpha.
///
/// The value is the alpha of the mask if it is not 1 everywhere, otherwise the red channel. Returns `None` for
/// floating-point texels.
fn masked(color: Option<&Image>, mask: &Image) -> Option<Image> {
    let Pixels::Bytes(mask_texels) = &mask.pixels else { return None };
    let has_alpha = mask_texels.iter().any(|texel| texel[3] != 255);
    let channel = if has_alpha { 3 } else { 0 };
    let size = color.unwrap_or(mask);
    let white = std::sync::Arc::new(Vec::new());
    let color_texels = match color.map(|image| &image.pixels) {
        Some(Pixels::Bytes(texels)) => texels,
        Some(Pixels::Floats(_)) => return None,
        None => &white,
    };
    let nearest =
        |at: usize, size: u32, mask_size: u32| (at * 2 + 1) * mask_size as usize / (size as usize * 2);
    let texels = (0..size.height as usize).flat_map(|y| (0..size.width as usize).map(move |x| (x, y)));
    let texels = texels.enumerate().map(|(i, (x, y))| {
        let row = nearest(y, size.height, mask.height);
        let column = nearest(x, size.width, mask.width);
        let [r, g, b, _] = color_texels.get(i).copied().unwrap_or([255; 4]);
        [r, g, b, mask_texels[row * mask.width as usize + column][channel]]
    });
    let pixels = Pixels::Bytes(std::sync::Arc::new(texels.collect()));
    Some(Image { width: size.width, height: size.height, pixels })
}

/// Returns whether the material is a mirror: illumination model 5 (reflection with Fresnel). Models 3 and 8 are
/// ignored, since exporters write them for any surface with a reflection.
fn is_mirror(mtl: &Mtl) -> bool {
    mtl.illumination_model == Some(5)
}

/// Returns the surface of a dielectric: illumination models 4, 6 and 7 (glass, refraction). Many exporters write them
/// for opaque surfaces, so dissolve or `Tf` must allow transmission as well.
fn glass(mtl: &Mtl) -> Option<Surface> {
    let is_refractive = matches!(mtl.illumination_model, Some(4 | 6 | 7));
    let transmits =
        mtl.dissolve.is_some_and(|d| d < 1.0) || mtl.transmission.is_some_and(|t| t != Vec3::ZERO);
    let tint = unit(mtl.transmission.filter(|t| *t != Vec3::ZERO).unwrap_or(Vec3::ONE));
    let ior = mtl.ior.filter(|ior| (1.001..=10.0).contains(ior)).unwrap_or(1.5);
    (is_refractive && transmits).then_some(Surface::Dielectric { ior, tint })
}

/// Returns whether the material has a specular highlight.
fn is_glossy(mtl: &Mtl) -> bool {
    let bright = mtl.specular.is_some_and(|ks| ks.max_element() > 0.0);
    bright && !matches!(mtl.illumination_model, Some(0 | 1)) && mtl.phong_exponent.is_some_and(|ns| ns > 0.0)
}

/// Returns the perceptual roughness (√α) of the microfacet distribution whose highlight is as wide as that of a Phong
/// exponent n: α² = 2 / (n + 2) [Walter07, §5.2].
fn roughness_of_phong(exponent: f32) -> f32 {
    let alpha = (2.0 / (exponent.max(0.0) + 2.0)).sqrt();
    alpha.sqrt()
}

fn unit(color: Vec3) -> Vec3 {
    color.clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phong_exponents_become_roughness() {
        assert_eq!(roughness_of_phong(0.0), 1.0);
        // n = 198: α = √(2/200) = 0.1.
        assert!((roughness_of_phong(198.0) - 0.1f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn masks_of_another_size_are_resampled() {
        let bytes = |width, height, texels| Image {
            width,
            height,
            pixels: Pixels::Bytes(std::sync::Arc::new(texels)),
        };
        let color = bytes(4, 1, (0..4).map(|i| [i, i, i, 255]).collect());
        let mask = bytes(2, 1, vec![[0, 9, 9, 255], [200, 9, 9, 255]]);
        let Some(Image { pixels: Pixels::Bytes(texels), .. }) = masked(Some(&color), &mask) else { panic!() };
        assert_eq!(*texels, [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 2, 200], [3, 3, 3, 200]]);
        let Some(Image { pixels: Pixels::Bytes(texels), .. }) = masked(None, &mask) else { panic!() };
        assert_eq!(*texels, [[255, 255, 255, 0], [255, 255, 255, 200]]);
    }
}
