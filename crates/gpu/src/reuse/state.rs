use std::sync::Arc;

use sunfleck_image::{Aov, AovSet, Film, Picture};
use sunfleck_integrators::reuse::ChangeMap;
use sunfleck_integrators::{Algorithm, RayCount, ViewSpec, World};
use sunfleck_shaders::layout::MergedStrip;
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
    /// The newest frame.
    kept: Option<KeptView>,
    /// Number of frames.
    frames: u32,
    motions: Option<InstanceMotions>,
}

/// World and view of a frame.
#[derive(Clone, Debug)]
pub(crate) struct KeptView {
    pub(crate) world: Arc<World>,
    pub(crate) spec: ViewSpec,
    algorithm: Algorithm,
    /// Whether its film has features.
    features: bool,
}

/// A frame that is added to a sequence.
pub(crate) struct NewFrame<'a> {
    pub(crate) scene: &'a SceneMirror,
    pub(crate) world: &'a Arc<World>,
    pub(crate) spec: &'a ViewSpec,
    pub(crate) algorithm: &'a Algorithm,
    /// Samples of the frame alone: strips of its film from top to bottom, and their AOVs.
    pub(crate) strips: &'a [&'a FilmSums],
    pub(crate) aovs: AovSet,
    /// Change of light since the frame before; `None` if it cannot have changed.
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
            kept: None,
            frames: 0,
            motions: None,
        })
    }

    /// Returns whether the arrays are those of a device.
    pub(crate) fn is_on(&self, gpu: &Arc<Gpu>) -> bool {
        Arc::ptr_eq(&self.gpu, gpu)
    }

    /// Returns the frame before, if the next one of a view reuses it, and the number of frames.
    pub(crate) fn before(&self, spec: &ViewSpec, algorithm: &Algorithm) -> Option<(KeptView, u32)> {
        let fits = |kept: &&KeptView| kept.spec.has_same_film(spec) && kept.algorithm == *algorithm;
        self.kept.as_ref().filter(fits).map(|kept| (kept.clone(), self.frames))
    }

    /// Returns whether the arrays fit a frame.
    pub(crate) fn fits(&self, frame: &NewFrame<'_>) -> bool {
        self.arrays.size == [frame.spec.width, frame.spec.height] && self.channels == frame.has_channels()
    }

    /// Adds a frame, whose size and channels [fit](Self::fits). Returns the number of rays traced to find surfaces.
    pub(crate) fn add(&mut self, kernels: &ReuseKernels, frame: &NewFrame<'_>) -> Result<RayCount, GpuError> {
        let before = self.before(frame.spec, frame.algorithm).map(|(before, _)| before);
        // The sequence begins again after an error
        self.kept = None;
        let earlier = before.as_ref().map(|before| &before.world);
        let motions = match self.motions.take().filter(|known| known.is_of(earlier, frame.world)) {
            Some(known) => known,
            None => {
                let motion = earlier.map(|earlier| frame.world.motion_since(earlier));
                InstanceMotions::new(&self.gpu, earlier, frame.world, motion.as_ref())?
            }
        };
        let motions = self.motions.insert(motions);
        let traced = submit(&self.gpu, &self.arrays, kernels, motions, before.as_ref(), frame)?;
        self.arrays.newest = 1 - self.arrays.newest;
        self.frames = self.frames.wrapping_add(1);
        let (world, spec, algorithm) = (frame.world.clone(), *frame.spec, *frame.algorithm);
        let features = frame.aovs.contains(Aov::Features);
        self.kept = Some(KeptView { world, spec, algorithm, features });
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
        let features = self.kept.as_ref().is_some_and(|kept| kept.features);
        let film = DenoisedFilm { strips: &strips, size: self.arrays.size, features, albedo };
        self.denoisers.denoise(&self.gpu, method, &film)
    }

    pub(super) fn film(&self) -> Result<Film, GpuError> {
        let [width, height] = self.arrays.size;
        let features = self.kept.as_ref().is_some_and(|kept| kept.features);
        let aovs = if features { AovSet::EMPTY.with(Aov::Features) } else { AovSet::EMPTY };
        let mut film = Film::new(width, height, aovs);
        read(&self.gpu, &[&self.arrays.merged], &mut film)?;
        Ok(film)
    }

    pub(super) fn frames(&self) -> Result<Vec<f32>, GpuError> {
        self.arrays.frame_counts.read(&self.gpu)
    }
}

impl NewFrame<'_> {
    fn has_channels(&self) -> bool {
        self.strips.iter().all(|strip| strip.channels.is_some())
    }
}

/// Submits the passes of a frame, and waits for them. Returns the number of rays.
fn submit(
    gpu: &Gpu,
    arrays: &ReuseArrays,
    kernels: &ReuseKernels,
    motions: &InstanceMotions,
    before: Option<&KeptView>,
    frame: &NewFrame<'_>,
) -> Result<u32, GpuError> {
    let squares = frame.change.map(packed_changes).unwrap_or_default();
    let map = frame.change.map_or([0; 2], ChangeMap::size);
    let parameters = packed_frame(frame.spec, before.map(|before| &before.spec), frame.aovs, map);
    let parameters = Array::new(gpu, "frames", &[parameters])?;
    let view = Array::new(gpu, "views", &[packed_view(frame.spec, 0, 0)])?;
    let changes = Array::new(gpu, "changes of light", &squares)?;
    let ray_count: Array<u32> = Array::zeroed(gpu, "numbers of rays", 1)?;
    let mut common = frame.scene.resources();
    common.extend([
        ("frame", &parameters.buffer),
        ("view", &view.buffer),
        ("motions", &motions.instances.buffer),
        ("earlier_positions", &motions.positions.buffer),
        ("changes", &changes.buffer),
        ("ray_count", &ray_count.buffer),
        ("surfaces", &arrays.surfaces.buffer),
        ("earlier", &arrays.kept[arrays.newest].buffer),
        ("kept", &arrays.kept[1 - arrays.newest].buffer),
        ("merged", &arrays.merged.pixels.buffer),
        ("frame_counts", &arrays.frame_counts.buffer),
    ]);
    common.extend(arrays.merged.channels.iter().map(|channels| ("merged_channels", &channels.buffer)));

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
    read.record(&mut encoder, &ray_count.buffer);
    gpu.queue.submit([encoder.finish()]);
    read.request();
    gpu.wait()?;
    read.read(|count| count.first().copied().unwrap_or_default())
}
