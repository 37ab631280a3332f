use super::FrameStreams;
use super::frame_passes::FramePass;
use crate::Gpu;
use crate::pipeline::Pipeline;
use crate::timing::{StageTime, Timestamps};

/// A stage of a frame, for timings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgiStage {
    /// Choice of lights, virtual point lights, photons, and the bound of geometry terms.
    Lights,
    /// Camera rays.
    Primary,
    /// First surfaces.
    Surfaces,
    /// Shadow rays, shading, and caustics.
    Light,
    /// Specular and glossy reflections and refractions, including their illumination.
    Sharp,
    /// Reduction of rays to pixels, the discontinuity filter, and the film.
    Filter,
}

impl IgiStage {
    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lights => "lights",
            Self::Primary => "primary",
            Self::Surfaces => "surfaces",
            Self::Light => "light",
            Self::Sharp => "sharp",
            Self::Filter => "filter",
        }
    }

    /// All stages, in their order.
    pub const ALL: [Self; 6] =
        [Self::Lights, Self::Primary, Self::Surfaces, Self::Light, Self::Sharp, Self::Filter];
}

/// A pass with its bindings.
#[derive(Debug)]
pub(super) struct BoundPass {
    pub(super) frame_pass: &'static FramePass,
    pub(super) pipeline: Pipeline,
    /// Bindings: one for all bands, or one for each band.
    pub(super) groups: Vec<wgpu::BindGroup>,
}

/// A dispatch of a pass in a band.
pub(super) struct PassDispatch<'a> {
    bound: &'a BoundPass,
    group: &'a wgpu::BindGroup,
    items: usize,
    /// Whether it starts a command buffer: see [`frame_passes`](super::frame_passes).
    starts_command_buffer: bool,
}

impl PassDispatch<'_> {
    fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>) {
        self.bound.pipeline.record(gpu, pass, self.group, self.items);
    }
}

/// Submits passes: with `stamps`, each in its own compute pass, so that none overlap; otherwise in one compute pass per
/// command buffer.
pub(super) fn submit(gpu: &Gpu, steps: &[PassDispatch<'_>], stamps: Option<&Timestamps>) {
    let encoder = || gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let Some(stamps) = stamps else {
        // Separate command buffers, since wgpu inserts a barrier when a buffer is used again in the same command buffer
        let command_buffers = steps.chunk_by(|_, next| !next.starts_command_buffer).map(|passes| {
            let mut encoder = encoder();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            passes.iter().for_each(|step| step.record(gpu, &mut pass));
            drop(pass);
            encoder.finish()
        });
        gpu.queue.submit(command_buffers.collect::<Vec<_>>());
        return;
    };
    let mut encoder = encoder();
    for (i, step) in (0..).zip(steps) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(stamps.of_pass(i)),
        });
        step.record(gpu, &mut pass);
    }
    stamps.resolve(&mut encoder);
    gpu.queue.submit([encoder.finish()]);
}

/// Returns the seconds of each stage, summed over the passes of all bands.
pub(super) fn add_up(bands: &[Vec<PassDispatch<'_>>], seconds: &[f64]) -> Vec<StageTime> {
    let sum = |stage| {
        let of_stage =
            bands.iter().flatten().zip(seconds).filter(|(step, _)| step.bound.frame_pass.stage == stage);
        of_stage.map(|(_, seconds)| seconds).sum()
    };
    IgiStage::ALL.iter().map(|&stage| StageTime { name: stage.name(), seconds: sum(stage) }).collect()
}

impl FrameStreams {
    /// Passes of a band before illumination. In the first band these include the choice of lights and the bound of
    /// geometry terms.
    pub(super) fn beginning(&self, band: usize) -> Vec<PassDispatch<'_>> {
        self.steps(0, band)
    }

    /// Passes of a band that illuminate first surfaces and continued paths.
    pub(super) fn light(&self, band: usize) -> Vec<PassDispatch<'_>> {
        self.steps(1, band)
    }

    /// Passes of a band that compute the image and add it to the film or to the previous frame.
    pub(super) fn end(&self, band: usize) -> Vec<PassDispatch<'_>> {
        self.steps(2, band)
    }

    /// All passes of a band of a frame.
    pub(super) fn whole(&self, band: usize) -> Vec<PassDispatch<'_>> {
        (0..self.phases.len()).flat_map(|phase| self.steps(phase, band)).collect()
    }

    fn steps(&self, phase: usize, band: usize) -> Vec<PassDispatch<'_>> {
        let of_band =
            self.phases[phase].iter().filter(|bound| band == 0 || !bound.frame_pass.first_band_only);
        let steps = of_band.filter_map(|bound| {
            let group = bound.groups.get(band).or(bound.groups.first())?;
            let (items, starts_command_buffer) =
                ((bound.frame_pass.items)(&self.sizes), bound.frame_pass.starts_command_buffer_in(band));
            Some(PassDispatch { bound, group, items, starts_command_buffer })
        });
        steps.collect()
    }
}
