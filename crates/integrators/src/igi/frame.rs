//! Frames: tiles of light, put together, filtered, and added to the film.

use fearless_simd::{Level, dispatch};
use sunfleck_image::{AovSample, Film, PixelSample, TileRect};
use sunfleck_math::{Vec3, vec2};

use super::blocks::{Channel, Target};
use super::discontinuity::{self, Features};
use super::paths::{self, Job, Scratch};
use super::vpl::Vpls;
use super::{Igi, walks};
use crate::view::{RayCount, View};

/// A frame in the making.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    view: &'a View<'a>,
    igi: Igi,
    pass: u32,
    vpls: Vpls,
    size: [u32; 2],
}

/// The light of a tile: what a worker sends back. Pixel by pixel, row by row.
#[derive(Clone, Debug)]
pub(crate) struct TileLight {
    pub(super) rect: TileRect,
    rays: RayCount,
    pub(super) pixels: Vec<PixelLight>,
}

/// Sums over the samples of a pixel, then means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PixelLight {
    /// Radiance that the filter leaves alone: of what shines.
    pub(super) radiance: Vec3,
    /// Radiance by way of highlights.
    pub(super) highlight: Vec3,
    /// Radiance reflected by the first surfaces …
    pub(super) reflected: Vec3,
    /// … and what it would be if their irradiance were 1.
    pub(super) weight: Vec3,
    /// Normals of the first surfaces.
    pub(super) ns: Vec3,
    /// Distances to the first surfaces along the path.
    pub(super) distance: f32,
    /// How many there are.
    pub(super) surfaces: u32,
    /// Material and instance of the first of them.
    pub(super) material: u32,
    pub(super) instance: u32,
    pub(super) aov: AovSample,
}

impl PixelLight {
    const NONE: Self = Self {
        radiance: Vec3::ZERO,
        highlight: Vec3::ZERO,
        reflected: Vec3::ZERO,
        weight: Vec3::ZERO,
        ns: Vec3::ZERO,
        distance: 0.0,
        surfaces: 0,
        material: u32::MAX,
        instance: u32::MAX,
        aov: AovSample::MISS,
    };
}

impl TileLight {
    pub(super) fn new(rect: TileRect) -> Self {
        Self { rect, rays: RayCount::default(), pixels: vec![PixelLight::NONE; rect.area()] }
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

    /// Adds the light of a point; see [`Point::weight`](super::blocks::Point::weight).
    #[inline(always)]
    pub(super) fn add(&mut self, target: Target, weight: Vec3, irradiance: Vec3) {
        let pixel = &mut self.pixels[target.pixel as usize];
        match target.channel {
            Channel::Surface => {
                pixel.reflected += weight * irradiance;
                pixel.weight += weight;
            }
            Channel::Bounced => pixel.reflected += weight * irradiance,
            Channel::Highlight => pixel.highlight += weight * irradiance,
        }
    }

    /// Notes what the filter looks at.
    #[inline(always)]
    pub(super) fn record(&mut self, pixel: u32, ns: Vec3, distance: f32, material: u32, instance: u32) {
        let pixel = &mut self.pixels[pixel as usize];
        if pixel.surfaces == 0 {
            (pixel.material, pixel.instance) = (material, instance);
        }
        pixel.ns += ns;
        pixel.distance += distance;
        pixel.surfaces += 1;
    }

    #[inline(always)]
    pub(super) fn record_aov(&mut self, pixel: u32, aov: AovSample) {
        self.pixels[pixel as usize].aov = aov;
    }

    /// Makes means of the sums.
    pub(super) fn finish(&mut self, samples: u32, rays: RayCount) {
        let scale = (samples as f32).recip();
        for pixel in &mut self.pixels {
            pixel.radiance *= scale;
            pixel.highlight *= scale;
            pixel.reflected *= scale;
            pixel.weight *= scale;
            pixel.ns = pixel.ns.normalize_or(Vec3::ZERO);
            pixel.distance /= pixel.surfaces.max(1) as f32;
        }
        self.rays = rays;
    }
}

impl<'a> Frame<'a> {
    /// Chooses the VPLs of frame number `pass`.
    pub(crate) fn begin(level: Level, view: &'a View<'a>, igi: Igi, pass: u32, size: [u32; 2]) -> Self {
        let film = vec2(size[0] as f32, size[1] as f32);
        let vpls = dispatch!(level, simd => walks::vpls(simd, view, &igi, pass, film));
        Self { view, igi, pass, vpls, size }
    }

    /// The light of a tile. Tiles start at multiples of [`Igi::tile_size`].
    ///
    /// * `scratch` — what another tile left, or nothing.
    pub(crate) fn tile(&self, level: Level, rect: TileRect, scratch: &mut Scratch) -> TileLight {
        let Self { view, igi, vpls, pass, .. } = self;
        let job = Job { view, igi, vpls, pass: *pass };
        dispatch!(level, simd => paths::render(simd, &job, rect, scratch))
    }

    /// Puts the tiles together, filters, and adds the frame to the film as one sample of each pixel; whether it fits.
    pub(crate) fn finish(self, level: Level, tiles: &[TileLight], film: &mut Film) -> bool {
        let features = Features::new(self.size, tiles);
        let filtered = self.igi.filter == 1 && self.pass < self.igi.sets();
        let radius = if filtered { self.igi.interleave / 2 } else { 0 };
        let pictures = discontinuity::filter(level, &features, radius, tiles);
        tiles.iter().zip(pictures).all(|(light, radiance)| {
            let mut tile = film.tile(light.rect);
            for (((x, y), pixel), radiance) in light.rect.pixels().zip(&light.pixels).zip(radiance) {
                tile.add(x, y, &PixelSample { radiance, weight: 1.0, aov: pixel.aov });
            }
            film.put(tile).is_ok()
        })
    }
}
