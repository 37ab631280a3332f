//! Sums of samples on the GPU. They are added there in the order of the samples, and read back when an image is needed.

mod means;

use std::sync::OnceLock;

use bytemuck::Pod;
use sunfleck_image::{Aov, AovSet, Film, PixelSums};
use sunfleck_shaders::layout::{Channels, Pixel};
use wgpu::CommandEncoder;

use crate::buffer::{Array, Readback};
use crate::once::get_or_try_init;
use crate::{Gpu, GpuError};
pub(crate) use means::{MeansKernels, PixelMeans};

/// Sums of the pixels of a film, or of a strip of one, row by row.
///
/// Each sum consists of two f32, a high and a low part: even after thousands of samples, it agrees with the f64 sum of
/// [`Film`] within 10⁻⁷. The sums of a pixel depend on its samples alone, not on which samples were in flight together.
#[derive(Debug)]
pub(crate) struct FilmSums {
    pub(crate) pixels: Array<Pixel>,
    /// Sums of the AOVs.
    pub(crate) channels: Option<Array<Channels>>,
    /// Host-visible copies, created when first needed, since host-visible memory is scarce.
    read: OnceLock<Readback<Pixel>>,
    read_channels: OnceLock<Readback<Channels>>,
}

/// Returns whether some AOV needs sums of its own; the variance is always known.
pub(crate) fn has_channels(aovs: AovSet) -> bool {
    aovs.iter().any(|aov| aov != Aov::Variance)
}

impl FilmSums {
    /// Creates sums of no samples.
    pub(crate) fn new(gpu: &Gpu, pixels: usize, aovs: AovSet) -> Result<Self, GpuError> {
        let channels = has_channels(aovs);
        let recorded = channels.then(|| Array::zeroed(gpu, "channels of pixels", pixels)).transpose()?;
        Ok(Self {
            pixels: Array::zeroed(gpu, "pixels", pixels)?,
            channels: recorded,
            read: OnceLock::new(),
            read_channels: OnceLock::new(),
        })
    }

    /// Records the copies to host-visible memory.
    pub(crate) fn record(&self, gpu: &Gpu, encoder: &mut CommandEncoder) -> Result<(), GpuError> {
        record(gpu, encoder, &self.read, &self.pixels)?;
        match &self.channels {
            Some(channels) => record(gpu, encoder, &self.read_channels, channels),
            None => Ok(()),
        }
    }

    /// Requests the mapping of the copies; to be called after their submission.
    pub(crate) fn request(&self) {
        self.read.get().iter().for_each(|read| read.request());
        self.read_channels.get().iter().for_each(|read| read.request());
    }

    /// Writes the finished copies to a film of the same size and channels.
    pub(crate) fn read_into(&self, film: &mut Film) -> Result<(), GpuError> {
        read_into(&[self], film)
    }
}

/// Copies the sums of strips and writes them, one strip below the other, to a film with the same channels. Waits until
/// all submitted work is done.
pub(crate) fn read(gpu: &Gpu, strips: &[&FilmSums], film: &mut Film) -> Result<(), GpuError> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for strip in strips {
        strip.record(gpu, &mut encoder)?;
    }
    gpu.queue.submit([encoder.finish()]);
    strips.iter().for_each(|strip| strip.request());
    gpu.wait()?;
    read_into(strips, film)
}

fn record<T: Pod>(
    gpu: &Gpu,
    encoder: &mut CommandEncoder,
    read: &OnceLock<Readback<T>>,
    array: &Array<T>,
) -> Result<(), GpuError> {
    get_or_try_init(read, || Readback::new(gpu, "copies of pixels", array.len()))?
        .record(encoder, &array.buffer);
    Ok(())
}

fn read_into(strips: &[&FilmSums], film: &mut Film) -> Result<(), GpuError> {
    let pixels: Vec<_> = strips.iter().filter_map(|strip| strip.read.get()).collect();
    let channels: Option<Vec<_>> = strips.iter().map(|strip| strip.read_channels.get()).collect();
    match channels {
        None => Readback::read_all(&pixels, |pixels| {
            film.set_pixels(pixels.iter().copied().flatten().map(radiance));
        }),
        Some(channels) => Readback::read_all(&channels, |channels| {
            Readback::read_all(&pixels, |pixels| {
                let both = |(pixel, channels)| with_channels(radiance(pixel), channels);
                let channels = channels.iter().copied().flatten();
                film.set_pixels(pixels.iter().copied().flatten().zip(channels).map(both));
            })
        })?,
    }
}

fn radiance(pixel: &Pixel) -> PixelSums {
    PixelSums {
        radiance: sum3(pixel.radiance, pixel.radiance_low),
        squares: sum3(pixel.squares, pixel.squares_low),
        samples: pixel.samples,
        dropped: pixel.dropped,
        // The ids of the first sample are set later, if there is one
        ids: [u32::MAX; 4],
        ..PixelSums::default()
    }
}

fn with_channels(sums: PixelSums, channels: &Channels) -> PixelSums {
    PixelSums {
        hits: channels.hits,
        depth: sum(channels.depth, channels.depth_low),
        position: sum3(channels.position, channels.position_low),
        ng: sum3(channels.ng, channels.ng_low),
        ns: sum3(channels.ns, channels.ns_low),
        albedo: sum3(channels.albedo, channels.albedo_low),
        ids: if sums.samples > 0 { channels.ids } else { sums.ids },
        occlusion: sum(channels.open, channels.open_low),
        reflections: sum(channels.levels, channels.levels_low),
        features: features(channels),
        diffuse: channels.diffuse.map(f64::from),
        prefixes: [channels.quarter, channels.half, channels.all],
        milestone: channels.milestone,
        ..sums
    }
}

fn features(sums: &Channels) -> [f64; 7] {
    let ([r, g, b], [x, y, z]) = (sums.features_albedo, sums.features_normal);
    [r, g, b, x, y, z, sums.inverse_distance].map(f64::from)
}

fn sum(high: f32, low: f32) -> f64 {
    f64::from(high) + f64::from(low)
}

fn sum3(high: [f32; 3], low: [f32; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| sum(high[axis], low[axis]))
}
