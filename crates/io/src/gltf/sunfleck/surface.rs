//! Scattering models that glTF does not have: import and export with the extension `SUNFLECK_scene`.

use serde::Deserialize;
use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{ColorTexture, Surface};

use super::model;
use crate::error::ParseError;
use crate::gltf::Importer;
use crate::gltf::export::number::number;
use crate::gltf::export::{Exporter, extend, extension};
use crate::gltf::model::TextureInfo;
use crate::images::Encoding;
use crate::ior;

/// Scattering model that replaces metallic-roughness. Its colour is the base colour of the glTF material.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::gltf) enum SurfaceKind {
    Lambert,
    Mirror,
    Dielectric,
    ThinDielectric,
    OrenNayar,
}

impl Importer<'_> {
    /// Imports a surface of the given kind.
    ///
    /// * `sunfleck` — other parameters of the surface.
    /// * `factor`, `texture` — base colour.
    /// * `path` — JSON path of `pbrMetallicRoughness`.
    ///
    /// # Errors
    /// The reference to a texture is invalid.
    pub(in crate::gltf) fn sunfleck_surface(
        &mut self,
        kind: SurfaceKind,
        sunfleck: &model::Material,
        (factor, texture): (Vec4, Option<&TextureInfo>),
        path: &str,
    ) -> Result<Surface, ParseError> {
        let mut albedo = || -> Result<_, ParseError> {
            let texture = self.texture_ref(texture, Encoding::Color, &format!("{path}.baseColorTexture"))?;
            Ok(ColorTexture { factor, texture })
        };
        Ok(match kind {
            SurfaceKind::Lambert => Surface::Lambert { albedo: albedo()? },
            SurfaceKind::OrenNayar => {
                let albedo = albedo()?;
                let clamped = |roughness| self.unit([roughness], path, "extensions.SUNFLECK_scene.roughness");
                let [roughness] = sunfleck.roughness.map_or([0.5], clamped);
                Surface::OrenNayar { albedo, roughness }
            }
            SurfaceKind::Mirror => Surface::Mirror { reflectance: factor.truncate() },
            SurfaceKind::Dielectric => {
                Surface::Dielectric { ior: sunfleck.ior.unwrap_or(ior::DEFAULT), tint: factor.truncate() }
            }
            SurfaceKind::ThinDielectric => {
                Surface::ThinDielectric { ior: sunfleck.ior.unwrap_or(ior::DEFAULT), tint: factor.truncate() }
            }
        })
    }
}

impl Exporter<'_> {
    /// Writes a surface as metallic-roughness, or as the closest approximation by it with the kind of the surface in
    /// the extension.
    pub(in crate::gltf) fn surface(&mut self, surface: &Surface, json: &mut Value) {
        let opaque = |color: Vec3| ColorTexture { factor: color.extend(1.0), texture: None };
        match surface {
            Surface::MetallicRoughness {
                base_color,
                metallic,
                roughness,
                ior,
                metallic_roughness_texture,
            } => {
                self.core(base_color, *metallic, *roughness, json);
                if *ior != ior::DEFAULT {
                    self.extensions.insert("KHR_materials_ior");
                    extend(json, "KHR_materials_ior", json!({ "ior": number(*ior) }));
                }
                if let Some(texture) = metallic_roughness_texture {
                    let info = self.texture_info(texture);
                    json["pbrMetallicRoughness"]["metallicRoughnessTexture"] = info;
                }
            }
            Surface::Lambert { albedo } => {
                self.core(albedo, 0.0, 1.0, json);
                extension(json)["surface"] = "lambert".into();
            }
            Surface::OrenNayar { albedo, roughness } => {
                // Other programs see a diffuse surface, since their roughness is that of the specular lobe
                self.core(albedo, 0.0, 1.0, json);
                extension(json)["surface"] = "oren-nayar".into();
                extension(json)["roughness"] = number(*roughness);
            }
            Surface::Mirror { reflectance } => {
                self.core(&opaque(*reflectance), 1.0, 0.0, json);
                extension(json)["surface"] = "mirror".into();
            }
            Surface::Dielectric { ior, tint } => {
                self.glass(*ior, *tint, json);
                // Without a volume, transmission is that of thin glass; the thickness matters to rasterisers only
                self.extensions.insert("KHR_materials_volume");
                extend(json, "KHR_materials_volume", json!({ "thicknessFactor": 1 }));
                extension(json)["surface"] = "dielectric".into();
                extension(json)["ior"] = number(*ior);
            }
            Surface::ThinDielectric { ior, tint } => {
                self.glass(*ior, *tint, json);
                extension(json)["surface"] = "thin-dielectric".into();
                extension(json)["ior"] = number(*ior);
            }
        }
    }

    /// Writes the transmission of a smooth dielectric, thin or not.
    fn glass(&mut self, ior: f32, tint: Vec3, json: &mut Value) {
        self.core(&ColorTexture { factor: tint.extend(1.0), texture: None }, 0.0, 0.0, json);
        self.extensions.extend(["KHR_materials_transmission", "KHR_materials_ior"]);
        extend(json, "KHR_materials_transmission", json!({ "transmissionFactor": 1 }));
        // KHR_materials_ior does not allow an index below 1
        extend(json, "KHR_materials_ior", json!({ "ior": number(ior.max(1.0)) }));
    }
}
