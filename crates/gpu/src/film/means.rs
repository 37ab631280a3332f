use sunfleck_constants::film::LUMINANCE_BINS;
use sunfleck_image::{LuminanceHistogram, Picture};
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::film::{HISTOGRAM, MEANS};
use wgpu::{BindGroup, ComputePassDescriptor};

use super::FilmSums;
use crate::buffer::{Array, Readback};
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// What makes means of pixels, and histograms of these.
#[derive(Clone, Debug)]
pub(crate) struct MeansKernels {
    means: Pipeline,
    histogram: Pipeline,
}

impl MeansKernels {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let [means, histogram] = [&MEANS, &HISTOGRAM].map(|pass| Pipeline::of_shader(gpu, pass));
        Ok(Self { means: means?, histogram: histogram? })
    }
}

/// Mean radiance of the pixels of a film, or of strips of one, for who wants to see no more: a fifth of what the sums take; or how bright they are, in 16 KiB.
#[derive(Debug)]
pub(crate) struct Means {
    kernels: MeansKernels,
    strips: Vec<Strip>,
    bins: Array<[u32; 2]>,
    read_bins: Readback<[u32; 2]>,
    size: [u32; 2],
}

#[derive(Debug)]
struct Strip {
    /// Of means, and of the histogram.
    groups: [BindGroup; 2],
    means: Array<[f32; 3]>,
    read: Readback<[f32; 3]>,
}

impl Means {
    /// * `strips` — from top to bottom. * `size` — of the film.
    pub(crate) fn new(
        gpu: &Gpu,
        kernels: &MeansKernels,
        strips: &[&FilmSums],
        size: [u32; 2],
    ) -> Result<Self, GpuError> {
        let bins = Array::vacant(gpu, "bins", LUMINANCE_BINS as usize)?;
        let strip = |sums: &&FilmSums| {
            let pixels = sums.pixels.len();
            let means = Array::vacant(gpu, "means of pixels", pixels)?;
            let buffers =
                [("film", &sums.pixels.buffer), ("means", &means.buffer), ("bins", &bins.buffer)].into();
            let groups = [kernels.means.bind(gpu, &buffers)?, kernels.histogram.bind(gpu, &buffers)?];
            Ok(Strip { groups, means, read: Readback::new(gpu, "means of pixels", pixels)? })
        };
        let strips = strips.iter().map(strip).collect::<Result<_, GpuError>>()?;
        let read_bins = Readback::new(gpu, "bins", bins.len())?;
        Ok(Self { kernels: kernels.clone(), strips, bins, read_bins, size })
    }

    /// Linear radiance; `None` if it has no pixels. Waits until all that was submitted is done.
    pub(crate) fn picture(&self, gpu: &Gpu) -> Result<Option<Picture>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for Strip { groups: [group, _], means, read } in &self.strips {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            self.kernels.means.record(gpu, &mut pass, group, means.len());
            drop(pass);
            read.record(&mut encoder, &means.buffer);
        }
        gpu.queue.submit([encoder.finish()]);
        let copies: Vec<_> = self.strips.iter().map(|strip| &strip.read).collect();
        copies.iter().for_each(|read| read.ask());
        gpu.wait()?;
        let [width, height] = self.size;
        Readback::look_at_all(&copies, |strips| {
            let radiance: Vec<Vec3> =
                strips.iter().flat_map(|strip| bytemuck::cast_slice(strip)).copied().collect();
            Picture::new(width, height, radiance).ok()
        })
    }

    /// How bright that is. Waits as [`picture`](Self::picture) does.
    pub(crate) fn histogram(&self, gpu: &Gpu) -> Result<LuminanceHistogram, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&self.bins.buffer, 0, None);
        for Strip { groups: [_, group], means, .. } in &self.strips {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            self.kernels.histogram.record(gpu, &mut pass, group, means.len());
        }
        self.read_bins.record(&mut encoder, &self.bins.buffer);
        gpu.queue.submit([encoder.finish()]);
        self.read_bins.ask();
        gpu.wait()?;
        self.read_bins.look(|bins| LuminanceHistogram::from_parts(bins.iter().copied()))
    }
}
