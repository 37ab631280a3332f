use std::sync::Arc;

use sunfleck_constants::radiosity::SWEEP_ROWS;
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::radiosity::{RESIDUAL, SWEEP};
use wgpu::BindGroup;

use crate::buffer::Array;
use crate::pipeline::{Dispatch, Pipeline, run};
use crate::timing::Timestamps;
use crate::{Gpu, GpuError};

/// Columns, and rows, are padded to a multiple of this.
const QUAD: usize = 4;
const _: () = assert!(SWEEP_ROWS as usize == QUAD, "a workgroup computes whole rows");

/// Bytes of form factors that are uploaded at once.
const UPLOAD_BYTES: usize = 64 << 20;

/// Matrix radiosity on the GPU: Jacobi's iteration over a dense matrix of form factors [Radiosity03, Eq. 4]. Emission
/// and reflectance may change between sweeps; the form factors stay on the GPU.
#[derive(Debug)]
pub struct MatrixRadiosity {
    gpu: Arc<Gpu>,
    sweep: Pipeline,
    residual: Pipeline,
    patches: usize,
    emission: Array<f32>,
    reflectance: Array<f32>,
    /// Radiosity, in one array before a sweep and in the other one after it.
    radiosity: [Array<f32>; 2],
    change: Array<u32>,
    /// Sweeps from array 0 to 1, and from 1 to 0; then their residuals.
    sweeps: [BindGroup; 2],
    residuals: [BindGroup; 2],
    /// The array with the current radiosity.
    current: usize,
}

impl MatrixRadiosity {
    /// Uploads a matrix, compiles the kernels, and begins with no light at all.
    ///
    /// * `factors` — form factors in rows: the share of what patch `i` emits that arrives at patch `j` is at
    ///   `i * patches + j`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] unless there are `patches²` factors; [`GpuError::TooLarge`] if the matrix exceeds what
    /// the device binds, 2 GiB at 23,000 patches; [`GpuError::OutOfMemory`], [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, factors: &[f32], patches: usize) -> Result<Self, GpuError> {
        if patches == 0 || patches.checked_mul(patches) != Some(factors.len()) {
            return Err(GpuError::Unsupported {
                what: "a matrix of form factors that is empty or not square",
            });
        }
        let padded = patches.next_multiple_of(QUAD);
        let matrix = Array::<f32>::zeroed(gpu, "form factors", padded * padded)?;
        let rows_at_once = (UPLOAD_BYTES / (size_of::<f32>() * padded)).max(1);
        let mut rows = Vec::with_capacity(rows_at_once * padded);
        for (part, some) in factors.chunks(rows_at_once * patches).enumerate() {
            rows.clear();
            for row in some.chunks(patches) {
                rows.extend_from_slice(row);
                rows.resize(rows.len().next_multiple_of(padded), 0.0);
            }
            let at = (part * rows_at_once * padded * size_of::<f32>()) as u64;
            gpu.queue.write_buffer(&matrix.buffer, at, bytemuck::cast_slice(&rows));
            // Frees the memory of the upload
            gpu.queue.submit([]);
            gpu.wait()?;
        }
        let channels = || Array::<f32>::zeroed(gpu, "radiosity", 3 * padded);
        let (emission, reflectance) = (channels()?, channels()?);
        let radiosity = [channels()?, channels()?];
        let change = Array::zeroed(gpu, "residual", 1)?;
        let sweep = Pipeline::of_shader(gpu, &SWEEP)?;
        let residual = Pipeline::of_shader(gpu, &RESIDUAL)?;
        let between = |kernel: &Pipeline, from: usize| {
            let buffers = [
                ("factors", &matrix.buffer),
                ("before", &radiosity[from].buffer),
                ("after", &radiosity[1 - from].buffer),
                ("emission", &emission.buffer),
                ("reflectance", &reflectance.buffer),
                ("residual", &change.buffer),
            ];
            kernel.bind(gpu, &buffers.into())
        };
        let sweeps = [between(&sweep, 0)?, between(&sweep, 1)?];
        let residuals = [between(&residual, 0)?, between(&residual, 1)?];
        let gpu = gpu.clone();
        Ok(Self {
            gpu,
            sweep,
            residual,
            patches,
            emission,
            reflectance,
            radiosity,
            change,
            sweeps,
            residuals,
            current: 0,
        })
    }

    /// Replaces the emission of all patches, W/m².
    pub fn set_emission(&self, emission: &[Vec3]) {
        self.emission.write(&self.gpu, &self.planes(emission));
    }

    /// Replaces the reflectance of all patches.
    pub fn set_reflectance(&self, reflectance: &[Vec3]) {
        self.reflectance.write(&self.gpu, &self.planes(reflectance));
    }

    /// Replaces the radiosity from which the next sweep starts, W/m².
    pub fn set_radiosity(&self, radiosity: &[Vec3]) {
        self.radiosity[self.current].write(&self.gpu, &self.planes(radiosity));
    }

    /// Submits sweeps, and does not wait for them.
    pub fn sweep(&mut self, sweeps: u32) {
        self.submit(sweeps, None);
    }

    /// Returns the radiosity, W/m². Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn radiosity(&self) -> Result<Vec<Vec3>, GpuError> {
        let planes = self.radiosity[self.current].read(&self.gpu)?;
        let padded = planes.len() / 3;
        let of_patch = |i: usize| Vec3::new(planes[i], planes[padded + i], planes[2 * padded + i]);
        Ok((0..self.patches).map(of_patch).collect())
    }

    /// Returns the residual `‖E − M B‖∞` of the radiosity before the last sweep, W/m². Waits for the GPU.
    ///
    /// # Errors
    /// As [`radiosity`](Self::radiosity).
    pub fn residual(&self) -> Result<f32, GpuError> {
        self.change.write(&self.gpu, &[0]);
        let group = self.residuals[1 - self.current].clone();
        let items = self.radiosity[0].len() / QUAD;
        run(&self.gpu, &[Dispatch { kernel: &self.residual, group, items }], 1, None);
        Ok(self.change.read(&self.gpu)?.first().copied().map_or(0.0, f32::from_bits))
    }

    /// Runs sweeps and returns their GPU time in seconds; `None` if the GPU has no timestamps. Waits for the GPU.
    ///
    /// # Errors
    /// As [`radiosity`](Self::radiosity).
    pub fn time_sweeps(&mut self, sweeps: u32) -> Result<Option<f64>, GpuError> {
        let stamps = Timestamps::new(&self.gpu, 1)?;
        self.submit(sweeps, stamps.as_ref());
        self.gpu.wait()?;
        stamps.map(|stamps| Ok(stamps.read(&self.gpu)?.iter().sum())).transpose()
    }

    /// Submits sweeps as one compute pass: the dispatches of a pass run in order.
    fn submit(&mut self, sweeps: u32, stamps: Option<&Timestamps>) {
        let dispatch = |i: u32| Dispatch {
            kernel: &self.sweep,
            group: self.sweeps[(self.current + i as usize) % 2].clone(),
            items: self.patches,
        };
        let dispatches: Vec<_> = (0..sweeps).map(dispatch).collect();
        run(&self.gpu, &dispatches, 1, stamps);
        self.current = (self.current + sweeps as usize) % 2;
    }

    /// Returns three components in planes, padded with zeros.
    fn planes(&self, values: &[Vec3]) -> Vec<f32> {
        let padded = self.patches.next_multiple_of(QUAD);
        let mut planes = vec![0.0; 3 * padded];
        for (i, value) in values.iter().enumerate().take(self.patches) {
            for (channel, component) in value.to_array().into_iter().enumerate() {
                planes[channel * padded + i] = component;
            }
        }
        planes
    }
}
