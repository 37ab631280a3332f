use sunfleck_shaders::layout::{Bounds, MovedNode, Refit};
use sunfleck_shaders::passes::build::REFIT_LEVEL;
use sunfleck_transport::PackedMesh;

use super::{Dispatch, submit};
use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Moves bottom levels to where their vertices are now, level by level from the leaves up.
#[derive(Debug)]
pub(crate) struct Refitter {
    level: Pipeline,
}

/// A bottom level to move.
#[derive(Debug)]
pub(crate) struct Moved<'a> {
    /// Its nodes, those next to leaves first, and where each level ends.
    pub(crate) order: &'a Array<MovedNode>,
    pub(crate) levels: &'a [u32],
    /// Boxes around what is below each node.
    pub(crate) boxes: &'a Array<Bounds>,
    /// Where its vertices are.
    pub(crate) mesh: PackedMesh,
}

impl Refitter {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { level: Pipeline::of_shader(gpu, &REFIT_LEVEL)? })
    }

    /// Moves some; returns what rays cost in each now. Waits for it.
    ///
    /// * `units`, `words` — of all trees and meshes.
    pub(crate) fn refit(
        &self,
        gpu: &Gpu,
        all: &[Moved<'_>],
        units: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Result<Vec<f32>, GpuError> {
        let costs = Array::vacant(gpu, "costs", all.len())?;
        for (moved, cost) in all.iter().zip(0..) {
            let Moved { order, boxes, .. } = moved;
            let world = Resources::from([("units", units), ("words", words), ("costs", &costs.buffer)]);
            let buffers = world.with("order", &order.buffer).with("boxes", &boxes.buffer);
            submit(gpu, "refits", &self.dispatches(moved, cost), &buffers)?;
        }
        costs.read(gpu)
    }

    fn dispatches(&self, moved: &Moved<'_>, cost: u32) -> Vec<Dispatch<'_, Refit>> {
        let mut begin = 0;
        let levels = moved.levels.iter().map(|&end| {
            let first = std::mem::replace(&mut begin, end);
            let refit = Refit {
                count: end - first,
                first,
                triangles: moved.mesh.triangles,
                positions: moved.mesh.positions,
                cost,
                ..Refit::default()
            };
            (&self.level, refit, refit.count as usize)
        });
        levels.collect()
    }
}
