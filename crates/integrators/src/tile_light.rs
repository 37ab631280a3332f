//! The light of a tile that a filter has still to mix with that of its neighbours: what a worker makes, and what it sends back. Plain data that may travel.

use serde::{Deserialize, Serialize};
use sunfleck_constants::igi::{LEAST_COS, STEP};
use sunfleck_image::{AovSample, TileRect};
use sunfleck_math::{Vec3, vec3};

use crate::view::RayCount;

/// Where the three of each kind begin, and the numbers that stand alone.
pub(crate) const REFLECTED: usize = 0;
pub(crate) const HIGHLIGHT: usize = 3;
pub(crate) const WEIGHT: usize = 6;
/// [`Surface::ns`]; 0 in pixels that see no surface, or several, so that they are nobody's neighbours.
pub(crate) const NS: usize = 9;
pub(crate) const DISTANCE: usize = 12;
/// [`Surface::id`].
pub(crate) const SURFACE: usize = 13;
/// How many numbers the filter looks at.
pub(crate) const NUMBERS: usize = 14;

/// The light of a tile, pixel by pixel, row by row. Data that contradict themselves, or are not finite, are refused when they are
/// deserialised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedLight")]
pub(crate) struct TileLight {
    pub(crate) rect: TileRect,
    pub(crate) rays: RayCount,
    /// Radiance that the filter leaves alone: of what shines.
    pub(crate) radiance: Vec<Vec3>,
    /// Number by number, of each all pixels: means over their samples.
    pub(crate) numbers: Vec<f32>,
    /// Whether any pixel has highlights.
    pub(crate) highlights: bool,
    /// What first samples saw, if somebody asks.
    pub(crate) aovs: Vec<AovSample>,
    /// Of all pixels that see several surfaces, in the order of pixels.
    pub(crate) edges: Vec<EdgeSample>,
}

/// What the filter looks at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Surface {
    /// Shading normal on the viewer's side.
    pub(crate) ns: Vec3,
    /// Along the path.
    pub(crate) distance: f32,
    /// Instance and material in one number, exact as f32.
    pub(crate) id: u32,
}

/// A sample of a pixel whose samples meet several surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EdgeSample {
    /// Index in the tile.
    pub(crate) pixel: u32,
    pub(crate) surface: Surface,
    /// Its part of the pixel's weight …
    pub(crate) weight: Vec3,
    /// … and of its reflected light, but for what comes by short paths.
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

/// Why data are no light of a tile.
#[derive(Debug, thiserror::Error)]
enum LightError {
    #[error("the light of the tile contradicts itself")]
    Inconsistent,
    #[error("the light of the tile is not finite")]
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
            pixel < area && light.three(NS, pixel) == Vec3::ZERO
        };
        let consistent = (light.aovs.is_empty() || light.aovs.len() == area)
            && light.edges.iter().all(is_edge)
            && light.edges.is_sorted_by_key(|edge| edge.pixel);
        if consistent { Ok(light) } else { Err(LightError::Inconsistent) }
    }
}

impl Surface {
    fn is_finite(&self) -> bool {
        self.ns.is_finite() && self.distance.is_finite()
    }

    pub(crate) fn new(ns: Vec3, distance: f32, instance: u32, material: u32) -> Self {
        Self { ns, distance, id: instance.wrapping_mul(64).wrapping_add(material) & 0xff_ffff }
    }

    /// Whether two points `pixels` apart lie on one surface, as far as can be told.
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

    /// One number of some pixels that follow each other.
    pub(crate) fn row(&self, number: usize, pixels: std::ops::Range<usize>) -> &[f32] {
        let area = self.radiance.len();
        &self.numbers[number * area + pixels.start..number * area + pixels.end]
    }

    /// Three numbers of a pixel.
    pub(crate) fn three(&self, first: usize, pixel: usize) -> Vec3 {
        let at = |number: usize| self.numbers[number * self.radiance.len() + pixel];
        vec3(at(first), at(first + 1), at(first + 2))
    }
}
