//! What the driver, the engine and front ends have to know of an algorithm; everything else stays in its own folder.

use std::any::Any;
use std::fmt;

use fearless_simd::Level;
use sunfleck_image::{AovSet, Film, FilmTile, TileRect};
use sunfleck_scene::parameter::Parameters;

use crate::Algorithm;
use crate::stage_times::StageTimes;
use crate::tile_light::TileLight;
use crate::view::{RayCount, TileSamples, View};

/// An algorithm, implemented by its parameters. A row of the table of [`Algorithm`]s registers it.
pub(crate) trait Integrator: Any + Parameters + fmt::Debug {
    /// On the command line and in files, such as `path`.
    fn name(&self) -> &'static str;

    /// One sentence, without a capital and a full stop.
    fn summary(&self) -> &'static str;

    /// Parameters that go together, by name.
    fn presets(&self) -> Vec<(&'static str, Algorithm)> {
        Vec::new()
    }

    /// The channels that it can record beside radiance.
    fn channels(&self) -> AovSet {
        AovSet::ALL
    }

    /// Whether its pictures depend on the lights of the scene.
    fn uses_lights(&self) -> bool {
        true
    }

    /// What stands in for it while a camera or the scene moves; `None`: instant global illumination.
    ///
    /// * `on_gpu` — a GPU renders: then nothing has to be left out.
    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        None
    }

    /// Relative cost of a pass per pixel, in shadow rays, of algorithms that [`cheaper`](Self::cheaper) makes cheaper; `None` of others.
    fn cost(&self) -> Option<f64> {
        None
    }

    /// The same with what costs most halved; `None` if nothing can be left out.
    fn cheaper(&self) -> Option<Algorithm> {
        None
    }

    /// The filter of an algorithm whose passes are frames: one sample of each pixel, in tiles of the filter's size, whose light it mixes at last.
    fn frame_filter(&self) -> Option<&dyn FrameFilter> {
        None
    }

    /// Computes what all tiles of a pass share.
    ///
    /// * `first_sample` — number of the pass's first sample.
    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, first_sample: u32) -> Prepared<'a>;
}

/// Puts frames together.
pub(crate) trait FrameFilter {
    /// Edge of the tiles that it works on, pixels.
    fn tile_size(&self) -> u32;

    /// Filters frame number `pass`, and adds it to a film as one sample of each pixel.
    ///
    /// * `tiles` — all of the film, row by row.
    fn finish(&self, level: Level, pass: u32, tiles: &[TileLight], film: &mut Film);
}

/// An algorithm that is ready for the tiles of a pass.
#[derive(Debug)]
pub(crate) enum Prepared<'a> {
    /// Samples go straight to the film.
    Sums(Box<dyn AddSamples + 'a>),
    /// Tiles are light that [`Integrator::frame_filter`] mixes.
    Light(Box<dyn LightFrame + 'a>),
}

/// Computes samples, one tile after the other.
pub(crate) trait AddSamples: fmt::Debug + Sync {
    /// Adds samples to the sums of their pixels.
    fn add(&self, samples: &TileSamples, sums: &mut FilmTile, times: &mut StageTimes) -> RayCount;
}

/// A frame in the making.
pub(crate) trait LightFrame: fmt::Debug + Sync {
    /// How many virtual point lights there are.
    fn vpl_count(&self) -> usize;

    /// A worker, which computes one tile after another.
    fn worker(&self) -> Box<dyn LightWorker + '_>;
}

/// Computes the light of tiles; keeps memory from one for the next.
pub(crate) trait LightWorker: fmt::Debug {
    /// The light of a tile.
    fn tile(&mut self, rect: TileRect, times: &mut StageTimes) -> TileLight;
}
