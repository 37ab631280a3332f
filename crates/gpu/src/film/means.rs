use sunfleck_image::Picture;
use sunfleck_math::Vec3;
use wgpu::BindGroup;

use super::FilmSums;
use crate::buffer::{Array, Readback};
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// Mean radiance of the pixels of a film, or of strips of one, for who wants to see no more: a fifth of what the sums take.
#[derive(Debug)]
pub(crate) struct Means {
    pipeline: Pipeline,
    strips: Vec<Strip>,
    size: [u32; 2],
}

#[derive(Debug)]
struct Strip {
    groups: Vec<BindGroup>,
    means: Array<[f32; 3]>,
    read: Readback<[f32; 3]>,
}

impl Means {
    /// * `pipeline` — [`sunfleck_shaders::film::MEANS`]. * `strips` — from top to bottom. * `size` — of the film.
    pub(crate) fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        strips: &[&FilmSums],
        size: [u32; 2],
    ) -> Result<Self, GpuError> {
        let strip = |sums: &&FilmSums| {
            let pixels = sums.pixels.len();
            let means = Array::vacant(gpu, "means of pixels", pixels)?;
            let groups = pipeline.groups(gpu, &[(1, 4, &sums.pixels.buffer), (1, 5, &means.buffer)]);
            Ok(Strip { groups, means, read: Readback::new(gpu, "means of pixels", pixels)? })
        };
        let strips = strips.iter().map(strip).collect::<Result<_, GpuError>>()?;
        Ok(Self { pipeline: pipeline.clone(), strips, size })
    }

    /// Linear radiance; `None` if it has no pixels. Waits until all that was submitted is done.
    pub(crate) fn picture(&self, gpu: &Gpu) -> Result<Option<Picture>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for Strip { groups, means, read } in &self.strips {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.pipeline.record(gpu, &mut pass, groups, means.len());
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
}
