//! Instant Global Illumination as kernels over streams: the twin of `integrators::igi`, with the same decisions from the same random numbers.
//!
//! ```text
//! coarse picture ▶ lights chosen ▶ walk ▶ VPLs ──┐  and photons of caustics in a hash grid
//! camera rays ▶ first surfaces ▶ points ▶ shadow rays and shading ▶ sums ▶ resolve ▶ discontinuity filter ▶ picture
//!                    └▶ sharp lobes ▶ intersect ▶ surfaces ▶ points ─┘
//! ```
//!
//! A frame that fits is one submission, larger ones go in bands: see `bands.rs`. Pixels stand in the order of their sets, 8 × 8 of one set to a group of
//! threads; see `shaders/igi/frame.wesl`. Frames are added up on the GPU.

mod bands;
mod drive;
mod frame;
mod kernels;
mod links;
mod past;
mod photons;
mod sequence;
mod stages;
mod streams;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Observer, Outcome, RayCount, StopRules, View, ViewSpec, World};
use sunfleck_shaders::layout::Vpl;

use crate::path::Supply;
use crate::timing::{StageTime, Stamps};
use crate::{Gpu, GpuError, SceneMirror};
use kernels::Kernels;
pub use sequence::IgiSequence;
pub use stages::Stage;
use stages::Step;
use streams::Streams;

/// How frames are made; nothing here changes a bit of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgiOptions {
    /// Bytes that an array takes at most; larger frames are made in bands. `None`: as many as the GPU says.
    pub binding_bytes: Option<u64>,
}

/// The stages, compiled for worlds of some depth.
#[derive(Debug)]
pub struct IgiRenderer {
    gpu: Arc<Gpu>,
    kernels: Kernels,
    options: IgiOptions,
}

impl IgiRenderer {
    /// For worlds no deeper than that of `scene`; and with surfaces that are not there everywhere only if that has such.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Self::with_options(gpu, scene, IgiOptions::default())
    }

    /// The same, in other bands.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Arc<Gpu>, scene: &SceneMirror, options: IgiOptions) -> Result<Self, GpuError> {
        Ok(Self { gpu: gpu.clone(), kernels: Kernels::new(gpu, scene)?, options })
    }

    /// Renders frames into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced.
    ///
    /// * `world` — that of `scene`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if some surface is see-through and the kernels are for worlds without such; [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let order = Order { scene, world, spec, igi, aovs: film.aovs(), reuse: None };
        let streams = self.streams(&order)?;
        self.drive(&streams, &order, film, 0, stop, cancel, observer, None)
    }

    /// As [`render`](Self::render), the frames from number `first` on that `supply` gives out.
    pub(crate) fn render_some(
        &self,
        scene: &SceneMirror,
        view: &View<'_>,
        igi: &Igi,
        film: &mut Film,
        first: u32,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: &dyn Supply,
    ) -> Result<Outcome, GpuError> {
        let order =
            Order { scene, world: view.world(), spec: view.spec(), igi, aovs: film.aovs(), reuse: None };
        let streams = self.streams(&order)?;
        self.drive(&streams, &order, film, first, stop, cancel, observer, Some(supply))
    }

    /// The virtual point lights of frame number `pass`, in the order of shares; some may be [`Vpl::NONE`].
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn virtual_lights(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        pass: u32,
    ) -> Result<Vec<Vpl>, GpuError> {
        let order = Order { scene, world, spec, igi, aovs: AovSet::EMPTY, reuse: None };
        self.begun(&order, pass)?.vpls.read(&self.gpu)
    }

    /// How often virtual point lights of frame number `pass` stand for each light: sums of parts, of no light, of the first, of the first two …
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn light_sums(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        pass: u32,
    ) -> Result<Vec<u32>, GpuError> {
        let order = Order { scene, world, spec, igi, aovs: AovSet::EMPTY, reuse: None };
        self.begun(&order, pass)?.part_sums.read(&self.gpu)
    }

    /// Frame number `pass` up to the light of first surfaces, of the first band.
    fn begun(&self, order: &Order<'_>, pass: u32) -> Result<Streams<'_>, GpuError> {
        let streams = self.streams(order)?;
        streams.begin(&self.gpu, order, pass);
        streams.begin_band(&self.gpu, 0);
        self.submit(&streams.beginning(0), None);
        Ok(streams)
    }

    /// Seconds that the GPU takes for each stage of `frames` frames, one after the other; `None` if it has no time stamps.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn time(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        frames: u32,
    ) -> Result<Option<FrameTimes>, GpuError> {
        let order = Order { scene, world, spec, igi, aovs: AovSet::EMPTY, reuse: None };
        let streams = self.streams(&order)?;
        streams.begin(&self.gpu, &order, 0);
        self.time_frames(&streams, frames, |_| ())
    }

    /// As [`time`](Self::time).
    ///
    /// * `begin` — sets out for a frame.
    fn time_frames(
        &self,
        streams: &Streams<'_>,
        frames: u32,
        mut begin: impl FnMut(&Streams<'_>),
    ) -> Result<Option<FrameTimes>, GpuError> {
        let bands: Vec<_> = (0..streams.bands()).map(|band| streams.whole(band)).collect();
        let mut stamps = Vec::new();
        for steps in &bands {
            let Some(of_band) = Stamps::new(&self.gpu, u32::try_from(steps.len()).unwrap_or(0))? else {
                return Ok(None);
            };
            stamps.push(of_band);
        }
        let mut times = FrameTimes::default();
        for _ in 0..frames {
            begin(streams);
            let mut seconds = Vec::new();
            times.rays = RayCount::default();
            for (band, (steps, stamps)) in bands.iter().zip(&stamps).enumerate() {
                streams.begin_band(&self.gpu, band);
                self.submit(steps, Some(stamps));
                seconds.extend(stamps.read(&self.gpu)?);
                times.rays += streams.rays(&self.gpu, band)?;
            }
            times.frames.push(stages::add_up(&bands, &seconds));
        }

        // Without time stamps, one submission after the other, as a program would that shows frames
        self.gpu.wait()?;
        let start = Instant::now();
        for _ in 0..frames {
            begin(streams);
            for (band, steps) in bands.iter().enumerate() {
                streams.begin_band(&self.gpu, band);
                self.submit(steps, None);
            }
        }
        self.gpu.wait()?;
        times.wall.push(start.elapsed().as_secs_f64() / f64::from(frames.max(1)));
        Ok(Some(times))
    }

    fn streams(&self, order: &Order<'_>) -> Result<Streams<'_>, GpuError> {
        self.kernels.check(order.scene)?;
        let limit = self.options.binding_bytes.unwrap_or(u64::MAX).min(self.gpu.most_bytes());
        Streams::new(&self.gpu, &self.kernels, order, limit)
    }

    /// Submits kernels: all in one pass, or each in its own with time stamps around it.
    fn submit(&self, steps: &[Step<'_>], stamps: Option<&Stamps>) {
        let gpu = &self.gpu;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        match stamps {
            None => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                steps.iter().for_each(|step| step.record(gpu, &mut pass));
            }
            Some(stamps) => {
                for (i, step) in (0..).zip(steps) {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: None,
                        timestamp_writes: Some(stamps.of_pass(i)),
                    });
                    step.record(gpu, &mut pass);
                }
                stamps.resolve(&mut encoder);
            }
        }
        gpu.queue.submit([encoder.finish()]);
    }
}

/// A picture that somebody wants.
#[derive(Clone, Copy)]
struct Order<'a> {
    scene: &'a SceneMirror,
    /// That of `scene`.
    world: &'a World,
    spec: &'a ViewSpec,
    igi: &'a Igi,
    /// Channels of the film.
    aovs: AovSet,
    /// If frames are no samples of one picture but each takes over what it can from the one before: of so many a picture is a mean.
    reuse: Option<u32>,
}

impl Order<'_> {
    /// The frame that number `pass` is treated as: frames of a picture are filtered, and take photons from afar, less and less; frames of a sequence all
    /// alike.
    fn like(&self, pass: u32) -> u32 {
        if self.reuse.is_some() { 0 } else { pass }
    }
}

/// What frames cost.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes {
    /// Of each frame the stages, by the time stamps of the GPU, each in a pass of its own.
    pub frames: Vec<Vec<StageTime>>,
    /// Seconds of wall time for a frame where one follows the other and all stages are one pass.
    pub wall: Vec<f64>,
    /// Of one frame, camera rays left out.
    pub rays: RayCount,
}
