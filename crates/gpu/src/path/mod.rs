//! The path tracer as kernels over streams: the twin of `integrators::path`, with the same decisions from the same random numbers.
//!
//! ```text
//! generate ▶ ┌ intersect ▶ shade ┬▶ test shadow rays ▶ advance ┐ ▶ film
//!            └──── live paths ◀──┘◀────────────────────────────┘
//! ```
//!
//! One sample of each pixel travels at a time. Paths that go on are written one after the other, so that no thread idles because its neighbour's path
//! has ended; which comes first is chance, but a path's light goes to its own sample, in the order of its bounces.

mod streams;
mod view;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_image::{Film, PixelSample, TileRect};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Ended, Observer, Outcome, RayCount, Status, StopRules, ViewSpec};
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::View;
use sunfleck_shaders::path::{ADVANCE, GENERATE, INTERSECT, SHADE, SHADOW};

use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError, SceneMirror};
use streams::Streams;

/// Most paths that travel together.
const MOST_PATHS: u32 = 1 << 21;

/// So many bounces are submitted before it is asked whether any path is left.
const BOUNCES: u32 = 8;

/// The stages, compiled for worlds of some depth.
#[derive(Debug)]
pub struct PathRenderer {
    gpu: Arc<Gpu>,
    generate: Pipeline,
    intersect: Pipeline,
    shade: Pipeline,
    shadow: Pipeline,
    advance: Pipeline,
    stack: u32,
}

impl PathRenderer {
    /// For worlds no deeper than that of `scene`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        let stack = scene.mirror.stack();
        Ok(Self {
            generate: Pipeline::new(gpu, &GENERATE, GENERATE.text)?,
            intersect: Pipeline::new(gpu, &INTERSECT, &INTERSECT.with_stack(stack))?,
            shade: Pipeline::new(gpu, &SHADE, SHADE.text)?,
            shadow: Pipeline::new(gpu, &SHADOW, &SHADOW.with_stack(stack))?,
            advance: Pipeline::new(gpu, &ADVANCE, ADVANCE.text)?,
            gpu: gpu.clone(),
            stack,
        })
    }

    /// Renders into a film, which is empty and of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`].
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if other channels than radiance are wanted; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        scene.mirror.fits(self.stack)?;
        if film.aovs().iter().next().is_some() {
            return Err(GpuError::Unsupported { what: "other channels than radiance" });
        }
        let start = Instant::now();
        let rows = (MOST_PATHS / film.width().max(1)).clamp(1, film.height().max(1));
        let streams = Streams::new(&self.gpu, self, scene, spec.filter, (rows * film.width()) as usize)?;
        let (mut samples, mut rays, mut noise) = (0, RayCount::default(), None);
        while samples < stop.target() && !cancel.load(Ordering::Relaxed) {
            self.add(&streams, spec, path, film, rows, samples, &mut rays)?;
            samples += 1;
            observer.pass(film, samples);
            if stop.noise.is_some() && samples >= StopRules::LEAST_SAMPLES_FOR_NOISE {
                noise = Some(film.noise());
            }
            let elapsed = start.elapsed();
            let done = stop.share_done(samples as f32, elapsed, samples, noise);
            observer.tile(&Status { elapsed, done, samples, noise, rays: rays.total() });
            if stop.clean(noise) || stop.out_of_time(elapsed) {
                break;
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { Ended::Cancelled } else { Ended::Done };
        Ok(Outcome { ended, elapsed: start.elapsed(), rays, samples, outside: Duration::ZERO })
    }

    /// Adds a sample to every pixel of the film, as many rows at a time as there is room for.
    fn add(
        &self,
        streams: &Streams,
        spec: &ViewSpec,
        path: &PathTracer,
        film: &mut Film,
        rows: u32,
        sample: u32,
        rays: &mut RayCount,
    ) -> Result<(), GpuError> {
        for y0 in (0..film.height()).step_by(rows as usize) {
            let y1 = (y0 + rows).min(film.height());
            let mut tile = film.tile(TileRect { x0: 0, y0, x1: film.width(), y1 });
            let view = view::packed(spec, path, y0 * film.width(), (y1 - y0) * film.width(), sample);
            let (found, traced) = self.wave(streams, &view)?;
            *rays += traced;
            for ((x, y), [r, g, b, weight]) in tile.rect().pixels().zip(found) {
                let radiance = Vec3::new(r, g, b);
                tile.add(x, y, &PixelSample { radiance, weight, ..PixelSample::default() });
            }
            film.put(tile).map_err(|error| GpuError::Lost { why: error.to_string() })?;
        }
        Ok(())
    }

    /// One sample of each pixel: radiance and weight in the filter; and how many rays it took.
    fn wave(&self, streams: &Streams, view: &View) -> Result<(Vec<[f32; 4]>, RayCount), GpuError> {
        let gpu = &self.gpu;
        let paths = view.count as usize;
        streams.begin(gpu, view);
        let mut bounce = 0;
        loop {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            if bounce == 0 {
                self.generate.record(gpu, &mut pass, &streams.generate, paths);
            }
            for b in bounce..bounce + BOUNCES {
                let parity = (b % 2) as usize;
                self.intersect.record(gpu, &mut pass, &streams.intersect[parity], paths);
                self.shade.record(gpu, &mut pass, &streams.shade[parity], paths);
                self.shadow.record(gpu, &mut pass, &streams.shadow, paths);
                self.advance.record(gpu, &mut pass, &streams.advance, 1);
            }
            drop(pass);
            gpu.queue.submit([encoder.finish()]);
            bounce += BOUNCES;
            let wave = streams.wave(gpu)?;
            if bounce > view.max_bounces || wave.even.max(wave.odd) == 0 {
                let rays = RayCount { intersect: wave.closest.into(), occluded: wave.any.into() };
                return Ok((streams.samples.read(gpu)?, rays));
            }
        }
    }
}
