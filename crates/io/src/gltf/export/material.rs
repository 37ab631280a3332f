//! Materials: metallic-roughness, or the closest approximation by it with the exact surface in the extension.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4, exp};
use sunfleck_scene::{Alpha, ColorTexture, Emission, Material, Surface, TextureRef};

use crate::gltf::texture::affine_of;

use super::number::{factor_and_strength, number, numbers};
use super::{Exporter, extend, extension, named};
use crate::FileLocation;

impl Exporter<'_> {
    pub(super) fn materials(&mut self) -> Vec<Value> {
        let scene = self.scene;
        let materials = scene.materials().map(|(_, material)| self.material(material)).collect();
        if self.media_left_out > 0 {
            let count = self.media_left_out;
            let message = format!("materials with media that other programs do not see: {count}");
            self.report.note(FileLocation::Json("materials".into()), message);
        }
        materials
    }

    fn material(&mut self, material: &Material) -> Value {
        let mut json = named(&material.name);
        self.surface(&material.surface, &mut json);
        if let Some(procedural) = &material.procedural {
            extension(&mut json)["procedural"] = json!(procedural);
        }
        if let Some(map) = &material.normal_map {
            json["normalTexture"] = self.texture_info(&map.texture);
            if map.scale != 1.0 {
                json["normalTexture"]["scale"] = number(map.scale);
            }
        }
        self.emission(&material.emission, &mut json);
        match material.alpha {
            Alpha::Opaque => {}
            Alpha::Mask { cutoff } => {
                json["alphaMode"] = "MASK".into();
                json["alphaCutoff"] = number(cutoff);
            }
            Alpha::Blend => json["alphaMode"] = "BLEND".into(),
        }
        if material.double_sided {
            json["doubleSided"] = true.into();
        }
        self.media(material, &mut json);
        json
    }

    /// Writes the media on the sides of a surface: other programs read the absorption within glass.
    fn media(&mut self, material: &Material, json: &mut Value) {
        if material.media.is_empty() {
            return;
        }
        extension(json)["media"] = json!(material.media);
        let is_glass = matches!(material.surface, Surface::Dielectric { .. });
        let absorption = material.media.interior.map(|medium| medium.absorption);
        if let Some(absorption) = absorption.filter(|absorption| is_glass && absorption.max_element() > 0.0) {
            let distance = absorption.max_element().recip();
            let color = absorption.to_array().map(|sigma| exp(-sigma * distance));
            let volume = &mut json["extensions"]["KHR_materials_volume"];
            volume["attenuationDistance"] = number(distance);
            volume["attenuationColor"] = numbers(color);
        }
        self.media_left_out +=
            usize::from(!is_glass || material.media.iter().any(|medium| medium.scattering != Vec3::ZERO));
    }

    /// Writes `pbrMetallicRoughness`, which all programs read.
    pub(in crate::gltf) fn core(
        &mut self,
        color: &ColorTexture,
        metallic: f32,
        roughness: f32,
        json: &mut Value,
    ) {
        let mut core = json!({ "metallicFactor": number(metallic), "roughnessFactor": number(roughness) });
        if color.factor != Vec4::ONE {
            core["baseColorFactor"] = numbers(color.factor.to_array());
        }
        if let Some(texture) = &color.texture {
            core["baseColorTexture"] = self.texture_info(texture);
        }
        json["pbrMetallicRoughness"] = core;
    }

    fn emission(&mut self, emission: &Emission, json: &mut Value) {
        let (factor, strength) = factor_and_strength(emission.radiance.to_array());
        if emission.radiance != Vec3::ZERO {
            json["emissiveFactor"] = numbers(factor);
        }
        if strength != 1.0 {
            self.extensions.insert("KHR_materials_emissive_strength");
            let strength = json!({ "emissiveStrength": number(strength) });
            extend(json, "KHR_materials_emissive_strength", strength);
        }
        if let Some(texture) = &emission.texture {
            json["emissiveTexture"] = self.texture_info(texture);
        }
    }

    /// Returns a texture info. `KHR_texture_transform` has no shear and stores a rounded angle; if it does not
    /// represent the transform exactly, the matrix is written to the extension as well.
    pub(in crate::gltf) fn texture_info(&mut self, reference: &TextureRef) -> Value {
        let mut info = json!({ "index": self.indices.textures[&reference.texture] });
        if reference.uv_set != 0 {
            info["texCoord"] = reference.uv_set.into();
        }
        let matrix = &reference.uv_transform;
        if *matrix == glam::Affine2::IDENTITY {
            return info;
        }
        // rotation · scale has the columns (cos, −sin) sx and (sin, cos) sy
        let (x, y) = (matrix.matrix2.x_axis, matrix.matrix2.y_axis);
        let rotation = sunfleck_math::atan2(-x.y, x.x);
        let (sin, cos) = sunfleck_math::sin_cos(rotation);
        let scale = if rotation == 0.0 { [x.x, y.y] } else { [x.length(), y.x * sin + y.y * cos] };
        let offset = matrix.translation.to_array();
        self.extensions.insert("KHR_texture_transform");
        let transform = json!({
            "offset": numbers(offset), "rotation": number(rotation), "scale": numbers(scale)
        });
        extend(&mut info, "KHR_texture_transform", transform);
        if affine_of(offset, rotation, scale) != *matrix {
            extension(&mut info)["matrix"] = numbers(matrix.to_cols_array());
        }
        info
    }
}
