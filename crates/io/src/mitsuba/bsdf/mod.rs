//! Scattering models: `adapters` change the model within them, the other modules convert one kind of model each.

mod adapters;
mod glass;
mod metal;
mod microfacets;
mod mixture;
mod plastic;
mod principled;

use std::f32::consts::FRAC_1_SQRT_2;

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, ColorTexture, Emission, Material, MaterialId, NormalMap, Surface, TextureRef};

use super::Importer;
use super::bump::BumpMap;
use super::texture::{TexturedValue, UvSpace};
use super::tree::{Class, Object};
use crate::error::ParseError;
use crate::renderer::rough_diffuse::roughness_of_angle;
use crate::renderer::spectrum::Quantity;

/// Scattering models within each other.
const MAX_DEPTH: usize = 16;

/// What decides about a material of the scene: shapes for which it is equal share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MaterialKey {
    /// Number of the scattering model, 0 if there is none.
    bsdf: u32,
    /// Number of the emitter, 0 if there is none.
    emitter: u32,
    /// Numbers of the media inside and outside.
    media: [u32; 2],
    uv: UvSpace,
}

/// Material of the scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Painted {
    pub(super) id: MaterialId,
    /// Whether colours of the mesh's vertices are part of it.
    pub(super) has_vertex_colors: bool,
}

/// Converted scattering model.
#[derive(Clone, Debug)]
struct BsdfModel {
    surface: Surface,
    /// Main colour of the surface, whose image a mask gets as its alpha; `None` if it has none.
    textured: Option<TexturedValue>,
    alpha: Alpha,
    normal_map: Option<NormalMap>,
    bump: Option<BumpMap>,
    /// Whether there is no surface, so that rays pass.
    is_nothing: bool,
    /// Models at the same place, which rays reach that pass this one, in this order.
    below: Vec<BsdfModel>,
}

impl BsdfModel {
    fn new(surface: Surface) -> Self {
        Self {
            surface,
            textured: None,
            alpha: Alpha::Opaque,
            normal_map: None,
            bump: None,
            is_nothing: false,
            below: Vec::new(),
        }
    }

    /// Returns whether the model can let rays pass to another one below it.
    fn can_be_above(&self) -> bool {
        let has_alpha = self.surface.clone().alpha_color_mut().is_some();
        has_alpha && self.alpha == Alpha::Opaque && self.below.is_empty()
    }

    /// Puts the model above another one.
    fn put_above(&mut self, mut other: Self) {
        let below = std::mem::take(&mut other.below);
        self.below = std::iter::once(other).chain(below).filter(|model| !model.is_nothing).collect();
    }

    /// Changes the model and those below it.
    fn change_layers(&mut self, change: impl Fn(&mut Self)) {
        self.below.iter_mut().for_each(&change);
        change(self);
    }

    fn grey() -> Self {
        let textured = TexturedValue::plain(Vec3::splat(0.5));
        let albedo = ColorTexture::plain(textured.factor);
        Self { textured: Some(textured), ..Self::new(Surface::Lambert { albedo }) }
    }
}

/// Where a scattering model is used.
#[derive(Clone, Copy, Debug)]
struct BsdfUse {
    uv: UvSpace,
    /// Number of models that it is within.
    depth: usize,
}

impl Importer<'_, '_> {
    /// Returns the material of a shape.
    pub(super) fn material(&mut self, shape: &Object, uv: UvSpace) -> Result<Painted, ParseError> {
        let bsdfs = self.inner(shape, Class::Bsdf)?;
        let emitters = self.inner(shape, Class::Emitter)?;
        let (bsdf, emitter) = (bsdfs.first(), emitters.first());
        let key = MaterialKey {
            bsdf: bsdf.map_or(0, |b| b.number),
            emitter: emitter.map_or(0, |e| e.number),
            media: self.medium_numbers(shape)?,
            uv,
        };
        if let Some(&painted) = self.materials.get(&key) {
            return Ok(painted);
        }
        let mut model = match bsdf {
            Some(bsdf) => self.bsdf(bsdf, BsdfUse { uv, depth: 0 })?,
            None => BsdfModel::grey(),
        };
        let emission = match emitter {
            Some(emitter) => self.emission(emitter, uv)?,
            None => Emission::default(),
        };
        if model.is_nothing && emission.radiance != Vec3::ZERO {
            let message = "a light without a surface is a black one, which rays do not pass";
            self.omissions.note(&shape.place, message);
            model = BsdfModel::new(Surface::Lambert { albedo: ColorTexture::plain(Vec3::ZERO) });
        }
        let name = bsdf.map_or("default", |bsdf| bsdf.name());
        let media = self.media(shape)?;
        let is_colored = |model: &BsdfModel| model.textured.as_ref().is_some_and(|t| t.has_vertex_colors);
        let has_vertex_colors = is_colored(&model) || model.below.iter().any(is_colored);
        let place = &bsdf.map_or(shape, |bsdf| bsdf).place;
        let mut layers = Vec::new();
        let below = std::mem::take(&mut model.below);
        for BsdfModel { surface, alpha, normal_map, bump, .. } in std::iter::once(model).chain(below) {
            let material = Material { alpha, normal_map, emission, media, ..Material::new(name, surface) };
            let id = self.scene.add_material(material).map_err(|error| place.problem(error.into()))?;
            if let Some(bump) = bump {
                self.bumps.insert(id, bump);
            }
            layers.push(id);
        }
        let painted = Painted { id: layers.remove(0), has_vertex_colors };
        self.materials.insert(key, painted);
        if !layers.is_empty() {
            self.layers.insert(painted.id, layers);
        }
        Ok(painted)
    }

    /// Returns the emission of a shape.
    fn emission(&mut self, emitter: &Object, uv: UvSpace) -> Result<Emission, ParseError> {
        if emitter.plugin != "area" {
            let message = format!("the {} of a shape is not supported", emitter.title());
            self.omissions.warn(&emitter.place, message);
            return Ok(Emission::default());
        }
        emitter.is_used.set(true);
        let textured = self.textured(emitter, "radiance", Vec3::ONE, Quantity::Emission)?;
        let texture: Option<TextureRef> = match &textured.image {
            Some(image) => self.texture_ref(emitter, image, uv)?,
            None => None,
        };
        Ok(Emission { radiance: textured.factor.max(Vec3::ZERO), texture })
    }

    fn bsdf(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        if at.depth > MAX_DEPTH {
            return Err(object.place.error("too many scattering models are within each other"));
        }
        object.is_used.set(true);
        match object.plugin.as_str() {
            "diffuse" | "roughdiffuse" => self.diffuse(object, at),
            "dielectric" | "roughdielectric" | "thindielectric" => self.glass(object),
            "conductor" | "roughconductor" => self.metal(object, at),
            "plastic" | "roughplastic" => self.plastic(object, at),
            "phong" | "ward" => self.glossy_of_old_versions(object, at),
            "principled" | "principledthin" => self.principled(object, at),
            "twosided" => self.two_sided(object, at),
            "mask" => self.mask(object, at),
            "normalmap" => self.normal_map(object, at),
            "bumpmap" => self.bump_map(object, at),
            "coating" | "roughcoating" => self.only_inner(object, at),
            "blendbsdf" => self.blend(object, at),
            "mixturebsdf" => self.mixture(object, at),
            "null" => Ok(Self::nothing()),
            _ => {
                let message = format!("the {} is not supported: a grey surface is used", object.title());
                self.omissions.warn(&object.place, message);
                Ok(BsdfModel::grey())
            }
        }
    }

    fn diffuse(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        self.note_sides(object);
        let textured = self.textured(object, "reflectance", Vec3::splat(0.5), Quantity::Reflectance)?;
        let albedo = self.color_texture(object, &textured, at.uv)?;
        let surface = if object.plugin == "diffuse" {
            Surface::Lambert { albedo }
        } else {
            let message = "the roughness of a rough diffuse surface is taken for that of Oren and Nayar";
            self.omissions.note(&object.place, message);
            // α is √2 times the standard deviation of the angle
            let sigma = object.float("alpha", 0.2)? * FRAC_1_SQRT_2;
            Surface::OrenNayar { albedo, roughness: roughness_of_angle(sigma) }
        };
        Ok(BsdfModel { textured: Some(textured), ..BsdfModel::new(surface) })
    }

    /// Notes that a surface scatters on both sides, unless it is within a two-sided one.
    fn note_sides(&mut self, object: &Object) {
        if !self.is_two_sided {
            let message = "surfaces scatter light on both sides; in Mitsuba they are black from behind if they are \
                           not \"twosided\"";
            self.omissions.note(&object.place, message);
        }
    }
}
