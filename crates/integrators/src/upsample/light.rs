//! Light in few pixels, with the surfaces that they show.

use rayon::prelude::*;
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_image::color::luminance;
use sunfleck_image::{Features, Picture};
use sunfleck_math::{Vec2, Vec3, vec2};

use crate::ViewSpec;
use crate::camera_rays::CameraRays;

/// Relative difference of inverse distances from which two pixels are taken to show different surfaces.
pub(super) const DISTANCE_STEP: f32 = 0.03;
/// Least cosine between the normals of a flat cell and that of a surface in it.
pub(super) const FLAT_COSINE: f32 = 0.98;
/// Largest component of the radiance, or of an albedo, from which a surface counts as an emitter: its radiance is known
/// without light. The albedo of [`Features`] includes the emitted radiance, up to 1.
pub(super) const BRIGHT: f32 = 0.95;
/// Least square of the length of a mean normal of pixels that show a surface rather than the environment.
const LEAST_SURFACE: f32 = 0.25;
/// Ratio to the darkest pixel around, from which the light of a pixel near an emitter is partly that of the emitter.
const SPREAD: f32 = 1.3;
/// Distance up to which the light of emitters spreads, pixels: filters of the film and of denoisers are wider than a
/// pixel.
const REACH: usize = 3;
/// Least ratio of the light of an emitter to that of the darkest pixel around, from which it counts as spread.
const GLARE: f32 = 4.0;

/// Light in few pixels over the field of view of an image.
#[derive(Clone, Debug)]
pub struct LightImage {
    width: usize,
    height: usize,
    pixels: Vec<LightPixel>,
    /// Whether the four pixels from each pixel on to the right and below show the same surface, so that light is
    /// interpolated between them without further tests.
    flat: Vec<bool>,
    /// Whether radiance is divided by albedo.
    pub(super) demodulates: bool,
    /// Whether emitters and the environment have their radiance.
    pub(super) uses_lights: bool,
}

/// Light and surfaces of one pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightPixel {
    /// Radiance over albedo, or radiance.
    pub(super) light: Vec3,
    /// Mean of unit normals, shorter at edges.
    pub(super) normal: Vec3,
    pub(super) inverse_distance: f32,
    /// 1 for emitters, pixels with a large part of one, and white surfaces; else 0.
    pub(super) emission: f32,
    /// 1 if the pixel shows a surface, 0 if it shows the environment.
    pub(super) shows_surface: f32,
    /// Ray through its centre.
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
}

impl LightImage {
    /// Makes an image of light.
    ///
    /// * `spec` — view of the full image; light has its field of view, but fewer pixels.
    /// * `features` — those of the pixels, row by row; if their number is another, light is interpolated without regard
    ///   to surfaces.
    /// * `uses_lights` — whether the image depends on lights: light is then divided by albedo, and emitters and the
    ///   environment have their radiance. Else nothing is reflected, and rays that leave the scene are white, as for
    ///   [ambient occlusion](crate::ao).
    pub fn new(spec: &ViewSpec, radiance: &Picture, features: &[Features], uses_lights: bool) -> Self {
        let (width, height) = (radiance.width() as usize, radiance.height() as usize);
        let camera =
            CameraRays::new(spec.projection, spec.world_from_view, radiance.width(), radiance.height());
        let unknown = Features::MISS;
        let known = features.len() == radiance.pixels().len();
        // Without features, the albedo of the light's pixels is not known
        let demodulates = uses_lights && known;
        let pixels = radiance.pixels().par_iter().enumerate().map(|(i, &radiance)| {
            let features = if known { &features[i] } else { &unknown };
            let centre = vec2((i % width) as f32, (i / width) as f32) + 0.5;
            let ray = camera.ray(centre, Vec2::splat(0.5));
            LightPixel {
                light: radiance / divisor(features.albedo, demodulates),
                normal: features.normal,
                inverse_distance: features.inverse_distance,
                emission: emission(features.albedo),
                shows_surface: f32::from(!known || features.normal.length_squared() > LEAST_SURFACE),
                origin: ray.origin,
                direction: ray.direction,
            }
        });
        let mut image =
            Self { width, height, pixels: pixels.collect(), flat: Vec::new(), demodulates, uses_lights };
        let light: Vec<Vec3> = (0..width * height)
            .into_par_iter()
            .map(|i| image.reflected_light(i % width, i / width))
            .collect();
        for (pixel, light) in image.pixels.iter_mut().zip(light) {
            pixel.light = light;
        }
        image.flat = (0..width * height).map(|i| image.shows_one_surface(i % width, i / width)).collect();
        image
    }

    /// Returns the light of a pixel without that of emitters or of the environment beside it: means over pixels, and
    /// denoisers, spread it to the surfaces around, where it is seen far more than other errors. The darkest pixel
    /// around has the least of it.
    fn reflected_light(&self, x: usize, y: usize) -> Vec3 {
        let pixel = &self.pixels[y * self.width + x];
        let xs = x.saturating_sub(REACH)..(x + REACH + 1).min(self.width);
        let around = (y.saturating_sub(REACH)..(y + REACH + 1).min(self.height))
            .flat_map(|y| xs.clone().map(move |x| &self.pixels[y * self.width + x]));
        if !pixel.is_reflected() || around.clone().all(LightPixel::is_reflected) {
            return pixel.light;
        }
        let same_side = 0.9 * pixel.normal.length();
        let like = |other: &&LightPixel| other.is_reflected() && other.normal.dot(pixel.normal) > same_side;
        let darker = |a: Vec3, b: Vec3| if luminance(b) < luminance(a) { b } else { a };
        let darkest = around.clone().filter(like).map(|other| other.light).fold(pixel.light, darker);
        let least = luminance(pixel.light).max(GLARE * luminance(darkest));
        let emits = |other: &LightPixel| !other.is_reflected() && luminance(other.light) > least;
        let has_part = luminance(pixel.light) > SPREAD * luminance(darkest) && around.clone().any(emits);
        if has_part { darkest } else { pixel.light }
    }

    /// Returns whether the pixels around a cell show the same surface.
    fn shows_one_surface(&self, x: usize, y: usize) -> bool {
        let [first, rest @ ..] = self.corners(x, y).map(|i| &self.pixels[i]);
        let like_first = |pixel: &&LightPixel| {
            let step = (pixel.inverse_distance - first.inverse_distance).abs();
            pixel.normal.dot(first.normal) > FLAT_COSINE
                && pixel.is_reflected()
                && step < DISTANCE_STEP * first.inverse_distance
        };
        first.normal.length_squared() > FLAT_COSINE && first.is_reflected() && rest.iter().all(like_first)
    }

    /// Returns width and height.
    pub(super) fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    #[inline(always)]
    pub(super) fn pixel(&self, i: usize) -> &LightPixel {
        &self.pixels[i]
    }

    /// Returns whether the four pixels around a cell show the same surface.
    #[inline(always)]
    pub(super) fn is_flat(&self, x: usize, y: usize) -> bool {
        self.flat[y * self.width + x]
    }

    /// Returns the four pixels around a cell.
    ///
    /// * `x`, `y` — the one at the upper left.
    #[inline(always)]
    pub(super) fn corners(&self, x: usize, y: usize) -> [usize; 4] {
        let (x1, y1) = ((x + 1).min(self.width - 1), (y + 1).min(self.height - 1));
        let (above, below) = (y * self.width, y1 * self.width);
        [above + x, above + x1, below + x, below + x1]
    }

    /// Returns what a point of the full film has to be multiplied by and added to, to be between centres of pixels of
    /// the light: both films have the same height in the world, and are centred.
    ///
    /// * `width`, `height` — size of the full film, pixels.
    pub(super) fn mapping_of(&self, width: u32, height: u32) -> (f32, Vec2) {
        let scale = self.height as f32 / height as f32;
        let from = vec2(width as f32, height as f32) * 0.5;
        let to = vec2(self.width as f32, self.height as f32) * 0.5 - 0.5;
        (scale, to - from * scale)
    }
}

/// Returns what light is a fraction of.
#[inline(always)]
fn divisor(albedo: Vec3, demodulates: bool) -> Vec3 {
    if demodulates { albedo + LEAST_ALBEDO } else { Vec3::ONE }
}

impl LightPixel {
    /// Returns whether the light is reflected by a surface: neither that of an emitter nor of the environment.
    #[inline(always)]
    fn is_reflected(&self) -> bool {
        self.emission == 0.0 && self.shows_surface == 1.0
    }
}

/// Returns [`LightPixel::emission`].
fn emission(albedo: Vec3) -> f32 {
    f32::from(albedo.max_element() > BRIGHT)
}
