use std::ops::Range;
use std::sync::Arc;

use sunfleck_constants::path::SIZES;
use sunfleck_image::{Aov, AovSet, FilterCell, FilterSampler};
use sunfleck_integrators::ViewSpec;
use sunfleck_shaders::Features;
use sunfleck_shaders::layout::{DiffuseShare, Hit, LivePath, Plan, Seen, ShadowRay, View, Wave};
use wgpu::{BindGroup, Buffer, BufferDescriptor, BufferUsages, ComputePass};

use super::plan::{self, PlanLimits};
use super::stages::{PathStage, PathStages};
use crate::buffer::Array;
use crate::film::{FilmSums, has_channels};
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{AdapterKind, Gpu, GpuError, SceneMirror};

/// Request to render an image with the stages of the path tracer: everything that does not depend on the integrator.
#[derive(Clone, Debug)]
pub(crate) struct StreamRequest<'a> {
    pub(crate) scene: &'a SceneMirror,
    pub(crate) spec: &'a ViewSpec,
    /// AOVs of the film.
    pub(crate) aovs: AovSet,
    /// Numbers of the samples of each pixel.
    pub(crate) samples: Range<u32>,
    /// Parameters of the view and of the integrator, for the kernels.
    pub(crate) view: View,
    /// Number of records of [`LivePath`] that each sample in flight stores for branches of its ray tree.
    pub(crate) branches: u32,
    /// See [`Plan::parameters`].
    pub(crate) parameters: [f32; 4],
    /// Maximum number of paths in flight; `None` for the default of the kind of adapter.
    pub(crate) paths: Option<u32>,
    /// Whether samples are requested a few at a time; then a job has one sample of each pixel.
    pub(crate) single_sample_jobs: bool,
    /// Resources of the shading pass beside those of the scene and of the streams.
    pub(crate) resources: Resources<'a>,
}

impl StreamRequest<'_> {
    /// Range of samples from `first` on, for images to which samples are added later: as many as may be in flight.
    pub(crate) fn open_ended(first: u32) -> Range<u32> {
        first..first.saturating_add(Wave::SECTIONS)
    }
}

/// Maximum number of paths in flight: enough to fill a large GPU several times over. A software adapter has no latency
/// to hide.
const MAX_PATHS: u32 = 1 << 21;
const MAX_PATHS_SOFTWARE: u32 = 1 << 16;
/// Smallest number of paths that is tried when memory is short.
const MIN_PATHS: u32 = 1 << 14;
/// Largest size of arrays with a record for each sample in flight.
const MAX_ARRAY_BYTES: u64 = 1 << 30;

/// The streams between the stages of an image, and the bindings of the stages.
#[derive(Debug)]
pub(crate) struct PathStreams {
    pub(super) gpu: Arc<Gpu>,
    pub(super) plan: Plan,
    plans: Array<Plan>,
    pub(super) wave: Array<Wave>,
    pub(super) film: FilmSums,
    sizes: Buffer,
    /// Stages in the order of a step.
    pub(super) stages_of_step: Vec<BoundStage>,
}

/// A stage with its bindings.
#[derive(Debug)]
pub(super) struct BoundStage {
    pub(super) name: &'static str,
    pipeline: Pipeline,
    /// Bindings of even and of odd steps: paths move between two arrays.
    groups: [BindGroup; 2],
    /// Index of the indirect dispatch size; `None`: one thread.
    size: Option<u32>,
}

/// Bytes of an indirect dispatch size.
const DISPATCH_SIZE_BYTES: u64 = 16;

impl PathStreams {
    /// Allocates the streams, with fewer paths in flight if memory is short.
    pub(crate) fn new(stages: &PathStages, request: &StreamRequest<'_>) -> Result<Self, GpuError> {
        stages.check(request.scene)?;
        let software = stages.kernels.gpu.adapter().kind == AdapterKind::Software;
        let mut paths = request.paths.unwrap_or(if software { MAX_PATHS_SOFTWARE } else { MAX_PATHS });
        loop {
            match Self::with_paths(stages, request, paths) {
                Err(GpuError::OutOfMemory { .. }) if paths > MIN_PATHS => paths /= 4,
                made => return made,
            }
        }
    }

    fn with_paths(stages: &PathStages, request: &StreamRequest<'_>, paths: u32) -> Result<Self, GpuError> {
        let StreamRequest { scene, spec, aovs, view, branches, parameters, .. } = *request;
        let gpu = &*stages.kernels.gpu;
        let channels = has_channels(aovs);
        let seen_bytes = if channels { size_of::<Seen>() as u64 } else { 0 };
        let branch_bytes = u64::from(branches) * size_of::<LivePath>() as u64;
        let limits = PlanLimits {
            paths,
            bytes: gpu.max_binding_bytes().min(MAX_ARRAY_BYTES),
            bytes_per_sample: (size_of::<[f32; 4]>() as u64).max(seen_bytes).max(branch_bytes),
            row: gpu.max_groups(),
            samples: if request.single_sample_jobs { 1 } else { u32::MAX },
        };
        let occlusion = if aovs.contains(Aov::AmbientOcclusion) { spec.occlusion_radius } else { 0.0 };
        let plan =
            plan::plan(spec.width.max(1), spec.height.max(1), request.samples.clone(), occlusion, limits);
        let features = u32::from(aovs.contains(Aov::Features));
        let plan = Plan { parameters, features, ..plan };

        // Streams
        let places = plan.capacity as usize;
        let slots = (plan.sections as usize) << plan.section_bits;
        let live: [Array<LivePath>; 2] =
            [Array::zeroed(gpu, "paths", places)?, Array::zeroed(gpu, "paths", places)?];
        let hits: Array<Hit> = Array::zeroed(gpu, "hits", places)?;
        let shadows: Array<ShadowRay> = Array::zeroed(gpu, "shadow rays", places)?;
        let samples: Array<[f32; 4]> = Array::zeroed(gpu, "samples", slots)?;
        let seen: Array<Seen> = Array::zeroed(gpu, "first surfaces", if channels { slots } else { 1 })?;
        let split = if aovs.contains(Aov::Diffuse) { slots } else { 1 };
        let diffuse_shares: Array<DiffuseShare> = Array::zeroed(gpu, "diffuse shares", split)?;
        let branches: Array<LivePath> = Array::zeroed(gpu, "branches", (slots * branches as usize).max(1))?;
        let listed = if stages.sorts { Wave::KINDS * places } else { 1 };
        let lists: Array<u32> = Array::zeroed(gpu, "lists of paths", listed)?;
        let cells: Array<FilterCell> =
            Array::new(gpu, "cells of the filter", &FilterSampler::new(spec.filter).cells())?;
        let view = Array::new(gpu, "views", &[view])?;
        let plans = Array::new(gpu, "plans", &[plan])?;
        let wave: Array<Wave> = Array::zeroed(gpu, "counters", 1)?;
        let sizes = gpu.device.create_buffer(&BufferDescriptor {
            label: Some("sizes"),
            size: u64::from(SIZES) * DISPATCH_SIZE_BYTES,
            usage: BufferUsages::STORAGE | BufferUsages::INDIRECT,
            mapped_at_creation: false,
        });
        let film = FilmSums::new(gpu, plan.width as usize * plan.height as usize, aovs)?;

        // Bindings
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
            ("diffuse_shares", &diffuse_shares.buffer),
            ("order", &lists.buffer),
            ("waiting", &branches.buffer),
            ("film", &film.pixels.buffer),
        ]);
        streams.extend(film.channels.iter().map(|channels| ("channels", &channels.buffer)));
        streams.append(&request.resources);
        let streams = [[even, odd], [odd, even]]
            .map(|[live, next]| streams.clone().with("live", live).with("next", next));
        let features = Features::CHANNELS
            .when(channels)
            .and(Features::LEVELS.when(aovs.contains(Aov::Reflections)))
            .and(Features::SPLIT.when(aovs.contains(Aov::Diffuse)));
        let stage = |PathStage { name, pass, size }| -> Result<_, GpuError> {
            let pipeline = stages.kernels.get(pass, features)?;
            let [even, odd] = &streams;
            let groups = [pipeline.bind(gpu, even)?, pipeline.bind(gpu, odd)?];
            Ok(BoundStage { name, pipeline, groups, size })
        };
        let stages_of_step =
            stages.stages_of_step(channels).into_iter().map(stage).collect::<Result<_, _>>()?;
        gpu.check()?;
        Ok(Self { gpu: stages.kernels.gpu.clone(), plan, plans, wave, film, sizes, stages_of_step })
    }

    /// Records a stage.
    ///
    /// * `number` — number of the step.
    pub(super) fn record(&self, pass: &mut ComputePass<'_>, stage: &BoundStage, number: u32) {
        let group = &stage.groups[(number % 2) as usize];
        match stage.size {
            None => stage.pipeline.record(&self.gpu, pass, group, 1),
            Some(size) => stage.pipeline.record_indirect(
                pass,
                group,
                &self.sizes,
                u64::from(size) * DISPATCH_SIZE_BYTES,
            ),
        }
    }

    /// Number of samples that every pixel has.
    pub(super) fn samples(&self, wave: &Wave) -> u32 {
        plan::samples_after(&self.plan, wave.head)
    }

    /// Returns whether all jobs are in the film.
    pub(super) fn is_done(&self, wave: &Wave) -> bool {
        wave.head >= self.plan.jobs
    }

    /// Number of samples of each pixel that are wanted.
    pub(super) fn wanted_samples(&self) -> u32 {
        self.plan.samples - self.plan.first
    }

    /// Sets the number of samples of each pixel that are wanted, for the next submission. The number must include all
    /// samples in flight.
    pub(super) fn set_wanted_samples(&mut self, samples: u32) {
        if self.wanted_samples() != samples {
            self.plan = plan::with_samples(&self.plan, samples);
            self.plans.write(&self.gpu, &[self.plan]);
        }
    }
}
