//! Materials: what a surface scatters and emits, with the alpha of its shape.

mod adapters;
mod layers;
mod media;
mod models;
mod roughness;

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, ColorTexture, Emission, Material, MaterialId, NormalMap, Surface};

use super::Importer;
use super::description::{MediumNames, ShapeEntry};
use super::parameter::Directive;
use super::state::MaterialName;
use super::texture::{Paint, UvSpace};
use crate::error::ParseError;

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

/// Converted material.
#[derive(Clone, Debug)]
struct Look {
    surface: Surface,
    /// Paint of the surface's main colour, which an alpha combines with its image; `None` if it has none.
    paint: Option<Paint>,
    alpha: Alpha,
    normal_map: Option<NormalMap>,
    /// Whether there is no surface, so that rays pass.
    is_nothing: bool,
    /// Materials at the same place, which rays reach that pass this one, in this order.
    below: Vec<Look>,
}

impl Look {
    fn new(surface: Surface) -> Self {
        Self {
            surface,
            paint: None,
            alpha: Alpha::Opaque,
            normal_map: None,
            is_nothing: false,
            below: Vec::new(),
        }
    }

    /// Returns whether the material can let rays pass to another one below it.
    fn can_be_above(&self) -> bool {
        let has_alpha = self.surface.clone().alpha_color_mut().is_some();
        has_alpha && self.alpha == Alpha::Opaque && self.below.is_empty()
    }

    /// Puts the material above another one.
    fn put_above(&mut self, mut other: Self) {
        let below = std::mem::take(&mut other.below);
        self.below = std::iter::once(other).chain(below).filter(|look| !look.is_nothing).collect();
    }

    fn painted(surface: Surface, paint: Paint) -> Self {
        Self { paint: Some(paint), ..Self::new(surface) }
    }

    fn diffuse(reflectance: f32) -> Self {
        let paint = Paint::plain(Vec3::splat(reflectance));
        let albedo = ColorTexture::plain(paint.factor);
        Self::painted(Surface::Lambert { albedo }, paint)
    }

    /// Returns a surface that does not exist.
    fn nothing() -> Self {
        let mut look = Self::diffuse(0.0);
        if let Some(color) = look.surface.alpha_color_mut() {
            color.factor.w = 0.0;
        }
        Self { alpha: Alpha::Blend, is_nothing: true, ..look }
    }
}

impl Importer<'_, '_> {
    /// Returns the material of a shape.
    ///
    /// * `area` — area of the shape in the world, which the power of a light is divided by; `None` if it is not known.
    pub(super) fn material(
        &mut self,
        shape: &ShapeEntry,
        uv: UvSpace,
        area: Option<f32>,
    ) -> Result<MaterialId, ParseError> {
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
        if let Some(&id) = self.materials.get(&key) {
            return Ok(id);
        }
        let (name, mut look) = match self.directive_of(&shape.material) {
            Some((name, directive)) => (name, self.look(&directive, uv, 0)?),
            None => {
                if let MaterialName::Named(name) = &shape.material {
                    let message = format!("there is no material {name:?}: a grey surface is used");
                    self.omissions.warn(&shape.directive.place, message);
                }
                ("default".to_string(), Look::diffuse(0.5))
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
            look = Look::diffuse(0.0);
        }
        let double_sided = shape.area_light.is_some_and(|light| {
            self.description.area_lights.get(light).is_some_and(|light| light.flag("twosided", false))
        });
        let media = self.media(&shape.media, &shape.directive.place);
        let below = std::mem::take(&mut look.below);
        let mut layers = Vec::new();
        for Look { surface, alpha, normal_map, .. } in std::iter::once(look).chain(below) {
            let new = Material::new(name.clone(), surface);
            let material = Material { alpha, normal_map, emission, double_sided, media, ..new };
            let id = self.scene.add_material(material);
            layers.push(id.map_err(|error| shape.directive.place.problem(error.into()))?);
        }
        let id = layers.remove(0);
        if !layers.is_empty() {
            self.layers.insert(id, layers);
        }
        self.materials.insert(key, id);
        Ok(id)
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
                Ok(Look::diffuse(0.5))
            }
        }?;
        if let Some(name) = material.text("normalmap").map(str::to_string) {
            let normal_map = self.normal_map(material, &name, uv)?;
            look.normal_map = normal_map;
            look.below.iter_mut().for_each(|below| below.normal_map = normal_map);
        }
        Ok(look)
    }
}
