//! Materials: metallic-roughness and extensions.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, ColorTexture, Emission, Material, MaterialId, NormalMap, Surface};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::images::Encoding;
use crate::ior;

use super::Importer;
use super::model::{self, AlphaMode};

impl Importer<'_> {
    /// Returns the scene's material for a glTF material, or for the default material if `index` is `None`.
    pub(super) fn material(&mut self, index: Option<usize>) -> Result<MaterialId, ParseError> {
        if let Some(&material) = self.materials.get(&index) {
            return Ok(material);
        }
        let root = self.root;
        let default = model::Material::default();
        let (material, path) = match index {
            None => (&default, "materials".to_string()),
            Some(i) => {
                let path = format!("materials[{i}]");
                let Some(material) = root.materials.get(i) else {
                    let count = root.materials.len();
                    let message =
                        format!("there is no such material; there are {count}: the default is used");
                    self.report.warn(FileLocation::Json(path), message);
                    let id = self.material(None)?;
                    self.materials.insert(index, id);
                    return Ok(id);
                };
                (material, path)
            }
        };
        let mut read = self.read_material(material, &path)?;
        if read.name.is_empty() && self.sunfleck.is_none() {
            read.name = index.map_or("default material".to_string(), |i| format!("material {i}"));
        }
        let id = self.scene.add_material(read).at(|| FileLocation::Json(path))?;
        self.materials.insert(index, id);
        Ok(id)
    }

    fn read_material(&mut self, material: &model::Material, path: &str) -> Result<Material, ParseError> {
        let mut read = Material::new(material.name.clone(), self.surface(material, path)?);
        read.procedural = material.extensions.sunfleck.as_ref().and_then(|sunfleck| sunfleck.procedural);
        read.normal_map = self.normal_map(material, path)?;
        read.emission = self.emission(material, path)?;
        read.double_sided = material.double_sided;
        read.media = self.media(material, path);
        read.alpha = match material.alpha_mode {
            AlphaMode::Opaque => Alpha::Opaque,
            AlphaMode::Mask => Alpha::Mask { cutoff: material.alpha_cutoff },
            AlphaMode::Blend => Alpha::Blend,
        };
        if material.extensions.unlit.is_some() {
            let message = "KHR_materials_unlit is imported as a surface that emits its base colour";
            self.report.note(FileLocation::Json(path.to_string()), message);
            make_unlit(&mut read);
        }
        Ok(read)
    }

    fn surface(&mut self, material: &model::Material, material_path: &str) -> Result<Surface, ParseError> {
        let pbr = &material.pbr_metallic_roughness;
        let path = format!("{material_path}.pbrMetallicRoughness");
        let factor = pbr.base_color_factor;
        let factor = self.unit(factor, &path, "baseColorFactor");
        let [metallic] = self.unit([pbr.metallic_factor], &path, "metallicFactor");
        let [roughness] = self.unit([pbr.roughness_factor], &path, "roughnessFactor");

        let sunfleck = material.extensions.sunfleck.as_ref();
        let color = pbr.base_color_texture.as_ref();
        if let Some(sunfleck) = sunfleck
            && let Some(kind) = sunfleck.surface
        {
            return self.sunfleck_surface(kind, sunfleck, (factor.into(), pbr), &path);
        }

        let ior = self.ior(material, material_path);
        if let Some(glass) = self.glass(material, (factor.into(), metallic, roughness), ior, material_path) {
            return Ok(glass);
        }
        // Everything is reflected before the diffuse base could be seen, as by a white metal
        if ior == f32::INFINITY && metallic < 1.0 {
            let base_color = ColorTexture { factor: Vec3::ONE.extend(factor[3]), texture: None };
            return Ok(Surface::MetallicRoughness {
                base_color,
                metallic: 1.0,
                roughness,
                ior: ior::DEFAULT,
                metallic_roughness_texture: None,
            });
        }
        let ior = if ior == f32::INFINITY { ior::DEFAULT } else { ior };
        let metallic_roughness_info = pbr.metallic_roughness_texture.as_ref();
        let texture = self.texture_ref(color, Encoding::Color, &format!("{path}.baseColorTexture"))?;
        let metallic_roughness_texture = self.texture_ref(
            metallic_roughness_info,
            Encoding::Linear,
            &format!("{path}.metallicRoughnessTexture"),
        )?;
        let base_color = ColorTexture { factor: factor.into(), texture };
        Ok(Surface::MetallicRoughness { base_color, metallic, roughness, ior, metallic_roughness_texture })
    }

    fn normal_map(
        &mut self,
        material: &model::Material,
        path: &str,
    ) -> Result<Option<NormalMap>, ParseError> {
        let info = material.normal_texture.as_ref();
        let texture = self.texture_ref(info, Encoding::Linear, &format!("{path}.normalTexture"))?;
        Ok(texture.zip(info).map(|(texture, info)| NormalMap { texture, scale: info.scale }))
    }

    fn emission(&mut self, material: &model::Material, path: &str) -> Result<Emission, ParseError> {
        let mut strength =
            material.extensions.emissive_strength.as_ref().map_or(1.0, |e| e.emissive_strength);
        if strength < 0.0 {
            let from = format!("{path}.extensions.KHR_materials_emissive_strength.emissiveStrength");
            let message = format!("the emissive strength {strength} is negative; 0 is used");
            self.report.warn(FileLocation::Json(from), message);
            strength = 0.0;
        }
        let radiance = Vec3::from_array(material.emissive_factor) * strength;
        if radiance == Vec3::ZERO && self.sunfleck.is_none() {
            return Ok(Emission::default());
        }
        let info = material.emissive_texture.as_ref();
        let texture = self.texture_ref(info, Encoding::Color, &format!("{path}.emissiveTexture"))?;
        Ok(Emission { radiance, texture })
    }

    /// Clamps factors to [0, 1], with a warning if any is outside.
    pub(super) fn unit<const N: usize>(&mut self, factors: [f32; N], path: &str, name: &str) -> [f32; N] {
        let clamped = factors.map(|f| f.clamp(0.0, 1.0));
        if clamped != factors {
            let message = format!("{factors:?} is outside of [0, 1] and is clamped to {clamped:?}");
            self.report.warn(FileLocation::Json(format!("{path}.{name}")), message);
        }
        clamped
    }
}

/// Makes the base colour the emission of a black surface; alpha is kept.
fn make_unlit(material: &mut Material) {
    if let Surface::MetallicRoughness { base_color, .. } = material.surface {
        material.emission = Emission { radiance: base_color.factor.truncate(), texture: base_color.texture };
        let albedo = ColorTexture { factor: Vec3::ZERO.extend(base_color.factor.w), ..base_color };
        material.surface = Surface::Lambert { albedo };
        material.normal_map = None;
    }
}
