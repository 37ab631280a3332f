//! Trees with eight boxes in a node, of a byte a plane [Ylitie17, compressed wide nodes]: what the trees of a [`Mirror`](crate::Mirror) are compared with.

mod collapse;
mod node;

use std::sync::Arc;

use sunfleck_kernel::{Blas, PairedTriangles};
use sunfleck_shaders::layout::{Hit, Leaf, WideNode};
use sunfleck_shaders::{WIDE_ANY, WIDE_CLOSEST};
use wgpu::Buffer;

use crate::buffer::Array;
use crate::leaf::leaf_of;
use crate::queries::Queries;
use crate::{Gpu, GpuError, RayBatch};

/// The triangles of one mesh under a compressed eight-wide tree, where the GPU reads them.
#[derive(Debug)]
pub struct WideTree {
    queries: Queries,
    nodes: Array<WideNode>,
    leaves: Array<Leaf>,
}

impl WideTree {
    /// The same leaves as the tree of a mirror has. In hits `inst_id` is 0.
    ///
    /// # Errors
    /// [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Arc<Gpu>, blas: &Blas) -> Result<Self, GpuError> {
        let PairedTriangles { tree, triangles } = blas.paired();
        let mut leaves = Vec::with_capacity(tree.nodes.len() + 1);
        let (nodes, depth) = collapse::wide(&tree, |first, count| {
            leaves.push(leaf_of(&triangles, first, count, 0));
            u32::try_from(leaves.len() - 1).unwrap_or(u32::MAX)
        });
        let made = Self {
            queries: Queries::new(gpu, [&WIDE_CLOSEST, &WIDE_ANY], |shader| shader.with_stack(depth.max(1)))?,
            nodes: Array::new(gpu, "wide nodes", &nodes)?,
            leaves: Array::new(gpu, "leaves", &leaves)?,
        };
        gpu.check()?;
        Ok(made)
    }

    /// Nodes and triangles, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.nodes.buffer.size() + self.leaves.buffer.size()
    }

    /// The closest hit of each ray. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.queries.closest(&self.bindings(), rays)
    }

    /// Whether there is anything on each ray. Waits for it.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        self.queries.occluded(&self.bindings(), rays)
    }

    /// Seconds that the GPU takes for the closest hits of the rays, `times` over; `None` if it has no time stamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_closest(&self, rays: &RayBatch, times: u32) -> Result<Option<Vec<f64>>, GpuError> {
        self.queries.time_closest(&self.bindings(), rays, times)
    }

    /// As [`time_closest`](Self::time_closest), any hits.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_any(&self, rays: &RayBatch, times: u32) -> Result<Option<Vec<f64>>, GpuError> {
        self.queries.time_any(&self.bindings(), rays, times)
    }

    fn bindings(&self) -> [(u32, &Buffer); 2] {
        [(13, &self.nodes.buffer), (14, &self.leaves.buffer)]
    }
}
