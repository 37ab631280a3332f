//! Triangle meshes as bottom-level structures.

use fearless_simd::Simd;
use sunfleck_math::{DVec3, Ray};

use super::BottomLevel;
use crate::blas::Blas;
use crate::layout::Bvh8;
use crate::primitive::SlabRay;
use crate::primitive::{Candidate, TriangleRay, doubled_area_normal, intersect_block, intersect_triangle};

/// Items of leaves are blocks of triangles.
impl BottomLevel for Blas {
    type Ray = TriangleRay;
    /// Indices of block and lane.
    type NormalData = (usize, usize);

    #[inline(always)]
    fn bvh(&self) -> &Bvh8 {
        self.bvh()
    }

    fn item_count(&self) -> usize {
        self.blocks().len()
    }

    #[inline(always)]
    fn prepare(&self, ray: &Ray) -> Option<TriangleRay> {
        TriangleRay::new(ray.origin, ray.direction, ray.t_near, ray.t_far, &self.bounds())
    }

    #[inline(always)]
    fn slabs(ray: &TriangleRay) -> &SlabRay {
        &ray.slabs
    }

    #[inline(always)]
    fn test<S: Simd>(
        &self,
        simd: S,
        item: usize,
        ray: &TriangleRay,
        t_far: f32,
        mut on_hit: impl FnMut(Candidate, u32, (usize, usize)) -> bool,
    ) {
        let Some(block) = self.blocks().get(item) else { return };
        intersect_block(
            simd,
            block,
            ray,
            t_far,
            #[inline(always)]
            |lane, found| {
                on_hit(found, block.prim_ids[lane], (item, lane));
            },
        );
    }

    fn test_scalar(
        &self,
        item: usize,
        ray: &TriangleRay,
        t_far: f32,
        on_hit: &mut dyn FnMut(Candidate, u32, (usize, usize)) -> bool,
    ) {
        let block = &self.blocks()[item];
        for (lane, prim) in block.triangles() {
            if let Some(found) = intersect_triangle(&block.corners(lane), ray, t_far) {
                on_hit(found, prim, (item, lane));
            }
        }
    }

    fn normal(&self, (block, lane): (usize, usize)) -> DVec3 {
        doubled_area_normal(&self.blocks()[block].corners(lane))
    }
}
