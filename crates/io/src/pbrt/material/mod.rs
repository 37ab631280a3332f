//! Materials: what a surface scatters and emits, with the alpha of its shape.

mod adapters;
mod layers;
mod media;
mod models;
mod roughness;

use std::rc::Rc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Emission, Material, MaterialId};

use super::Importer;
use super::description::{MediumNames, ShapeEntry};
use super::parameter::Directive;
use super::state::MaterialName;
use super::texture::UvSpace;
use crate::error::ParseError;
use crate::renderer::MIXTURE_IS_SIMPLE;
use crate::renderer::look::Look;

/// Materials within each other.
const MAX_DEPTH: usize = 16;

/// What decides about a material of the scene: shapes for which it is equal share one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MaterialKey {
    name: MaterialName,
    area_light: Option<usize>,
    uv: UvSpace,
    alpha: ShapeAlpha,
    /// Factor of the radiance, in bits.
    light_scale: u32,
    media: MediumNames,
}

/// Alpha of a shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ShapeAlpha {
    Opaque,
    /// Number, in bits.
    Plain(u32),
    /// Name of a texture.
    Texture(String),
}

impl Importer<'_, '_> {
    /// Returns the materials of a shape: of several at the same place, rays reach the next ones when they pass the first.
    ///
    /// * `area` — area of the shape in the world, which the power of a light is divided by; `None` if it is not known.
    pub(super) fn materials(
        &mut self,
        shape: &ShapeEntry,
        uv: UvSpace,
        area: Option<f32>,
    ) -> Result<Rc<[MaterialId]>, ParseError> {
        let alpha = match shape.directive.get("alpha") {
            None => ShapeAlpha::Opaque,
            Some(parameter) => match (&parameter.values, shape.directive.number("alpha")) {
                (super::parameter::Values::Texts(names), _) => {
                    ShapeAlpha::Texture(names.first().cloned().unwrap_or_default())
                }
                (_, Some(1.0) | None) => ShapeAlpha::Opaque,
                (_, Some(alpha)) => ShapeAlpha::Plain(alpha.to_bits()),
            },
        };
        let light_scale = shape.area_light.map_or(1.0, |light| self.light_scale(light, area));
        let key = MaterialKey {
            name: shape.material.clone(),
            area_light: shape.area_light,
            uv,
            alpha,
            light_scale: light_scale.to_bits(),
            media: shape.media.clone(),
        };
        if let Some(materials) = self.materials.get(&key) {
            return Ok(Rc::clone(materials));
        }
        let (name, mut look) = match self.look_of(&shape.material, uv, 0)? {
            Some(found) => found,
            None => {
                if let MaterialName::Named(name) = &shape.material {
                    let message = format!("there is no material {name:?}: a grey surface is used");
                    self.omissions.warn(&shape.directive.place, message);
                }
                ("default".to_string(), grey())
            }
        };
        if key.alpha != ShapeAlpha::Opaque {
            self.add_alpha(&mut look, &shape.directive, uv)?;
        }
        let emission = match shape.area_light {
            Some(light) => self.emission(light, light_scale, uv)?,
            None => Emission::default(),
        };
        if look.is_nothing && emission.radiance != Vec3::ZERO {
            let message = "a light without a surface is a black one, which rays do not pass";
            self.omissions.note(&shape.directive.place, message);
            look = Look::diffuse(Vec3::ZERO);
        }
        let double_sided = shape.area_light.is_some_and(|light| {
            self.description.area_lights.get(light).is_some_and(|light| light.flag("twosided", false))
        });
        let media = self.media(&shape.media, &shape.directive.place);
        let (layers, is_complete) = look.into_layers(emission);
        if !is_complete {
            self.omissions.warn(&shape.directive.place, MIXTURE_IS_SIMPLE);
        }
        let mut materials = Vec::new();
        for (Look { surface, alpha, normal_map, .. }, emission) in layers {
            let new = Material::new(name.clone(), surface);
            let material = Material { alpha, normal_map, emission, double_sided, media, ..new };
            let id = self.scene.add_material(material);
            materials.push(id.map_err(|error| shape.directive.place.problem(error.into()))?);
        }
        let materials: Rc<[MaterialId]> = materials.into();
        self.materials.insert(key, Rc::clone(&materials));
        Ok(materials)
    }

    /// Returns the name of a material for users, and its look; `None` if there is no such material. It is converted at its
    /// first use: materials refer to each other, so that few of them can have many uses.
    fn look_of(
        &mut self,
        name: &MaterialName,
        uv: UvSpace,
        depth: usize,
    ) -> Result<Option<(String, Look)>, ParseError> {
        let key = (name.clone(), uv);
        if let Some(found) = self.looks.get(&key) {
            return Ok(Some(found.clone()));
        }
        let Some((name, directive)) = self.directive_of(name) else { return Ok(None) };
        let found = (name, self.look(&directive, uv, depth)?);
        self.looks.insert(key, found.clone());
        Ok(Some(found))
    }

    /// Returns the name of a material for users, and its directive.
    fn directive_of(&self, name: &MaterialName) -> Option<(String, Directive)> {
        match name {
            MaterialName::Default => None,
            MaterialName::Unnamed(index) => self
                .description
                .materials
                .get(*index)
                .map(|directive| (directive.kind.clone(), directive.clone())),
            MaterialName::Named(name) => {
                let directive = self.description.named_materials.get(&**name)?;
                Some((name.to_string(), directive.clone()))
            }
        }
    }

    fn look(&mut self, material: &Directive, uv: UvSpace, depth: usize) -> Result<Look, ParseError> {
        if depth > MAX_DEPTH {
            return Err(material.place.error("too many materials are within each other"));
        }
        let mut look = match material.kind.as_str() {
            "diffuse" => self.diffuse(material, "reflectance", uv),
            "matte" => self.diffuse(material, "Kd", uv),
            "coateddiffuse" => self.coated_diffuse(material, uv),
            "conductor" | "metal" => self.conductor(material, "", uv),
            "coatedconductor" => self.coated_conductor(material, uv),
            "dielectric" | "glass" => self.dielectric(material, uv),
            "thindielectric" => self.thin_dielectric(material),
            "diffusetransmission" | "translucent" => self.diffuse_transmission(material, uv),
            "plastic" | "uber" | "substrate" => self.glossy_of_version_3(material, uv),
            "mirror" => self.mirror(material),
            "disney" => self.disney(material, uv),
            "mix" => self.mix(material, uv, depth),
            "interface" | "none" | "" => Ok(Look::nothing()),
            _ => {
                let message =
                    format!("the material {} is not supported: a grey surface is used", material.title());
                self.omissions.warn(&material.place, message);
                material.parameters.iter().for_each(|parameter| parameter.is_used.set(true));
                Ok(grey())
            }
        }?;
        if let Some(name) = material.text("normalmap").map(str::to_string) {
            let normal_map = self.normal_map(material, &name, uv)?;
            look.change_layers(|layer| layer.normal_map = normal_map);
        }
        Ok(look)
    }
}

/// Returns the surface of shapes without a material.
fn grey() -> Look {
    Look::diffuse(Vec3::splat(0.5))
}
