use sunfleck_shaders::QUAD;

use super::Streams;
use super::streams::{BoundCaustics, Sink};
use crate::Gpu;
use crate::pipeline::Pipeline;
use crate::timing::{StageTime, Stamps};

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
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

impl Stage {
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

/// A kernel with what it reads and writes.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) pipeline: Pipeline,
    pub(super) groups: Vec<wgpu::BindGroup>,
}

/// A kernel and how often it runs.
pub(super) struct Step<'a> {
    stage: Stage,
    kernel: &'a Bound,
    size: Size<'a>,
}

#[derive(Clone, Copy)]
enum Size<'a> {
    Threads(usize),
    /// As the GPU says: where in a buffer.
    Found(&'a wgpu::Buffer, u64),
}

impl<'a> Step<'a> {
    fn new(stage: Stage, kernel: &'a Bound, threads: usize) -> Self {
        Self { stage, kernel, size: Size::Threads(threads) }
    }

    fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>) {
        let Bound { pipeline, groups } = self.kernel;
        match self.size {
            Size::Threads(threads) => pipeline.record(gpu, pass, groups, threads),
            Size::Found(buffer, at) => pipeline.record_indirect(pass, groups, buffer, at),
        }
    }
}

/// Submits kernels: all in one pass, or each in its own with time stamps around it.
pub(super) fn submit(gpu: &Gpu, steps: &[Step<'_>], stamps: Option<&Stamps>) {
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

/// Sums of the seconds of the steps of all bands.
pub(super) fn add_up(bands: &[Vec<Step<'_>>], seconds: &[f64]) -> Vec<StageTime> {
    let sum = |stage| {
        let of_stage = bands.iter().flatten().zip(seconds).filter(|(step, _)| step.stage == stage);
        of_stage.map(|(_, seconds)| seconds).sum()
    };
    Stage::ALL.iter().map(|&stage| StageTime { name: stage.name(), seconds: sum(stage) }).collect()
}

/// So many bounces all paths take together, since a thread for each ray and pixel is worth it.
const TOGETHER: u32 = 2;

impl Streams {
    /// Camera rays; in the first band how far the camera sees, and lights.
    ///
    /// `estimate` has few threads, which take long: so it stands where no kernel reads what one just before has written, which makes GPUs wait between them, and
    /// runs beside `camera_beams`.
    fn camera_rays(&self, band: usize) -> Vec<Step<'_>> {
        let (sizes, stage) = (&self.sizes, Stage::Lights);
        let beams = self
            .camera_beams
            .as_ref()
            .map(|kernel| Step::new(Stage::Primary, kernel, QUAD * sizes.camera_beams));
        let primary = Step::new(Stage::Primary, &self.primary, sizes.primary);
        if band > 0 {
            return beams.into_iter().chain([primary]).collect();
        }
        let estimates = sizes.cells > 0;
        let mut steps = vec![Step::new(stage, &self.pattern, sizes.pattern)];
        steps.extend(beams);
        steps.extend(estimates.then(|| Step::new(stage, &self.estimate, sizes.cells)));
        steps.extend([
            Step::new(stage, &self.probe, sizes.probes),
            Step::new(stage, &self.reach, 1),
            primary,
        ]);
        if estimates {
            steps.push(Step::new(stage, &self.weigh, 1));
            steps.push(Step::new(stage, &self.recall, sizes.nodes));
            steps.push(Step::new(stage, &self.collect, sizes.finds));
        }
        steps.extend([
            Step::new(stage, &self.shares, sizes.lights),
            Step::new(stage, &self.blocks, 1),
            Step::new(stage, &self.parts, sizes.lights),
            Step::new(stage, &self.walks, sizes.vpls),
        ]);
        if let Some(BoundCaustics { of, walks, cells, places, .. }) = &self.caustics {
            steps.push(Step::new(stage, walks, of.walks as usize));
            steps.push(Step::new(stage, cells, of.cells()));
            steps.push(Step::new(stage, places, of.room as usize));
        }
        steps
    }

    /// Those of a band up to the light of first surfaces.
    pub(super) fn beginning(&self, band: usize) -> Vec<Step<'_>> {
        let sizes = &self.sizes;
        let mut steps = self.camera_rays(band);
        steps.push(Step::new(Stage::Surfaces, &self.surface, sizes.places));
        steps.extend(self.first.iter().map(|first| Step::new(Stage::Surfaces, first, sizes.film)));
        let (occlude, threads) = match &self.scout {
            Some(scout) => (scout, sizes.scouting),
            None => (&self.occlude, sizes.places),
        };
        let light = |kernel, threads| Step::new(Stage::Light, kernel, threads);
        steps.extend([
            light(&self.ask, sizes.places),
            light(occlude, threads),
            light(&self.light, sizes.places),
        ]);
        steps.extend(self.caustics.iter().map(|caustics| light(&caustics.gather, sizes.places)));
        steps
    }

    /// What lights the points of paths, a thread for each pixel.
    fn lit(&self) -> impl Iterator<Item = &Bound> {
        let caustics = self.caustics.iter().map(|caustics| &caustics.gather);
        [&self.ask, &self.occlude, &self.light].into_iter().chain(caustics)
    }

    /// Those of paths that go on: some bounces, each of which all paths take together, and what is left of them.
    pub(super) fn paths(&self) -> Vec<Step<'_>> {
        let stage = Stage::Sharp;
        let [of_pixels, of_rays] = [0, 12].map(|at| Size::Found(&self.arrays.groups_to_run, at));
        let mut steps = Vec::new();
        for _ in 0..self.sizes.bounces.min(TOGETHER) {
            steps.push(Step::new(stage, &self.turn, 1));
            steps.push(Step { stage, kernel: &self.intersect, size: of_rays });
            steps.push(Step { stage, kernel: &self.bounce, size: of_pixels });
            steps.extend(self.lit().map(|kernel| Step { stage, kernel, size: of_pixels }));
        }
        if self.sizes.bounces > 0 {
            let finish = self.caustics.as_ref().map_or(&self.finish, |caustics| &caustics.finish);
            steps.push(Step::new(stage, &self.turn, 1));
            steps.push(Step { stage, kernel: finish, size: of_pixels });
        }
        steps
    }

    /// Those that make a picture of it, and add it to the film or to the frame before.
    pub(super) fn end(&self, band: usize) -> Vec<Step<'_>> {
        let (sizes, stage) = (&self.sizes, Stage::Filter);
        let last = match &self.sink {
            Sink::Film(strips) => &strips[band].add,
            Sink::Next(past) => &past.reuse,
        };
        vec![
            Step::new(stage, &self.resolve, sizes.places),
            Step::new(stage, &self.filter, sizes.pixels),
            Step::new(stage, last, sizes.film),
        ]
    }

    /// All kernels of a band of a frame.
    pub(super) fn whole(&self, band: usize) -> Vec<Step<'_>> {
        let mut steps = self.beginning(band);
        steps.extend(self.paths());
        steps.extend(self.end(band));
        steps
    }
}
