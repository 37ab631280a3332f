//! The light of a tile: what a worker makes, and what it sends back. Plain data that may travel.

use serde::{Deserialize, Serialize};
use sunfleck_image::{AovSample, TileRect};
use sunfleck_math::Vec3;

use super::blocks::{Channel, Point, Target};
use super::discontinuity::{LEAST_COS, STEP};
use crate::view::RayCount;

/// The light of a tile, pixel by pixel, row by row. Data that contradict themselves, or are not finite, are refused when they are
/// deserialised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedLight")]
pub(crate) struct TileLight {
    pub(super) rect: TileRect,
    rays: RayCount,
    pub(super) pixels: Vec<PixelLight>,
    /// What first samples saw, if somebody asks.
    pub(super) aovs: Vec<AovSample>,
    /// Of all pixels that are not pure, in the order of pixels.
    pub(super) edges: Vec<EdgeSample>,
    /// Surfaces of all samples, in any order; none of a tile that is finished.
    #[serde(skip)]
    samples: Vec<EdgeSample>,
}

/// Sums over the samples of a pixel, then means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PixelLight {
    /// Radiance that the filter leaves alone: of what shines.
    pub(super) radiance: Vec3,
    /// Radiance by way of highlights.
    pub(super) highlight: Vec3,
    /// Radiance reflected by the first surfaces …
    pub(super) reflected: Vec3,
    /// … and what it would be if their irradiance were 1.
    pub(super) weight: Vec3,
    /// The surface of the first sample that meets one.
    pub(super) surface: Option<Surface>,
    /// Whether all samples meet that one.
    pub(super) pure: bool,
}

/// What the filter looks at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Surface {
    /// Shading normal on the viewer's side.
    pub(super) ns: Vec3,
    /// Along the path.
    pub(super) distance: f32,
    /// Instance and material in one number, exact as f32.
    pub(super) id: u32,
}

#[derive(Deserialize)]
struct UncheckedLight {
    rect: TileRect,
    rays: RayCount,
    pixels: Vec<PixelLight>,
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
        let UncheckedLight { rect, rays, pixels, aovs, edges } = light;
        let of_an_edge = |edge: &EdgeSample| pixels.get(edge.pixel as usize).is_some_and(|pixel| !pixel.pure);
        let consistent = pixels.len() == rect.area()
            && (aovs.is_empty() || aovs.len() == pixels.len())
            && edges.iter().all(of_an_edge)
            && edges.is_sorted_by_key(|edge| edge.pixel);
        if !consistent {
            return Err(LightError::Inconsistent);
        }
        if !(pixels.iter().all(PixelLight::is_finite) && edges.iter().all(EdgeSample::is_finite)) {
            return Err(LightError::NotFinite);
        }
        Ok(Self { rect, rays, pixels, aovs, edges, samples: Vec::new() })
    }
}

impl Surface {
    fn is_finite(&self) -> bool {
        self.ns.is_finite() && self.distance.is_finite()
    }

    pub(super) fn new(ns: Vec3, distance: f32, instance: u32, material: u32) -> Self {
        Self { ns, distance, id: instance.wrapping_mul(64).wrapping_add(material) & 0xff_ffff }
    }

    /// Whether two points `pixels` apart lie on one surface, as far as can be told.
    pub(super) fn continues(&self, other: &Self, pixels: f32) -> bool {
        self.id == other.id
            && self.ns.dot(other.ns) >= LEAST_COS
            && (self.distance - other.distance).abs() <= self.distance * (STEP * (pixels + 1.0))
    }
}

/// A sample of a pixel whose samples meet several surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EdgeSample {
    /// Index in the tile.
    pub(super) pixel: u32,
    pub(super) surface: Surface,
    /// Its part of [`PixelLight::weight`] …
    pub(super) weight: Vec3,
    /// … and of [`PixelLight::reflected`], but for what comes by short paths.
    pub(super) reflected: Vec3,
}

impl EdgeSample {
    fn is_finite(&self) -> bool {
        self.surface.is_finite() && self.weight.is_finite() && self.reflected.is_finite()
    }
}

impl PixelLight {
    fn is_finite(&self) -> bool {
        let light = [self.radiance, self.highlight, self.reflected, self.weight];
        light.into_iter().all(Vec3::is_finite) && self.surface.is_none_or(|surface| surface.is_finite())
    }

    const NONE: Self = Self {
        radiance: Vec3::ZERO,
        highlight: Vec3::ZERO,
        reflected: Vec3::ZERO,
        weight: Vec3::ZERO,
        surface: None,
        pure: true,
    };
}

impl TileLight {
    pub(super) fn new(rect: TileRect) -> Self {
        Self {
            rect,
            rays: RayCount::default(),
            pixels: vec![PixelLight::NONE; rect.area()],
            aovs: Vec::new(),
            edges: Vec::new(),
            samples: Vec::with_capacity(4 * rect.area()),
        }
    }

    pub(crate) fn rect(&self) -> TileRect {
        self.rect
    }

    pub(crate) fn rays(&self) -> RayCount {
        self.rays
    }

    /// Adds what shines.
    #[inline(always)]
    pub(super) fn add_radiance(&mut self, target: Target, radiance: Vec3) {
        let pixel = &mut self.pixels[target.pixel as usize];
        match target.channel {
            Channel::Surface => pixel.radiance += radiance,
            Channel::Bounced => pixel.reflected += radiance,
            Channel::Highlight => pixel.highlight += radiance,
        }
    }

    /// Adds the light of a point.
    #[inline(always)]
    pub(super) fn add(&mut self, point: &Point, irradiance: Vec3) {
        let pixel = &mut self.pixels[point.target.pixel as usize];
        let reflected = point.weight * irradiance;
        match point.target.channel {
            Channel::Surface => {
                pixel.reflected += reflected;
                pixel.weight += point.weight;
                self.samples[point.sample as usize].reflected += reflected;
            }
            Channel::Bounced => pixel.reflected += reflected,
            Channel::Highlight => pixel.highlight += reflected,
        }
    }

    /// Notes what the filter looks at: the surface of a sample, and what it would reflect if its irradiance were 1. Returns the number
    /// of the sample.
    #[inline(always)]
    pub(super) fn record(&mut self, pixel: u32, surface: Surface, weight: Vec3) -> u32 {
        let of_pixel = &mut self.pixels[pixel as usize];
        match &of_pixel.surface {
            None => of_pixel.surface = Some(surface),
            Some(first) => of_pixel.pure &= first.continues(&surface, 1.0),
        }
        self.samples.push(EdgeSample { pixel, surface, weight, reflected: Vec3::ZERO });
        u32::try_from(self.samples.len() - 1).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    pub(super) fn record_aov(&mut self, pixel: u32, aov: AovSample) {
        self.aovs.resize(self.pixels.len(), AovSample::MISS);
        self.aovs[pixel as usize] = aov;
    }

    /// Makes means of the sums.
    pub(super) fn finish(&mut self, samples: u32, rays: RayCount) {
        let scale = (samples as f32).recip();
        for pixel in &mut self.pixels {
            pixel.radiance *= scale;
            pixel.highlight *= scale;
            pixel.reflected *= scale;
            pixel.weight *= scale;
        }
        let pixels = &self.pixels;
        self.edges.extend(self.samples.drain(..).filter(|sample| !pixels[sample.pixel as usize].pure));
        self.edges.sort_by_key(|sample| sample.pixel);
        for sample in &mut self.edges {
            sample.weight *= scale;
            sample.reflected *= scale;
        }
        self.rays = rays;
    }
}
