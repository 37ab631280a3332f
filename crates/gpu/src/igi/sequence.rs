use std::sync::Arc;

use sunfleck_image::{AovSet, Picture};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{RayCount, ViewSpec, World};

use super::drive::Haste;
use super::streams::{Sink, Streams};
use super::{FrameTimes, IgiRenderer, Order, Recipe};
use crate::{FrameSequence, Gpu, GpuError, SceneMirror};

/// Frames one after the other from a camera that moves. Each computes a part of what a frame by itself has, and takes over what the one before had of the same
/// surfaces: the picture is a mean of some frames.
///
/// Of a world that stays as it is: light that has changed would be seen for some frames as it was. A world that is edited takes a new sequence.
///
/// ```no_run
/// # use sunfleck_gpu::{FrameSequence, GpuError, IgiRenderer, SceneMirror};
/// # use sunfleck_integrators::{ViewSpec, World, igi::Igi};
/// # fn walk(renderer: &IgiRenderer, scene: &SceneMirror, world: &World, views: &[ViewSpec]) -> Result<(), GpuError> {
/// // Pictures are means of eight frames, each with an eighth of the virtual point lights
/// let mut sequence = renderer.sequence(scene, world, &views[0], &Igi::DEFAULT, 8)?;
/// for view in views {
///     sequence.show(view)?;
///     let picture = sequence.picture()?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct IgiSequence {
    gpu: Arc<Gpu>,
    streams: Streams,
    shots: Shots,
}

/// What is seen from where.
#[derive(Debug)]
struct Shots {
    /// The newest, and its number; before the first one what all of them share.
    spec: ViewSpec,
    number: Option<u32>,
}

impl IgiRenderer {
    /// Begins a sequence.
    ///
    /// * `world` — that of `scene`. * `spec` — size of the film, seed, filter of camera rays. * `igi` — what a picture has in the mean: camera rays, virtual point
    ///   lights, photons. * `frames` — of so many frames a picture is a mean, where its surfaces were seen in all of them; 1: of the newest alone.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn sequence(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        frames: u32,
    ) -> Result<IgiSequence, GpuError> {
        let frames = frames.max(1);
        let spec = ViewSpec { aovs: AovSet::EMPTY, ..*spec };
        let recipe = Recipe { igi: igi.part(frames), aovs: AovSet::EMPTY, reuse: Some(frames) };
        let streams = self.streams(&Order { scene, world, spec: &spec, recipe })?;
        Ok(IgiSequence { gpu: self.kernels.gpu.clone(), streams, shots: Shots { spec, number: None } })
    }
}

impl Shots {
    /// Turns to the next frame: returns its number, and the view of the one before.
    fn turn_to(&mut self, view: &ViewSpec) -> (u32, Option<ViewSpec>) {
        let before = self.number.map(|_| self.spec);
        let number = self.number.map_or(0, |number| number.wrapping_add(1));
        self.number = Some(number);
        self.spec.projection = view.projection;
        self.spec.world_from_view = view.world_from_view;
        (number, before)
    }
}

impl IgiSequence {
    /// How often virtual point lights of the newest frame stand for each light: sums of parts, as [`IgiRenderer::light_sums`]. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn light_sums(&self) -> Result<Vec<u32>, GpuError> {
        self.streams.arrays.part_sums.read(&self.gpu)
    }

    /// Seconds that the GPU takes for each stage of the next frames, one after the other; and then of as many more by the clock on the wall. `None` if it has no
    /// time stamps.
    ///
    /// * `view` — of each frame, counted from 0, as [`show`](FrameSequence::show) takes it.
    ///
    /// # Errors
    /// As [`IgiRenderer::render`].
    pub fn time(
        &mut self,
        frames: u32,
        view: impl Fn(u32) -> ViewSpec,
    ) -> Result<Option<FrameTimes>, GpuError> {
        let Self { gpu, streams, shots } = self;
        let mut shown = 0;
        streams.time(gpu, frames, |streams| {
            let (number, before) = shots.turn_to(&view(shown));
            shown += 1;
            streams.begin_after(gpu, number, before.as_ref());
            streams.begin(gpu, &shots.spec, number);
        })
    }
}

impl FrameSequence for IgiSequence {
    fn show(&mut self, view: &ViewSpec) -> Result<RayCount, GpuError> {
        let Self { gpu, streams, shots } = self;
        let (number, before) = shots.turn_to(view);
        streams.begin_after(gpu, number, before.as_ref());
        Ok(streams.add(gpu, &shots.spec, number, Haste::Whole)?.unwrap_or_default())
    }

    fn picture(&self) -> Result<Option<Picture>, GpuError> {
        match (&self.streams.sink, self.shots.number) {
            (Sink::Next(past), Some(number)) => past.picture(&self.gpu, number),
            _ => Ok(None),
        }
    }

    fn vpls(&self) -> usize {
        self.streams.sizes.vpls
    }
}
