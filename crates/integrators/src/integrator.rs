//! The interface that every algorithm implements. The driver, the engine and front ends use algorithms only by this
//! interface.

use std::any::Any;
use std::fmt;

use fearless_simd::Level;
use sunfleck_image::{AovSet, Film, FilmTile, TileRect};
use sunfleck_scene::parameter::Parameters;
use sunfleck_transport::World;

use crate::Algorithm;
use crate::algorithm::RefusedWorld;
use crate::stage_times::StageTimes;
use crate::tile_light::TileLight;
use crate::view::{RayCount, SampleId, View};

/// A light transport algorithm, implemented by the type of its parameters. A row of the table of [`Algorithm`]s
/// registers it.
pub(crate) trait Integrator: Any + Parameters + fmt::Debug {
    /// Returns the name on the command line and in files, such as `path`.
    fn name(&self) -> &'static str;

    /// Returns a description: one sentence without an initial capital and a full stop.
    fn summary(&self) -> &'static str;

    /// Returns the named presets.
    fn presets(&self) -> Vec<(&'static str, Algorithm)> {
        Vec::new()
    }

    /// Returns the AOVs that the algorithm can record.
    fn channels(&self) -> AovSet {
        AovSet::ALL
    }

    /// Returns whether images depend on the lights of the scene.
    fn uses_lights(&self) -> bool {
        true
    }

    /// Returns whether images show values in false colours instead of light.
    fn shows_false_colors(&self) -> bool {
        false
    }

    /// Returns whether light is stored in the world, so that a pixel costs little more than its camera ray.
    fn has_stored_light(&self) -> bool {
        false
    }

    /// Returns the algorithm that replaces this one while the camera or the scene moves; `None` stands for instant
    /// global illumination on a GPU, and for path tracing on the CPU.
    ///
    /// * `on_gpu` — whether a GPU renders. The CPU interpolates light of few pixels, which suits algorithms whose
    ///   errors are noise of independent pixels.
    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        None
    }

    /// Returns the relative cost of a pass per pixel, in shadow rays; `None` if [`cheaper`](Self::cheaper) is not
    /// implemented.
    fn cost(&self) -> Option<f64> {
        None
    }

    /// Returns this algorithm with the most expensive parameter halved; `None` if nothing can be reduced.
    fn cheaper(&self) -> Option<Algorithm> {
        None
    }

    /// Returns the number of samples per pixel in one frame, by which front ends multiply numbers of frames.
    fn samples_per_frame(&self) -> u32 {
        1
    }

    /// Returns the filter of an algorithm whose passes are frames. A frame is one sample of each pixel; it is rendered
    /// in tiles of the filter's size, which the filter combines at the end.
    fn frame_filter(&self) -> Option<&dyn FrameFilter> {
        None
    }

    /// Returns why the algorithm cannot render a world, if it cannot.
    fn check_world(&self, _world: &World) -> Result<(), RefusedWorld> {
        Ok(())
    }

    /// Computes the data that all tiles of a pass share.
    ///
    /// * `first_sample` — index of the first sample of the pass.
    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, first_sample: u32) -> PreparedIntegrator<'a>;
}

/// Screen-space filter over all tiles of a frame.
pub(crate) trait FrameFilter {
    /// Returns the edge length of tiles, pixels.
    fn tile_size(&self) -> u32;

    /// Filters frame number `pass` and adds it to a film as one sample of each pixel.
    ///
    /// * `tiles` — all tiles of the film, row by row.
    fn finish(&self, level: Level, pass: u32, tiles: &[TileLight], film: &mut Film);
}

/// An algorithm prepared for the tiles of a pass.
#[derive(Debug)]
pub(crate) enum PreparedIntegrator<'a> {
    /// Adds samples to the film directly.
    Sums(Box<dyn AddSamples + 'a>),
    /// Computes tiles for [`Integrator::frame_filter`].
    Light(Box<dyn LightFrame + 'a>),
}

/// Algorithm that adds samples to the film, tile by tile.
pub(crate) trait AddSamples: fmt::Debug + Sync {
    /// Computes samples and adds them to the sums of their pixels. Returns the number of rays traced.
    fn add(&self, samples: &[SampleId], sums: &mut FilmTile, times: &mut StageTimes) -> RayCount;
}

/// A frame whose tiles are filtered before they are added to the film.
pub(crate) trait LightFrame: fmt::Debug + Sync {
    /// Returns the number of virtual point lights.
    fn vpl_count(&self) -> usize;

    /// Makes a worker of one thread.
    fn worker(&self) -> Box<dyn LightWorker + '_>;
}

/// Computes tiles one after another and reuses the allocations.
pub(crate) trait LightWorker: fmt::Debug {
    /// Computes the unfiltered light of a tile.
    fn tile(&mut self, rect: TileRect, times: &mut StageTimes) -> TileLight;
}
