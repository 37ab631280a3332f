use std::ops::Range;
use std::sync::Arc;

use sunfleck_constants::path::SIZES;
use sunfleck_image::{Aov, AovSet, FilterCell, FilterSampler};
use sunfleck_integrators::ViewSpec;
use sunfleck_shaders::Features;
use sunfleck_shaders::layout::{Hit, Live, Plan, Seen, Shadow, View, Wave};
use wgpu::{BindGroup, Buffer, BufferDescriptor, BufferUsages, ComputePass};

use super::plan::{self, Bounds};
use super::stages::{Stage, Stages};
use crate::buffer::Array;
use crate::film::{FilmSums, has_channels};
use crate::pipeline::Pipeline;
use crate::{AdapterKind, Gpu, GpuError, SceneMirror};

/// What of a picture is not its algorithm's affair.
#[derive(Clone, Debug)]
pub(crate) struct Order<'a> {
    pub(crate) scene: &'a SceneMirror,
    pub(crate) spec: &'a ViewSpec,
    /// Channels of the film.
    pub(crate) aovs: AovSet,
    /// Numbers of the samples wanted of each pixel.
    pub(crate) samples: Range<u32>,
    /// What the kernels read of the view and of the algorithm.
    pub(crate) view: View,
    /// What trees of rays keep of each sample in flight: records of [`Live`].
    pub(crate) branches: u32,
    /// See [`Plan::parameters`].
    pub(crate) parameters: [f32; 4],
    /// Most paths in flight; as many as the adapter likes if none is said.
    pub(crate) paths: Option<u32>,
    /// Whether samples are wanted a few at a time: then jobs have one of each pixel.
    pub(crate) one_by_one: bool,
}

impl Order<'_> {
    /// Samples from a number on where more will be wanted: as many as travel together.
    pub(crate) fn some(first: u32) -> Range<u32> {
        first..first.saturating_add(Wave::SECTIONS)
    }
}

/// Most paths in flight: as many as fill a large GPU several times over; a program on the processor has nothing to hide.
const PATHS: u32 = 1 << 21;
const PATHS_IN_SOFTWARE: u32 = 1 << 16;
/// Fewer are not tried when memory is short.
const FEWEST_PATHS: u32 = 1 << 14;
/// Arrays with a record for each sample in flight are no larger.
const MOST_BYTES: u64 = 1 << 30;

/// A picture on its way: the streams between the stages, and the stages as they bind them.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(super) gpu: Arc<Gpu>,
    pub(super) plan: Plan,
    plans: Array<Plan>,
    pub(super) wave: Array<Wave>,
    pub(super) film: FilmSums,
    sizes: Buffer,
    /// In the order of a step.
    pub(super) steps: Vec<Step>,
}

/// A stage of every step, as it is bound.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pipeline: Pipeline,
    /// Of even and of odd steps: paths go from one array into the other and back.
    groups: [BindGroup; 2],
    /// Which of the sizes says how many threads there are; none: one.
    size: Option<u32>,
}

/// Bytes of a size.
const SIZE: u64 = 16;

impl Picture {
    /// Ready for the first step. Where memory is short, with fewer paths in flight.
    pub(crate) fn new(stages: &Stages, order: &Order<'_>) -> Result<Self, GpuError> {
        stages.check(order.scene)?;
        let software = stages.kernels.gpu.adapter().kind == AdapterKind::Software;
        let mut paths = order.paths.unwrap_or(if software { PATHS_IN_SOFTWARE } else { PATHS });
        loop {
            match Self::with_paths(stages, order, paths) {
                Err(GpuError::OutOfMemory { .. }) if paths > FEWEST_PATHS => paths /= 4,
                made => return made,
            }
        }
    }

    fn with_paths(stages: &Stages, order: &Order<'_>, paths: u32) -> Result<Self, GpuError> {
        let Order { scene, spec, aovs, view, branches, parameters, .. } = *order;
        let gpu = &*stages.kernels.gpu;
        let channels = has_channels(aovs);
        let seen_bytes = if channels { size_of::<Seen>() as u64 } else { 0 };
        let branch_bytes = u64::from(branches) * size_of::<Live>() as u64;
        let bounds = Bounds {
            paths,
            bytes: gpu.most_bytes().min(MOST_BYTES),
            bytes_per_sample: (size_of::<[f32; 4]>() as u64).max(seen_bytes).max(branch_bytes),
            row: gpu.most_groups(),
            samples: if order.one_by_one { 1 } else { u32::MAX },
        };
        let occlusion = if aovs.contains(Aov::AmbientOcclusion) { spec.occlusion_radius } else { 0.0 };
        let plan =
            plan::plan(spec.width.max(1), spec.height.max(1), order.samples.clone(), occlusion, bounds);
        let plan = Plan { parameters, ..plan };

        // The streams
        let places = plan.capacity as usize;
        let slots = (plan.sections as usize) << plan.section_bits;
        let live: [Array<Live>; 2] =
            [Array::vacant(gpu, "paths", places)?, Array::vacant(gpu, "paths", places)?];
        let hits: Array<Hit> = Array::vacant(gpu, "hits", places)?;
        let shadows: Array<Shadow> = Array::vacant(gpu, "shadow rays", places)?;
        let samples: Array<[f32; 4]> = Array::vacant(gpu, "samples", slots)?;
        let seen: Array<Seen> = Array::vacant(gpu, "first surfaces", if channels { slots } else { 1 })?;
        let branches: Array<Live> = Array::vacant(gpu, "branches", (slots * branches as usize).max(1))?;
        let listed = if stages.sorts { Wave::KINDS * places } else { 1 };
        let lists: Array<u32> = Array::vacant(gpu, "lists of paths", listed)?;
        let cells: Array<FilterCell> =
            Array::new(gpu, "cells of the filter", &FilterSampler::new(spec.filter).cells())?;
        let view = Array::new(gpu, "views", &[view])?;
        let plans = Array::new(gpu, "plans", &[plan])?;
        let wave: Array<Wave> = Array::vacant(gpu, "counters", 1)?;
        let sizes = gpu.device.create_buffer(&BufferDescriptor {
            label: Some("sizes"),
            size: u64::from(SIZES) * SIZE,
            usage: BufferUsages::STORAGE | BufferUsages::INDIRECT,
            mapped_at_creation: false,
        });
        let film = FilmSums::new(gpu, plan.width as usize * plan.height as usize, aovs)?;

        // How the stages bind them
        let [even, odd] = [&live[0].buffer, &live[1].buffer];
        let mut streams = scene.resources();
        streams.extend(stages.structure.iter().flat_map(|s| &s.arrays).map(|(name, array)| (*name, array)));
        streams.extend([
            ("plan", &plans.buffer),
            ("view", &view.buffer),
            ("wave", &wave.buffer),
            ("sizes", &sizes),
            ("filter_cells", &cells.buffer),
            ("hits", &hits.buffer),
            ("shadows", &shadows.buffer),
            ("samples", &samples.buffer),
            ("seen", &seen.buffer),
            ("order", &lists.buffer),
            ("waiting", &branches.buffer),
            ("film", &film.pixels.buffer),
        ]);
        streams.extend(film.channels.iter().map(|channels| ("channels", &channels.buffer)));
        let streams = [[even, odd], [odd, even]]
            .map(|[live, next]| streams.clone().with("live", live).with("next", next));
        let counts = aovs.contains(Aov::Reflections);
        let features = Features::CHANNELS.when(channels).and(Features::LEVELS.when(counts));
        let step = |Stage { name, pass, size }| -> Result<_, GpuError> {
            let pipeline = stages.kernels.get(pass, features)?;
            let [even, odd] = &streams;
            let groups = [pipeline.bind(gpu, even)?, pipeline.bind(gpu, odd)?];
            Ok(Step { name, pipeline, groups, size })
        };
        let steps = stages.of_step(channels).into_iter().map(step).collect::<Result<_, _>>()?;
        gpu.check()?;
        Ok(Self { gpu: stages.kernels.gpu.clone(), plan, plans, wave, film, sizes, steps })
    }

    /// Adds a stage to a pass.
    ///
    /// * `number` — of the step.
    pub(super) fn record(&self, pass: &mut ComputePass<'_>, step: &Step, number: u32) {
        let group = &step.groups[(number % 2) as usize];
        match step.size {
            None => step.pipeline.record(&self.gpu, pass, group, 1),
            Some(size) => step.pipeline.record_indirect(pass, group, &self.sizes, u64::from(size) * SIZE),
        }
    }

    /// Samples that every pixel has.
    pub(super) fn samples(&self, wave: &Wave) -> u32 {
        plan::samples_after(&self.plan, wave.head)
    }

    /// Whether all jobs are in the film.
    pub(super) fn is_done(&self, wave: &Wave) -> bool {
        wave.head >= self.plan.jobs
    }

    /// Samples of each pixel that are wanted.
    pub(super) fn wanted(&self) -> u32 {
        self.plan.samples - self.plan.first
    }

    /// From what is submitted next on, so many samples of each pixel are wanted; none that is under way may be cut.
    pub(super) fn want(&mut self, samples: u32) {
        if self.wanted() != samples {
            self.plan = plan::with_samples(&self.plan, samples);
            self.plans.write(&self.gpu, &[self.plan]);
        }
    }
}
