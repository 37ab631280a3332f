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

/// A kernel and how many threads it has.
pub(super) struct Step<'a> {
    stage: Stage,
    kernel: &'a Bound,
    threads: usize,
    /// Begins a new stretch. What kernels before the stretch have written is there when it begins; within it, a kernel waits for those before it if it uses what they or it have
    /// written. So kernels that are to run beside each other stand where a stretch begins.
    begins: bool,
}

impl<'a> Step<'a> {
    fn new(stage: Stage, kernel: &'a Bound, threads: usize) -> Self {
        Self { stage, kernel, threads, begins: false }
    }

    /// The same where a new stretch begins.
    fn begins(self) -> Self {
        Self { begins: true, ..self }
    }

    fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>) {
        self.kernel.pipeline.record(gpu, pass, &self.kernel.groups, self.threads);
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
        let of_stage = bands.iter().flatten().zip(seconds).filter(|(step, _)| step.stage == stage);
        of_stage.map(|(_, seconds)| seconds).sum()
    };
    Stage::ALL.iter().map(|&stage| StageTime { name: stage.name(), seconds: sum(stage) }).collect()
}

impl Streams {
    /// Camera rays; in the first band how far the camera sees, and lights.
    ///
    /// `estimate` has few threads, which take long: so it stands where no kernel reads what one just before has written, and runs beside `camera_beams`.
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
        ]);
        steps
    }

    /// Virtual point lights and photons.
    fn walks(&self) -> Vec<Step<'_>> {
        let stage = Stage::Lights;
        let mut steps = vec![Step::new(stage, &self.walks, self.sizes.vpls)];
        if let Some(BoundCaustics { of, walks, cells, places, .. }) = &self.caustics {
            steps.push(Step::new(stage, walks, of.walks as usize));
            steps.push(Step::new(stage, cells, of.cells()));
            steps.push(Step::new(stage, places, of.room as usize));
        }
        steps
    }

    /// Those of a band up to what is to be lit: walks, which have few threads, beside first surfaces.
    pub(super) fn beginning(&self, band: usize) -> Vec<Step<'_>> {
        let sizes = &self.sizes;
        let mut steps = self.camera_rays(band);
        steps.push(Step::new(Stage::Surfaces, &self.surface, sizes.places).begins());
        if band == 0 {
            steps.extend(self.walks());
        }
        steps.extend(self.first.iter().map(|first| Step::new(Stage::Surfaces, first, sizes.film)));
        steps
    }

    /// Light of first surfaces; paths that go on, and theirs, beside shadow rays of first surfaces.
    pub(super) fn light(&self) -> Vec<Step<'_>> {
        let sizes = &self.sizes;
        let of_first = |kernel| Step::new(Stage::Light, kernel, sizes.places);
        let mut steps = vec![of_first(&self.ask)];
        let follow = self.caustics.as_ref().map_or(&self.follow, |caustics| &caustics.follow);
        let follows = sizes.followers > 0;
        steps.extend(follows.then(|| Step::new(Stage::Sharp, follow, sizes.followers).begins()));
        steps.push(match &self.scout {
            Some(scout) => Step::new(Stage::Light, scout, sizes.scouting),
            None => of_first(&self.occlude),
        });
        steps.push(of_first(&self.light));
        steps.extend(self.caustics.iter().map(|caustics| of_first(&caustics.gather)));
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
            Step::new(stage, &self.resolve, sizes.resolved),
            Step::new(stage, &self.filter, sizes.pixels),
            Step::new(stage, last, sizes.film),
        ]
    }

    /// All kernels of a band of a frame.
    pub(super) fn whole(&self, band: usize) -> Vec<Step<'_>> {
        let mut steps = self.beginning(band);
        steps.extend(self.light());
        steps.extend(self.end(band));
        steps
    }
}
