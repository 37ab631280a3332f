//! Light in few pixels, and its interpolation between those that show a surface.

use rayon::prelude::*;
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_image::{Features, Picture};
use sunfleck_math::{Vec2, Vec3, vec2};

use super::primary::PrimarySurface;
use crate::ViewSpec;
use crate::camera_rays::CameraRays;

/// Relative difference of inverse distances from which two pixels are taken to show different surfaces.
const DISTANCE_STEP: f32 = 0.03;
/// The same behind mirrors and glass, where the plane of the surface is not known in the space of the camera.
const REFLECTED_DISTANCE_STEP: f32 = 0.1;
/// Least sum of weights of pixels that show a surface; below it, pixels farther away are searched.
const LEAST_WEIGHT: f32 = 0.02;
/// Least cosine between the normals of a flat cell and that of a surface in it.
const FLAT_COSINE: f32 = 0.98;
/// Relative difference of inverse distances up to which a surface is in a flat cell.
const FLAT_DISTANCE_STEP: f32 = 0.01;
/// Albedo from which a surface counts as emissive, the more the nearer to 1.
const BRIGHT: f32 = 0.95;

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
    demodulates: bool,
}

/// Light and surfaces of one pixel.
#[derive(Clone, Copy, Debug)]
struct LightPixel {
    /// Radiance over albedo, or radiance.
    light: Vec3,
    /// Mean of unit normals, shorter at edges.
    normal: Vec3,
    inverse_distance: f32,
    emission: f32,
    /// Ray through its centre.
    origin: Vec3,
    direction: Vec3,
}

impl LightImage {
    /// Makes an image of light.
    ///
    /// * `spec` — view of the full image; light has its field of view, but fewer pixels.
    /// * `features` — those of the pixels, row by row; if their number is another, light is interpolated without regard
    ///   to surfaces.
    /// * `demodulates` — whether light is divided by albedo.
    pub fn new(spec: &ViewSpec, radiance: &Picture, features: &[Features], demodulates: bool) -> Self {
        let (width, height) = (radiance.width() as usize, radiance.height() as usize);
        let camera =
            CameraRays::new(spec.projection, spec.world_from_view, radiance.width(), radiance.height());
        let unknown = Features::MISS;
        let known = features.len() == radiance.pixels().len();
        // Without features, the albedo of the light's pixels is not known
        let demodulates = demodulates && known;
        let pixels = radiance.pixels().par_iter().enumerate().map(|(i, &radiance)| {
            let features = if known { &features[i] } else { &unknown };
            let centre = vec2((i % width) as f32, (i / width) as f32) + 0.5;
            let ray = camera.ray(centre, Vec2::splat(0.5));
            LightPixel {
                light: radiance / divisor(features.albedo, demodulates),
                normal: features.normal,
                inverse_distance: features.inverse_distance,
                emission: emission(features.albedo),
                origin: ray.origin,
                direction: ray.direction,
            }
        });
        let mut image = Self { width, height, pixels: pixels.collect(), flat: Vec::new(), demodulates };
        image.flat = (0..width * height).map(|i| image.is_flat(i % width, i / width)).collect();
        image
    }

    /// Returns whether the pixels around a cell show the same surface.
    fn is_flat(&self, x: usize, y: usize) -> bool {
        let [first, rest @ ..] = self.corners(x, y).map(|i| &self.pixels[i]);
        let like_first = |pixel: &&LightPixel| {
            let step = (pixel.inverse_distance - first.inverse_distance).abs();
            pixel.normal.dot(first.normal) > FLAT_COSINE
                && (pixel.emission - first.emission).abs() < 1e-3
                && step < DISTANCE_STEP * first.inverse_distance
        };
        first.normal.length_squared() > FLAT_COSINE && rest.iter().all(like_first)
    }

    /// Returns the four pixels around a cell.
    ///
    /// * `x`, `y` — the one at the upper left.
    #[inline(always)]
    fn corners(&self, x: usize, y: usize) -> [usize; 4] {
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

    /// Returns the radiance of a surface: light interpolated between the nearest 2 × 2 pixels that show it, else between
    /// those of 4 × 4, else between the nearest ones whatever they show.
    ///
    /// * `at` — point between the centres of pixels.
    #[inline(always)]
    pub(super) fn radiance(&self, at: Vec2, surface: &PrimarySurface) -> Vec3 {
        let most = vec2(self.width as f32, self.height as f32) - 1.0;
        let at = at.clamp(Vec2::ZERO, most);
        let corner = at.floor();
        let part = at - corner;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the film")]
        let (x, y) = (corner.x as usize, corner.y as usize);
        let rest = Vec2::ONE - part;
        let corners = self.corners(x, y).map(|i| &self.pixels[i]);
        let bilinear = [rest.x * rest.y, part.x * rest.y, rest.x * part.y, part.x * part.y];
        let emission = emission(surface.albedo);
        if self.flat[y * self.width + x] && is_in_cell(surface, emission, corners, bilinear) {
            let light = weighted(corners, bilinear, |pixel| pixel.light);
            return light * divisor(surface.albedo, self.demodulates);
        }
        let test = SurfaceTest::new(surface, emission);
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for (pixel, bilinear) in corners.into_iter().zip(bilinear) {
            let weight = bilinear * test.similarity(pixel);
            sum += pixel.light * weight;
            weights += weight;
        }
        let light = match weights >= LEAST_WEIGHT {
            true => sum / weights,
            false => {
                let found = self.searched(at, [x, y], &test);
                found.unwrap_or_else(|| weighted(corners, bilinear, |pixel| pixel.light))
            }
        };
        light * divisor(surface.albedo, self.demodulates)
    }

    /// Returns the light of the 4 × 4 pixels around a point that show a surface; `None` if none does.
    ///
    /// * `x`, `y` — the pixel at the upper left of the point.
    #[inline(never)]
    fn searched(&self, at: Vec2, [x, y]: [usize; 2], test: &SurfaceTest<'_>) -> Option<Vec3> {
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for wy in y.saturating_sub(1)..=(y + 2).min(self.height - 1) {
            for wx in x.saturating_sub(1)..=(x + 2).min(self.width - 1) {
                let pixel = &self.pixels[wy * self.width + wx];
                let near = (1.0 + vec2(wx as f32, wy as f32).distance_squared(at)).recip();
                let weight = near * test.similarity(pixel);
                sum += pixel.light * weight;
                weights += weight;
            }
        }
        (weights >= LEAST_WEIGHT).then(|| sum / weights)
    }
}

/// Returns the sum of values of four pixels by their weights.
#[inline(always)]
fn weighted(corners: [&LightPixel; 4], weights: [f32; 4], value: impl Fn(&LightPixel) -> Vec3) -> Vec3 {
    let [a, b, c, d] = corners.map(value);
    a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]
}

/// Returns whether a surface is that of a flat cell.
///
/// * `emission` — that of the surface.
#[inline(always)]
fn is_in_cell(
    surface: &PrimarySurface,
    emission: f32,
    corners: [&LightPixel; 4],
    bilinear: [f32; 4],
) -> bool {
    let [a, b, c, d] = corners.map(|pixel| pixel.inverse_distance);
    let inverse_distance = a * bilinear[0] + b * bilinear[1] + c * bilinear[2] + d * bilinear[3];
    let step = (surface.inverse_distance - inverse_distance).abs();
    step < FLAT_DISTANCE_STEP * surface.inverse_distance
        && surface.normal.dot(corners[0].normal) > FLAT_COSINE
        && (emission - corners[0].emission).abs() < 1e-3
}

/// Test of whether pixels of the light show a surface.
struct SurfaceTest<'a> {
    surface: &'a PrimarySurface,
    emission: f32,
    /// Reciprocal of the difference of inverse distances that counts as one step, m.
    per_step: f32,
}

impl<'a> SurfaceTest<'a> {
    #[inline(always)]
    fn new(surface: &'a PrimarySurface, emission: f32) -> Self {
        let step = if surface.plane.is_some() { DISTANCE_STEP } else { REFLECTED_DISTANCE_STEP };
        let per_step = (step * surface.inverse_distance).recip();
        Self { surface, emission, per_step }
    }

    /// Returns how likely a pixel of the light shows the surface, 0 to 1.
    #[inline(always)]
    fn similarity(&self, light: &LightPixel) -> f32 {
        let surface = self.surface;
        // Means over edges have short normals
        let cos = light.normal.dot(surface.normal).clamp(0.0, 1.0);
        let facing = cos * cos;
        let facing = facing * facing;
        // The radiance of emitters would spread to the surfaces around them
        let emits = (light.emission - self.emission).abs();
        let expected = match &surface.plane {
            Some(plane) => plane.normal.dot(light.direction) / plane.normal.dot(plane.point - light.origin),
            None => surface.inverse_distance,
        };
        let step = (light.inverse_distance - expected) * self.per_step;
        let step = step * step;
        facing * facing * (1.0 - emits) / (1.0 + step * step)
    }
}

/// Returns what light is a fraction of.
#[inline(always)]
fn divisor(albedo: Vec3, demodulates: bool) -> Vec3 {
    if demodulates { albedo + LEAST_ALBEDO } else { Vec3::ONE }
}

/// Returns 1 for features with emitted radiance, whose albedo is at its bound, and 0 for darker ones.
#[inline(always)]
fn emission(albedo: Vec3) -> f32 {
    ((albedo.max_element() - BRIGHT) / (1.0 - BRIGHT)).max(0.0)
}
