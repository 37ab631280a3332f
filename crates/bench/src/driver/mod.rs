//! The ray-tracing pipeline of a GPU's driver, by Vulkan's C interface: a peer on the same rays, never a backend.
//! `device` opens it, `structure` builds its acceleration structures, `stages` has the shaders, `pipeline` traces.
//! Beside `embree` the only place of the crate with unsafe code.

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
use structure::Structure;

/// Reason why the driver's pipeline cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The driver has no such pipeline.
    #[error("{0}")]
    Absent(String),
    /// A call failed.
    #[error("the driver's ray-tracing pipeline: {0}")]
    Call(vk::Result),
    /// A shader could not be translated.
    #[error("the driver's ray-tracing pipeline: {0}")]
    Shader(String),
}

/// A mesh in the driver's structures.
pub(crate) struct DriverTracer {
    // Fields are dropped in this order
    closest: Pipeline,
    any: Pipeline,
    world: Structure,
    bottom: Structure,
    device: Rc<Device>,
}

/// Rays on the device, and memory for their hits.
pub(crate) struct DriverRays {
    rays: Buffer,
    found: Buffer,
}

impl DriverTracer {
    /// * `adapter` — Vulkan's name of the GPU.
    ///
    /// # Errors
    /// [`DriverError`]: without such a pipeline [`Absent`](DriverError::Absent).
    pub(crate) fn new(adapter: &str, mesh: &Mesh) -> Result<Self, DriverError> {
        let device = Rc::new(Device::open(adapter)?);
        let bottom = Structure::of_mesh(&device, mesh)?;
        Ok(Self {
            closest: Pipeline::new(&device, stages::CLOSEST)?,
            any: Pipeline::new(&device, stages::ANY)?,
            world: Structure::of_one(&device, &bottom)?,
            bottom,
            device,
        })
    }

    /// Bytes of the acceleration structures.
    pub(crate) fn bytes(&self) -> u64 {
        self.world.bytes() + self.bottom.bytes()
    }

    pub(crate) fn rays(&self, rays: &[Ray]) -> Result<DriverRays, DriverError> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let found = Buffer::new(&self.device, 8 * rays.len() as u64, usage, BufferMemory::Device)?;
        Ok(DriverRays { rays: Buffer::with(&self.device, rays, usage)?, found })
    }

    /// Returns the closest hits: distances and triangles only.
    pub(crate) fn closest(&self, rays: &DriverRays) -> Result<Vec<Hit>, DriverError> {
        self.time_closest(rays, 1)?;
        let found: Vec<[u32; 2]> = rays.found.read()?;
        let hit =
            |[t, prim_id]: [u32; 2]| Hit { t: f32::from_bits(t), prim_id, ..bytemuck::Zeroable::zeroed() };
        Ok(found.into_iter().map(hit).collect())
    }

    /// Returns device times of closest-hit queries, seconds.
    pub(crate) fn time_closest(&self, rays: &DriverRays, times: u32) -> Result<Vec<f64>, DriverError> {
        self.closest.ask(&self.world, &rays.rays, &rays.found, times)
    }

    /// Returns device times of any-hit queries, seconds.
    pub(crate) fn time_any(&self, rays: &DriverRays, times: u32) -> Result<Vec<f64>, DriverError> {
        self.any.ask(&self.world, &rays.rays, &rays.found, times)
    }
}
