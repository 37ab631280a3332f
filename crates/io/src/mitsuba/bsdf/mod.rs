//! Scattering models: `adapters` change the model within them, the other modules convert one kind of model each.

mod adapters;
mod glass;
mod metal;
mod microfacets;
mod mixture;
mod plastic;
mod principled;

use std::f32::consts::FRAC_1_SQRT_2;
use std::rc::Rc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Emission, Material, MaterialId, Surface, TextureRef};

use super::Importer;
use super::texture::UvSpace;
use super::tree::{Class, Object};
use crate::error::ParseError;
use crate::renderer::MIXTURE_IS_SIMPLE;
use crate::renderer::look::Look;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Painted {
    pub(super) id: MaterialId,
    /// Whether colours of the mesh's vertices are part of it.
    pub(super) has_vertex_colors: bool,
}

/// Where a scattering model is used.
#[derive(Clone, Copy, Debug)]
struct BsdfUse {
    uv: UvSpace,
    /// Number of models that it is within.
    depth: usize,
}

impl Importer<'_, '_> {
    /// Returns the materials of a shape: of several at the same place, rays reach the next ones when they pass the first.
    pub(super) fn materials(&mut self, shape: &Object, uv: UvSpace) -> Result<Rc<[Painted]>, ParseError> {
        let bsdfs = self.inner(shape, Class::Bsdf)?;
        let emitters = self.inner(shape, Class::Emitter)?;
        let (bsdf, emitter) = (bsdfs.first(), emitters.first());
        let media = self.media_of(shape)?;
        let key = MaterialKey {
            bsdf: bsdf.map_or(0, |b| b.number),
            emitter: emitter.map_or(0, |e| e.number),
            media: [&media[0], &media[1]].map(|medium| medium.as_ref().map_or(0, |medium| medium.number)),
            uv,
        };
        self.warn_of_subsurface(shape)?;
        if let Some(painted) = self.materials.get(&key) {
            return Ok(Rc::clone(painted));
        }
        let mut look = match bsdf {
            Some(bsdf) => self.bsdf(bsdf, BsdfUse { uv, depth: 0 })?,
            None => grey(),
        };
        let emission = match emitter {
            Some(emitter) => self.emission(emitter, uv)?,
            None => Emission::default(),
        };
        if look.is_nothing && emission.radiance != Vec3::ZERO {
            let message = "a light without a surface is a black one, which rays do not pass";
            self.omissions.note(&shape.place, message);
            look = Look::diffuse(Vec3::ZERO);
        }
        let name = bsdf.map_or("default", |bsdf| bsdf.name());
        let media = self.media(&media)?;
        let place = &bsdf.map_or(shape, |bsdf| bsdf).place;
        let (layers, is_complete) = look.into_layers(emission);
        if !is_complete {
            self.omissions.warn(place, MIXTURE_IS_SIMPLE);
        }
        let mut painted = Vec::new();
        for (Look { surface, alpha, normal_map, bump, has_vertex_colors, .. }, emission) in layers {
            let material = Material { alpha, normal_map, emission, media, ..Material::new(name, surface) };
            let id = self.scene.add_material(material).map_err(|error| place.problem(error.into()))?;
            if let Some(bump) = bump {
                self.bumps.insert(id, bump);
            }
            painted.push(Painted { id, has_vertex_colors });
        }
        let painted: Rc<[Painted]> = painted.into();
        self.materials.insert(key, Rc::clone(&painted));
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

    /// Returns the look of a scattering model, which is converted at its first use: models refer to each other, so that
    /// few of them can have many uses.
    fn bsdf(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        if at.depth > MAX_DEPTH {
            return Err(object.place.error("too many scattering models are within each other"));
        }
        let key = (object.number, at.uv, self.is_two_sided);
        if let Some(look) = self.looks.get(&key) {
            return Ok(look.clone());
        }
        object.is_used.set(true);
        let look = self.converted(object, at)?;
        self.looks.insert(key, look.clone());
        Ok(look)
    }

    fn converted(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
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
            "null" => Ok(Look::nothing()),
            _ => {
                let message = format!("the {} is not supported: a grey surface is used", object.title());
                self.omissions.warn(&object.place, message);
                Ok(grey())
            }
        }
    }

    fn diffuse(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
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
        Ok(textured.painting(surface))
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

/// Returns the surface of shapes without a scattering model.
fn grey() -> Look {
    Look::diffuse(Vec3::splat(0.5))
}
