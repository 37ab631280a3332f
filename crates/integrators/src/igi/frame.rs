//! Frames: tiles of light, put together, filtered, and added to the film.

use fearless_simd::{Fallback, Level, dispatch};
use sunfleck_image::{AovSample, Film, PixelSample, TileRect};
use sunfleck_math::{Vec3, vec2};

use super::blocks::{Channel, Target};
use super::discontinuity::{self, Features, LEAST_COS, STEP};
use super::paths::{self, Job, Scratch};
use super::vpl::Vpls;
use super::{Choice, Igi, walks};
use crate::photons::PhotonMap;
use crate::view::{RayCount, View};

/// A frame in the making.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    view: &'a View<'a>,
    igi: Igi,
    pass: u32,
    vpls: Vpls,
    photons: PhotonMap,
    size: [u32; 2],
}

/// The light of a tile: what a worker sends back. Pixel by pixel, row by row.
#[derive(Clone, Debug)]
pub(crate) struct TileLight {
    pub(super) rect: TileRect,
    rays: RayCount,
    pub(super) pixels: Vec<PixelLight>,
    /// What first samples saw, if somebody asks.
    aovs: Vec<AovSample>,
    /// Of all pixels that are not pure, in the order of pixels.
    pub(super) edges: Vec<EdgeSample>,
    /// Surfaces of all samples, in any order.
    samples: Vec<EdgeSample>,
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
    /// The surface of the first sample that meets one.
    pub(super) surface: Option<Surface>,
    /// Whether all samples meet that one.
    pub(super) pure: bool,
}

/// What the filter looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface {
    /// Shading normal on the viewer's side.
    pub(super) ns: Vec3,
    /// Along the path.
    pub(super) distance: f32,
    /// Instance and material in one number, exact as f32.
    pub(super) id: u32,
}

impl Surface {
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EdgeSample {
    /// Index in the tile.
    pub(super) pixel: u32,
    pub(super) surface: Surface,
    /// Its part of [`PixelLight::weight`].
    pub(super) weight: Vec3,
}

impl PixelLight {
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

    /// Notes what the filter looks at: the surface of a sample.
    #[inline(always)]
    pub(super) fn record(&mut self, sample: EdgeSample) {
        let pixel = &mut self.pixels[sample.pixel as usize];
        match &pixel.surface {
            None => pixel.surface = Some(sample.surface),
            Some(first) => pixel.pure &= first.continues(&sample.surface, 1.0),
        }
        self.samples.push(sample);
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
        self.edges.iter_mut().for_each(|sample| sample.weight *= scale);
        self.rays = rays;
    }
}

impl<'a> Frame<'a> {
    /// Chooses the VPLs of frame number `pass`, and traces its photons.
    pub(crate) fn begin(level: Level, view: &'a View<'a>, igi: Igi, pass: u32, size: [u32; 2]) -> Self {
        let film = vec2(size[0] as f32, size[1] as f32);
        let (vpls, photons) = dispatch!(level, simd => {
            let choice = Choice::new(simd, view, &igi, pass, film);
            let distance = walks::distance_seen(simd, view, film);
            let vpls = walks::vpls(simd, view, &igi, pass, &choice, distance);
            (vpls, PhotonMap::new(simd, view, &choice, pass, igi.photons, igi.photon_radius * distance))
        });
        Self { view, igi, pass, vpls, photons, size }
    }

    /// The light of a tile. Tiles start at multiples of [`Igi::tile_size`].
    ///
    /// * `scratch` — what another tile left, or nothing.
    pub(crate) fn tile(&self, level: Level, rect: TileRect, scratch: &mut Scratch) -> TileLight {
        let Self { view, igi, vpls, photons, pass, .. } = self;
        let job = Job { view, igi, vpls, photons, pass: *pass };
        // Not for each level: the code is large, and old processors are not worth more of it
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = level.as_avx512() {
                return paths::render(simd, &job, rect, scratch);
            }
            if let Some(simd) = level.as_avx2() {
                return paths::render(simd, &job, rect, scratch);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = level.as_neon() {
            return paths::render(simd, &job, rect, scratch);
        }
        let _ = level;
        paths::render(Fallback::new(), &job, rect, scratch)
    }

    /// Puts the tiles together, filters, and adds the frame to the film as one sample of each pixel; whether it fits.
    pub(crate) fn finish(self, level: Level, tiles: &[TileLight], film: &mut Film) -> bool {
        let features = Features::new(self.size, tiles);
        let filtered = self.igi.filter == 1 && self.pass < self.igi.sets();
        let radius = if filtered { self.igi.interleave / 2 } else { 0 };
        let pictures = discontinuity::filter(level, &features, radius, tiles);
        tiles.iter().zip(pictures).all(|(light, radiance)| {
            let mut tile = film.tile(light.rect);
            for (((x, y), radiance), i) in light.rect.pixels().zip(radiance).zip(0..) {
                let aov = light.aovs.get(i).copied().unwrap_or(AovSample::MISS);
                tile.add(x, y, &PixelSample { radiance, weight: 1.0, aov });
            }
            film.put(tile).is_ok()
        })
    }
}
