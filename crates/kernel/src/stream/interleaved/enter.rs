use fearless_simd::{Simd, SimdBase, f32x16};

use super::queue_masks::{QueueMasks, SLOTS, take_lowest};
use super::slot::Slot;
use super::{Scene, Sink, Tree};
use crate::geometry::{BottomLevel, Geometry};
use crate::layout::ChildRef;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{BATCH, Candidate, Padding, RawRays, RayBatch, RayNumbers, ShapeRay};
use crate::stream::{MISS, RayStream};

/// Rays about to enter instances, in object space.
pub(super) struct EnteringRays {
    origin: [[f32; BATCH]; 3],
    direction: [[f32; BATCH]; 3],
    t_near: [f32; BATCH],
    t_far: [f32; BATCH],
    low: [[f32; BATCH]; 3],
    high: [[f32; BATCH]; 3],
    slots: [u32; BATCH],
    batch: RayBatch,
    ready: [RayNumbers; BATCH],
    /// Rays in flight that are among shapes, by slot.
    pub(super) shape_rays: [ShapeRay; SLOTS as usize],
}

impl EnteringRays {
    pub(super) fn new() -> Self {
        let zeros = [[0.0; BATCH]; 3];
        Self {
            origin: zeros,
            direction: zeros,
            t_near: [0.0; BATCH],
            t_far: [0.0; BATCH],
            low: zeros,
            high: zeros,
            slots: [0; BATCH],
            batch: RayBatch::EMPTY,
            ready: [RayNumbers::UNSET; BATCH],
            shape_rays: [ShapeRay::UNSET; SLOTS as usize],
        }
    }

    /// Removes up to sixteen slots from `queue`, transforms their rays into the next instances, and records their
    /// next steps in `deferred`.
    #[inline(always)]
    pub(super) fn enter<'a, S: Simd, K: Sink>(
        &mut self,
        simd: S,
        scene: &Scene<'a>,
        rays: &RayStream<'_>,
        slots: &mut [Slot<'a>; SLOTS as usize],
        queue: &mut u32,
        deferred: &mut QueueMasks,
    ) {
        let mut lanes = 0;
        while *queue != 0 && lanes < BATCH {
            let i = take_lowest(queue);
            let slot = &mut slots[(i % SLOTS) as usize];
            let placed = scene.world.tlas.placed().get(slot.next.items().start);
            let Some((placed, mut ray)) = placed.zip(rays.get(slot.index)) else { continue };
            if !scene.world.is_visible(placed) {
                skip_instance::<K>(slot, i, deferred);
                continue;
            }
            slot.instance = placed.inst();
            let geometry = scene.world.tlas.geometries().get(placed.geometry as usize);
            let bounds = match geometry {
                Some(Geometry::Triangles(blas)) => blas.bounds(),
                Some(Geometry::Shapes(shapes)) => shapes.bounds(),
                _ => {
                    // User geometry or a group: one ray at a time
                    let world = scene.world;
                    ray.t_far = slot.ray.0[T_FAR];
                    if let Some(hit) = world.tlas.query_instance(simd, placed, &ray, world.mask, K::ANY) {
                        let tie = hit.t == slot.ray.0[T_FAR] && slot.inst < placed.inst();
                        if !tie {
                            slot.accept(simd, hit.prim_id, &Candidate { t: hit.t, u: hit.u, v: hit.v });
                        }
                    }
                    skip_instance::<K>(slot, i, deferred);
                    continue;
                }
            };
            let ray = placed.ray_in_object(&ray);
            if let Some(Geometry::Shapes(shapes)) = geometry
                && let Some(prepared) = shapes.prepare(&ray)
            {
                self.shape_rays[(i % SLOTS) as usize] = prepared;
            }
            for axis in 0..3 {
                self.origin[axis][lanes] = ray.origin[axis];
                self.direction[axis][lanes] = ray.direction[axis];
                self.low[axis][lanes] = bounds.min[axis];
                self.high[axis][lanes] = bounds.max[axis];
            }
            self.t_near[lanes] = ray.t_near;
            self.t_far[lanes] = slot.ray.0[T_FAR];
            self.slots[lanes] = i;
            lanes += 1;
        }
        self.prepare(simd);
        for lane in 0..lanes {
            let i = self.slots[lane];
            let slot = &mut slots[(i % SLOTS) as usize];
            let placed = scene.world.tlas.placed().get(slot.next.items().start);
            let geometry = placed.and_then(|placed| {
                scene.world.tlas.geometries().get(placed.geometry as usize).zip(Some(placed.start))
            });
            let tree = match geometry {
                Some((Geometry::Triangles(blas), start)) => Some((Tree::of(blas), start)),
                Some((Geometry::Shapes(shapes), start)) => Some((Tree::of_shapes(shapes), start)),
                _ => None,
            };
            match tree.filter(|_| self.batch.valid >> lane & 1 == 1) {
                Some((tree, start)) => {
                    slot.enter::<K>(tree, start, &self.ready[lane], self.batch.class[lane]);
                    deferred.record(i, slot.next_step::<true>(false));
                }
                None => skip_instance::<K>(slot, i, deferred),
            }
        }
    }

    /// Computes the values that box and triangle tests need.
    #[inline(always)]
    fn prepare<S: Simd>(&mut self, simd: S) {
        let three = |v: &[[f32; BATCH]; 3]| {
            [
                f32x16::load_array_ref(simd, &v[0]),
                f32x16::load_array_ref(simd, &v[1]),
                f32x16::load_array_ref(simd, &v[2]),
            ]
        };
        let raw = RawRays {
            origin: three(&self.origin),
            direction: three(&self.direction),
            t_near: f32x16::load_array_ref(simd, &self.t_near),
            t_far: f32x16::load_array_ref(simd, &self.t_far),
        };
        let (low, high) = (three(&self.low), three(&self.high));
        self.batch.prepare(simd, &raw, &Padding::Triangles { low, high });
        self.batch.cull(simd, &low, &high);
        self.batch.transpose(simd, &mut self.ready);
    }
}

/// Skips an instance.
#[inline(always)]
fn skip_instance<K: Sink>(slot: &mut Slot<'_>, i: u32, deferred: &mut QueueMasks) {
    let next = slot.stack.rest_or_pop(slot.next, false);
    slot.next = if K::ANY && slot.prim != MISS { ChildRef::EMPTY } else { next };
    deferred.record(i, slot.next_step::<true>(false));
}
