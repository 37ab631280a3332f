//! What a frame of a sequence takes over from the one before; see `shaders/igi/reuse.wesl`.

use std::sync::OnceLock;

use sunfleck_image::Picture;
use sunfleck_integrators::ViewSpec;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::Before;

use crate::buffer::{Array, Readback};
use crate::once::made_once;
use crate::path::packed;
use crate::{Gpu, GpuError};

/// Two frames of means, and what the kernel has to know of the first.
#[derive(Debug)]
pub(super) struct Past {
    before: Array<Before>,
    /// Radiance, and of how many frames it is the mean; of each pixel of two frames.
    means: Array<[f32; 4]>,
    /// Distance of the surface, and its mark.
    places: Array<[f32; 2]>,
    size: [u32; 2],
    least_share: f32,
    /// Made when a picture is wanted for the first time.
    read: OnceLock<Readback<[f32; 4]>>,
}

impl Past {
    /// For films of the size of `spec`.
    ///
    /// * `frames` — of so many a picture is a mean, at least 1.
    pub(super) fn new(gpu: &Gpu, spec: &ViewSpec, frames: u32) -> Result<Self, GpuError> {
        let pixels = spec.width as usize * spec.height as usize;
        Ok(Self {
            before: Array::vacant(gpu, "views", 1)?,
            means: Array::vacant(gpu, "frames before", 2 * pixels)?,
            places: Array::vacant(gpu, "surfaces of frames before", 2 * pixels)?,
            size: [spec.width, spec.height],
            least_share: 1.0 / frames.max(1) as f32,
            read: OnceLock::new(),
        })
    }

    /// Tells the kernel of the frame before.
    ///
    /// * `number` — of the new frame. * `view` — that of the frame before, if there was one.
    pub(super) fn write_parameters(&self, gpu: &Gpu, number: u32, view: Option<&ViewSpec>) {
        let half = (number + 1) % 2;
        let nothing = Before { least_share: self.least_share, half, ..Before::default() };
        let before = view.map_or(nothing, |spec| {
            let inverse = ViewSpec { world_from_view: spec.world_from_view.inverse(), ..*spec };
            let view = packed(&inverse, 0, 0);
            Before {
                x: view.x,
                y: view.y,
                z: view.z,
                origin: spec.world_from_view.translation.to_array(),
                half_film: view.half_film,
                pixel_size: view.pixel_size,
                projection: view.projection,
                exists: 1,
                ..nothing
            }
        });
        self.before.write(gpu, &[before]);
    }

    /// Linear radiance of frame number `number`, which is the newest; `None` if it has no pixels. Waits until all that was submitted is done.
    pub(super) fn picture(&self, gpu: &Gpu, number: u32) -> Result<Option<Picture>, GpuError> {
        let [width, height] = self.size;
        let pixels = width as usize * height as usize;
        let read = made_once(&self.read, || Readback::new(gpu, "pictures", pixels))?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        read.record_from(&mut encoder, &self.means.buffer, number as usize % 2 * pixels);
        gpu.queue.submit([encoder.finish()]);
        read.ask();
        gpu.wait()?;
        let radiance = |&[red, green, blue, _]: &[f32; 4]| Vec3::new(red, green, blue);
        read.look(|means| Picture::new(width, height, means.iter().map(radiance).collect()).ok())
    }

    /// By the names that shaders have for them.
    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 3] {
        [("before", &self.before.buffer), ("means", &self.means.buffer), ("places", &self.places.buffer)]
    }
}
