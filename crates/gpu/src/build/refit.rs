use std::ops::Range;

use sunfleck_integrators::PackedMesh;
use sunfleck_shaders::Shader;
use sunfleck_shaders::build::{REFIT_COST, REFIT_LEVEL, REFIT_TRIANGLES};
use sunfleck_shaders::layout::{MovedBox, Refit};

use super::{Dispatch, submit};
use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// Moves bottom levels to where their vertices are now: triangles, then boxes, level by level from the leaves up.
#[derive(Debug)]
pub(crate) struct Refitter {
    triangles: Pipeline,
    level: Pipeline,
    cost: Pipeline,
}

/// A bottom level to move.
#[derive(Debug)]
pub(crate) struct Moved<'a> {
    pub(crate) nodes: Range<u32>,
    pub(crate) triangles: Range<u32>,
    /// Its nodes, those next to leaves first, and where each level ends.
    pub(crate) order: &'a Array<u32>,
    pub(crate) levels: &'a [u32],
    /// Boxes around what is below each node.
    pub(crate) boxes: &'a Array<MovedBox>,
    /// Where its vertices are.
    pub(crate) mesh: PackedMesh,
}

impl Refitter {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let made = |shader: &Shader| Pipeline::new(gpu, shader, shader.text);
        Ok(Self { triangles: made(&REFIT_TRIANGLES)?, level: made(&REFIT_LEVEL)?, cost: made(&REFIT_COST)? })
    }

    /// Moves some; returns what rays cost in each now, as [`cost`] counts. Waits for it.
    ///
    /// * `nodes`, `triangles`, `words` — of all bottom levels and meshes.
    pub(crate) fn refit(
        &self,
        gpu: &Gpu,
        all: &[Moved<'_>],
        nodes: &wgpu::Buffer,
        triangles: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Result<Vec<f32>, GpuError> {
        let costs = Array::vacant(gpu, "costs", all.len())?;
        let world = [(0, nodes), (1, triangles), (5, words)];
        for (moved, cost) in all.iter().zip(0..) {
            let own = [(1, &moved.order.buffer), (2, &costs.buffer), (3, &moved.boxes.buffer)];
            submit(gpu, &self.dispatches(moved, cost), [&world, &own])?;
        }
        costs.read(gpu)
    }

    fn dispatches(&self, moved: &Moved<'_>, cost: u32) -> Vec<Dispatch<'_, Refit>> {
        let some = |range: Range<u32>| Refit {
            count: range.end - range.start,
            first: range.start,
            triangles: moved.mesh.triangles,
            positions: moved.mesh.positions,
            cost,
            root: moved.nodes.start,
            ..Refit::default()
        };
        let mut all = vec![(&self.triangles, some(moved.triangles.clone()), moved.triangles.len())];
        let mut begin = 0;
        for &end in moved.levels {
            all.push((&self.level, some(begin..end), (end - begin) as usize));
            begin = end;
        }
        all.push((&self.cost, some(moved.nodes.clone()), 1));
        all
    }
}
