//! Conversion of MTL materials, which use Phong's model, to physically based materials.

use glam::Affine2;
use sunfleck_math::Vec3;
use sunfleck_scene::{
    Alpha, ColorTexture, Emission, Material, NormalMap, Scene, Surface, TextureFilter, TextureRef, Wrap,
};

use crate::Resolver;
use crate::error::ImportProblem;
use crate::images::{Encoding, Image, Images, Sampling};
use crate::report::Reporter;

use super::maps::{is_normal_map, masked, metallic_roughness, normals_of_heights};
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
        let is_specular = is_mirror(mtl) || glass(mtl).is_some();
        if !is_mirror(mtl) {
            material.surface = match glass(mtl) {
                Some(glass) => glass,
                None => self.reflecting(mtl, &mut material.alpha)?,
            };
        }
        if is_specular {
            let Mtl {
                diffuse_map,
                dissolve_map,
                specular_map,
                exponent_map,
                roughness_map,
                metallic_map,
                ..
            } = mtl;
            let maps = [diffuse_map, dissolve_map, specular_map, exponent_map, roughness_map, metallic_map];
            self.note_unused(&maps.map(Option::as_ref));
        }
        material.emission = self.emission(mtl)?;
        material.normal_map = match (&mtl.normal_map, &mtl.bump_map) {
            (Some(map), bump) => {
                self.note_unused(&[bump.as_ref()]);
                let texture = self.texture(Some(map), Encoding::Linear)?;
                texture.map(|texture| NormalMap { texture, scale: map.bump_scale })
            }
            (None, Some(map)) => self.bump(map)?,
            (None, None) => None,
        };
        Ok(material)
    }

    fn emission(&mut self, mtl: &Mtl) -> Result<Emission, ImportProblem> {
        let texture = self.texture(mtl.emission_map.as_ref(), Encoding::Color)?;
        let given = mtl.emission.unwrap_or(Vec3::ZERO).max(Vec3::ZERO);
        // Without a factor, or with black, which would make the texture meaningless, the factor is white.
        let radiance = if texture.is_some() && given == Vec3::ZERO { Vec3::ONE } else { given };
        Ok(Emission { radiance, texture })
    }

    /// Converts a bump map: a normal map, or heights whose unit is the width of a texel.
    fn bump(&mut self, map: &TextureMap) -> Result<Option<NormalMap>, ImportProblem> {
        let Some(image) = self.image(map) else { return Ok(None) };
        let texture = if is_normal_map(&image) {
            self.texture(Some(map), Encoding::Linear)?
        } else {
            let name = format!(
                "normals of {} {:?}{}",
                map.file,
                map.channel,
                if map.clamp { " clamped" } else { "" }
            );
            if self.images.get(&name).is_none() {
                self.images.insert(name.clone(), normals_of_heights(&image, map.channel, map.clamp));
            }
            self.named_texture(&name, Some(map), Encoding::Linear)?
        };
        Ok(texture.map(|texture| NormalMap { texture, scale: map.bump_scale }))
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
        let specular =
            unit(mtl.specular.unwrap_or(if mtl.specular_map.is_some() { Vec3::ONE } else { Vec3::ZERO }));
        let mut diffuse = unit(mtl.diffuse.unwrap_or(if texture.is_some() {
            Vec3::ONE
        } else {
            crate::mesh_file::DEFAULT_ALBEDO
        }));
        // Some exporters write black as the factor of a texture.
        if texture.is_some() && diffuse == Vec3::ZERO {
            diffuse = Vec3::ONE;
        }
        let color = |color: Vec3, texture| ColorTexture { factor: color.extend(dissolve), texture };
        let is_physical = mtl.roughness.is_some()
            || mtl.metallic.is_some()
            || mtl.roughness_map.is_some()
            || mtl.metallic_map.is_some();
        if !is_physical && !is_glossy(mtl) {
            self.note_unused(&[mtl.specular_map.as_ref(), mtl.exponent_map.as_ref()]);
            return Ok(Surface::Lambert { albedo: color(diffuse, texture) });
        }
        // A surface without diffuse reflection but with a bright highlight is a metal.
        let is_metal = diffuse.max_element() < 0.04
            && specular.max_element() > 0.2
            && mtl.metallic.is_none()
            && mtl.metallic_map.is_none();
        let base_color = if is_metal {
            let texture = match texture {
                None => self.texture(mtl.specular_map.as_ref(), Encoding::Color)?,
                given => given,
            };
            color(specular, texture)
        } else {
            self.note_unused(&[mtl.specular_map.as_ref()]);
            color(diffuse, texture)
        };
        let without_map = if is_metal || mtl.metallic_map.is_some() { 1.0 } else { 0.0 };
        let metallic = mtl.metallic.unwrap_or(without_map).clamp(0.0, 1.0);
        let phong = mtl.phong_exponent.unwrap_or(10.0);
        let roughness = match (mtl.roughness, &mtl.roughness_map, &mtl.exponent_map) {
            (Some(roughness), _, _) => roughness.clamp(0.0, 1.0),
            (None, None, None) => roughness_of_phong(phong),
            (None, ..) => 1.0,
        };
        let metallic_roughness_texture = self.metallic_roughness_texture(mtl)?;
        let ior = refractive_index(mtl);
        Ok(Surface::MetallicRoughness { base_color, metallic, roughness, ior, metallic_roughness_texture })
    }

    /// Combines `map_Pr`, or without physical roughness `map_Ns`, and `map_Pm` in one texture.
    fn metallic_roughness_texture(&mut self, mtl: &Mtl) -> Result<Option<TextureRef>, ImportProblem> {
        let has_roughness = mtl.roughness.is_some() || mtl.roughness_map.is_some();
        if has_roughness {
            self.note_unused(&[mtl.exponent_map.as_ref()]);
        }
        let exponent_map = mtl.exponent_map.as_ref().filter(|_| !has_roughness);
        let rough_map = mtl.roughness_map.as_ref().or(exponent_map);
        let (rough, metal) = (
            rough_map.and_then(|map| self.image(map)),
            mtl.metallic_map.as_ref().and_then(|map| self.image(map)),
        );
        let Some(map) = rough_map.filter(|_| rough.is_some()).or(mtl.metallic_map.as_ref()) else {
            return Ok(None);
        };
        if rough.is_none() && metal.is_none() {
            return Ok(None);
        }
        if let (Some(rough), Some(metal)) = (rough_map, &mtl.metallic_map)
            && (rough.uv_transform, rough.clamp) != (metal.uv_transform, metal.clamp)
        {
            let message = "the options -s, -o and -clamp are ignored: the map shares those of the roughness";
            self.report.warn_in(&metal.library, metal.location.clone(), message);
        }
        let exponent = exponent_map.map(|_| mtl.phong_exponent.unwrap_or(MAX_EXPONENT));
        let part = |image: Option<Image>, map: Option<&TextureMap>| {
            image.map(|image| (image, map.and_then(|map| map.channel)))
        };
        let key = |map: Option<&TextureMap>| {
            map.map_or(String::new(), |map| format!("{} {:?}", map.file, map.channel))
        };
        let name = format!(
            "roughness {} of exponent {exponent:?}, metallic {}",
            key(rough_map),
            key(mtl.metallic_map.as_ref())
        );
        if self.images.get(&name).is_none() {
            let roughness =
                |value: f32| exponent.map_or(value, |exponent| roughness_of_phong(exponent * value));
            let (rough, metal) = (part(rough, rough_map), part(metal, mtl.metallic_map.as_ref()));
            let Some(image) = metallic_roughness(rough.as_ref(), metal.as_ref(), roughness) else {
                return Ok(None);
            };
            self.images.insert(name.clone(), image);
        }
        self.named_texture(&name, Some(map), Encoding::Linear)
    }

    /// Adds a note for each of these maps, which the surface has no use for.
    fn note_unused(&mut self, maps: &[Option<&TextureMap>]) {
        for map in maps.iter().flatten() {
            let message =
                format!("the texture {} is not used: it does not affect this kind of surface", map.file);
            self.report.note_in(&map.library, map.location.clone(), message);
        }
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
        let read = || Image::read(&map.file, map.candidates(), files);
        let found = self.images.image(&map.file, read).map(|image| image.cloned());
        self.report.image_notes(&map.library, &map.location, &map.file, self.images.take_notes());
        match found {
            Ok(image) => image,
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
        let name = format!("{color_name} masked by {} {:?}", mask_map.file, mask_map.channel);
        let Some(image) = masked(color.as_ref(), &mask, mask_map.channel) else {
            let message = "the mask is ignored: floating-point images are not supported as masks";
            self.report.warn_in(&mask_map.library, mask_map.location.clone(), message);
            return None;
        };
        self.images.insert(name.clone(), image);
        Some(name)
    }
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
    (is_refractive && transmits).then_some(Surface::Dielectric { ior: refractive_index(mtl), tint })
}

/// Returns the index of refraction, by default that of glass and plastics. Exporters write 1, which would reflect
/// nothing, where they know none.
fn refractive_index(mtl: &Mtl) -> f32 {
    mtl.ior.filter(|ior| (1.001..=10.0).contains(ior)).unwrap_or(1.5)
}

/// Returns whether the material has a specular highlight.
fn is_glossy(mtl: &Mtl) -> bool {
    let bright = mtl.specular.map_or(mtl.specular_map.is_some(), |ks| ks.max_element() > 0.0);
    let has_exponent = mtl.phong_exponent.map_or(mtl.exponent_map.is_some(), |ns| ns > 0.0);
    bright && !matches!(mtl.illumination_model, Some(0 | 1)) && has_exponent
}

/// Largest exponent that MTL allows, which a map of exponents without a factor is relative to [Wavefront].
const MAX_EXPONENT: f32 = 1000.0;

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
}
