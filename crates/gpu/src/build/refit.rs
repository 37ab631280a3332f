use sunfleck_shaders::layout::{Bounds, MovedNode, Refit};
use sunfleck_shaders::passes::build::REFIT_LEVEL;
use sunfleck_transport::PackedMesh;

use super::{Dispatch, submit};
use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Refits bottom levels to the current vertices, level by level from the leaves up.
#[derive(Debug)]
pub(crate) struct Refitter {
    level: Pipeline,
}

/// A bottom level to refit.
#[derive(Debug)]
pub(crate) struct RefitJob<'a> {
    /// Its nodes, by height (those above leaves first), and the index at which each level ends.
    pub(crate) order: &'a Array<MovedNode>,
    pub(crate) levels: &'a [u32],
    /// Bounding boxes of the subtrees.
    pub(crate) boxes: &'a Array<Bounds>,
    /// Location of its vertices.
    pub(crate) mesh: PackedMesh,
}

impl Refitter {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { level: Pipeline::of_shader(gpu, &REFIT_LEVEL)? })
    }

    /// Refits bottom levels; returns the current SAH cost of each. Waits for the GPU.
    ///
    /// * `units`, `words` — arrays of all trees, and of all meshes.
    pub(crate) fn refit(
        &self,
        gpu: &Gpu,
        jobs: &[RefitJob<'_>],
        units: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Result<Vec<f32>, GpuError> {
        let costs = Array::zeroed(gpu, "costs", jobs.len())?;
        for (job, cost) in jobs.iter().zip(0..) {
            let RefitJob { order, boxes, .. } = job;
            let world = Resources::from([("units", units), ("words", words), ("costs", &costs.buffer)]);
            let buffers = world.with("order", &order.buffer).with("boxes", &boxes.buffer);
            submit(gpu, "refits", &self.dispatches(job, cost), &buffers)?;
        }
        costs.read(gpu)
    }

    fn dispatches(&self, job: &RefitJob<'_>, cost: u32) -> Vec<Dispatch<'_, Refit>> {
        let mut begin = 0;
        let levels = job.levels.iter().map(|&end| {
            let first = std::mem::replace(&mut begin, end);
            let refit = Refit {
                count: end - first,
                first,
                triangles: job.mesh.triangles,
                positions: job.mesh.positions,
                cost,
                ..Refit::default()
            };
            (&self.level, refit, refit.count as usize)
        });
        levels.collect()
    }
}
