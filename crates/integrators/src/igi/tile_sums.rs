//! The light of a tile in the making: sums over the samples of its pixels.

use sunfleck_image::{AovSample, TileRect};
use sunfleck_math::Vec3;

use super::blocks::{Channel, Point, Target};
use crate::tile_light::{DISTANCE, EdgeSample, HIGHLIGHT, NS, NUMBERS, Surface, TileLight, WEIGHT};
use crate::view::RayCount;

/// What adds up, pixel by pixel, row by row; used for one tile after the other.
#[derive(Debug)]
pub(super) struct TileSums {
    pub(super) rect: TileRect,
    pixels: Vec<PixelSums>,
    aovs: Vec<AovSample>,
    /// Surfaces of samples, in any order.
    samples: Vec<EdgeSample>,
}

/// Sums over the samples of a pixel.
#[derive(Clone, Copy, Debug)]
struct PixelSums {
    /// See [`TileLight::radiance`].
    radiance: Vec3,
    /// Radiance by way of highlights.
    highlight: Vec3,
    /// Radiance reflected by the first surfaces …
    reflected: Vec3,
    /// … and what it would be if their irradiance were 1.
    weight: Vec3,
    /// The surface of the first sample that meets one.
    surface: Option<Surface>,
    /// Whether all samples meet that one.
    pure: bool,
}

impl PixelSums {
    const NONE: Self = Self {
        radiance: Vec3::ZERO,
        highlight: Vec3::ZERO,
        reflected: Vec3::ZERO,
        weight: Vec3::ZERO,
        surface: None,
        pure: true,
    };

    /// A number of the surface; 0 where there is none, or several.
    fn alone(&self, of: impl Fn(&Surface) -> f32) -> f32 {
        match &self.surface {
            Some(surface) if self.pure => of(surface),
            _ => 0.0,
        }
    }
}

/// In [`Point::sample`]: the only sample of its pixel.
pub(super) const ALONE: u32 = u32::MAX;

impl Default for TileSums {
    fn default() -> Self {
        let rect = TileRect { x0: 0, y0: 0, x1: 0, y1: 0 };
        Self { rect, pixels: Vec::new(), aovs: Vec::new(), samples: Vec::new() }
    }
}

impl TileSums {
    /// Starts with the next tile.
    pub(super) fn start(&mut self, rect: TileRect) {
        self.rect = rect;
        self.pixels.clear();
        self.pixels.resize(rect.area(), PixelSums::NONE);
        self.samples.clear();
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
                if let Some(sample) = self.samples.get_mut(point.sample as usize) {
                    sample.reflected += reflected;
                }
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
        u32::try_from(self.samples.len() - 1).unwrap_or(ALONE)
    }

    /// The same for a sample that speaks for all of its pixel.
    #[inline(always)]
    pub(super) fn record_alone(&mut self, pixel: u32, surface: Surface) -> u32 {
        self.pixels[pixel as usize].surface = Some(surface);
        ALONE
    }

    #[inline(always)]
    pub(super) fn record_aov(&mut self, pixel: u32, aov: AovSample) {
        self.aovs.resize(self.pixels.len(), AovSample::MISS);
        self.aovs[pixel as usize] = aov;
    }

    /// A ray goes on from a mirror, glass or a highlight, and is the `level`-th to do so.
    #[inline(always)]
    pub(super) fn record_level(&mut self, pixel: u32, level: u32) {
        if let Some(aov) = self.aovs.get_mut(pixel as usize) {
            aov.reflections = aov.reflections.max(level);
        }
    }

    /// One number of each pixel.
    fn fill(&self, row: &mut [f32], of: impl Fn(&PixelSums) -> f32) {
        row.iter_mut().zip(&self.pixels).for_each(|(number, pixel)| *number = of(pixel));
    }

    /// Makes means of the sums.
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
                // Light of several surfaces is of no use to neighbours
                NS..DISTANCE => self.fill(row, |pixel| pixel.alone(|surface| surface.ns.to_array()[c])),
                DISTANCE => self.fill(row, |pixel| pixel.alone(|surface| surface.distance)),
                _ => self.fill(row, |pixel| pixel.alone(|surface| surface.id as f32)),
            }
        }
        let pixels = &self.pixels;
        let of_edges = self.samples.iter().filter(|sample| !pixels[sample.pixel as usize].pure);
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
