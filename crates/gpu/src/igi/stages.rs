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
    /// written. So kernels that are to run beside each other stand where a stretch begins, first those with few threads: a kernel sets out when all groups of the one before
    /// have.
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
    /// Those of a band up to what is to be lit. In the first band also how far the camera sees, and lights.
    ///
    /// Kernels with few threads run beside others: `estimate` and `probe` beside `camera_beams`, VPLs are walked beside camera rays, and what is nearest to them, and how
    /// far nothing is, is found beside first surfaces.
    pub(super) fn beginning(&self, band: usize) -> Vec<Step<'_>> {
        let (sizes, lights) = (&self.sizes, Stage::Lights);
        let mut steps = Vec::new();
        if band == 0 {
            steps.push(Step::new(lights, &self.pattern, sizes.pattern));
            steps.push(Step::new(lights, &self.probe, sizes.probes).begins());
            steps.extend(self.estimates().then(|| Step::new(lights, &self.estimate, sizes.cells)));
        }
        let beams = |kernel| Step::new(Stage::Primary, kernel, QUAD * sizes.camera_beams);
        steps.extend(self.camera_beams.iter().map(beams));
        if band == 0 {
            steps.extend(self.shares_of_lights());
            steps.push(Step::new(lights, &self.walks, sizes.vpls).begins());
        }
        steps.push(Step::new(Stage::Primary, &self.primary, sizes.primary));
        let surface = Step::new(Stage::Surfaces, &self.surface, sizes.places);
        if band == 0 {
            steps.push(Step::new(lights, &self.clearances, sizes.clearances).begins());
            steps.push(Step::new(lights, &self.occluders, sizes.occluders));
            steps.push(surface);
            steps.extend(self.photons());
        } else {
            steps.push(surface.begins());
        }
        steps.extend(self.first.iter().map(|first| Step::new(Stage::Surfaces, first, sizes.film)));
        steps
    }

    /// Whether what lights bring to the picture is estimated.
    const fn estimates(&self) -> bool {
        self.sizes.cells > 0
    }

    /// How far the camera sees, and how many VPLs each light gets, once that is estimated.
    fn shares_of_lights(&self) -> Vec<Step<'_>> {
        let (sizes, stage) = (&self.sizes, Stage::Lights);
        let mut steps = vec![Step::new(stage, &self.reach, 1)];
        if self.estimates() {
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

    fn photons(&self) -> Vec<Step<'_>> {
        let stage = Stage::Lights;
        let Some(BoundCaustics { of, walks, cells, places, .. }) = &self.caustics else { return Vec::new() };
        vec![
            Step::new(stage, walks, of.walks as usize),
            Step::new(stage, cells, of.cells()),
            Step::new(stage, places, of.room as usize),
        ]
    }

    /// Light of first surfaces, and of paths that go on: these are followed beside shadow rays of first surfaces, and have their own beside the light of those.
    pub(super) fn light(&self) -> Vec<Step<'_>> {
        let sizes = &self.sizes;
        let of_first = |kernel| Step::new(Stage::Light, kernel, sizes.places);
        let of_paths = |kernel| Step::new(Stage::Sharp, kernel, sizes.desks);
        let follows = sizes.followers > 0;
        let mut steps = vec![of_first(&self.ask)];
        let follow = self.caustics.as_ref().map_or(&self.follow, |caustics| &caustics.follow);
        steps.extend(follows.then(|| Step::new(Stage::Sharp, follow, sizes.followers).begins()));
        steps.push(Step::new(Stage::Light, &self.occlude, sizes.four_rows));
        steps.extend(follows.then(|| of_paths(&self.occlude_paths).begins()));
        steps.push(of_first(&self.light));
        steps.extend(self.caustics.iter().map(|caustics| of_first(&caustics.gather)));
        if follows {
            steps.push(of_paths(&self.light_paths));
            steps.extend(self.caustics.iter().map(|caustics| of_paths(&caustics.gather_paths)));
        }
        steps
    }

    /// Those that make a picture of it, and add it to the film or to the frame before.
    pub(super) fn end(&self, band: usize) -> Vec<Step<'_>> {
        let (sizes, stage) = (&self.sizes, Stage::Filter);
        let mut steps = vec![Step::new(stage, &self.resolve, sizes.resolved)];
        match &self.sink {
            Sink::Film(strips) => steps.push(Step::new(stage, &strips[band].filter, sizes.pixels)),
            Sink::Next(past) => steps.extend([
                Step::new(stage, &past.filter, sizes.pixels),
                Step::new(stage, &past.reuse, sizes.film),
            ]),
        }
        steps
    }

    /// All kernels of a band of a frame.
    pub(super) fn whole(&self, band: usize) -> Vec<Step<'_>> {
        let mut steps = self.beginning(band);
        steps.extend(self.light());
        steps.extend(self.end(band));
        steps
    }
}
