//! The environment light: a constant radiance, or a latitude-longitude image that is sampled by its luminance.

use std::borrow::Cow;
use std::f32::consts::PI;

use rayon::prelude::*;
use sunfleck_math::direction::{direction_from_equirect, equirect_from_direction};
use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Vec2, Vec3, sin_cos, vec2, vec3};
use sunfleck_sampling::distribution::Piecewise2D;
use sunfleck_sampling::warp;
use sunfleck_scene::{Environment, Scene, TextureFilter, Wrap};

use super::packed::{self, LightHeader};
use super::{LightSample, luminance};
use crate::texture::{ImageSampler, SrgbTable};

/// The environment of a scene, ready to be evaluated and sampled.
#[derive(Clone, Debug)]
pub(super) enum EnvironmentLight {
    Constant(Vec3),
    Map(Box<EnvironmentMap>),
}

impl EnvironmentLight {
    /// Prepares the environment of a scene; `None` if it is black.
    pub(super) fn new(scene: &Scene) -> Option<Self> {
        let light = match *scene.environment() {
            Environment::Black => return None,
            Environment::Constant { radiance } => Self::Constant(radiance),
            Environment::Map { texture, rotation_y_radians, scale, rows_at_poles } => {
                let image = ImageSampler::new(scene.texture(texture)?);
                Self::Map(Box::new(EnvironmentMap::new(image, rows_at_poles, rotation_y_radians, scale)?))
            }
        };
        (light.mean_radiance() != Vec3::ZERO).then_some(light)
    }

    /// Returns the mean radiance over the sphere.
    fn mean_radiance(&self) -> Vec3 {
        match self {
            Self::Constant(radiance) => *radiance,
            Self::Map(map) => map.mean_radiance,
        }
    }

    /// Returns the flux into a sphere of radius `scene_radius`, W per colour component.
    pub(super) fn power(&self, scene_radius: f32) -> Vec3 {
        self.mean_radiance() * (4.0 * PI * PI * scene_radius * scene_radius)
    }

    /// Returns the radiance from a unit direction.
    #[inline(always)]
    pub(super) fn radiance(&self, direction: Vec3) -> Vec3 {
        match self {
            Self::Constant(radiance) => *radiance,
            Self::Map(map) => map.radiance(direction),
        }
    }

    /// Samples a direction; `None` if its density is 0.
    ///
    /// * `receiver_normal` — side of the receiver, on which alone a constant environment is sampled; `None` for both
    ///   sides.
    #[inline(always)]
    pub(super) fn sample(&self, receiver_normal: Option<Vec3>, u: Vec2) -> Option<LightSample> {
        match self {
            Self::Constant(radiance) => {
                let wi = warp::uniform_sphere(u);
                Some(match receiver_normal {
                    Some(receiver_normal) if wi.dot(receiver_normal) < 0.0 => {
                        arriving(-wi, *radiance, warp::uniform_hemisphere_pdf(Vec3::Z))
                    }
                    Some(_) => arriving(wi, *radiance, warp::uniform_hemisphere_pdf(Vec3::Z)),
                    None => arriving(wi, *radiance, warp::uniform_sphere_pdf()),
                })
            }
            Self::Map(map) => map.sample(u),
        }
    }

    /// Returns the density of [`EnvironmentLight::sample`] at a unit direction.
    ///
    /// * `is_behind` — whether the direction is on the other side of the receiver.
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, direction: Vec3, is_behind: bool) -> f32 {
        match self {
            Self::Constant(_) if is_behind => 0.0,
            Self::Constant(_) => warp::uniform_hemisphere_pdf(Vec3::Z),
            Self::Map(map) => map.pdf_solid_angle(direction),
        }
    }
}

impl EnvironmentLight {
    /// Returns a header of the GPU's light table with the fields of the environment filled in.
    pub(super) fn header(&self, header: LightHeader) -> LightHeader {
        match self {
            Self::Constant(radiance) => {
                LightHeader { environment: LightHeader::CONSTANT, radiance: radiance.to_array(), ..header }
            }
            Self::Map(map) => map.header(header),
        }
    }

    /// Returns the tables of the map for the GPU, at the offsets in [`LightHeader`].
    pub(super) fn numbers(&self) -> Vec<u32> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Map(map) => map.tables().concat().into_iter().map(f32::to_bits).collect(),
        }
    }
}

/// Largest number of columns of the distribution from which directions are sampled. A piece covers several texels of a
/// larger image: tables that exceed the cache cost more than a finer density gains.
const MAX_COLUMNS: usize = 1024;
/// Largest number of its rows.
const MAX_ROWS: usize = 512;

/// A latitude-longitude image in the layout of `sunfleck_math::direction`, with the distribution from which directions
/// are sampled.
#[derive(Clone, Debug)]
pub(super) struct EnvironmentMap {
    image: ImageSampler,
    /// Height of the map in units of that of the image: 1 unless rows are at the poles, where half a row of the image is
    /// beyond each.
    height_in_image: f32,
    srgb: SrgbTable,
    scale: Vec3,
    sin_rotation: f32,
    cos_rotation: f32,
    /// Density in proportion to luminance times solid angle of each piece; positive wherever the radiance is positive.
    distribution: Piecewise2D,
    mean_radiance: Vec3,
}

impl EnvironmentMap {
    /// Returns `None` if the image is black. Columns repeat and rows are clamped, whatever the image's own wrapping is.
    fn new(image: ImageSampler, rows_at_poles: bool, rotation_y_radians: f32, scale: Vec3) -> Option<Self> {
        let image = image.with_wrap([Wrap::Repeat, Wrap::ClampToEdge]);
        let srgb = SrgbTable::new();
        let (sin_rotation, cos_rotation) = sin_cos(rotation_y_radians);
        // A single row is at both
        let rows_at_poles = rows_at_poles && image.height() > 1;
        let (weights, mean_radiance) = area_weights(&image, rows_at_poles, &srgb, scale);
        let (width, height) = (image.width() as usize, image.height() as usize - usize::from(rows_at_poles));
        let (columns, rows) = (width.min(MAX_COLUMNS), height.min(MAX_ROWS));
        let weights = match (columns, rows) == (width, height) {
            true => weights,
            false => coarser(&weights, [width, height], [columns, rows]),
        };
        let distribution = Piecewise2D::new(&weights, columns, rows).ok()?;
        let rows = image.height() as f32;
        let height_in_image = if rows_at_poles { (rows - 1.0) / rows } else { 1.0 };
        Some(Self {
            image,
            height_in_image,
            srgb,
            scale,
            sin_rotation,
            cos_rotation,
            distribution,
            mean_radiance,
        })
    }

    /// Returns the tables of the map in the order of the offsets in [`LightHeader`].
    fn tables(&self) -> [Cow<'_, [f32]>; 5] {
        let (width, height) = (self.image.width(), self.image.height());
        let row = |row| {
            (0..width).flat_map(move |column| self.image.texel(&self.srgb, column, row).truncate().to_array())
        };
        [
            self.distribution.rows().density().into(),
            self.distribution.rows().cumulative().into(),
            self.distribution.density_in_row().into(),
            self.distribution.cumulative_in_row().into(),
            (0..height).into_par_iter().flat_map_iter(row).collect::<Vec<f32>>().into(),
        ]
    }

    fn header(&self, header: LightHeader) -> LightHeader {
        let (width, height) = (self.image.width(), self.image.height());
        let mut offset = 0;
        let mut after = |numbers: usize| {
            offset += numbers;
            packed::index(offset)
        };
        LightHeader {
            environment: LightHeader::MAP,
            width,
            height,
            columns: packed::index(self.distribution.width()),
            rows: packed::index(self.distribution.rows().density().len()),
            radiance: self.scale.to_array(),
            linear: u32::from(self.image.filter() == TextureFilter::Linear),
            height_in_image: self.height_in_image,
            sin_rotation: self.sin_rotation,
            cos_rotation: self.cos_rotation,
            row_cumulative: after(self.distribution.rows().density().len()),
            density: after(self.distribution.rows().cumulative().len()),
            cumulative: after(self.distribution.density_in_row().len()),
            texels: after(self.distribution.cumulative_in_row().len()),
            bins: after(3 * width as usize * height as usize),
            ..header
        }
    }

    #[inline(always)]
    fn radiance(&self, direction: Vec3) -> Vec3 {
        self.radiance_at(uv_of_direction(self.map_from_world(direction)))
    }

    #[inline(always)]
    fn radiance_at(&self, uv: Vec2) -> Vec3 {
        let beyond_pole = 0.5 * (1.0 - self.height_in_image);
        let at = vec2(uv.x, uv.y.mul_add(self.height_in_image, beyond_pole));
        self.scale * self.image.sample(&self.srgb, at).truncate().max(Vec3::ZERO)
    }

    #[inline(always)]
    fn sample(&self, u: Vec2) -> Option<LightSample> {
        let (uv, pdf_uv) = self.distribution.sample(u);
        let in_map = direction_from_equirect(uv);
        let pdf_solid_angle = pdf_solid_angle(pdf_uv, in_map);
        let wi = self.world_from_map(in_map);
        if pdf_solid_angle > 0.0 { Some(arriving(wi, self.radiance_at(uv), pdf_solid_angle)) } else { None }
    }

    #[inline(always)]
    fn pdf_solid_angle(&self, direction: Vec3) -> f32 {
        let in_map = self.map_from_world(direction);
        pdf_solid_angle(self.distribution.pdf(uv_of_direction(in_map)), in_map)
    }

    #[inline(always)]
    fn world_from_map(&self, d: Vec3) -> Vec3 {
        let (s, c) = (self.sin_rotation, self.cos_rotation);
        vec3(c * d.x + s * d.z, d.y, c * d.z - s * d.x)
    }

    #[inline(always)]
    fn map_from_world(&self, d: Vec3) -> Vec3 {
        let (s, c) = (self.sin_rotation, self.cos_rotation);
        vec3(c * d.x - s * d.z, d.y, c * d.z + s * d.x)
    }
}

/// Returns the texture coordinates of a direction in the map, in [0, 1)².
#[inline(always)]
fn uv_of_direction(in_map: Vec3) -> Vec2 {
    equirect_from_direction(in_map).min(Vec2::splat(ONE_MINUS_EPSILON))
}

/// Converts a density over the map to one per solid angle [PBRT4, Eq. 5.26], at a unit direction in the map.
#[inline(always)]
fn pdf_solid_angle(pdf_uv: f32, in_map: Vec3) -> f32 {
    let sin_theta = (in_map.x * in_map.x + in_map.z * in_map.z).sqrt();
    if sin_theta > 0.0 { pdf_uv / (2.0 * PI * PI * sin_theta) } else { 0.0 }
}

#[inline(always)]
fn arriving(wi: Vec3, radiance: Vec3, pdf_solid_angle: f32) -> LightSample {
    LightSample { wi, distance: f32::INFINITY, radiance, pdf_solid_angle, light: 0, delta: false }
}

/// Returns weights of fewer, larger pieces: the root mean square of the weights that each covers, up to a factor. That
/// density has the least variance of all that are constant on the pieces. The mean would sample the edges of bright
/// lights too rarely.
#[allow(clippy::cast_possible_truncation, reason = "at most 1")]
fn coarser(weights: &[f32], from: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    let largest = weights.iter().copied().fold(0.0, f32::max);
    // Positive weights stay positive
    let square = |&weight: &f32| match weight > 0.0 {
        true => ((f64::from(weight) / f64::from(largest)).powi(2) as f32).max(f32::MIN_POSITIVE),
        false => 0.0,
    };
    let squares: Vec<f32> = weights.iter().map(square).collect();
    let squares = transposed(&resampled_rows(&squares, from[0], to[0]), to[0]);
    let squares = transposed(&resampled_rows(&squares, from[1], to[1]), to[1]);
    squares.into_iter().map(f32::sqrt).collect()
}

/// Returns rows of weights as rows of fewer pieces: the weight of each is the sum over what it covers.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "indices and sums fit")]
fn resampled_rows(weights: &[f32], from: usize, to: usize) -> Vec<f32> {
    if from == to {
        return weights.to_vec();
    }
    let piece = |row: &[f32], i: usize| {
        let (start, end) = ((i * from) as f64 / to as f64, ((i + 1) * from) as f64 / to as f64);
        let covered = (start as usize..from.min(end.ceil() as usize)).map(|at| {
            let share = (end.min(at as f64 + 1.0) - start.max(at as f64)).max(0.0);
            f64::from(row[at]) * share
        });
        covered.sum::<f64>().min(f64::from(f32::MAX)) as f32
    };
    weights.chunks_exact(from).flat_map(|row| (0..to).map(move |i| piece(row, i))).collect()
}

/// Returns the transpose of a row-major table of `columns` columns.
fn transposed(table: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| table.iter().copied().skip(column).step_by(columns)).collect()
}

/// Returns luminance times solid angle of each texel's area, row by row, and the mean radiance over the sphere.
///
/// With bilinear filtering the light of a texel spreads over its neighbours' areas. The weight is therefore the mean of
/// the *filtered* image over the area: a tent filter with weights ⅛, ¾, ⅛ along each axis. With rows at the poles the
/// areas are those between two rows, of which they have the mean.
#[allow(clippy::cast_possible_truncation, reason = "means of f32 fit f32")]
fn area_weights(
    image: &ImageSampler,
    rows_at_poles: bool,
    srgb: &SrgbTable,
    scale: Vec3,
) -> (Vec<f32>, Vec3) {
    let (width, height) = (image.width(), image.height());
    let rows = height - u32::from(rows_at_poles);
    let tent = |before: Vec3, here: Vec3, after: Vec3| match image.filter() {
        TextureFilter::Nearest => here,
        TextureFilter::Linear => (before + after) * 0.125 + here * 0.75,
    };
    let filtered_along = |row: u32| -> Vec<Vec3> {
        let light = |column| image.texel(srgb, column, row).truncate().max(Vec3::ZERO) * scale;
        let texels: Vec<Vec3> = (0..width).map(light).collect();
        let count = texels.len();
        (0..count)
            .map(|i| tent(texels[(i + count - 1) % count], texels[i], texels[(i + 1) % count]))
            .collect()
    };

    let mut weights = Vec::with_capacity(width as usize * height as usize);
    let mut sum = [0.0f64; 3];
    let mut here = filtered_along(0);
    let mut above = here.clone();
    for row in 0..rows {
        let below = if row + 1 < height { filtered_along(row + 1) } else { here.clone() };
        let (sin_theta, _) = sin_cos((row as f32 + 0.5) / rows as f32 * PI);
        for ((&above, &here), &below) in above.iter().zip(&here).zip(&below) {
            let light = if rows_at_poles { 0.5 * (here + below) } else { tent(above, here, below) };
            weights.push((luminance(light) * sin_theta).min(f32::MAX));
            for (sum, light) in sum.iter_mut().zip(light.to_array()) {
                *sum += f64::from(light) * f64::from(sin_theta);
            }
        }
        above = std::mem::replace(&mut here, below);
    }
    // An area covers 2π² sin θ / (width · rows) of the sphere's 4π
    let area = f64::from(PI) / (2.0 * f64::from(width) * f64::from(rows));
    (weights, Vec3::from_array(sum.map(|sum| (sum * area) as f32)))
}
