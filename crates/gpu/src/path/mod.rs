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

use std::ops::Range;
use std::sync::Arc;

use sunfleck_image::{Film, PixelSample, TileRect};
use sunfleck_integrators::ViewSpec;
use sunfleck_integrators::path::PathTracer;
use sunfleck_math::Vec3;
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

    /// Adds samples to every pixel of a film, which has the size of `spec`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if other channels than radiance are wanted; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        film: &mut Film,
        samples: Range<u32>,
    ) -> Result<(), GpuError> {
        if scene.mirror.stack() > self.stack {
            let (bytes, limit) = (u64::from(scene.mirror.stack()) * 4, u64::from(self.stack) * 4);
            return Err(GpuError::TooLarge { what: "stacks", bytes, limit });
        }
        if film.aovs().iter().next().is_some() {
            return Err(GpuError::Unsupported { what: "other channels than radiance" });
        }
        let rows = (MOST_PATHS / film.width().max(1)).clamp(1, film.height().max(1));
        let streams = Streams::new(&self.gpu, self, scene, spec.filter, (rows * film.width()) as usize)?;
        for y0 in (0..film.height()).step_by(rows as usize) {
            let y1 = (y0 + rows).min(film.height());
            let mut tile = film.tile(TileRect { x0: 0, y0, x1: film.width(), y1 });
            for sample in samples.clone() {
                let view = view::packed(spec, path, y0 * film.width(), (y1 - y0) * film.width(), sample);
                let found = self.wave(&streams, &view)?;
                let pixels = tile.rect().pixels();
                for ((x, y), [r, g, b, weight]) in pixels.zip(found) {
                    let radiance = Vec3::new(r, g, b);
                    tile.add(x, y, &PixelSample { radiance, weight, ..PixelSample::default() });
                }
            }
            film.put(tile).map_err(|error| GpuError::Lost { why: error.to_string() })?;
        }
        Ok(())
    }

    /// One sample of each pixel: radiance and weight in the filter.
    fn wave(
        &self,
        streams: &Streams,
        view: &sunfleck_shaders::layout::View,
    ) -> Result<Vec<[f32; 4]>, GpuError> {
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
            if bounce > view.max_bounces || streams.live(gpu)? == 0 {
                break;
            }
        }
        streams.samples.read(gpu)
    }
}
