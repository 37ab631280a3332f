//! Conversion of MTL materials, which use Phong's model, to physically based materials.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, ColorTexture, Emission, Material, NormalMap, Scene, Surface};

use crate::Resolver;
use crate::error::ImportProblem;
use crate::images::{Encoding, Images};
use crate::ior;
use crate::mesh_file::DEFAULT_ALBEDO;
use crate::phong::roughness_of_phong;
use crate::report::Reporter;

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

    fn reflecting(&mut self, mtl: &Mtl, alpha: &mut Alpha) -> Result<Surface, ImportProblem> {
        let dissolve = mtl.dissolve.unwrap_or(1.0).clamp(0.0, 1.0);
        let (texture, is_masked) = self.diffuse_texture(mtl)?;
        if dissolve < 1.0 || is_masked {
            *alpha = Alpha::Blend;
        }
        let specular =
            unit(mtl.specular.unwrap_or(if mtl.specular_map.is_some() { Vec3::ONE } else { Vec3::ZERO }));
        let mut diffuse =
            unit(mtl.diffuse.unwrap_or(if texture.is_some() { Vec3::ONE } else { DEFAULT_ALBEDO }));
        // Some exporters write black as the factor of a texture.
        if texture.is_some() && diffuse == Vec3::ZERO {
            diffuse = Vec3::ONE;
        }
        let color = |color: Vec3, texture| ColorTexture { factor: color.extend(dissolve), texture };

        // Maps that cannot be read leave the material as it is without them.
        let (rough, metal) =
            (self.loaded(mtl.roughness_map.as_ref()), self.loaded(mtl.metallic_map.as_ref()));
        let has_roughness = mtl.roughness.is_some() || rough.is_some();
        let exponent = if has_roughness {
            self.note_unused(&[mtl.exponent_map.as_ref()]);
            None
        } else {
            self.loaded(mtl.exponent_map.as_ref())
        };
        let is_physical = has_roughness || mtl.metallic.is_some() || metal.is_some();
        if !is_physical && !is_glossy(mtl, exponent.is_some()) {
            self.note_unused(&[mtl.specular_map.as_ref(), exponent.map(|loaded| loaded.map)]);
            return Ok(Surface::Lambert { albedo: color(diffuse, texture) });
        }
        // A surface without diffuse reflection but with a bright highlight is a metal.
        let is_metal = diffuse.max_element() < 0.04
            && specular.max_element() > 0.2
            && mtl.metallic.is_none()
            && metal.is_none();
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
        let without_factor = if is_metal || metal.is_some() { 1.0 } else { 0.0 };
        let metallic = mtl.metallic.unwrap_or(without_factor).clamp(0.0, 1.0);
        let roughness = match mtl.roughness {
            Some(roughness) => roughness.clamp(0.0, 1.0),
            None if rough.is_some() || exponent.is_some() => 1.0,
            None => roughness_of_phong(mtl.phong_exponent.unwrap_or(10.0)),
        };
        let exponent = exponent.map(|map| (map, mtl.phong_exponent.unwrap_or(MAX_EXPONENT)));
        let metallic_roughness_texture = self.metallic_roughness_texture(rough, exponent, metal)?;
        let ior = refractive_index(mtl);
        Ok(Surface::MetallicRoughness { base_color, metallic, roughness, ior, metallic_roughness_texture })
    }

    /// Adds a note for each of these maps, which the surface has no use for.
    fn note_unused(&mut self, maps: &[Option<&TextureMap>]) {
        for map in maps.iter().flatten() {
            let message =
                format!("the texture {} is not used: it does not affect this kind of surface", map.file);
            self.report.note_in(&map.library, map.location.clone(), message);
        }
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
    (is_refractive && transmits).then_some(Surface::smooth_dielectric(refractive_index(mtl), tint))
}

/// Returns the index of refraction, by default that of glass and plastics. Exporters write 1, which would reflect
/// nothing, where they know none.
fn refractive_index(mtl: &Mtl) -> f32 {
    mtl.ior.filter(|&ior| ior > 1.001 && ior::VALID.contains(&ior)).unwrap_or(ior::DEFAULT)
}

/// Returns whether the material has a specular highlight.
///
/// * `has_exponent_map` — whether its map of exponents could be read.
fn is_glossy(mtl: &Mtl, has_exponent_map: bool) -> bool {
    let bright = mtl.specular.map_or(mtl.specular_map.is_some(), |ks| ks.max_element() > 0.0);
    let has_exponent = mtl.phong_exponent.map_or(has_exponent_map, |ns| ns > 0.0);
    bright && !matches!(mtl.illumination_model, Some(0 | 1)) && has_exponent
}

/// Largest exponent that MTL allows, which a map of exponents without a factor is relative to [Wavefront].
const MAX_EXPONENT: f32 = 1000.0;

fn unit(color: Vec3) -> Vec3 {
    color.clamp(Vec3::ZERO, Vec3::ONE)
}
