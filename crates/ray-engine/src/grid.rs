//! Uniform grid, the acceleration structure of the streaming ray tracer of 2003 [Wald03, §3.3].

use std::sync::Arc;

use sunfleck_gpu::compute::{Array, QueryKernels};
use sunfleck_gpu::{Gpu, GpuError, RayBatch, RayStructure};
use sunfleck_kernel::Tlas;
use sunfleck_math::{Aabb, Vec3};
use sunfleck_shaders::layout::{Grid, Hit, Triangle};
use sunfleck_shaders::passes::grid;

use wgpu::Buffer;

use crate::world_triangles::world_triangles;

/// Uniform grid over the triangles of a world, on the GPU [Wald03, §3.3].
#[derive(Debug)]
pub struct UniformGrid {
    queries: QueryKernels,
    grid: Array<Grid>,
    begins: Array<u32>,
    list: Array<u32>,
    triangles: Array<Triangle>,
    /// `prim_id` and `inst_id` of each triangle.
    ids: Array<[u32; 2]>,
}

/// Approximate number of cells per triangle.
const DENSITY: f32 = 4.0;
/// Maximum number of cells along an axis.
const MOST: f32 = 512.0;

/// Tolerance by which triangles are inserted into neighbouring cells, as a fraction of a cell.
const MARGIN: f32 = 1e-3;

impl UniformGrid {
    /// Builds a grid over triangles in world space, with finite coordinates. In hits, `prim_id` is the index of the
    /// triangle, and `inst_id` is 0.
    ///
    /// # Errors
    /// [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Arc<Gpu>, triangles: &[[Vec3; 3]]) -> Result<Self, GpuError> {
        Self::with_ids(gpu, triangles, &(0..).zip(triangles).map(|(i, _)| [i, 0]).collect::<Vec<_>>())
    }

    /// Builds a grid over all triangles of a world in its current state.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles; [`GpuError::Shader`],
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn of_world(gpu: &Arc<Gpu>, world: &Tlas) -> Result<Self, GpuError> {
        let triangles = world_triangles(world)?;
        let corners: Vec<_> = triangles.iter().map(|triangle| triangle.corners).collect();
        let ids: Vec<_> = triangles.iter().map(|triangle| [triangle.prim_id, triangle.inst_id]).collect();
        Self::with_ids(gpu, &corners, &ids)
    }

    fn with_ids(gpu: &Arc<Gpu>, triangles: &[[Vec3; 3]], ids: &[[u32; 2]]) -> Result<Self, GpuError> {
        let cells = Cells::new(triangles);
        let (begins, list) = cells.lists(triangles);
        let triangles: Vec<Triangle> = (0u32..)
            .zip(triangles)
            .map(|(prim_id, corners)| Triangle::new(corners.map(|corner| corner.to_array()), prim_id))
            .collect();
        let [nx, ny, _] = cells.counts;
        let grid = Grid { low: cells.low.to_array(), nx, size: cells.size.to_array(), ny };
        let made = Self {
            queries: QueryKernels::of_passes(gpu, [&grid::CLOSEST, &grid::ANY])?,
            grid: Array::new(gpu, "grids", &[grid])?,
            begins: Array::new(gpu, "cells", &begins)?,
            list: Array::new(gpu, "lists of triangles", &list)?,
            triangles: Array::new(gpu, "triangles", &triangles)?,
            ids: Array::new(gpu, "ids of triangles", ids)?,
        };
        gpu.check()?;
        Ok(made)
    }

    /// Returns the closest hit of each ray. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.queries.closest(&self.arrays().into(), rays)
    }

    /// Returns whether each ray hits anything. Waits for the GPU.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        self.queries.occluded(&self.arrays().into(), rays)
    }

    /// Returns the GPU times of `times` closest-hit queries of all rays in seconds; `None` if the GPU has no
    /// timestamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_closest(&self, rays: &RayBatch, times: u32) -> Result<Option<Vec<f64>>, GpuError> {
        self.queries.time_closest(&self.arrays().into(), rays, times)
    }

    /// Returns the grid as an acceleration structure for rendering images, as in the streaming ray tracer [Wald03,
    /// §3.3].
    pub fn structure(&self) -> RayStructure {
        let arrays = self.arrays().map(|(name, array)| (name, array.clone()));
        RayStructure { intersect: &grid::INTERSECT, shadow: &grid::SHADOW, arrays: arrays.to_vec() }
    }

    /// Returns the buffers that shaders read to trace in the grid.
    fn arrays(&self) -> [(&'static str, &Buffer); 5] {
        [
            ("grid", self.grid.buffer()),
            ("begins", self.begins.buffer()),
            ("list", self.list.buffer()),
            ("grid_triangles", self.triangles.buffer()),
            ("grid_ids", self.ids.buffer()),
        ]
    }
}

/// Dimensions of the grid.
struct Cells {
    low: Vec3,
    size: Vec3,
    counts: [u32; 3],
}

impl Cells {
    /// Divides the bounds into nearly cubic cells, about [`DENSITY`] per triangle.
    fn new(triangles: &[[Vec3; 3]]) -> Self {
        let bounds = Aabb::from_points(triangles.iter().copied().flatten());
        let bounds = if bounds.is_empty() { Aabb { min: Vec3::ZERO, max: Vec3::ZERO } } else { bounds };
        let extent = (bounds.max - bounds.min).max(Vec3::splat(1e-6 + 1e-5 * bounds.diagonal()));
        let wanted = DENSITY * triangles.len().max(1) as f32;
        let side = sunfleck_math::pow(extent.x * extent.y * extent.z / wanted, 1.0 / 3.0).max(1e-30);
        let counts = (extent / side).ceil().clamp(Vec3::ONE, Vec3::splat(MOST));
        // Slightly enlarged, so that rounding leaves no triangle outside
        let low = bounds.min - extent * MARGIN;
        let size = extent * (1.0 + 2.0 * MARGIN) / counts;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to MOST")]
        let counts = counts.to_array().map(|count| count as u32);
        Self { low, size, counts }
    }

    /// Returns the offsets of the list of each cell, with the end of the last one, and the concatenated lists.
    fn lists(&self, triangles: &[[Vec3; 3]]) -> (Vec<u32>, Vec<u32>) {
        let cells: usize = self.counts.iter().map(|&count| count as usize).product();
        let mut begins = vec![0u32; cells + 1];
        for triangle in triangles {
            self.visit(triangle, &mut |cell| begins[cell + 1] += 1);
        }
        for cell in 0..cells {
            begins[cell + 1] += begins[cell];
        }
        let mut list = vec![0; begins[cells] as usize];
        let mut next = begins.clone();
        for (i, triangle) in (0u32..).zip(triangles) {
            self.visit(triangle, &mut |cell| {
                list[next[cell] as usize] = i;
                next[cell] += 1;
            });
        }
        (begins, list)
    }

    /// Calls `with` for all cells near the box and the plane of a triangle.
    fn visit(&self, triangle: &[Vec3; 3], with: &mut dyn FnMut(usize)) {
        let bounds = Aabb::from_points(*triangle);
        let cell = |at: Vec3| (at - self.low) / self.size;
        let [low, high] = [cell(bounds.min) - MARGIN, cell(bounds.max) + MARGIN].map(|at| self.clamped(at));
        let [a, b, c] = triangle.map(cell);
        let normal = (b - a).cross(c - a);
        let reach = (0.5 + MARGIN) * (normal.x.abs() + normal.y.abs() + normal.z.abs());
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let middle = Vec3::new(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5);
                    let near = (middle - a).dot(normal).abs() <= reach * (1.0 + MARGIN);
                    if near || !reach.is_finite() {
                        with((z * self.counts[1] as usize + y) * self.counts[0] as usize + x);
                    }
                }
            }
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to valid cells")]
    fn clamped(&self, at: Vec3) -> [usize; 3] {
        [0, 1, 2].map(|axis| at[axis].floor().clamp(0.0, (self.counts[axis] - 1) as f32) as usize)
    }
}
