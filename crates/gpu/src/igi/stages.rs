use super::{IgiRenderer, Streams};
use crate::Gpu;
use crate::pipeline::Pipeline;
use crate::timing::StageTime;

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Which lights matter, virtual point lights, and how far the camera sees.
    Lights,
    /// Camera rays.
    Primary,
    /// First surfaces.
    Surfaces,
    /// Shadow rays and shading.
    Light,
    /// What is seen in mirrors, glass and highlights, its light included.
    Sharp,
    /// From rays to pixels, and the discontinuity filter.
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

/// A kernel and how often it runs.
pub(super) struct Step<'a> {
    stage: Stage,
    pipeline: &'a Pipeline,
    groups: &'a [wgpu::BindGroup],
    size: Size<'a>,
}

#[derive(Clone, Copy)]
enum Size<'a> {
    Threads(usize),
    /// As the GPU says: where in a buffer.
    Found(&'a wgpu::Buffer, u64),
}

impl Step<'_> {
    pub(super) fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>) {
        match self.size {
            Size::Threads(threads) => self.pipeline.record(gpu, pass, self.groups, threads),
            Size::Found(buffer, at) => self.pipeline.record_indirect(pass, self.groups, buffer, at),
        }
    }
}

/// Sums of the seconds of steps.
pub(super) fn add_up(steps: &[Step<'_>], seconds: &[f64]) -> Vec<StageTime> {
    let sum = |stage| {
        let of_stage = steps.iter().zip(seconds).filter(|(step, _)| step.stage == stage);
        of_stage.map(|(_, seconds)| seconds).sum()
    };
    Stage::ALL.iter().map(|&stage| StageTime { name: stage.name(), seconds: sum(stage) }).collect()
}

impl IgiRenderer {
    /// The kernels of a frame up to the light of first surfaces.
    pub(super) fn beginning<'a>(&'a self, streams: &'a Streams) -> Vec<Step<'a>> {
        let sizes = &streams.sizes;
        let step =
            |stage, pipeline, groups, threads| Step { stage, pipeline, groups, size: Size::Threads(threads) };
        let mut steps = vec![
            step(Stage::Lights, &self.pattern, &streams.pattern, sizes.pattern),
            step(Stage::Lights, &self.probe, &streams.probe, sizes.probes),
            step(Stage::Lights, &self.reach, &streams.reach, 1),
        ];
        if sizes.cells > 0 {
            steps.push(step(Stage::Lights, &self.estimate, &streams.estimate, sizes.cells));
            steps.push(step(Stage::Lights, &self.weigh, &streams.weigh, 1));
            steps.push(step(Stage::Lights, &self.collect, &streams.collect, sizes.finds));
        }
        steps.extend([
            step(Stage::Lights, &self.shares, &streams.shares, sizes.lights),
            step(Stage::Lights, &self.blocks, &streams.blocks, 1),
            step(Stage::Lights, &self.parts, &streams.parts, sizes.lights),
            step(Stage::Lights, &self.walks, &streams.walks, sizes.vpls),
            step(Stage::Primary, &self.primary, &streams.primary, sizes.primary),
            step(Stage::Surfaces, &self.surface, &streams.surface, sizes.places),
            step(Stage::Light, &self.light, &streams.light, sizes.places),
        ]);
        steps
    }

    /// Those of so many bounces of paths that go on.
    ///
    /// * `first` — how many there were before.
    pub(super) fn bounces<'a>(&'a self, streams: &'a Streams, first: u32, count: u32) -> Vec<Step<'a>> {
        let (sizes, stage) = (&streams.sizes, Stage::Sharp);
        let mut steps = Vec::new();
        for bounce in first..first + count {
            let size = |threads, at| match bounce {
                0 => Size::Threads(threads),
                _ => Size::Found(&streams.groups_to_run, at),
            };
            let (of_pixels, of_rays) = (size(sizes.places, 0), size(sizes.rays, 12));
            let step = |pipeline, groups, size| Step { stage, pipeline, groups, size };
            steps.push(step(&self.intersect, &streams.intersect, of_rays));
            steps.push(step(&self.bounce, &streams.bounce, of_pixels));
            steps.push(step(&self.light, &streams.light, of_pixels));
            steps.push(step(&self.turn, &streams.turn, Size::Threads(1)));
        }
        steps
    }

    /// Those that make a picture of it.
    pub(super) fn end<'a>(&'a self, streams: &'a Streams) -> Vec<Step<'a>> {
        let (sizes, stage) = (&streams.sizes, Stage::Filter);
        let step = |pipeline, groups, threads| Step { stage, pipeline, groups, size: Size::Threads(threads) };
        vec![
            step(&self.resolve, &streams.resolve, sizes.places),
            step(&self.filter, &streams.filter, sizes.pixels),
        ]
    }

    /// All kernels of a frame that nothing waits for.
    pub(super) fn whole<'a>(&'a self, streams: &'a Streams) -> Vec<Step<'a>> {
        let mut steps = self.beginning(streams);
        steps.extend(self.bounces(streams, 0, streams.sizes.bounces));
        steps.extend(self.end(streams));
        steps
    }
}
