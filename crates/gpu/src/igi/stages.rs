use super::Streams;
use super::rows::Row;
use crate::Gpu;
use crate::pipeline::Pipeline;
use crate::timing::{StageTime, Stamps};

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgiStage {
    /// Which lights matter, virtual point lights, photons, and how far the camera sees.
    Lights,
    /// Camera rays.
    Primary,
    /// First surfaces.
    Surfaces,
    /// Shadow rays and shading, caustics.
    Light,
    /// What is seen in mirrors, glass and highlights, its light included.
    Sharp,
    /// From rays to pixels, the discontinuity filter, and the film.
    Filter,
}

impl IgiStage {
    /// For tables.
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

    /// In their order.
    pub const ALL: [Self; 6] =
        [Self::Lights, Self::Primary, Self::Surfaces, Self::Light, Self::Sharp, Self::Filter];
}

/// A pass with what it reads and writes.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) row: &'static Row,
    pub(super) pipeline: Pipeline,
    /// Of all bands, or of each of them.
    pub(super) groups: Vec<wgpu::BindGroup>,
}

/// A pass of a band, and how many items it has.
pub(super) struct Step<'a> {
    bound: &'a Bound,
    group: &'a wgpu::BindGroup,
    items: usize,
    /// Begins a new stretch: see [`rows`](super::rows).
    begins: bool,
}

impl Step<'_> {
    fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>) {
        self.bound.pipeline.record(gpu, pass, self.group, self.items);
    }
}

/// Submits kernels: each stretch in a pass, or each kernel in its own with time stamps around it, where none runs beside another.
pub(super) fn submit(gpu: &Gpu, steps: &[Step<'_>], stamps: Option<&Stamps>) {
    let encoder = || gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let Some(stamps) = stamps else {
        // Commands of their own for each stretch: wgpu has kernels wait where an array is used once more in the same commands
        let stretches = steps.chunk_by(|_, next| !next.begins).map(|stretch| {
            let mut encoder = encoder();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            stretch.iter().for_each(|step| step.record(gpu, &mut pass));
            drop(pass);
            encoder.finish()
        });
        gpu.queue.submit(stretches.collect::<Vec<_>>());
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

/// Sums of the seconds of the steps of all bands.
pub(super) fn add_up(bands: &[Vec<Step<'_>>], seconds: &[f64]) -> Vec<StageTime> {
    let sum = |stage| {
        let of_stage = bands.iter().flatten().zip(seconds).filter(|(step, _)| step.bound.row.stage == stage);
        of_stage.map(|(_, seconds)| seconds).sum()
    };
    IgiStage::ALL.iter().map(|&stage| StageTime { name: stage.name(), seconds: sum(stage) }).collect()
}

impl Streams {
    /// Of a band, those up to what is to be lit. In the first band also how far the camera sees, and lights.
    pub(super) fn beginning(&self, band: usize) -> Vec<Step<'_>> {
        self.steps(0, band)
    }

    /// Light of first surfaces, and of paths that go on.
    pub(super) fn light(&self, band: usize) -> Vec<Step<'_>> {
        self.steps(1, band)
    }

    /// Those that make a picture of it, and add it to the film or to the frame before.
    pub(super) fn end(&self, band: usize) -> Vec<Step<'_>> {
        self.steps(2, band)
    }

    /// All passes of a band of a frame.
    pub(super) fn whole(&self, band: usize) -> Vec<Step<'_>> {
        (0..self.parts.len()).flat_map(|part| self.steps(part, band)).collect()
    }

    fn steps(&self, part: usize, band: usize) -> Vec<Step<'_>> {
        let of_band = self.parts[part].iter().filter(|bound| band == 0 || !bound.row.once);
        let steps = of_band.filter_map(|bound| {
            let group = bound.groups.get(band).or(bound.groups.first())?;
            let (items, begins) = ((bound.row.items)(&self.sizes), bound.row.begins_in(band));
            Some(Step { bound, group, items, begins })
        });
        steps.collect()
    }
}
