use std::sync::{Arc, OnceLock};

use sunfleck_constants::film::LUMINANCE_BINS;
use sunfleck_image::{LuminanceHistogram, Picture};
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::film::{HISTOGRAM, MEANS};
use wgpu::{BindGroup, ComputePassDescriptor};

use super::FilmSums;
use crate::buffer::{Array, Readback};
use crate::once::get_or_try_init;
use crate::pipeline::{Dispatch, Pipeline, run};
use crate::{Gpu, GpuError};

/// Kernels that compute pixel means and luminance histograms from the sums of a film.
#[derive(Debug)]
pub(crate) struct MeansKernels {
    means: Pipeline,
    /// Compiled when a histogram is first needed.
    histogram: OnceLock<Pipeline>,
}

impl MeansKernels {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { means: Pipeline::of_shader(gpu, &MEANS)?, histogram: OnceLock::new() })
    }
}

/// Mean radiance of the pixels of a film, for display: a fifth of the bytes of the sums.
#[derive(Debug)]
pub(crate) struct PixelMeans {
    kernels: Arc<MeansKernels>,
    strips: Vec<Strip>,
    size: [u32; 2],
}

#[derive(Debug)]
struct Strip {
    group: BindGroup,
    means: Array<[f32; 3]>,
    read: Readback<[f32; 3]>,
}

impl PixelMeans {
    /// Binds the sums of a film.
    ///
    /// * `strips` — strips of the film from top to bottom.
    /// * `size` — width and height of the film.
    pub(crate) fn new(
        gpu: &Gpu,
        kernels: &Arc<MeansKernels>,
        strips: &[&FilmSums],
        size: [u32; 2],
    ) -> Result<Self, GpuError> {
        let strip = |sums: &&FilmSums| {
            let pixels = sums.pixels.len();
            let means = Array::zeroed(gpu, "means of pixels", pixels)?;
            let buffers = [("film", &sums.pixels.buffer), ("means", &means.buffer)];
            let group = kernels.means.bind(gpu, &buffers.into())?;
            Ok(Strip { group, means, read: Readback::new(gpu, "means of pixels", pixels)? })
        };
        let strips = strips.iter().map(strip).collect::<Result<_, GpuError>>()?;
        Ok(Self { kernels: kernels.clone(), strips, size })
    }

    /// Computes and reads the linear radiance; `None` if the film has no pixels. Waits until all submitted work is
    /// done.
    pub(crate) fn picture(&self, gpu: &Gpu) -> Result<Option<Picture>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for Strip { group, means, read } in &self.strips {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            self.kernels.means.record(gpu, &mut pass, group, means.len());
            drop(pass);
            read.record(&mut encoder, &means.buffer);
        }
        gpu.queue.submit([encoder.finish()]);
        let copies: Vec<_> = self.strips.iter().map(|strip| &strip.read).collect();
        copies.iter().for_each(|read| read.request());
        gpu.wait()?;
        let [width, height] = self.size;
        Readback::read_all(&copies, |strips| {
            let radiance: Vec<Vec3> =
                strips.iter().flat_map(|strip| bytemuck::cast_slice(strip)).copied().collect();
            Picture::new(width, height, radiance).ok()
        })
    }

    /// Computes and reads the luminance histogram, 16 KiB. Waits as [`picture`](Self::picture) does.
    ///
    /// * `strips` — the same as at creation.
    pub(crate) fn histogram(&self, gpu: &Gpu, strips: &[&FilmSums]) -> Result<LuminanceHistogram, GpuError> {
        let kernel = get_or_try_init(&self.kernels.histogram, || Pipeline::of_shader(gpu, &HISTOGRAM))?;
        let bins: Array<[u32; 2]> = Array::zeroed(gpu, "bins", LUMINANCE_BINS as usize)?;
        let dispatch = |sums: &&FilmSums| {
            let buffers = [("film", &sums.pixels.buffer), ("bins", &bins.buffer)];
            Ok(Dispatch { kernel, group: kernel.bind(gpu, &buffers.into())?, items: sums.pixels.len() })
        };
        let dispatches = strips.iter().map(dispatch).collect::<Result<Vec<_>, GpuError>>()?;
        run(gpu, &dispatches, 1, None);
        Ok(LuminanceHistogram::from_parts(bins.read(gpu)?))
    }
}
