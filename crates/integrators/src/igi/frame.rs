//! A frame: traces VPLs and photons, renders tiles, and adds the filtered tiles to the film.

use fearless_simd::{Fallback, Level, dispatch};
use rayon::prelude::*;
use sunfleck_image::{AovSample, Film, PixelSample, TileRect};
use sunfleck_math::vec2;

use super::camera::SamplePattern;
use super::discontinuity;
use super::paths::{self, FrameContext, Scratch};
use super::photons::PhotonMap;
use super::vpl::Vpls;
use super::window::FilterWindow;
use super::{Igi, LightDistribution, walks};
use crate::integrator::{FrameFilter, LightFrame, LightWorker};
use crate::stage_times::StageTimes;
use crate::tile_light::TileLight;
use crate::tiling::Tiling;
use crate::view::View;

/// Data of a frame that all its tiles share.
#[derive(Debug)]
pub(super) struct IgiFrame<'a> {
    level: Level,
    view: &'a View<'a>,
    igi: Igi,
    pass: u32,
    vpls: Vpls,
    pattern: SamplePattern,
    photons: PhotonMap,
}

impl<'a> IgiFrame<'a> {
    /// Traces the VPLs and photons of frame number `pass`.
    pub(super) fn begin(level: Level, view: &'a View<'a>, igi: Igi, pass: u32) -> Self {
        let film = vec2(view.spec.width as f32, view.spec.height as f32);
        let (vpls, photons) = dispatch!(level, simd => {
            let lights = LightDistribution::new(simd, view, &igi, pass, film);
            let lights = lights.with_history(view, pass, || walks::light_samples(view, &igi, pass));
            let distance = walks::distance_seen(simd, view, film);
            let vpls = walks::vpls(simd, view, &igi, pass, &lights, distance);
            (vpls, PhotonMap::new(simd, view, &lights, pass, &igi, distance))
        });
        Self { level, view, igi, pass, vpls, pattern: SamplePattern::new(view, &igi, pass), photons }
    }

    /// Renders a tile. Tiles start at multiples of the filter's tile size.
    ///
    /// * `scratch` — buffers, reused from tile to tile.
    fn tile(&self, rect: TileRect, scratch: &mut Scratch, times: &mut StageTimes) -> TileLight {
        let Self { level, view, igi, vpls, photons, pattern, pass } = self;
        let ctx = FrameContext { view, igi, vpls, photons, pattern, pass: *pass, merges: igi.merges(*pass) };
        // Compiled for AVX-512, AVX2, NEON and the fallback only, since the code is large
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = level.as_avx512() {
                return paths::render(simd, &ctx, rect, scratch, times);
            }
            if let Some(simd) = level.as_avx2() {
                return paths::render(simd, &ctx, rect, scratch, times);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = level.as_neon() {
            return paths::render(simd, &ctx, rect, scratch, times);
        }
        let _ = level;
        paths::render(Fallback::new(), &ctx, rect, scratch, times)
    }
}

impl LightFrame for IgiFrame<'_> {
    fn vpl_count(&self) -> usize {
        self.vpls.subsets.iter().map(Vec::len).sum()
    }

    fn worker(&self) -> Box<dyn LightWorker + '_> {
        Box::new(FrameWorker { frame: self, scratch: Scratch::default() })
    }
}

/// Worker of one thread.
#[derive(Debug)]
struct FrameWorker<'a> {
    frame: &'a IgiFrame<'a>,
    scratch: Scratch,
}

impl LightWorker for FrameWorker<'_> {
    fn tile(&mut self, rect: TileRect, times: &mut StageTimes) -> TileLight {
        self.frame.tile(rect, &mut self.scratch, times)
    }
}

impl FrameFilter for Igi {
    /// Returns the tile size at which each VPL set has whole packets of 64 pixels.
    fn tile_size(&self) -> u32 {
        8 * self.interleave * (4 / self.interleave).max(1)
    }

    fn finish(&self, level: Level, pass: u32, tiles: &[TileLight], film: &mut Film) {
        let radius = if self.filters(pass) { self.interleave / 2 } else { 0 };
        let tiling = Tiling { window: film.window(), size: self.tile_size() };
        let filtered = |window: &mut FilterWindow, (i, light): (usize, &TileLight)| {
            window.load(i, tiles, &tiling, radius);
            discontinuity::filter(level, window, radius, light)
        };
        let filtered: Vec<_> =
            tiles.par_iter().enumerate().map_init(FilterWindow::default, filtered).collect();
        // Each row of tiles is a film band
        let per_band = tiling.columns() as usize;
        let rows = tiles.par_chunks(per_band).zip(filtered.par_chunks(per_band));
        film.bands(tiling.size).into_par_iter().zip(rows).for_each(|(mut band, (lights, filtered))| {
            for (light, radiance) in lights.iter().zip(filtered) {
                for (((x, y), &radiance), i) in light.rect.pixels().zip(radiance).zip(0..) {
                    let aov = light.aovs.get(i).copied().unwrap_or(AovSample::MISS);
                    band.add(x, y, &PixelSample { radiance, weight: 1.0, aov });
                }
            }
        });
    }
}
