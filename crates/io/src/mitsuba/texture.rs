//! Colours and numbers of materials, with textures: bitmaps, checkerboards, vertex colours.

use glam::{Affine2, Mat2};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::{ColorTexture, Surface, TextureFilter, TextureRef, Wrap};

use super::Importer;
use super::tree::{Class, Object, Parameter, Value};
use crate::FileKind;
use crate::error::ParseError;
use crate::images::{Encoding, Image, Images, Sampling};
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::Look;
use crate::renderer::spectrum::{Quantity, Spectrum};

/// Textures within each other.
const MAX_DEPTH: usize = 16;

/// Texture coordinates of a shape, which are not everywhere those of Mitsuba.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UvSpace {
    /// The same.
    Own,
    /// v grows in the other direction: rectangles and cylinders of Mitsuba show images upside down.
    Upwards,
    /// Disks of Mitsuba: u is the distance from the centre and v the angle.
    Polar,
}

impl UvSpace {
    /// Returns the transform from the texture coordinates of our shapes to those of Mitsuba.
    pub(super) fn mitsuba_from_ours(self) -> Affine2 {
        match self {
            Self::Own => Affine2::IDENTITY,
            Self::Upwards => Affine2::from_cols(Vec2::X, Vec2::NEG_Y, Vec2::Y),
            Self::Polar => Affine2::from_cols(Vec2::Y, Vec2::NEG_X, Vec2::X),
        }
    }
}

/// Colour or number of a material that may vary over the surface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TexturedValue {
    pub(super) factor: Vec3,
    /// Image that multiplies the factor.
    pub(super) image: Option<ImageUse>,
    /// Whether colours of the mesh's vertices multiply the factor.
    pub(super) has_vertex_colors: bool,
}

impl TexturedValue {
    pub(super) fn plain(factor: Vec3) -> Self {
        Self { factor, image: None, has_vertex_colors: false }
    }

    /// Returns the mean, without colours of vertices.
    pub(super) fn mean(&self, images: &Images) -> Vec3 {
        self.image.as_ref().map_or(self.factor, |image| self.factor * image.mean(images))
    }

    /// Returns the look of a surface whose main colour it is.
    pub(super) fn painting(self, surface: Surface) -> Look {
        let Self { image, has_vertex_colors, .. } = self;
        Look { image, has_vertex_colors, ..Look::new(surface) }
    }
}

impl Importer<'_, '_> {
    /// Returns a parameter that may have a texture, or `default`.
    ///
    /// Errors: a value that is neither a number, nor a colour, nor a texture.
    pub(super) fn textured(
        &mut self,
        object: &Object,
        name: &str,
        default: Vec3,
        quantity: Quantity,
    ) -> Result<TexturedValue, ParseError> {
        let Some(parameter) = object.get(name) else { return Ok(TexturedValue::plain(default)) };
        let textured = self.textured_of(parameter, quantity, object.is_old, 0)?;
        let max = if quantity == Quantity::Reflectance { 1.0 } else { f32::MAX };
        Ok(TexturedValue { factor: textured.factor.clamp(Vec3::ZERO, Vec3::splat(max)), ..textured })
    }

    /// Returns a colour without a texture; one that is given is replaced by its mean.
    pub(super) fn plain_color(
        &mut self,
        object: &Object,
        name: &str,
        default: Vec3,
        quantity: Quantity,
    ) -> Result<Vec3, ParseError> {
        let textured = self.textured(object, name, default, quantity)?;
        if textured.image.is_some() || textured.has_vertex_colors {
            let message =
                format!("the texture of {name:?} of the {} is not supported: it is the mean", object.title());
            self.omissions.warn(&object.place, message);
        }
        Ok(textured.mean(&self.images))
    }

    /// Returns the value of a parameter.
    ///
    /// * `depth` — number of textures that it is within.
    pub(super) fn textured_of(
        &mut self,
        parameter: &Parameter,
        quantity: Quantity,
        is_old: bool,
        depth: usize,
    ) -> Result<TexturedValue, ParseError> {
        #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
        let plain = |number: f64| TexturedValue::plain(Vec3::splat(number as f32));
        match &parameter.value {
            Value::Number(number) => Ok(plain(*number)),
            Value::Color(color) => Ok(TexturedValue::plain(*color)),
            Value::Vector(color) => Ok(TexturedValue::plain(color.as_vec3())),
            // Old versions computed with RGB, in which all components of a uniform spectrum are equal
            Value::Spectrum(Spectrum::Uniform(value)) if is_old => Ok(plain(*value)),
            Value::Spectrum(spectrum) => Ok(TexturedValue::plain(spectrum.color(quantity))),
            _ => match self.object(parameter)? {
                Some(texture) if matches!(texture.class, Class::Texture | Class::Spectrum) => {
                    self.texture(&texture, quantity, depth)
                }
                _ => Err(parameter.place.error("this is neither a number, nor a colour, nor a texture")),
            },
        }
    }

    /// Returns the value of a texture, which is converted at its first use: textures refer to each other, so that few of
    /// them can have many uses.
    fn texture(
        &mut self,
        texture: &Object,
        quantity: Quantity,
        depth: usize,
    ) -> Result<TexturedValue, ParseError> {
        if depth > MAX_DEPTH {
            return Err(texture.place.error("too many textures are within each other"));
        }
        let key = (texture.number, quantity);
        if let Some(value) = self.values.get(&key) {
            return Ok(value.clone());
        }
        texture.is_used.set(true);
        let value = self.converted_texture(texture, quantity, depth)?;
        self.values.insert(key, value.clone());
        Ok(value)
    }

    fn converted_texture(
        &mut self,
        texture: &Object,
        quantity: Quantity,
        depth: usize,
    ) -> Result<TexturedValue, ParseError> {
        let nested = |importer: &mut Self, name: &str, default: f32| match texture.get(name) {
            Some(parameter) => importer.textured_of(parameter, quantity, texture.is_old, depth + 1),
            None => Ok(TexturedValue::plain(Vec3::splat(default))),
        };
        match texture.plugin.as_str() {
            "bitmap" => self.bitmap(texture),
            "checkerboard" => {
                let (first, second) = (nested(self, "color0", 0.4)?, nested(self, "color1", 0.2)?);
                if first.image.is_some() || second.image.is_some() {
                    let message = "textures within a checkerboard are not supported: they are their means";
                    self.omissions.warn(&texture.place, message);
                }
                let colors = [first, second].map(|color| color.mean(&self.images));
                self.checkerboard(texture, colors)
            }
            "mesh_attribute" => {
                let name = texture.text("name")?.unwrap_or("vertex_color");
                let has_vertex_colors = name == "vertex_color";
                if !has_vertex_colors {
                    let message = format!("the mesh attribute {name:?} is not supported: it is white");
                    self.omissions.warn(&texture.place, message);
                }
                let factor = Vec3::splat(texture.float("scale", 1.0)?);
                Ok(TexturedValue { factor, image: None, has_vertex_colors })
            }
            "vertexcolors" => {
                Ok(TexturedValue { has_vertex_colors: true, ..TexturedValue::plain(Vec3::ONE) })
            }
            "scale" => {
                let scale = nested(self, "scale", 1.0)?.factor;
                let inner = self.inner(texture, Class::Texture)?;
                let Some(inner) = inner.first() else { return Ok(TexturedValue::plain(scale)) };
                let textured = self.texture(inner, quantity, depth + 1)?;
                Ok(TexturedValue { factor: textured.factor * scale, ..textured })
            }
            "uniform" | "rawconstant" => nested(self, "value", 1.0),
            "srgb" => nested(self, "color", 1.0),
            "d65" => {
                let (scale, color) = (nested(self, "scale", 1.0)?.factor, nested(self, "color", 1.0)?);
                Ok(TexturedValue { factor: color.factor * scale, ..color })
            }
            "blackbody" => {
                let kelvin = texture.number("temperature", 5000.0)?;
                let scale = texture.number("scale", 1.0)?;
                Ok(TexturedValue::plain(Spectrum::BlackBody { kelvin, scale }.color(quantity)))
            }
            "regular" | "irregular" => Ok(TexturedValue::plain(samples(texture)?.color(quantity))),
            _ => {
                let message = format!("the {} is not supported: it is a grey of 50 %", texture.title());
                self.omissions.warn(&texture.place, message);
                Ok(TexturedValue::plain(Vec3::splat(0.5)))
            }
        }
    }

    fn bitmap(&mut self, texture: &Object) -> Result<TexturedValue, ParseError> {
        let missing = || texture.place.error("the bitmap has no \"filename\"");
        let name = texture.text("filename")?.ok_or_else(missing)?;
        let (paths, place) = (&self.file.paths, &texture.place);
        let mut read_error = None;
        let image = self.images.image(name, || {
            let hint = name.rsplit('.').next().unwrap_or_default();
            match paths.read(name, FileKind::Image) {
                Ok((_, bytes)) => Image::decode(&bytes, hint),
                Err(message) => {
                    read_error = Some(message.clone());
                    Err(crate::error::ImportProblem::Unsupported(message))
                }
            }
        });
        match image {
            Ok(_) => {}
            Err(problem) => {
                let reason = read_error.unwrap_or_else(|| format!("{name}: {problem}"));
                self.omissions.warn(place, format!("the texture is left out: {reason}"));
            }
        }
        let file = self.report.file().to_path_buf();
        self.report.image_notes(&file, &place.location, name, self.images.take_notes());
        let is_raw = texture.boolean("raw", false)? || texture.number("gamma", 0.0)? == 1.0;
        let filter = match texture.text("filter_type")? {
            Some("nearest") => TextureFilter::Nearest,
            _ => TextureFilter::Linear,
        };
        let both = texture.text("wrap_mode")?.unwrap_or("repeat");
        let wrap =
            [texture.text("wrap_mode_u")?.unwrap_or(both), texture.text("wrap_mode_v")?.unwrap_or(both)];
        let wrap = wrap.map(|mode| match mode {
            "repeat" => Wrap::Repeat,
            "mirror" => Wrap::MirroredRepeat,
            "clamp" => Wrap::ClampToEdge,
            _ => {
                self.omissions
                    .warn(place, format!("the wrap mode {mode:?} is not supported: the edge extends"));
                Wrap::ClampToEdge
            }
        });
        // How the texels are stored makes no difference here
        texture.ignore(&["format", "accel"]);
        let encoding = if is_raw { Encoding::Linear } else { Encoding::Color };
        let sampling = Sampling { encoding, wrap, filter };
        let image_from_uv = uv_transform(texture)?;
        let image =
            self.images.get(name).map(|_| ImageUse { key: name.to_string(), sampling, image_from_uv });
        Ok(TexturedValue { image, ..TexturedValue::plain(Vec3::ONE) })
    }

    /// Returns a checkerboard as an image of four texels.
    fn checkerboard(&mut self, texture: &Object, colors: [Vec3; 2]) -> Result<TexturedValue, ParseError> {
        let [first, second] = colors.map(|color| color.max(Vec3::ZERO).extend(1.0).to_array());
        // The colours changed places in version 2
        let (even, odd) = if texture.is_old { (first, second) } else { (second, first) };
        let image_from_uv = uv_transform(texture)?;
        let image = Some(ImageUse::checkerboard(&mut self.images, [even, odd, odd, even], image_from_uv));
        Ok(TexturedValue { image, ..TexturedValue::plain(Vec3::ONE) })
    }

    /// Returns the reference to the texture of an image, which is added to the scene at the first use.
    pub(super) fn texture_ref(
        &mut self,
        object: &Object,
        image: &ImageUse,
        uv: UvSpace,
    ) -> Result<Option<TextureRef>, ParseError> {
        let texture = image.texture_ref(&mut self.images, &mut self.scene, uv.mitsuba_from_ours());
        texture.map_err(|problem| object.place.problem(problem))
    }

    /// Returns a value as a colour with a texture.
    pub(super) fn color_texture(
        &mut self,
        object: &Object,
        textured: &TexturedValue,
        uv: UvSpace,
    ) -> Result<ColorTexture, ParseError> {
        let texture = match &textured.image {
            Some(image) => self.texture_ref(object, image, uv)?,
            None => None,
        };
        Ok(ColorTexture { factor: textured.factor.extend(1.0), texture })
    }
}

/// Returns the transform from the texture coordinates of a shape to those of an image.
fn uv_transform(texture: &Object) -> Result<Affine2, ParseError> {
    let to_uv = texture.transform("to_uv")?;
    let m = to_uv.matrix3;
    let to_uv = Affine2::from_mat2_translation(
        Mat2::from_cols(m.x_axis.truncate(), m.y_axis.truncate()),
        to_uv.translation.truncate(),
    );
    // Versions before 2
    let scale = Vec2::new(texture.float("uscale", 1.0)?, texture.float("vscale", 1.0)?)
        * texture.float("uvscale", 1.0)?;
    let offset = Vec2::new(texture.float("uoffset", 0.0)?, texture.float("voffset", 0.0)?);
    Ok(to_uv * Affine2::from_mat2_translation(Mat2::from_diagonal(scale), offset))
}

/// Returns the spectrum of the plugins `regular` and `irregular`.
fn samples(texture: &Object) -> Result<Spectrum, ParseError> {
    let list = |name: &str| -> Result<Vec<f64>, ParseError> {
        let text = texture.text(name)?.unwrap_or_default();
        let bad =
            || texture.place.error(format!("{name:?} of the {} is not a list of numbers", texture.title()));
        crate::renderer::numbers::numbers(text).ok_or_else(bad)
    };
    let values = list("values")?;
    let wavelengths = if texture.plugin == "regular" {
        let first = texture.number("wavelength_min", 360.0)?;
        let last = texture.number("wavelength_max", 830.0)?;
        let step = (last - first) / (values.len().max(2) - 1) as f64;
        (0..values.len()).map(|i| first + step * i as f64).collect()
    } else {
        list("wavelengths")?
    };
    if wavelengths.len() != values.len() || values.is_empty() {
        return Err(texture.place.error("a spectrum needs as many wavelengths as values, and one at least"));
    }
    Ok(Spectrum::samples(wavelengths.into_iter().zip(values).collect()))
}
