//! Colours and numbers that vary over a surface: images, checkerboards and their combinations.

use glam::Affine2;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_scene::{ColorTexture, Surface, TextureFilter, TextureRef, Wrap};

use super::Importer;
use super::parameter::{Directive, Kind, Values};
use crate::FileKind;
use crate::error::{ImportProblem, ParseError};
use crate::images::{Encoding, Image, Images, Sampling};
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

/// Textures within each other.
const MAX_DEPTH: usize = 16;

/// Turns v, which grows upwards in pbrt and downwards in our scenes.
const FLIP: Affine2 = Affine2::from_cols(Vec2::X, Vec2::NEG_Y, Vec2::Y);

/// Texture coordinates of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UvSpace {
    /// As pbrt's, but for the direction of v.
    Flipped,
    /// Disks: v is 1 in the middle, as in pbrt.
    Same,
}

impl UvSpace {
    /// Returns the transform from texture coordinates of pbrt to those of an image, which begin at its upper left
    /// corner.
    pub(super) const fn flip() -> Affine2 {
        FLIP
    }
}

/// Colour or number that may vary over the surface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub(super) factor: Vec3,
    /// Image that multiplies the factor.
    pub(super) image: Option<ImageUse>,
}

impl Paint {
    pub(super) fn plain(factor: Vec3) -> Self {
        Self { factor, image: None }
    }

    /// Returns the mean over the surface.
    pub(super) fn mean(&self, images: &Images) -> Vec3 {
        self.image.as_ref().map_or(self.factor, |image| self.factor * image.mean(images))
    }

    /// Returns the look of a surface whose main colour it is.
    pub(super) fn painting(self, surface: Surface) -> Look {
        Look { image: self.image, ..Look::new(surface) }
    }
}

impl Importer<'_, '_> {
    /// Returns a parameter that may have a texture; `None` if the directive does not have it.
    pub(super) fn paint(&mut self, directive: &Directive, name: &str, quantity: Quantity) -> Option<Paint> {
        self.paint_within(directive, name, quantity, 0)
    }

    /// Returns a reflectance, or `default`.
    pub(super) fn reflectance(&mut self, directive: &Directive, name: &str, default: f32) -> Paint {
        let paint = self.paint(directive, name, Quantity::Reflectance);
        let paint = paint.unwrap_or_else(|| Paint::plain(Vec3::splat(default)));
        Paint { factor: paint.factor.clamp(Vec3::ZERO, Vec3::ONE), ..paint }
    }

    /// Returns a colour or a number without a texture; one that is given is replaced by its mean.
    pub(super) fn plain(&mut self, directive: &Directive, name: &str, quantity: Quantity) -> Option<Vec3> {
        let paint = self.paint(directive, name, quantity)?;
        if paint.image.is_some() {
            let message =
                format!("the texture of {name:?} of {} is not supported: it is the mean", directive.title());
            self.omissions.warn(&directive.place, message);
        }
        Some(paint.mean(&self.images))
    }

    fn paint_within(
        &mut self,
        directive: &Directive,
        name: &str,
        quantity: Quantity,
        depth: usize,
    ) -> Option<Paint> {
        let parameter = directive.get(name)?;
        match (&parameter.values, parameter.kind) {
            (Values::Texts(names), Kind::Texture) => {
                let texture = names.first().map_or("", String::as_str);
                // Numbers and colours may have textures of the same name
                let of_numbers = quantity == Quantity::Index;
                let key = |of_numbers| (of_numbers, texture.to_string());
                let all = &self.description.textures;
                let key = Some(key(of_numbers))
                    .filter(|key| all.contains_key(key))
                    .unwrap_or_else(|| key(!of_numbers));
                let Some(found) = all.get(&key).cloned() else {
                    let message = format!("there is no texture {texture:?}: the default of {name:?} is used");
                    self.omissions.warn(&parameter.place, message);
                    return None;
                };
                if depth > MAX_DEPTH {
                    self.omissions.warn(&parameter.place, "textures within each other are left out");
                    return None;
                }
                // Textures refer to each other, so that few of them can have many uses
                let key = (key, quantity);
                if let Some(paint) = self.paints.get(&key) {
                    return Some(paint.clone());
                }
                let paint = self.texture(&found, quantity, depth);
                self.paints.insert(key, paint.clone());
                Some(paint)
            }
            _ => self.color(directive, name, quantity).map(Paint::plain),
        }
    }

    fn texture(&mut self, texture: &Directive, quantity: Quantity, depth: usize) -> Paint {
        let nested = |importer: &mut Self, name: &str, default: f32| {
            let paint = importer.paint_within(texture, name, quantity, depth + 1);
            paint.unwrap_or_else(|| Paint::plain(Vec3::splat(default)))
        };
        match texture.kind.as_str() {
            "constant" => nested(self, "value", 1.0),
            "scale" => {
                let (first, second) = if texture.get("tex1").is_some() || texture.get("tex2").is_some() {
                    (nested(self, "tex1", 1.0), nested(self, "tex2", 1.0))
                } else {
                    (nested(self, "tex", 1.0), nested(self, "scale", 1.0))
                };
                self.product(texture, first, second)
            }
            "mix" => {
                let (first, second) = (nested(self, "tex1", 0.0), nested(self, "tex2", 1.0));
                let amount = self.paint_within(texture, "amount", Quantity::Index, depth + 1);
                let amount = amount.unwrap_or_else(|| Paint::plain(Vec3::splat(0.5)));
                self.mixed(texture, first, second, &amount)
            }
            "checkerboard" => {
                let (first, second) = (nested(self, "tex1", 1.0), nested(self, "tex2", 0.0));
                if first.image.is_some() || second.image.is_some() {
                    let message = "textures within a checkerboard are not supported: they are their means";
                    self.omissions.warn(&texture.place, message);
                }
                let colors = [first, second].map(|paint| paint.mean(&self.images));
                self.checkerboard(texture, colors)
            }
            "imagemap" => self.image_map(texture),
            _ => {
                let message =
                    format!("the texture {} is not supported: it is a grey of 50 %", texture.title());
                self.omissions.warn(&texture.place, message);
                Paint::plain(Vec3::splat(0.5))
            }
        }
    }

    fn product(&mut self, texture: &Directive, first: Paint, second: Paint) -> Paint {
        if first.image.is_some() && second.image.is_some() {
            let message = "a product of two images is not supported: the second one is its mean";
            self.omissions.warn(&texture.place, message);
            return Paint { factor: first.factor * second.mean(&self.images), ..first };
        }
        Paint { factor: first.factor * second.factor, image: first.image.or(second.image) }
    }

    fn mixed(&mut self, texture: &Directive, first: Paint, second: Paint, amount: &Paint) -> Paint {
        let share = amount.factor;
        if first.image.is_none() && second.image.is_none() && amount.image.is_none() {
            return Paint::plain(first.factor * (1.0 - share) + second.factor * share);
        }
        let message = "a mixture of images is not supported: the one with the larger share is used";
        self.omissions.warn(&texture.place, message);
        if share.x > 0.5 { second } else { first }
    }

    /// Returns a checkerboard as an image of four texels, which shows two squares by two.
    fn checkerboard(&mut self, texture: &Directive, colors: [Vec3; 2]) -> Paint {
        if texture.integer("dimension", 2) != 2 {
            self.omissions
                .warn(&texture.place, "a checkerboard in space is not supported: it is one on the surface");
        }
        texture.ignore(&["aamode"]);
        let [even, odd] = colors.map(|color| color.extend(1.0).to_array());
        let half = Affine2::from_cols(Vec2::X * 0.5, Vec2::Y * 0.5, Vec2::ZERO);
        let image_from_uv = FLIP * half * self.mapping(texture);
        // The square at the origin, which is the lower left one, is even
        let image = ImageUse::checkerboard(&mut self.images, [odd, even, even, odd], image_from_uv);
        Paint { factor: Vec3::ONE, image: Some(image) }
    }

    fn image_map(&mut self, texture: &Directive) -> Paint {
        let factor = Vec3::splat(texture.float("scale", 1.0).max(0.0));
        let Some(name) = texture.text("filename").map(str::to_string) else {
            self.omissions.warn(&texture.place, "an image has no \"filename\": it is white");
            return Paint::plain(factor);
        };
        let wrap = match texture.text("wrap").unwrap_or("repeat") {
            "repeat" => Wrap::Repeat,
            "clamp" => Wrap::ClampToEdge,
            other => {
                let message = format!("the wrap mode {other:?} is not supported: the edge extends");
                self.omissions.warn(&texture.place, message);
                Wrap::ClampToEdge
            }
        };
        let filter = match texture.text("filter") {
            Some("point") => TextureFilter::Nearest,
            _ => TextureFilter::Linear,
        };
        texture.ignore(&["trilinear", "maxanisotropy"]);
        if texture.flag("invert", false) {
            self.omissions.warn(&texture.place, "an inverted image is not supported: it is shown as it is");
        }
        let encoding = match texture.text("encoding").unwrap_or("sRGB") {
            _ if !texture.flag("gamma", true) => Encoding::Linear,
            "linear" => Encoding::Linear,
            "sRGB" => Encoding::Color,
            other => {
                let message = format!("the encoding {other:?} is not supported: it is taken for sRGB");
                self.omissions.warn(&texture.place, message);
                Encoding::Color
            }
        };
        let sampling = Sampling { encoding, wrap: [wrap; 2], filter };
        let image_from_uv = FLIP * self.mapping(texture);
        let image = self.image(texture, &name).then_some(ImageUse { key: name, sampling, image_from_uv });
        Paint { factor, image }
    }

    /// Reads an image at its first use. Returns whether there is one.
    pub(super) fn image(&mut self, directive: &Directive, name: &str) -> bool {
        let files = self.files;
        let result = self.images.image(name, || {
            let bytes = files.read(name, FileKind::Image).map_err(ImportProblem::Unsupported)?;
            Image::decode(&bytes, name.rsplit('.').next().unwrap_or_default())
        });
        let is_read = match result {
            Ok(image) => image.is_some(),
            Err(problem) => {
                let message = match problem {
                    ImportProblem::Unsupported(reason) => format!("an image is left out: {reason}"),
                    other => format!("an image is left out: {name}: {other}"),
                };
                self.omissions.warn(&directive.place, message);
                false
            }
        };
        let file = self.report.file().to_path_buf();
        self.report.image_notes(&file, &directive.place.location, name, self.images.take_notes());
        is_read
    }

    /// Returns the transform of texture coordinates (u, v) → (su u + du, sv v + dv) [PBRT4, §10.2.1].
    fn mapping(&mut self, texture: &Directive) -> Affine2 {
        match texture.text("mapping") {
            None | Some("uv") => {}
            Some(other) => {
                let message =
                    format!("the mapping {other:?} is not supported: textures have the shape's coordinates");
                self.omissions.warn(&texture.place, message);
            }
        }
        let scale = vec2(texture.float("uscale", 1.0), texture.float("vscale", 1.0));
        let delta = vec2(texture.float("udelta", 0.0), texture.float("vdelta", 0.0));
        Affine2::from_cols(Vec2::X * scale.x, Vec2::Y * scale.y, delta)
    }

    /// Returns the reference to the texture of an image, which is added to the scene at the first use.
    pub(super) fn texture_ref(
        &mut self,
        directive: &Directive,
        image: &ImageUse,
        uv: UvSpace,
    ) -> Result<Option<TextureRef>, ParseError> {
        let pbrt_from_shape = match uv {
            UvSpace::Flipped => FLIP,
            UvSpace::Same => Affine2::IDENTITY,
        };
        let texture = image.texture_ref(&mut self.images, &mut self.scene, pbrt_from_shape);
        texture.map_err(|problem| directive.place.problem(problem))
    }

    /// Returns a paint as a colour with a texture.
    pub(super) fn color_texture(
        &mut self,
        directive: &Directive,
        paint: &Paint,
        uv: UvSpace,
    ) -> Result<ColorTexture, ParseError> {
        let texture = match &paint.image {
            Some(image) => self.texture_ref(directive, image, uv)?,
            None => None,
        };
        Ok(ColorTexture { factor: paint.factor.extend(1.0), texture })
    }
}
