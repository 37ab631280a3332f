use std::sync::Arc;

use sunfleck_image::{AovSet, Picture};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{RayCount, ViewSpec, World};

use super::render_loop::Cancellation;
use super::streams::{FrameSink, FrameStreams};
use super::{FrameTimes, IgiRenderer, IgiRequest, IgiSettings};
use crate::{FrameSequence, Gpu, GpuError, SceneMirror};

/// Temporal sequence of Instant Global Illumination: frames of a moving camera. Each frame computes a part of what a
/// separate frame would, and reuses the previous one where it saw the same surfaces: the image is a mean over several
/// frames.
///
/// The world must not change, since light that has changed would remain visible for some frames. A world that is edited
/// requires a new sequence.
///
/// ```no_run
/// # use sunfleck_gpu::{FrameSequence, GpuError, IgiRenderer, SceneMirror};
/// # use sunfleck_integrators::{ViewSpec, World, igi::Igi};
/// # fn walk(renderer: &IgiRenderer, scene: &SceneMirror, world: &World, views: &[ViewSpec]) -> Result<(), GpuError> {
/// // Images are means of eight frames, each with an eighth of the virtual point lights
/// let mut sequence = renderer.sequence(scene, world, &views[0], &Igi::DEFAULT, 8)?;
/// for view in views {
///     sequence.show(view)?;
///     let image = sequence.picture()?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct IgiSequence {
    gpu: Arc<Gpu>,
    streams: FrameStreams,
    state: SequenceState,
}

/// View and number of the newest frame.
#[derive(Debug)]
struct SequenceState {
    /// View of the newest frame; before the first one, the settings that all frames share.
    spec: ViewSpec,
    number: Option<u32>,
}

impl IgiRenderer {
    /// Starts a temporal sequence.
    ///
    /// * `world` — the world of `scene`.
    /// * `spec` — size of the film, seed, filter of camera rays.
    /// * `igi` — settings of an image, whose camera rays, virtual point lights and photons are divided among its
    ///   frames.
    /// * `frames` — number of frames over which an image is averaged, where its surfaces were visible in all of them; 1
    ///   shows the newest frame alone.
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
        let settings = IgiSettings { igi: igi.part(frames), aovs: AovSet::EMPTY, reuse: Some(frames) };
        let streams = self.streams(&IgiRequest { scene, world, spec: &spec, settings })?;
        Ok(IgiSequence {
            gpu: self.kernels.gpu.clone(),
            streams,
            state: SequenceState { spec, number: None },
        })
    }
}

impl SequenceState {
    /// Advances to the next frame; returns its number, and the view of the previous one.
    fn advance(&mut self, view: &ViewSpec) -> (u32, Option<ViewSpec>) {
        let before = self.number.map(|_| self.spec);
        let number = self.number.map_or(0, |number| number.wrapping_add(1));
        self.number = Some(number);
        self.spec.projection = view.projection;
        self.spec.world_from_view = view.world_from_view;
        (number, before)
    }
}

impl IgiSequence {
    /// Returns how the VPLs of the newest frame are distributed over the lights, as [`IgiRenderer::light_sums`]. Waits
    /// for the GPU.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn light_sums(&self) -> Result<Vec<u32>, GpuError> {
        self.streams.arrays.part_sums.read(&self.gpu)
    }

    /// Measures the GPU time of each stage of the next `frames` frames, then the wall time of the same number of
    /// frames. `None` if the GPU has no timestamps.
    ///
    /// * `view` — view of each frame, counted from 0, as [`show`](FrameSequence::show) takes it.
    ///
    /// # Errors
    /// As [`IgiRenderer::render`].
    pub fn time(
        &mut self,
        frames: u32,
        view: impl Fn(u32) -> ViewSpec,
    ) -> Result<Option<FrameTimes>, GpuError> {
        let Self { gpu, streams, state } = self;
        let mut shown = 0;
        streams.time(gpu, frames, |streams| {
            let (number, before) = state.advance(&view(shown));
            shown += 1;
            streams.begin_after(gpu, number, before.as_ref());
            streams.begin(gpu, &state.spec, number);
        })
    }
}

impl FrameSequence for IgiSequence {
    fn show(&mut self, view: &ViewSpec) -> Result<RayCount, GpuError> {
        let Self { gpu, streams, state } = self;
        let (number, before) = state.advance(view);
        streams.begin_after(gpu, number, before.as_ref());
        Ok(streams.add(gpu, &state.spec, number, Cancellation::Never)?.unwrap_or_default())
    }

    fn picture(&self) -> Result<Option<Picture>, GpuError> {
        match (&self.streams.sink, self.state.number) {
            (FrameSink::History(history), Some(number)) => history.picture(&self.gpu, number),
            _ => Ok(None),
        }
    }

    fn vpls(&self) -> usize {
        self.streams.sizes.vpls
    }
}
