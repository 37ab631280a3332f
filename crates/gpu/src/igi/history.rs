//! Data of the previous frame that a frame of a temporal sequence reuses; see `shaders/igi/reuse.wesl`.

use std::sync::OnceLock;

use sunfleck_image::Picture;
use sunfleck_integrators::ViewSpec;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::PreviousFrame;

use crate::buffer::{Array, Readback};
use crate::once::get_or_try_init;
use crate::path::packed_view;
use crate::{Gpu, GpuError};

/// Means over frames, stored alternately for the newest and the previous frame, and the parameters of the previous
/// frame.
#[derive(Debug)]
pub(super) struct FrameHistory {
    before: Array<PreviousFrame>,
    /// Mean radiance and the number of frames in it, of each pixel of both frames.
    means: Array<[f32; 4]>,
    /// Distance and identifier of the surface of each pixel of both frames.
    places: Array<[f32; 2]>,
    size: [u32; 2],
    least_share: f32,
    /// Created when an image is first read.
    read: OnceLock<Readback<[f32; 4]>>,
}

impl FrameHistory {
    /// Allocates the history of films of the size of `spec`.
    ///
    /// * `frames` — number of frames over which an image is averaged, at least 1.
    pub(super) fn new(gpu: &Gpu, spec: &ViewSpec, frames: u32) -> Result<Self, GpuError> {
        let pixels = spec.width as usize * spec.height as usize;
        Ok(Self {
            before: Array::zeroed(gpu, "views", 1)?,
            means: Array::zeroed(gpu, "previous frames", 2 * pixels)?,
            places: Array::zeroed(gpu, "surfaces of previous frames", 2 * pixels)?,
            size: [spec.width, spec.height],
            least_share: 1.0 / frames.max(1) as f32,
            read: OnceLock::new(),
        })
    }

    /// Writes the parameters of the previous frame.
    ///
    /// * `number` — number of the new frame.
    /// * `view` — view of the previous frame, if there was one.
    pub(super) fn write_parameters(&self, gpu: &Gpu, number: u32, view: Option<&ViewSpec>) {
        let half = (number + 1) % 2;
        let nothing = PreviousFrame { least_share: self.least_share, half, ..PreviousFrame::default() };
        let before = view.map_or(nothing, |spec| {
            let inverse = ViewSpec { world_from_view: spec.world_from_view.inverse(), ..*spec };
            let view = packed_view(&inverse, 0, 0);
            PreviousFrame {
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

    /// Reads the linear radiance of frame number `number`, which must be the newest; `None` if it has no pixels. Waits
    /// until all submitted work is done.
    pub(super) fn picture(&self, gpu: &Gpu, number: u32) -> Result<Option<Picture>, GpuError> {
        let [width, height] = self.size;
        let pixels = width as usize * height as usize;
        let readback = get_or_try_init(&self.read, || Readback::new(gpu, "images", pixels))?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        readback.record_from(&mut encoder, &self.means.buffer, number as usize % 2 * pixels);
        gpu.queue.submit([encoder.finish()]);
        readback.request();
        gpu.wait()?;
        let radiance = |&[red, green, blue, _]: &[f32; 4]| Vec3::new(red, green, blue);
        readback.read(|means| Picture::new(width, height, means.iter().map(radiance).collect()).ok())
    }

    /// Buffers by the names of WESL variables.
    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 3] {
        [("before", &self.before.buffer), ("means", &self.means.buffer), ("places", &self.places.buffer)]
    }
}
