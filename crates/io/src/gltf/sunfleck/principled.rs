//! The principled model in the extension `SUNFLECK_scene`, and as the extensions of glTF that come near to it.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{ColorTexture, Surface};

use super::model;
use crate::error::ParseError;
use crate::gltf::Importer;
use crate::gltf::export::number::{number, numbers};
use crate::gltf::export::{Exporter, extend, extension};
use crate::gltf::model::PbrMetallicRoughness;
use crate::images::Encoding;
use crate::ior;

impl Importer<'_> {
    /// Imports a principled surface; the parameters are as in
    /// [`sunfleck_surface`](Self::sunfleck_surface).
    ///
    /// # Errors
    /// The reference to a texture is invalid.
    pub(super) fn principled(
        &mut self,
        base_color: ColorTexture,
        sunfleck: &model::Material,
        core: &PbrMetallicRoughness,
        path: &str,
    ) -> Result<Surface, ParseError> {
        let model::Principled {
            anisotropy,
            transmission,
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
            ref coat_texture,
        } = sunfleck.principled;
        let [metallic] = self.unit([core.metallic_factor], path, "metallicFactor");
        let [roughness] = self.unit([core.roughness_factor], path, "roughnessFactor");
        let roughness = self.roughness(sunfleck, path, roughness);
        let factors = [
            anisotropy,
            transmission,
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
        ];
        let [
            anisotropy,
            transmission,
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
        ] = self.unit(factors, path, "extensions.SUNFLECK_scene.principled");
        let info = core.metallic_roughness_texture.as_ref();
        let texture_path = format!("{path}.metallicRoughnessTexture");
        let surface_texture = self.texture_ref(info, Encoding::Linear, &texture_path)?;
        let texture_path = format!("{path}.extensions.SUNFLECK_scene.principled.coatTexture");
        let coat_texture = self.texture_ref(coat_texture.as_ref(), Encoding::Linear, &texture_path)?;
        Ok(Surface::Principled {
            base_color,
            metallic,
            roughness,
            anisotropy,
            transmission,
            ior: sunfleck.ior.unwrap_or(ior::DEFAULT),
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
            surface_texture,
            coat_texture,
        })
    }
}

impl Exporter<'_> {
    /// Writes a principled surface exactly to the extension, and as the extensions of Khronos for other programs.
    /// These have no flatness; their sheen has another shape; and what a texture varies is at its largest.
    pub(super) fn principled(&mut self, surface: &Surface, json: &mut Value) {
        let &Surface::Principled {
            ref base_color,
            metallic,
            roughness,
            anisotropy,
            transmission,
            ior,
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
            ref surface_texture,
            ref coat_texture,
        } = surface
        else {
            return;
        };
        self.core(base_color, metallic, roughness, json);
        if let Some(texture) = surface_texture {
            json["pbrMetallicRoughness"]["metallicRoughnessTexture"] = self.texture_info(texture);
        }
        let coat_info = coat_texture.as_ref().map(|texture| self.texture_info(texture));
        let tint = tint(base_color.factor);
        self.khronos("KHR_materials_ior", json!({ "ior": number(ior) }), json);
        if specular_tint > 0.0 {
            let color = Vec3::ONE.lerp(tint, specular_tint).to_array();
            self.khronos("KHR_materials_specular", json!({ "specularColorFactor": numbers(color) }), json);
        }
        if anisotropy > 0.0 && surface_texture.is_none() {
            let (across, strength) = khronos_anisotropy(roughness, anisotropy);
            json["pbrMetallicRoughness"]["roughnessFactor"] = number(across);
            let strength = json!({ "anisotropyStrength": number(strength) });
            self.khronos("KHR_materials_anisotropy", strength, json);
        }
        if transmission > 0.0 {
            let factor = json!({ "transmissionFactor": number(transmission) });
            self.khronos("KHR_materials_transmission", factor, json);
            self.khronos("KHR_materials_volume", json!({ "thicknessFactor": 1 }), json);
        }
        if sheen > 0.0 {
            let color = (Vec3::ONE.lerp(tint, sheen_tint) * sheen).min(Vec3::ONE).to_array();
            let color = json!({ "sheenColorFactor": numbers(color), "sheenRoughnessFactor": 0.5 });
            self.khronos("KHR_materials_sheen", color, json);
        }
        if clearcoat > 0.0 {
            // The coating reflects a quarter of what one of Khronos does [Burley12, §5.4]
            let rough = (0.1 + (0.001 - 0.1) * clearcoat_gloss).sqrt();
            let coat = json!({
                "clearcoatFactor": number(0.25 * clearcoat), "clearcoatRoughnessFactor": number(rough)
            });
            self.khronos("KHR_materials_clearcoat", coat, json);
            if let Some(info) = &coat_info {
                json["extensions"]["KHR_materials_clearcoat"]["clearcoatTexture"] = info.clone();
            }
        }
        extension(json)["surface"] = "principled".into();
        extension(json)["ior"] = number(ior);
        extension(json)["roughness"] = number(roughness);
        let mut all = json!({});
        for (name, value) in [
            ("anisotropy", anisotropy),
            ("transmission", transmission),
            ("specularTint", specular_tint),
            ("sheen", sheen),
            ("sheenTint", sheen_tint),
            ("flatness", flatness),
            ("clearcoat", clearcoat),
            ("clearcoatGloss", clearcoat_gloss),
        ] {
            if value != 0.0 {
                all[name] = number(value);
            }
        }
        if let Some(info) = coat_info {
            all["coatTexture"] = info;
        }
        extension(json)["principled"] = all;
    }

    fn khronos(&mut self, name: &'static str, members: Value, json: &mut Value) {
        self.extensions.insert(name);
        extend(json, name, members);
    }
}

/// Returns the base colour divided by its luminance, at most 1 in each component.
fn tint(base_color: Vec4) -> Vec3 {
    let base = base_color.truncate();
    let luminance = sunfleck_image::color::luminance(base);
    if luminance > 0.0 { (base / luminance).min(Vec3::ONE) } else { Vec3::ONE }
}

/// Returns the roughness factor, that across the tangent, and the strength for which `KHR_materials_anisotropy` has the
/// α of the principled model: its α along the tangent is `mix(α, 1, strength²)`.
fn khronos_anisotropy(roughness: f32, anisotropy: f32) -> (f32, f32) {
    let aspect = (1.0 - 0.9 * anisotropy).sqrt();
    let (along, across) = (roughness * roughness / aspect, roughness * roughness * aspect);
    if across >= 1.0 {
        return (1.0, 0.0);
    }
    (across.sqrt(), ((along.min(1.0) - across) / (1.0 - across)).max(0.0).sqrt())
}
