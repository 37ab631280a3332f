//! The principled model in the extension `SUNFLECK_scene`, and as the extensions of glTF that come near to it.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::parameter::{Parameters, Value as ParameterValue};
use sunfleck_scene::{ColorTexture, Surface};

use super::model;
use crate::error::ParseError;
use crate::gltf::Importer;
use crate::gltf::export::number::{number, numbers};
use crate::gltf::export::{Exporter, extend, extension};
use crate::gltf::model::PbrMetallicRoughness;
use crate::images::Encoding;
use crate::ior;

const ZERO: ParameterValue = ParameterValue::Number(0.0);

/// Factors in [0, 1], which are 0 unless they are given: member of the extension, and parameter of the surface.
const FACTORS: [(&str, &str); 8] = [
    ("anisotropy", "anisotropy"),
    ("transmission", "transmission"),
    ("specularTint", "specular_tint"),
    ("sheen", "sheen"),
    ("sheenTint", "sheen_tint"),
    ("flatness", "flatness"),
    ("clearcoat", "clearcoat"),
    ("clearcoatGloss", "clearcoat_gloss"),
];

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
        let [metallic] = self.unit([core.metallic_factor], path, "metallicFactor");
        let [roughness] = self.unit([core.roughness_factor], path, "roughnessFactor");
        let roughness = self.roughness(sunfleck, path, roughness);
        let info = core.metallic_roughness_texture.as_ref();
        let texture_path = format!("{path}.metallicRoughnessTexture");
        let surface_texture = self.texture_ref(info, Encoding::Linear, &texture_path)?;
        let info = sunfleck.principled.coat_texture.as_ref();
        let texture_path = format!("{path}.extensions.SUNFLECK_scene.principled.coatTexture");
        let coat_texture = self.texture_ref(info, Encoding::Linear, &texture_path)?;
        let mut surface = Surface::Principled {
            base_color,
            metallic,
            roughness,
            anisotropy: 0.0,
            transmission: 0.0,
            ior: sunfleck.ior.unwrap_or(ior::DEFAULT),
            specular_tint: 0.0,
            sheen: 0.0,
            sheen_tint: 0.0,
            flatness: 0.0,
            clearcoat: 0.0,
            clearcoat_gloss: 0.0,
            surface_texture,
            coat_texture,
        };
        for (key, parameter) in FACTORS {
            if let Some(&factor) = sunfleck.principled.factors.get(key) {
                let name = format!("extensions.SUNFLECK_scene.principled.{key}");
                let [factor] = self.unit([factor], path, &name);
                // A factor in [0, 1] is allowed; NaN, which JSON does not have, would stay 0
                let _ = surface.set(parameter, ParameterValue::Number(factor));
            }
        }
        Ok(surface)
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
            clearcoat,
            clearcoat_gloss,
            ref surface_texture,
            ref coat_texture,
            ..
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
        for (key, parameter) in FACTORS {
            if let Some(ParameterValue::Number(factor)) =
                surface.get(parameter).filter(|factor| *factor != ZERO)
            {
                all[key] = number(factor);
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
