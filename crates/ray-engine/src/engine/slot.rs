use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use sunfleck_gpu::compute::{Timestamps, buffer};
use sunfleck_gpu::{Gpu, GpuError, Mirror, RayQuery, Tracer};
use sunfleck_shaders::layout::{Hit, Ray};
use wgpu::{BindGroup, Buffer, BufferUsages, MapMode, PollError, PollType, SubmissionIndex};

use super::batch::Piece;
use super::cost::StageTimes;
use crate::answers::FoundAnswers;
use crate::staging::{MAPPED, PENDING, map, mapped};

/// Slot: buffers of one load in flight on the GPU.
///
/// ```text
/// upload ──copy──▶ rays ──trace──▶ answers ──copy──▶ results
/// mapped for writing when free                       mapped for reading when done
/// ```
#[derive(Debug)]
pub(super) struct Slot {
    upload: Buffer,
    rays: Buffer,
    answers: Buffer,
    results: Buffer,
    closest: BindGroup,
    any: BindGroup,
    stamps: Option<Timestamps>,
    writable: Arc<AtomicU8>,
    readable: Arc<AtomicU8>,
    load: Option<Load>,
}

/// Load that a slot holds.
#[derive(Debug)]
struct Load {
    query: RayQuery,
    rays: usize,
    upload_s: f64,
    begun_at: Instant,
    submission: SubmissionIndex,
}

impl Slot {
    /// Creates a slot for at most `most` rays.
    pub(super) fn new(gpu: &Gpu, tracer: &Tracer, mirror: &Mirror, most: usize) -> Result<Self, GpuError> {
        let bytes = |each: usize| (most * each) as u64;
        let storage = BufferUsages::STORAGE;
        let (ray, hit) = (bytes(size_of::<Ray>()), bytes(size_of::<Hit>()));
        let rays = buffer(gpu, "rays", ray, storage | BufferUsages::COPY_DST)?;
        let answers = buffer(gpu, "hits", hit, storage | BufferUsages::COPY_SRC)?;
        Ok(Self {
            upload: buffer(gpu, "rays", ray, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC)?,
            results: buffer(gpu, "hits", hit, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            closest: tracer.bind(RayQuery::Closest, mirror, &rays, &answers)?,
            any: tracer.bind(RayQuery::Any, mirror, &rays, &answers)?,
            rays,
            answers,
            stamps: Timestamps::new(gpu, 1)?,
            // The upload buffer is created mapped
            writable: Arc::new(AtomicU8::new(MAPPED)),
            readable: Arc::new(AtomicU8::new(PENDING)),
            load: None,
        })
    }

    pub(super) fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Acquire) != PENDING
    }

    /// Writes and submits a load.
    pub(super) fn begin(
        &mut self,
        gpu: &Gpu,
        tracer: &Tracer,
        query: RayQuery,
        rays: usize,
        pieces: &[Piece],
    ) -> Result<(), GpuError> {
        let start = Instant::now();
        self.write(pieces)?;
        let upload_s = start.elapsed().as_secs_f64();

        // Copy, trace, copy
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let ray_bytes = (rays * size_of::<Ray>()) as u64;
        encoder.copy_buffer_to_buffer(&self.upload, 0, &self.rays, 0, ray_bytes);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: self.stamps.as_ref().map(|stamps| stamps.of_pass(0)),
        });
        let group = match query {
            RayQuery::Closest => &self.closest,
            RayQuery::Any => &self.any,
        };
        tracer.record(query, &mut pass, group, rays);
        drop(pass);
        let answer_bytes = (rays * answer_size(query)) as u64;
        encoder.copy_buffer_to_buffer(&self.answers, 0, &self.results, 0, answer_bytes);
        if let Some(stamps) = &self.stamps {
            stamps.resolve(&mut encoder);
        }
        let submission = gpu.queue().submit([encoder.finish()]);

        // Callbacks signal when the slot can be read, and when it can be written again
        map(&self.upload, MapMode::Write, &self.writable);
        map(&self.results, MapMode::Read, &self.readable);
        if let Some(stamps) = &self.stamps {
            stamps.request();
        }
        self.load = Some(Load { query, rays, upload_s, begun_at: start, submission });
        gpu.check()
    }

    fn write(&self, pieces: &[Piece]) -> Result<(), GpuError> {
        mapped(&self.writable)?;
        let mut start = 0;
        for piece in pieces {
            let bytes: &[u8] = bytemuck::cast_slice(piece.rays());
            let range = start..start + bytes.len() as u64;
            start = range.end;
            let mut view = self.upload.get_mapped_range_mut(range).map_err(GpuError::lost)?;
            view.copy_from_slice(bytes);
        }
        self.upload.unmap();
        Ok(())
    }

    /// Returns the start time of the load.
    pub(super) fn begun_at(&self) -> Instant {
        self.load.as_ref().map_or_else(Instant::now, |load| load.begun_at)
    }

    /// Returns whether the answers have arrived; waits for them up to a timeout.
    pub(super) fn is_readable(&self, gpu: &Gpu, patience: Duration) -> Result<bool, GpuError> {
        let Some(load) = &self.load else { return Ok(false) };
        gpu.device().poll(PollType::Poll).map_err(GpuError::lost)?;
        if self.readable.load(Ordering::Acquire) == PENDING {
            let wait =
                PollType::Wait { submission_index: Some(load.submission.clone()), timeout: Some(patience) };
            match gpu.device().poll(wait) {
                Ok(_) | Err(PollError::Timeout) => {}
                Err(error) => return Err(GpuError::lost(error)),
            }
        }
        gpu.check()?;
        mapped(&self.readable)
    }

    /// Delivers the answers and frees the slot.
    ///
    /// * `device_s` — time in seconds that the GPU took for this load alone.
    pub(super) fn finish(
        &mut self,
        device_s: f64,
        deliver: &mut dyn FnMut(FoundAnswers<'_>),
    ) -> Result<StageTimes, GpuError> {
        let Some(load) = self.load.take() else { return Ok(StageTimes::default()) };
        let start = Instant::now();
        let bytes = (load.rays * answer_size(load.query)) as u64;
        let view = self.results.get_mapped_range(..bytes).map_err(GpuError::lost)?;
        deliver(match load.query {
            RayQuery::Closest => FoundAnswers::Closest(bytemuck::cast_slice(&view)),
            RayQuery::Any => FoundAnswers::Words(bytemuck::cast_slice(&view)),
        });
        drop(view);
        self.results.unmap();
        let read_s = start.elapsed().as_secs_f64();

        // GPU time of a load: traversal, and the copies before and after it
        let upload_s = load.upload_s;
        let stamped = self.stamps.as_ref().map(Timestamps::read_requested).transpose()?;
        let traversal_s: Option<f64> = stamped.map(|seconds| seconds.iter().sum());
        let copies_s = traversal_s.map_or(0.0, |traversal_s| (device_s - upload_s - traversal_s).max(0.0));
        let trace_s = traversal_s.unwrap_or((device_s - upload_s).max(0.0));
        Ok(StageTimes { upload_s, trace_s, read_back_s: copies_s + read_s })
    }
}

fn answer_size(query: RayQuery) -> usize {
    match query {
        RayQuery::Closest => size_of::<Hit>(),
        RayQuery::Any => size_of::<u32>(),
    }
}
