//! Scattering models that glTF does not have: import and export with the extension `SUNFLECK_scene`.

use serde::Deserialize;
use serde_json::{Value, json};
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::parameter::{Parameter, Parameters, Value as ParameterValue};
use sunfleck_scene::{ColorTexture, Surface};

use super::model;
use crate::FileLocation;
use crate::error::ParseError;
use crate::gltf::Importer;
use crate::gltf::export::number::{number, numbers};
use crate::gltf::export::{Exporter, extend, extension};
use crate::gltf::model::PbrMetallicRoughness;
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
    Conductor,
    Plastic,
    Principled,
}

impl Importer<'_> {
    /// Imports a surface of the given kind.
    ///
    /// * `sunfleck` — other parameters of the surface.
    /// * `core` — parameters that glTF has, with the base colour factor in range.
    /// * `path` — JSON path of `pbrMetallicRoughness`.
    ///
    /// # Errors
    /// The reference to a texture is invalid.
    pub(in crate::gltf) fn sunfleck_surface(
        &mut self,
        kind: SurfaceKind,
        sunfleck: &model::Material,
        (factor, core): (Vec4, &PbrMetallicRoughness),
        path: &str,
    ) -> Result<Surface, ParseError> {
        let mut albedo = || -> Result<_, ParseError> {
            let info = core.base_color_texture.as_ref();
            let texture = self.texture_ref(info, Encoding::Color, &format!("{path}.baseColorTexture"))?;
            Ok(ColorTexture { factor, texture })
        };
        let ior = sunfleck.ior.unwrap_or(ior::DEFAULT);
        let beckmann = sunfleck.beckmann;
        let anisotropy = sunfleck.anisotropy.unwrap_or(0.0);
        let surface = match kind {
            SurfaceKind::Lambert => Surface::Lambert { albedo: albedo()? },
            SurfaceKind::OrenNayar => {
                Surface::OrenNayar { albedo: albedo()?, roughness: self.roughness(sunfleck, path, 0.5) }
            }
            SurfaceKind::Mirror => Surface::Mirror { reflectance: factor.truncate() },
            SurfaceKind::Dielectric => {
                let roughness = self.roughness(sunfleck, path, 0.0);
                Surface::Dielectric { ior, tint: factor.truncate(), roughness, anisotropy, beckmann }
            }
            SurfaceKind::ThinDielectric => Surface::ThinDielectric { ior, tint: factor.truncate() },
            SurfaceKind::Conductor => {
                let reflectance = albedo()?;
                let info = core.metallic_roughness_texture.as_ref();
                let texture_path = format!("{path}.metallicRoughnessTexture");
                let roughness_texture = self.texture_ref(info, Encoding::Linear, &texture_path)?;
                let roughness = self.roughness(sunfleck, path, 0.0);
                let [eta, k] =
                    [sunfleck.eta.unwrap_or([0.0; 3]), sunfleck.k.unwrap_or([1.0; 3])].map(Vec3::from_array);
                Surface::Conductor { reflectance, eta, k, roughness, anisotropy, roughness_texture, beckmann }
            }
            SurfaceKind::Principled => {
                let base_color = albedo()?;
                self.principled(base_color, sunfleck, core, path)?
            }
            SurfaceKind::Plastic => {
                let diffuse = albedo()?;
                let specular = self.unit(
                    sunfleck.specular.unwrap_or([1.0; 3]),
                    path,
                    "extensions.SUNFLECK_scene.specular",
                );
                let roughness = self.roughness(sunfleck, path, 0.0);
                let nonlinear = sunfleck.nonlinear;
                Surface::Plastic { diffuse, specular: specular.into(), ior, roughness, nonlinear, beckmann }
            }
        };
        Ok(self.in_range(surface, path))
    }

    /// Returns a surface whose parameters are in range, with a warning for each one that is clamped.
    fn in_range(&mut self, mut surface: Surface, path: &str) -> Surface {
        for (parameter, value) in surface.values() {
            if parameter.accept(value).is_ok() {
                continue;
            }
            let clamped = clamped(parameter, value);
            let message = format!("the {} {value} is out of range: it is {clamped}", parameter.label);
            self.report.warn(FileLocation::Json(path.to_string()), message);
            // The default is allowed, and so is a value that was clamped
            let _ = surface.set(parameter.name, clamped);
        }
        surface
    }

    /// Returns the roughness that the extension states, clamped to [0, 1], or a default.
    pub(super) fn roughness(&mut self, sunfleck: &model::Material, path: &str, default: f32) -> f32 {
        let Some(roughness) = sunfleck.roughness else { return default };
        let [clamped] = self.unit([roughness], path, "extensions.SUNFLECK_scene.roughness");
        clamped
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
            Surface::Dielectric { ior, tint, roughness, anisotropy, beckmann } => {
                self.glass(*ior, *tint, *roughness, json);
                // Without a volume, transmission is that of thin glass; the thickness matters to rasterisers only
                self.extensions.insert("KHR_materials_volume");
                extend(json, "KHR_materials_volume", json!({ "thicknessFactor": 1 }));
                extension(json)["surface"] = "dielectric".into();
                extension(json)["ior"] = number(*ior);
                facets(*roughness, *anisotropy, *beckmann, json);
            }
            Surface::ThinDielectric { ior, tint } => {
                self.glass(*ior, *tint, 0.0, json);
                extension(json)["surface"] = "thin-dielectric".into();
                extension(json)["ior"] = number(*ior);
            }
            Surface::Conductor {
                reflectance,
                eta,
                k,
                roughness,
                anisotropy,
                roughness_texture,
                beckmann,
            } => {
                self.core(reflectance, 1.0, *roughness, json);
                if let Some(texture) = roughness_texture {
                    json["pbrMetallicRoughness"]["metallicRoughnessTexture"] = self.texture_info(texture);
                }
                extension(json)["surface"] = "conductor".into();
                extension(json)["eta"] = numbers(eta.to_array());
                extension(json)["k"] = numbers(k.to_array());
                facets(*roughness, *anisotropy, *beckmann, json);
            }
            Surface::Plastic { diffuse, specular, ior, roughness, nonlinear, beckmann } => {
                self.core(diffuse, 0.0, *roughness, json);
                self.extensions.insert("KHR_materials_ior");
                extend(json, "KHR_materials_ior", json!({ "ior": number(*ior) }));
                extension(json)["surface"] = "plastic".into();
                extension(json)["ior"] = number(*ior);
                extension(json)["specular"] = numbers(specular.to_array());
                extension(json)["nonlinear"] = (*nonlinear).into();
                facets(*roughness, 0.0, *beckmann, json);
            }
            Surface::Principled { .. } => self.principled(surface, json),
        }
    }

    /// Writes the transmission of a dielectric, thin or not.
    fn glass(&mut self, ior: f32, tint: Vec3, roughness: f32, json: &mut Value) {
        self.core(&ColorTexture { factor: tint.extend(1.0), texture: None }, 0.0, roughness, json);
        self.extensions.extend(["KHR_materials_transmission", "KHR_materials_ior"]);
        extend(json, "KHR_materials_transmission", json!({ "transmissionFactor": 1 }));
        // KHR_materials_ior does not allow an index below 1
        extend(json, "KHR_materials_ior", json!({ "ior": number(ior.max(1.0)) }));
    }
}

/// Returns the nearest value that is in the range of a parameter; the default of one that is not a number.
fn clamped(parameter: &Parameter, value: ParameterValue) -> ParameterValue {
    #[allow(clippy::cast_possible_truncation, reason = "the ends are in single precision")]
    let range = parameter.kind.range().map(|ends| ends.map(|end| end as f32));
    match (value, range) {
        (ParameterValue::Number(number), Some([min, max])) if !number.is_nan() => {
            ParameterValue::Number(number.clamp(min, max))
        }
        (ParameterValue::Color(color), Some([min, max])) if !color.is_nan() => {
            ParameterValue::Color(color.clamp(Vec3::splat(min), Vec3::splat(max)))
        }
        _ => parameter.kind.default_value(),
    }
}

/// Writes the microfacets of a surface to the extension.
fn facets(roughness: f32, anisotropy: f32, beckmann: bool, json: &mut Value) {
    if roughness > 0.0 {
        extension(json)["roughness"] = number(roughness);
    }
    if anisotropy != 0.0 {
        extension(json)["anisotropy"] = number(anisotropy);
    }
    if beckmann {
        extension(json)["beckmann"] = true.into();
    }
}
