use std::sync::Arc;

use sunfleck_image::{Aov, AovSet, Film, Picture};
use sunfleck_integrators::reuse::ChangeMap;
use sunfleck_integrators::{Algorithm, RayCount, ViewSpec, World};
use sunfleck_shaders::layout::{ChangedSquare, MergedStrip, ReuseFrame, View};
use sunfleck_transport::Motion;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

use super::arrays::ReuseArrays;
use super::changes::packed_changes;
use super::frame::packed_frame;
use super::kernels::ReuseKernels;
use super::motions::InstanceMotions;
use crate::buffer::{Array, Readback};
use crate::denoise::{DenoisedFilm, Denoisers};
use crate::film::{FilmSums, MeansKernels, read};
use crate::path::packed_view;
use crate::resources::Resources;
use crate::{Gpu, GpuDenoiseMethod, GpuError, SceneMirror};

/// State of a temporal sequence.
#[derive(Debug)]
pub(crate) struct ReuseState {
    gpu: Arc<Gpu>,
    denoisers: Arc<Denoisers>,
    arrays: ReuseArrays,
    channels: bool,
    /// The newest frame, unless it ended with an error.
    newest: Option<NewestFrame>,
    /// Number of frames.
    frames: u32,
    motions: Option<InstanceMotions>,
}

/// World and view of the newest frame of a sequence.
#[derive(Clone, Debug)]
pub(crate) struct NewestFrame {
    pub(crate) world: Arc<World>,
    pub(crate) spec: ViewSpec,
    algorithm: Algorithm,
    /// Whether its film has features.
    features: bool,
}

/// Frame that is added to a sequence.
pub(crate) struct NewFrame<'a> {
    pub(crate) scene: &'a SceneMirror,
    pub(crate) world: &'a Arc<World>,
    pub(crate) spec: &'a ViewSpec,
    pub(crate) algorithm: &'a Algorithm,
    /// Samples of the frame alone: strips of its film from top to bottom, and their AOVs.
    pub(crate) strips: &'a [&'a FilmSums],
    pub(crate) aovs: AovSet,
    /// Motion since the previous frame; `None` if the world is the same.
    pub(crate) motion: Option<&'a Motion<'a>>,
    /// Change of light since the previous frame; `None` if the world is the same.
    pub(crate) change: Option<&'a ChangeMap>,
}

impl ReuseState {
    /// Begins a sequence of frames of the size of `frame`.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        means: &Arc<MeansKernels>,
        denoisers: &Arc<Denoisers>,
        frame: &NewFrame<'_>,
    ) -> Result<Self, GpuError> {
        let channels = frame.has_channels();
        Ok(Self {
            gpu: gpu.clone(),
            denoisers: denoisers.clone(),
            arrays: ReuseArrays::new(gpu, means, [frame.spec.width, frame.spec.height], channels)?,
            channels,
            newest: None,
            frames: 0,
            motions: None,
        })
    }

    /// Returns whether the arrays are those of a device.
    pub(crate) fn is_on(&self, gpu: &Arc<Gpu>) -> bool {
        Arc::ptr_eq(&self.gpu, gpu)
    }

    /// Returns the previous frame for the next one of a view, if that reuses it, and the number of frames.
    pub(crate) fn previous(&self, spec: &ViewSpec, algorithm: &Algorithm) -> Option<(NewestFrame, u32)> {
        let fits = |frame: &&NewestFrame| frame.spec.has_same_film(spec) && frame.algorithm == *algorithm;
        self.newest.as_ref().filter(fits).map(|frame| (frame.clone(), self.frames))
    }

    /// Returns whether the arrays fit a frame.
    pub(crate) fn fits(&self, frame: &NewFrame<'_>) -> bool {
        self.arrays.size == [frame.spec.width, frame.spec.height] && self.channels == frame.has_channels()
    }

    /// Adds a frame, whose size and channels [fit](Self::fits). Returns the number of rays traced to find surfaces.
    pub(crate) fn add(&mut self, kernels: &ReuseKernels, frame: &NewFrame<'_>) -> Result<RayCount, GpuError> {
        let previous = self.previous(frame.spec, frame.algorithm).map(|(previous, _)| previous);
        // The sequence begins again after an error
        self.newest = None;
        let previous_world = previous.as_ref().map(|previous| &previous.world);
        let motions = match self.motions.take().filter(|known| known.is_of(previous_world, frame.world)) {
            Some(known) => known,
            None => {
                // Of the same world everything is still
                let still = previous_world.map(|previous| frame.world.motion_since(previous));
                let motion = frame.motion.or(still.as_ref());
                InstanceMotions::new(&self.gpu, previous_world, frame.world, motion)?
            }
        };
        let motions = self.motions.insert(motions);
        let traced = submit(&self.gpu, &self.arrays, kernels, motions, previous.as_ref(), frame)?;
        self.arrays.newest = 1 - self.arrays.newest;
        self.frames = self.frames.wrapping_add(1);
        let (world, spec, algorithm) = (frame.world.clone(), *frame.spec, *frame.algorithm);
        let features = frame.aovs.contains(Aov::Features);
        self.newest = Some(NewestFrame { world, spec, algorithm, features });
        Ok(RayCount { intersect: traced.into(), occluded: 0 })
    }

    pub(super) fn picture(&self) -> Result<Option<Picture>, GpuError> {
        self.arrays.means.picture(&self.gpu)
    }

    pub(super) fn denoised(
        &self,
        method: GpuDenoiseMethod,
        albedo: bool,
    ) -> Result<Option<Picture>, GpuError> {
        let strips = [&self.arrays.merged];
        let features = self.newest.as_ref().is_some_and(|frame| frame.features);
        let film = DenoisedFilm { strips: &strips, size: self.arrays.size, features, albedo };
        self.denoisers.denoise(&self.gpu, method, &film)
    }

    pub(super) fn film(&self) -> Result<Film, GpuError> {
        let [width, height] = self.arrays.size;
        let features = self.newest.as_ref().is_some_and(|frame| frame.features);
        let aovs = if features { AovSet::EMPTY.with(Aov::Features) } else { AovSet::EMPTY };
        let mut film = Film::new(width, height, aovs);
        read(&self.gpu, &[&self.arrays.merged], &mut film)?;
        Ok(film)
    }

    pub(super) fn frame_counts(&self) -> Result<Vec<f32>, GpuError> {
        self.arrays.frame_counts.read(&self.gpu)
    }
}

impl NewFrame<'_> {
    fn has_channels(&self) -> bool {
        self.strips.iter().all(|strip| strip.channels.is_some())
    }
}

/// Arrays that a frame needs beside those of the sequence.
struct FrameArrays {
    parameters: Array<ReuseFrame>,
    view: Array<View>,
    changes: Array<ChangedSquare>,
    ray_count: Array<u32>,
}

impl FrameArrays {
    fn new(gpu: &Gpu, frame: &NewFrame<'_>, previous: Option<&NewestFrame>) -> Result<Self, GpuError> {
        let squares = frame.change.map(packed_changes).unwrap_or_default();
        let map = frame.change.map_or([0; 2], ChangeMap::size);
        let parameters = packed_frame(frame.spec, previous.map(|previous| &previous.spec), frame.aovs, map);
        Ok(Self {
            parameters: Array::new(gpu, "frames", &[parameters])?,
            view: Array::new(gpu, "views", &[packed_view(frame.spec, 0, 0)])?,
            changes: Array::new(gpu, "changes of light", &squares)?,
            ray_count: Array::zeroed(gpu, "numbers of rays", 1)?,
        })
    }

    /// Returns the resources of both passes, but for those of a strip.
    fn resources<'a>(
        &'a self,
        frame: &NewFrame<'a>,
        arrays: &'a ReuseArrays,
        motions: &'a InstanceMotions,
    ) -> Resources<'a> {
        let mut resources = frame.scene.resources();
        resources.extend([
            ("frame", &self.parameters.buffer),
            ("view", &self.view.buffer),
            ("motions", &motions.instances.buffer),
            ("previous_positions", &motions.positions.buffer),
            ("changes", &self.changes.buffer),
            ("ray_count", &self.ray_count.buffer),
            ("surfaces", &arrays.surfaces.buffer),
            ("history", &arrays.histories[arrays.newest].buffer),
            ("next_history", &arrays.histories[1 - arrays.newest].buffer),
            ("merged", &arrays.merged.pixels.buffer),
            ("frame_counts", &arrays.frame_counts.buffer),
        ]);
        resources.extend(arrays.merged.channels.iter().map(|channels| ("merged_channels", &channels.buffer)));
        resources
    }
}

/// Submits the passes of a frame, and waits for them. Returns the number of rays.
fn submit(
    gpu: &Gpu,
    arrays: &ReuseArrays,
    kernels: &ReuseKernels,
    motions: &InstanceMotions,
    previous: Option<&NewestFrame>,
    frame: &NewFrame<'_>,
) -> Result<u32, GpuError> {
    let frame_arrays = FrameArrays::new(gpu, frame, previous)?;
    let common = frame_arrays.resources(frame, arrays, motions);
    let surfaces = kernels.surfaces()?;
    let merge = kernels.merge(frame.has_channels())?;
    let read = Readback::<u32>::new(gpu, "numbers of rays", 1)?;
    let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
    surfaces.record(gpu, &mut pass, &surfaces.bind(gpu, &common)?, arrays.surfaces.len());
    let mut first = 0;
    for strip in frame.strips {
        let begin = MergedStrip { first, ..MergedStrip::default() };
        let begin = Array::new(gpu, "strips of films", &[begin])?;
        let mut resources: Resources<'_> = common.clone();
        resources.extend([("strip", &begin.buffer), ("film", &strip.pixels.buffer)]);
        resources.extend(strip.channels.iter().map(|channels| ("channels", &channels.buffer)));
        merge.record(gpu, &mut pass, &merge.bind(gpu, &resources)?, strip.pixels.len());
        first += u32::try_from(strip.pixels.len()).unwrap_or(u32::MAX);
    }
    drop(pass);
    read.record(&mut encoder, &frame_arrays.ray_count.buffer);
    gpu.queue.submit([encoder.finish()]);
    read.request();
    gpu.wait()?;
    read.read(|count| count.first().copied().unwrap_or_default())
}
