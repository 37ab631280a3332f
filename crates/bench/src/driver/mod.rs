//! Ray-tracing pipeline of a GPU's driver, through Vulkan's C interface: a peer on the same rays, not a backend.
//! `device` opens the GPU, `structure` builds acceleration structures, `stages` has the shaders, `pipeline` traces
//! rays. Only this module and `embree` have unsafe code.

mod buffer;
mod device;
mod pipeline;
mod stages;
mod structure;

use std::rc::Rc;

use ash::vk;
use sunfleck_shaders::layout::{Hit, Ray};

use crate::mesh::Mesh;
use buffer::{Buffer, BufferMemory};
use device::Device;
use pipeline::Pipeline;
use structure::AccelerationStructure;

/// Error of the driver's ray-tracing pipeline.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The GPU or its driver has no ray-tracing pipeline.
    #[error("{0}")]
    Unavailable(String),
    /// A Vulkan call failed.
    #[error("the driver's ray-tracing pipeline: {0}")]
    Call(vk::Result),
    /// A shader could not be translated.
    #[error("the driver's ray-tracing pipeline: {0}")]
    Shader(String),
}

/// Mesh in the driver's acceleration structures, with the pipelines that trace it.
pub(crate) struct DriverTracer {
    // Fields are dropped in this order: the device last
    closest: Pipeline,
    any: Pipeline,
    world: AccelerationStructure,
    bottom: AccelerationStructure,
    device: Rc<Device>,
}

/// Rays in device memory, and a buffer for their hits.
pub(crate) struct DriverRays {
    rays: Buffer,
    hits: Buffer,
}

impl DriverTracer {
    /// Builds the structures and the pipelines.
    ///
    /// * `adapter` — name of the GPU in Vulkan.
    ///
    /// # Errors
    /// [`DriverError`]; without a ray-tracing pipeline [`Unavailable`](DriverError::Unavailable).
    pub(crate) fn new(adapter: &str, mesh: &Mesh) -> Result<Self, DriverError> {
        let device = Rc::new(Device::open(adapter)?);
        let bottom = AccelerationStructure::of_mesh(&device, mesh)?;
        Ok(Self {
            closest: Pipeline::new(&device, stages::CLOSEST)?,
            any: Pipeline::new(&device, stages::ANY)?,
            world: AccelerationStructure::of_one(&device, &bottom)?,
            bottom,
            device,
        })
    }

    /// Returns the memory of the acceleration structures, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.world.bytes() + self.bottom.bytes()
    }

    /// Uploads rays.
    pub(crate) fn rays(&self, rays: &[Ray]) -> Result<DriverRays, DriverError> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let hits = Buffer::new(&self.device, 8 * rays.len() as u64, usage, BufferMemory::Device)?;
        Ok(DriverRays { rays: Buffer::with(&self.device, rays, usage)?, hits })
    }

    /// Returns the closest hits: `t` and `prim_id` only, all else is zero.
    pub(crate) fn closest(&self, rays: &DriverRays) -> Result<Vec<Hit>, DriverError> {
        self.time_closest(rays, 1)?;
        let hits: Vec<[u32; 2]> = rays.hits.read()?;
        let hit =
            |[t, prim_id]: [u32; 2]| Hit { t: f32::from_bits(t), prim_id, ..bytemuck::Zeroable::zeroed() };
        Ok(hits.into_iter().map(hit).collect())
    }

    /// Returns device times of closest-hit queries, seconds.
    pub(crate) fn time_closest(&self, rays: &DriverRays, times: u32) -> Result<Vec<f64>, DriverError> {
        self.closest.time(&self.world, &rays.rays, &rays.hits, times)
    }

    /// Returns device times of any-hit queries, seconds.
    pub(crate) fn time_any(&self, rays: &DriverRays, times: u32) -> Result<Vec<f64>, DriverError> {
        self.any.time(&self.world, &rays.rays, &rays.hits, times)
    }
}
