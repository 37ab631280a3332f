//! Conversion of fills, which use the model of Whitted, to physically based surfaces.
//!
//! In that model rays are reflected by the specular colour as by a mirror, and only lamps have highlights as wide as
//! Phong's exponent says. Mirrors of black diffuse colour stay mirrors; other surfaces reflect nearly as sharply.

use std::collections::BTreeMap;

use sunfleck_math::Vec3;
use sunfleck_scene::{ColorTexture, Material, MaterialId, Scene, Surface, TextureFilter, TextureRef, Wrap};

use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::images::{Encoding, Image, Images, Sampling};
use crate::ior;
use crate::report::Reporter;
use crate::{FileLocation, Resolver};

use super::group::Fill;

/// Perceptual roughness of surfaces that reflect and are not black: α is 0.01.
const ROUGHNESS: f32 = 0.1;

/// Folders in which textures are looked for, relative to the folder of the scene.
const FOLDERS: [&str; 5] = ["", "TextureFiles/", "../TextureFiles/", "textures/", "../textures/"];

/// Fill of surfaces before the first one of a scene.
pub(super) const DEFAULT_FILL: Fill =
    Fill { diffuse: Vec3::splat(0.6), specular: Vec3::ZERO, transmittance: 0.0, ior: 1.0 };

/// Materials of the scene, each of a fill and a texture.
#[derive(Debug, Default)]
pub(super) struct Materials {
    known: BTreeMap<([u32; 8], Option<String>), MaterialId>,
    images: Images,
}

impl Materials {
    /// Returns the material of a fill with a texture, which is added to the scene at its first use.
    ///
    /// * `file` — name of the file that sets the fill, which becomes the name of the material.
    pub(super) fn material(
        &mut self,
        fill: &Fill,
        texture: Option<&str>,
        file: &str,
        scene: &mut Scene,
        (files, report): (&dyn Resolver, &mut Reporter),
    ) -> Result<MaterialId, ParseError> {
        let key = (fill.bits(), texture.map(str::to_string));
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let image = match texture {
            Some(name) => self.texture(name, scene, files, report).at(|| FileLocation::File)?,
            None => None,
        };
        let name = texture.map_or(file.to_string(), |texture| format!("{file}, {texture}"));
        let material = Material::new(name, fill.surface(image));
        let id = scene.add_material(material).at(|| FileLocation::File)?;
        self.known.insert(key, id);
        Ok(id)
    }

    /// Returns a texture; `None`, with a warning, if its image cannot be read.
    fn texture(
        &mut self,
        name: &str,
        scene: &mut Scene,
        files: &dyn Resolver,
        report: &mut Reporter,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        let name = name.replace('\\', "/");
        let base_name = name.rsplit('/').next().unwrap_or_default();
        let candidates = FOLDERS.into_iter().map(|folder| format!("{folder}{base_name}"));
        let candidates = [name.clone()].into_iter().chain(candidates);
        if let Err(problem) = self.images.image(&name, || Image::read(&name, candidates, files)) {
            report.warn(FileLocation::File, format!("the texture is ignored: {problem}"));
        }
        let file = report.file().to_path_buf();
        report.image_notes(&file, &FileLocation::File, &name, self.images.take_notes());
        let sampling =
            Sampling { encoding: Encoding::Color, wrap: [Wrap::Repeat; 2], filter: TextureFilter::Linear };
        Ok(self.images.texture(scene, &name, sampling)?.map(TextureRef::new))
    }
}

impl Fill {
    fn bits(&self) -> [u32; 8] {
        let Self { diffuse: d, specular: s, transmittance, ior } = *self;
        [d.x, d.y, d.z, s.x, s.y, s.z, transmittance, ior].map(f32::to_bits)
    }

    fn surface(&self, texture: Option<TextureRef>) -> Surface {
        let Self { diffuse, specular, transmittance, ior: index } = *self;
        let unit = |color: Vec3| color.clamp(Vec3::ZERO, Vec3::ONE);
        let colored = |color: Vec3| ColorTexture { factor: unit(color).extend(1.0), texture };
        if transmittance > 0.0 && transmittance >= diffuse.max_element() {
            return ior::transmitting(transmittance, index);
        }
        if specular == Vec3::ZERO {
            return Surface::Lambert { albedo: colored(diffuse) };
        }
        if diffuse == Vec3::ZERO && texture.is_none() {
            return Surface::Mirror { reflectance: unit(specular) };
        }
        let reflecting = |base_color, metallic, ior| Surface::MetallicRoughness {
            base_color,
            metallic,
            roughness: ROUGHNESS,
            ior,
            metallic_roughness_texture: None,
        };
        let [d, s] = [diffuse, specular].map(|color| color.element_sum());
        let is_one_hue = (diffuse * s).abs_diff_eq(specular * d, 0.1 * s * d);
        if texture.is_some() || !is_one_hue {
            // A dielectric that reflects the mean of the specular colour
            return reflecting(colored(diffuse), 0.0, ior::of_reflectance(s / 3.0));
        }
        // A mixture of a diffuse surface and a metal: (1 − m) c is the diffuse colour, m c the specular one
        reflecting(colored(diffuse + specular), s / (s + d), 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_become_surfaces() {
        let fill = |diffuse, specular: f32, transmittance, ior| Fill {
            diffuse: Vec3::splat(diffuse),
            specular: Vec3::splat(specular),
            transmittance,
            ior,
        };
        assert_eq!(fill(0.0, 0.9, 0.0, 0.0).surface(None), Surface::Mirror { reflectance: Vec3::splat(0.9) });
        let albedo = ColorTexture::plain(Vec3::splat(0.3));
        assert_eq!(fill(0.3, 0.0, 0.0, 0.0).surface(None), Surface::Lambert { albedo });
        let glass = Surface::smooth_dielectric(1.55, Vec3::splat(0.85));
        assert_eq!(fill(0.1, 0.05, 0.85, 1.55).surface(None), glass);
        assert!(matches!(fill(0.1, 0.05, 0.85, 0.0).surface(None), Surface::ThinDielectric { .. }));
        let Surface::MetallicRoughness { base_color, metallic, ior, .. } =
            fill(0.2, 0.6, 0.0, 0.0).surface(None)
        else {
            panic!()
        };
        // 0.2 is diffuse and 0.6 specular
        assert!((metallic - 0.75).abs() < 1e-6 && (base_color.factor.x - 0.8).abs() < 1e-6 && ior == 1.0);
        // Mostly diffuse in spite of a little transmittance
        assert!(matches!(fill(0.7, 0.0, 0.1, 1.5).surface(None), Surface::Lambert { .. }));
    }

    /// Red paint under a white coat: a metal of their sum would reflect red, and diffuse white light.
    #[test]
    fn a_highlight_of_another_hue_is_that_of_a_dielectric() {
        let diffuse = Vec3::new(0.6, 0.1, 0.1);
        let fill = Fill { diffuse, specular: Vec3::splat(0.04), transmittance: 0.0, ior: 0.0 };
        let Surface::MetallicRoughness { base_color, metallic, ior, .. } = fill.surface(None) else {
            panic!()
        };
        assert_eq!((base_color.factor.truncate(), metallic), (diffuse, 0.0));
        assert!((ior - 1.5).abs() < 1e-5, "{ior}");
    }
}
