//! Scattering models that glTF has no name for: what they are called in our extension, reading, writing.

use serde::Deserialize;
use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{ColorTexture, Surface};

use super::model;
use crate::error::Fault;
use crate::gltf::Importer;
use crate::gltf::export::number::number;
use crate::gltf::export::{Exporter, extend, extension};
use crate::gltf::model::TextureInfo;
use crate::images::Encoding;

/// What takes the place of metallic-roughness. Its colour is the base colour.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::gltf) enum SurfaceKind {
    Lambert,
    Mirror,
    Dielectric,
    OrenNayar,
}

impl Importer<'_> {
    /// A surface of a kind.
    ///
    /// * `own` — its other parameters. * `factor`, `texture` — of the base colour. * `path` — of the core of the material.
    ///
    /// # Errors
    /// If a texture that it has cannot be read.
    pub(in crate::gltf) fn own_surface(
        &mut self,
        kind: SurfaceKind,
        own: &model::Material,
        (factor, texture): (Vec4, Option<&TextureInfo>),
        path: &str,
    ) -> Result<Surface, Fault> {
        let mut albedo = || -> Result<_, Fault> {
            let texture = self.texture_ref(texture, Encoding::Color, &format!("{path}.baseColorTexture"))?;
            Ok(ColorTexture { factor, texture })
        };
        Ok(match kind {
            SurfaceKind::Lambert => Surface::Lambert { albedo: albedo()? },
            SurfaceKind::OrenNayar => {
                let albedo = albedo()?;
                let clamped = |roughness| self.unit([roughness], path, "extensions.SUNFLECK_scene.roughness");
                let [roughness] = own.roughness.map_or([0.5], clamped);
                Surface::OrenNayar { albedo, roughness }
            }
            SurfaceKind::Mirror => Surface::Mirror { reflectance: factor.truncate() },
            SurfaceKind::Dielectric => {
                Surface::Dielectric { ior: own.ior.unwrap_or(1.5), tint: factor.truncate() }
            }
        })
    }
}

impl Exporter<'_> {
    /// Metallic-roughness, or the nearest to it with a word about what it is.
    pub(in crate::gltf) fn surface(&mut self, surface: &Surface, json: &mut Value) {
        let opaque = |color: Vec3| ColorTexture { factor: color.extend(1.0), texture: None };
        match surface {
            Surface::MetallicRoughness { base_color, metallic, roughness, metallic_roughness_texture } => {
                self.core(base_color, *metallic, *roughness, json);
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
                // For other programs a diffuse surface: their roughness is that of highlights
                self.core(albedo, 0.0, 1.0, json);
                extension(json)["surface"] = "oren-nayar".into();
                extension(json)["roughness"] = number(*roughness);
            }
            Surface::Mirror { reflectance } => {
                self.core(&opaque(*reflectance), 1.0, 0.0, json);
                extension(json)["surface"] = "mirror".into();
            }
            Surface::Dielectric { ior, tint } => {
                self.core(&opaque(*tint), 0.0, 0.0, json);
                self.extensions.extend(["KHR_materials_transmission", "KHR_materials_ior"]);
                extend(json, "KHR_materials_transmission", json!({ "transmissionFactor": 1 }));
                // The specification knows no medium that is thinner than air
                extend(json, "KHR_materials_ior", json!({ "ior": number(ior.max(1.0)) }));
                extension(json)["surface"] = "dielectric".into();
                extension(json)["ior"] = number(*ior);
            }
        }
    }
}
