//! Frames: VPLs, then tiles of light, which are put together, filtered, and added to the film.

use fearless_simd::{Fallback, Level, dispatch};
use rayon::prelude::*;
use sunfleck_image::{AovSample, Film, PixelSample, TileRect};
use sunfleck_math::vec2;

use super::camera::Pattern;
use super::discontinuity;
use super::paths::{self, Job, Scratch};
use super::photons::PhotonMap;
use super::vpl::Vpls;
use super::window::Window;
use super::{Choice, Igi, walks};
use crate::integrator::{FrameFilter, LightFrame, LightWorker};
use crate::stage_times::StageTimes;
use crate::tile_light::TileLight;
use crate::tiling::Tiling;
use crate::view::View;

/// A frame in the making.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    level: Level,
    view: &'a View<'a>,
    igi: Igi,
    pass: u32,
    vpls: Vpls,
    pattern: Pattern,
    photons: PhotonMap,
}

impl<'a> Frame<'a> {
    /// Chooses the VPLs of frame number `pass`, and traces its photons.
    pub(super) fn begin(level: Level, view: &'a View<'a>, igi: Igi, pass: u32) -> Self {
        let film = vec2(view.spec.width as f32, view.spec.height as f32);
        let (vpls, photons) = dispatch!(level, simd => {
            let choice = Choice::new(simd, view, &igi, pass, film);
            let choice = choice.keeping(view, pass, || walks::choices(view, &igi, pass));
            let distance = walks::distance_seen(simd, view, film);
            let vpls = walks::vpls(simd, view, &igi, pass, &choice, distance);
            (vpls, PhotonMap::new(simd, view, &choice, pass, &igi, distance))
        });
        Self { level, view, igi, pass, vpls, pattern: Pattern::new(view, &igi, pass), photons }
    }

    /// The light of a tile. Tiles start at multiples of the filter's tile size.
    ///
    /// * `scratch` — what another tile left, or nothing.
    fn tile(&self, rect: TileRect, scratch: &mut Scratch, times: &mut StageTimes) -> TileLight {
        let Self { level, view, igi, vpls, photons, pattern, pass } = self;
        let job = Job { view, igi, vpls, photons, pattern, pass: *pass, merges: igi.merges(*pass) };
        // Not for each level: the code is large, and old processors are not worth more of it
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = level.as_avx512() {
                return paths::render(simd, &job, rect, scratch, times);
            }
            if let Some(simd) = level.as_avx2() {
                return paths::render(simd, &job, rect, scratch, times);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = level.as_neon() {
            return paths::render(simd, &job, rect, scratch, times);
        }
        let _ = level;
        paths::render(Fallback::new(), &job, rect, scratch, times)
    }
}

impl LightFrame for Frame<'_> {
    fn vpl_count(&self) -> usize {
        self.vpls.shares.iter().map(Vec::len).sum()
    }

    fn worker(&self) -> Box<dyn LightWorker + '_> {
        Box::new(FrameWorker { frame: self, scratch: Scratch::default() })
    }
}

/// Does one tile after the other.
#[derive(Debug)]
struct FrameWorker<'a> {
    frame: &'a Frame<'a>,
    scratch: Scratch,
}

impl LightWorker for FrameWorker<'_> {
    fn tile(&mut self, rect: TileRect, times: &mut StageTimes) -> TileLight {
        self.frame.tile(rect, &mut self.scratch, times)
    }
}

impl FrameFilter for Igi {
    /// So many that each set has whole packets of 64 pixels.
    fn tile_size(&self) -> u32 {
        8 * self.interleave * (4 / self.interleave).max(1)
    }

    fn finish(&self, level: Level, pass: u32, tiles: &[TileLight], film: &mut Film) {
        let radius = if self.filters(pass) { self.interleave / 2 } else { 0 };
        let tiling = Tiling { width: film.width(), height: film.height(), size: self.tile_size() };
        let filtered = |window: &mut Window, (i, light): (usize, &TileLight)| {
            window.look_at(i, tiles, &tiling, radius);
            discontinuity::filter(level, window, radius, light)
        };
        let filtered: Vec<_> = tiles.par_iter().enumerate().map_init(Window::default, filtered).collect();
        // Each row of tiles is a band of the film
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
