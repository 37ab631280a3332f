use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use sunfleck_constants::group::GROUP;
use sunfleck_gpu::compute::{Array, Pipeline, buffer};
use sunfleck_gpu::{Gpu, GpuError};
use sunfleck_math::Ray;
use sunfleck_shaders::layout::{Crossing, Hit, Plane};
use sunfleck_shaders::passes::crossbar;
use wgpu::{BindGroup, Buffer, BufferUsages, MapMode, PollError, PollType, SubmissionIndex};

use crate::staging::{PENDING, map, mapped};

/// Maximum number of rays of a dispatch, and of its workgroups, which form a single row.
pub(super) const MOST_RAYS: usize = 1 << 16;
const MOST_CROSSINGS: usize = 1 << 14;

/// Number of dispatches in flight.
const SLOTS: usize = 3;

/// Buckets of rays for one dispatch, each with the triangles of a cell.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    crossings: Vec<Crossing>,
    rays: Vec<Ray>,
    /// Indices of the rays.
    pub(super) numbers: Vec<u32>,
    /// Number of ray–triangle pairs.
    pub(super) tests: u64,
}

impl Dispatch {
    /// Adds a bucket.
    ///
    /// * `planes` — range of the triangles of the cell among those of all cells.
    pub(super) fn add(&mut self, planes: std::ops::Range<usize>, numbers: &[u32], ray: impl Fn(u32) -> Ray) {
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        for group in numbers.chunks(GROUP as usize) {
            self.crossings.push(Crossing {
                first_ray: number(self.rays.len()),
                rays: number(group.len()),
                first_plane: number(planes.start),
                planes: number(planes.len()),
            });
            self.rays.extend(group.iter().map(|&i| ray(i)));
            self.numbers.extend_from_slice(group);
        }
        self.tests += (planes.len() * numbers.len()) as u64;
    }

    pub(super) fn rays(&self) -> usize {
        self.rays.len()
    }

    /// Returns whether another bucket of `rays` rays fits.
    pub(super) fn fits(&self, bucket: usize) -> bool {
        let groups = bucket.div_ceil(GROUP as usize);
        self.rays.len() + bucket <= MOST_RAYS && self.crossings.len() + groups <= MOST_CROSSINGS
    }
}

/// The crossbar of buckets and cells, with dispatches in flight.
#[derive(Debug)]
pub(super) struct Crossbars {
    gpu: Arc<Gpu>,
    pipeline: Pipeline,
    free: Vec<Slot>,
    in_flight: VecDeque<(Slot, Dispatch)>,
}

#[derive(Debug)]
struct Slot {
    rays: Array<Ray>,
    crossings: Array<Crossing>,
    hits: Array<Hit>,
    results: Buffer,
    group: BindGroup,
    readable: Arc<AtomicU8>,
    submission: Option<SubmissionIndex>,
}

impl Crossbars {
    /// Creates the crossbar over the triangles of all cells, one cell after the other.
    pub(super) fn new(gpu: &Arc<Gpu>, planes: &[Plane]) -> Result<Self, GpuError> {
        let planes = Array::new(gpu, "triangles of cells", planes)?;
        let pipeline = Pipeline::of_shader(gpu, &crossbar::BUCKETS)?;
        let slots: Result<Vec<Slot>, GpuError> =
            (0..SLOTS).map(|_| Slot::new(gpu, &pipeline, &planes)).collect();
        let crossbars = Self { gpu: gpu.clone(), pipeline, free: slots?, in_flight: VecDeque::new() };
        gpu.check()?;
        Ok(crossbars)
    }

    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Submits a dispatch; a slot must be free. If this fails, the rays still count as in flight.
    pub(super) fn start(&mut self, dispatch: Dispatch) -> Result<(), GpuError> {
        let Some(mut slot) = self.free.pop() else { return Ok(()) };
        slot.start(&self.gpu, &self.pipeline, &dispatch);
        self.in_flight.push_back((slot, dispatch));
        self.gpu.check()
    }

    /// Returns the dispatch that was submitted first, with the hit of each ray, if it is done before the timeout.
    /// `prim_id` is the index of the triangle among those of all cells.
    pub(super) fn finish(&mut self, patience: Duration) -> Result<Option<(Dispatch, Vec<Hit>)>, GpuError> {
        let Some((slot, dispatch)) = self.in_flight.front() else { return Ok(None) };
        if !slot.is_readable(&self.gpu, patience)? {
            return Ok(None);
        }
        let hits = slot.read(dispatch.rays())?;
        let Some((slot, dispatch)) = self.in_flight.pop_front() else { return Ok(None) };
        self.free.push(slot);
        Ok(Some((dispatch, hits)))
    }

    /// Returns the rays in flight of a lost GPU.
    pub(super) fn into_rays_in_flight(self) -> impl Iterator<Item = u32> {
        self.in_flight.into_iter().flat_map(|(_, dispatch)| dispatch.numbers)
    }
}

impl Slot {
    fn new(gpu: &Gpu, pipeline: &Pipeline, planes: &Array<Plane>) -> Result<Self, GpuError> {
        let rays: Array<Ray> = Array::zeroed(gpu, "rays", MOST_RAYS)?;
        let crossings: Array<Crossing> = Array::zeroed(gpu, "crossings", MOST_CROSSINGS)?;
        let hits: Array<Hit> = Array::zeroed(gpu, "hits", MOST_RAYS)?;
        let bytes = (MOST_RAYS * size_of::<Hit>()) as u64;
        let buffers = [
            ("planes", planes.buffer()),
            ("rays", rays.buffer()),
            ("crossings", crossings.buffer()),
            ("hits", hits.buffer()),
        ];
        let group = pipeline.bind(gpu, &buffers.into())?;
        Ok(Self {
            rays,
            crossings,
            hits,
            group,
            results: buffer(gpu, "hits", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            readable: Arc::new(AtomicU8::new(PENDING)),
            submission: None,
        })
    }

    fn start(&mut self, gpu: &Gpu, pipeline: &Pipeline, dispatch: &Dispatch) {
        self.rays.write(gpu, &dispatch.rays);
        self.crossings.write(gpu, &dispatch.crossings);
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pipeline.record(gpu, &mut pass, &self.group, dispatch.crossings.len() * GROUP as usize);
        drop(pass);
        let bytes = (dispatch.rays() * size_of::<Hit>()) as u64;
        encoder.copy_buffer_to_buffer(self.hits.buffer(), 0, &self.results, 0, bytes);
        self.submission = Some(gpu.queue().submit([encoder.finish()]));
        map(&self.results, MapMode::Read, &self.readable);
    }

    fn is_readable(&self, gpu: &Gpu, patience: Duration) -> Result<bool, GpuError> {
        gpu.device().poll(PollType::Poll).map_err(GpuError::lost)?;
        if self.readable.load(Ordering::Acquire) == PENDING && !patience.is_zero() {
            let submission_index = self.submission.clone();
            match gpu.device().poll(PollType::Wait { submission_index, timeout: Some(patience) }) {
                Ok(_) | Err(PollError::Timeout) => {}
                Err(error) => return Err(GpuError::lost(error)),
            }
        }
        gpu.check()?;
        mapped(&self.readable)
    }

    fn read(&self, rays: usize) -> Result<Vec<Hit>, GpuError> {
        let bytes = (rays * size_of::<Hit>()) as u64;
        let view = self.results.get_mapped_range(..bytes).map_err(GpuError::lost)?;
        let hits = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        self.results.unmap();
        Ok(hits)
    }
}
