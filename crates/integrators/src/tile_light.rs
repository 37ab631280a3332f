//! Unfiltered light of a tile: the result of a worker of instant global illumination, and the input of the
//! discontinuity filter. Plain data that can be serialised.

use serde::{Deserialize, Serialize};
use sunfleck_constants::igi::{LEAST_COS, STEP};
use sunfleck_image::{AovSample, TileRect};
use sunfleck_math::{Vec3, vec3};

use crate::view::RayCount;

/// First of three indices into the filter inputs of a pixel: reflected radiance. The constants below are indices, too;
/// inputs with three components have three consecutive ones.
pub(crate) const REFLECTED: usize = 0;
/// Radiance of highlights.
pub(crate) const HIGHLIGHT: usize = 3;
/// Reflected radiance for an irradiance of 1.
pub(crate) const WEIGHT: usize = 6;
/// [`VisibleSurface::ns`]; 0 in pixels whose samples hit no surface or several, so that the filter uses them for no
/// other pixel.
pub(crate) const NS: usize = 9;
/// [`VisibleSurface::distance`].
pub(crate) const DISTANCE: usize = 12;
/// [`VisibleSurface::id`].
pub(crate) const SURFACE: usize = 13;
/// Number of filter inputs per pixel.
pub(crate) const NUMBERS: usize = 14;

/// Light of a tile, pixel by pixel, row by row. Deserialisation refuses inconsistent data and values that are not
/// finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedLight")]
pub(crate) struct TileLight {
    pub(crate) rect: TileRect,
    pub(crate) rays: RayCount,
    /// Emitted radiance, which is not filtered.
    pub(crate) radiance: Vec<Vec3>,
    /// Inputs of the filter, `[input][pixel]`: means over the samples of a pixel.
    pub(crate) numbers: Vec<f32>,
    /// Whether any pixel has highlights.
    pub(crate) highlights: bool,
    /// AOVs of the first sample of each pixel; empty if none are recorded.
    pub(crate) aovs: Vec<AovSample>,
    /// Samples of all pixels whose samples hit several surfaces, in the order of pixels.
    pub(crate) edges: Vec<EdgeSample>,
}

/// First surface of a sample as the filter compares it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct VisibleSurface {
    /// Shading normal on the viewer's side.
    pub(crate) ns: Vec3,
    /// Length of the path from the camera, metres.
    pub(crate) distance: f32,
    /// Instance and material in one number, exact as f32.
    pub(crate) id: u32,
}

/// Sample of a pixel whose samples hit several surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EdgeSample {
    /// Index of the pixel in the tile.
    pub(crate) pixel: u32,
    pub(crate) surface: VisibleSurface,
    /// Share in the pixel's weight.
    pub(crate) weight: Vec3,
    /// Share in the pixel's reflected radiance, without bias compensation.
    pub(crate) reflected: Vec3,
}

#[derive(Deserialize)]
struct UncheckedLight {
    rect: TileRect,
    rays: RayCount,
    radiance: Vec<Vec3>,
    numbers: Vec<f32>,
    highlights: bool,
    aovs: Vec<AovSample>,
    edges: Vec<EdgeSample>,
}

/// Reason why deserialised data were refused.
#[derive(Debug, thiserror::Error)]
enum LightError {
    #[error("the arrays of the tile are inconsistent")]
    Inconsistent,
    #[error("the tile has values that are not finite")]
    NotFinite,
}

impl TryFrom<UncheckedLight> for TileLight {
    type Error = LightError;

    fn try_from(light: UncheckedLight) -> Result<Self, LightError> {
        let UncheckedLight { rect, rays, radiance, numbers, highlights, aovs, edges } = light;
        let area = rect.area();
        if radiance.len() != area || numbers.len() != area * NUMBERS {
            return Err(LightError::Inconsistent);
        }
        let finite = numbers.iter().all(|number| number.is_finite());
        if !(finite && radiance.iter().all(|r| r.is_finite()) && edges.iter().all(EdgeSample::is_finite)) {
            return Err(LightError::NotFinite);
        }
        let light = Self { rect, rays, radiance, numbers, highlights, aovs, edges };
        let is_edge = |edge: &EdgeSample| {
            let pixel = edge.pixel as usize;
            pixel < area && light.vector(NS, pixel) == Vec3::ZERO
        };
        let consistent = (light.aovs.is_empty() || light.aovs.len() == area)
            && light.edges.iter().all(is_edge)
            && light.edges.is_sorted_by_key(|edge| edge.pixel);
        if consistent { Ok(light) } else { Err(LightError::Inconsistent) }
    }
}

impl VisibleSurface {
    fn is_finite(&self) -> bool {
        self.ns.is_finite() && self.distance.is_finite()
    }

    pub(crate) fn new(ns: Vec3, distance: f32, instance: u32, material: u32) -> Self {
        Self { ns, distance, id: instance.wrapping_mul(64).wrapping_add(material) & 0xff_ffff }
    }

    /// Returns whether two points that are `pixels` apart in the image are taken to lie on one surface.
    pub(crate) fn continues(&self, other: &Self, pixels: f32) -> bool {
        self.id == other.id
            && self.ns.dot(other.ns) >= LEAST_COS
            && (self.distance - other.distance).abs() <= self.distance * (STEP * (pixels + 1.0))
    }
}

impl EdgeSample {
    fn is_finite(&self) -> bool {
        self.surface.is_finite() && self.weight.is_finite() && self.reflected.is_finite()
    }
}

impl TileLight {
    pub(crate) fn rect(&self) -> TileRect {
        self.rect
    }

    pub(crate) fn rays(&self) -> RayCount {
        self.rays
    }

    /// Returns one filter input of consecutive pixels.
    pub(crate) fn row(&self, number: usize, pixels: std::ops::Range<usize>) -> &[f32] {
        let area = self.radiance.len();
        &self.numbers[number * area + pixels.start..number * area + pixels.end]
    }

    /// Returns a filter input of three components.
    pub(crate) fn vector(&self, first: usize, pixel: usize) -> Vec3 {
        let at = |number: usize| self.numbers[number * self.radiance.len() + pixel];
        vec3(at(first), at(first + 1), at(first + 2))
    }
}
