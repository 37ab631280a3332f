//! Accumulates the light of a tile: sums over the samples of its pixels.

use sunfleck_image::{AovSample, TileRect};
use sunfleck_math::Vec3;

use super::blocks::{LightChannel, PixelTarget, ShadingPoint};
use crate::tile_light::{DISTANCE, EdgeSample, HIGHLIGHT, NS, NUMBERS, TileLight, VisibleSurface, WEIGHT};
use crate::view::RayCount;

/// Sums of the pixels of a tile, row by row; the allocations are reused from tile to tile.
#[derive(Debug)]
pub(super) struct TileSums {
    pub(super) rect: TileRect,
    pixels: Vec<PixelSums>,
    aovs: Vec<AovSample>,
    /// Samples with their surfaces, in any order.
    samples: Vec<EdgeSample>,
}

/// Sums over the samples of a pixel.
#[derive(Clone, Copy, Debug)]
struct PixelSums {
    /// See [`TileLight::radiance`].
    radiance: Vec3,
    /// Radiance of specular highlights.
    highlight: Vec3,
    /// Radiance reflected by the first surfaces.
    reflected: Vec3,
    /// Reflected radiance for an irradiance of 1.
    weight: Vec3,
    /// Surface of the first sample that hits one.
    surface: Option<VisibleSurface>,
    /// Whether all samples hit that surface.
    single_surface: bool,
}

impl PixelSums {
    const NONE: Self = Self {
        radiance: Vec3::ZERO,
        highlight: Vec3::ZERO,
        reflected: Vec3::ZERO,
        weight: Vec3::ZERO,
        surface: None,
        single_surface: true,
    };

    /// Returns a property of the surface; 0 if there is none, or several.
    fn surface_value(&self, of: impl Fn(&VisibleSurface) -> f32) -> f32 {
        match &self.surface {
            Some(surface) if self.single_surface => of(surface),
            _ => 0.0,
        }
    }
}

/// Value of [`ShadingPoint::sample`] of a point that stands for all samples of its pixel.
pub(super) const MERGED: u32 = u32::MAX;

impl Default for TileSums {
    fn default() -> Self {
        let rect = TileRect { x0: 0, y0: 0, x1: 0, y1: 0 };
        Self { rect, pixels: Vec::new(), aovs: Vec::new(), samples: Vec::new() }
    }
}

impl TileSums {
    /// Starts the next tile.
    pub(super) fn start(&mut self, rect: TileRect) {
        self.rect = rect;
        self.pixels.clear();
        self.pixels.resize(rect.area(), PixelSums::NONE);
        self.samples.clear();
    }

    /// Adds emitted radiance.
    #[inline(always)]
    pub(super) fn add_radiance(&mut self, target: PixelTarget, radiance: Vec3) {
        let pixel = &mut self.pixels[target.pixel as usize];
        match target.channel {
            LightChannel::Surface => pixel.radiance += radiance,
            LightChannel::Bounced => pixel.reflected += radiance,
            LightChannel::Highlight => pixel.highlight += radiance,
        }
    }

    /// Adds the light that a point reflects.
    #[inline(always)]
    pub(super) fn add(&mut self, point: &ShadingPoint, irradiance: Vec3) {
        let pixel = &mut self.pixels[point.target.pixel as usize];
        let reflected = point.weight * irradiance;
        match point.target.channel {
            LightChannel::Surface => {
                pixel.reflected += reflected;
                pixel.weight += point.weight;
                if let Some(sample) = self.samples.get_mut(point.sample as usize) {
                    sample.reflected += reflected;
                }
            }
            LightChannel::Bounced => pixel.reflected += reflected,
            LightChannel::Highlight => pixel.highlight += reflected,
        }
    }

    /// Records a sample: its surface, and the radiance that it would reflect for an irradiance of 1. Returns the number
    /// of the sample.
    #[inline(always)]
    pub(super) fn record(&mut self, pixel: u32, surface: VisibleSurface, weight: Vec3) -> u32 {
        let of_pixel = &mut self.pixels[pixel as usize];
        match &of_pixel.surface {
            None => of_pixel.surface = Some(surface),
            Some(first) => of_pixel.single_surface &= first.continues(&surface, 1.0),
        }
        self.samples.push(EdgeSample { pixel, surface, weight, reflected: Vec3::ZERO });
        u32::try_from(self.samples.len() - 1).unwrap_or(MERGED)
    }

    /// Records a sample that stands for all samples of its pixel.
    #[inline(always)]
    pub(super) fn record_merged(&mut self, pixel: u32, surface: VisibleSurface) -> u32 {
        self.pixels[pixel as usize].surface = Some(surface);
        MERGED
    }

    /// Records the AOVs of a pixel.
    #[inline(always)]
    pub(super) fn record_aov(&mut self, pixel: u32, aov: AovSample) {
        self.aovs.resize(self.pixels.len(), AovSample::MISS);
        self.aovs[pixel as usize] = aov;
    }

    /// Records that a path has `depth` specular reflections or refractions.
    #[inline(always)]
    pub(super) fn record_depth(&mut self, pixel: u32, depth: u32) {
        if let Some(aov) = self.aovs.get_mut(pixel as usize) {
            aov.reflections = aov.reflections.max(depth);
        }
    }

    /// Writes one filter input of each pixel.
    fn fill(&self, row: &mut [f32], of: impl Fn(&PixelSums) -> f32) {
        row.iter_mut().zip(&self.pixels).for_each(|(number, pixel)| *number = of(pixel));
    }

    /// Divides the sums by the number of samples per pixel and returns the light of the tile.
    pub(super) fn finish(&mut self, samples: u32, rays: RayCount) -> TileLight {
        let (scale, area) = ((samples as f32).recip(), self.pixels.len());
        let mut numbers = vec![0.0; area * NUMBERS];
        let mut rows = numbers.chunks_exact_mut(area.max(1));
        let rows: [&mut [f32]; NUMBERS] = std::array::from_fn(|_| rows.next().unwrap_or_default());
        let highlights = self.pixels.iter().any(|pixel| pixel.highlight != Vec3::ZERO);
        for (number, row) in rows.into_iter().enumerate() {
            let c = number % 3;
            match number {
                ..HIGHLIGHT => self.fill(row, |pixel| pixel.reflected.to_array()[c] * scale),
                HIGHLIGHT..WEIGHT if highlights => {
                    self.fill(row, |pixel| pixel.highlight.to_array()[c] * scale);
                }
                HIGHLIGHT..WEIGHT => {}
                WEIGHT..NS => self.fill(row, |pixel| pixel.weight.to_array()[c] * scale),
                // Pixels of several surfaces are not used by their neighbours
                NS..DISTANCE => {
                    self.fill(row, |pixel| pixel.surface_value(|surface| surface.ns.to_array()[c]));
                }
                DISTANCE => self.fill(row, |pixel| pixel.surface_value(|surface| surface.distance)),
                _ => self.fill(row, |pixel| pixel.surface_value(|surface| surface.id as f32)),
            }
        }
        let pixels = &self.pixels;
        let of_edges = self.samples.iter().filter(|sample| !pixels[sample.pixel as usize].single_surface);
        let mut edges: Vec<EdgeSample> = of_edges.copied().collect();
        edges.sort_by_key(|sample| sample.pixel);
        for sample in &mut edges {
            sample.weight *= scale;
            sample.reflected *= scale;
        }
        let radiance = self.pixels.iter().map(|pixel| pixel.radiance * scale).collect();
        TileLight {
            rect: self.rect,
            rays,
            radiance,
            numbers,
            highlights,
            aovs: std::mem::take(&mut self.aovs),
            edges,
        }
    }
}
