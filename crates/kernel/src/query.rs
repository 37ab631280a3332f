//! The two-level queries: top-level traversal, ray into object space, bottom-level traversal, triangle blocks.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use sunfleck_math::{DVec3, Ray, Vec3};

use crate::blas::Blas;
use crate::hit::Hit;
use crate::instance::TRANSFORM_ERROR;
use crate::primitive::{Candidate, TriangleRay, doubled_area_normal, intersect_block, world_major_axis};
use crate::tlas::Tlas;
use crate::traversal::{SlabRay, WideSlabRay, traverse};

/// The hit to beat, still without its normal.
#[derive(Clone, Copy)]
struct Best {
    found: Candidate,
    inst: u32,
    prim: u32,
    /// Where the triangle is: block and lane.
    place: (usize, usize),
}

impl Best {
    /// Nothing yet: beaten by whatever is in the interval.
    const fn none(t_far: f32) -> Self {
        let found = Candidate { t: t_far, u: 0.0, v: 0.0 };
        Self { found, inst: u32::MAX, prim: u32::MAX, place: (0, 0) }
    }

    /// The total order of hits: `t`, then instance, then triangle.
    #[inline(always)]
    fn is_beaten_by(&self, t: f32, inst: u32, prim: u32) -> bool {
        t < self.found.t || t == self.found.t && (inst, prim) < (self.inst, self.prim)
    }
}

/// [`Tlas::intersect`] and [`Tlas::intersect_filtered`].
#[inline(always)]
pub(crate) fn closest<S: Simd, const FILTERED: bool>(
    tlas: &Tlas,
    simd: S,
    ray: &Ray,
    filter: &mut impl FnMut(&Hit) -> bool,
) -> Option<Hit> {
    let mut best = Best::none(ray.t_far);
    let _ = for_each_instance(
        tlas,
        simd,
        ray,
        #[inline(always)]
        |inst, blas, object_ray, t_far| {
            let asks = FILTERED && !tlas.instances()[inst as usize].opaque;
            let wide = WideSlabRay::new(simd, &object_ray.slabs, ray.t_near);
            traverse(
                simd,
                blas.bvh(),
                &wide,
                t_far,
                #[inline(always)]
                |items| {
                    for block in items {
                        let triangles = &blas.blocks()[block];
                        intersect_block(
                            simd,
                            triangles,
                            object_ray,
                            best.found.t,
                            #[inline(always)]
                            |lane, found| {
                                let prim = triangles.prim_ids[lane];
                                if best.is_beaten_by(found.t, inst, prim) {
                                    let next = Best { found, inst, prim, place: (block, lane) };
                                    if !asks || filter(&finish(tlas, &next)) {
                                        best = next;
                                    }
                                }
                            },
                        );
                    }
                    ControlFlow::Continue(best.found.t)
                },
            )?;
            ControlFlow::Continue(best.found.t)
        },
    );
    (best.inst != u32::MAX).then(|| finish(tlas, &best))
}

/// [`Tlas::occluded`] and [`Tlas::occluded_filtered`].
#[inline(always)]
pub(crate) fn any<S: Simd, const FILTERED: bool>(
    tlas: &Tlas,
    simd: S,
    ray: &Ray,
    filter: &mut impl FnMut(&Hit) -> bool,
) -> bool {
    for_each_instance(
        tlas,
        simd,
        ray,
        #[inline(always)]
        |inst, blas, object_ray, t_far| {
            let asks = FILTERED && !tlas.instances()[inst as usize].opaque;
            let wide = WideSlabRay::new(simd, &object_ray.slabs, ray.t_near);
            traverse(
                simd,
                blas.bvh(),
                &wide,
                t_far,
                #[inline(always)]
                |items| {
                    let mut blocked = false;
                    for block in items {
                        let triangles = &blas.blocks()[block];
                        intersect_block(
                            simd,
                            triangles,
                            object_ray,
                            t_far,
                            #[inline(always)]
                            |lane, found| {
                                let prim = triangles.prim_ids[lane];
                                let hit = Best { found, inst, prim, place: (block, lane) };
                                blocked = blocked || !asks || filter(&finish(tlas, &hit));
                            },
                        );
                        if blocked {
                            return ControlFlow::Break(());
                        }
                    }
                    ControlFlow::Continue(t_far)
                },
            )?;
            ControlFlow::Continue(t_far)
        },
    )
    .is_break()
}

/// Visits the instances that the ray may hit, with the ray in their object space.
///
/// `t` means the same in both spaces, since the object-space direction is not renormalised.
#[inline(always)]
fn for_each_instance<S: Simd>(
    tlas: &Tlas,
    simd: S,
    ray: &Ray,
    mut visit: impl FnMut(u32, &Blas, &TriangleRay, f32) -> ControlFlow<(), f32>,
) -> ControlFlow<()> {
    let Some(major) = world_major_axis(ray) else { return ControlFlow::Continue(()) };
    let padding = TRANSFORM_ERROR * tlas.condition() * ray.origin.abs().max_element();
    let slabs = SlabRay::new(ray.origin, ray.direction, major, [padding; 3]);
    let wide = WideSlabRay::new(simd, &slabs, ray.t_near);
    let mut t_far = ray.t_far;
    traverse(
        simd,
        tlas.bvh(),
        &wide,
        t_far,
        #[inline(always)]
        |items| {
            for &inst in &tlas.order()[items] {
                let blas = &*tlas.blases()[tlas.instances()[inst as usize].blas as usize];
                if let Some(object_ray) = ray_in_object(tlas, inst, blas, ray) {
                    t_far = visit(inst, blas, &object_ray, t_far)?;
                }
            }
            ControlFlow::Continue(t_far)
        },
    )
}

#[inline(always)]
fn ray_in_object(tlas: &Tlas, inst: u32, blas: &Blas, ray: &Ray) -> Option<TriangleRay> {
    let object_from_world = tlas.object_from_world(inst);
    let origin = object_from_world.transform_point3(ray.origin);
    let direction = object_from_world.transform_vector3(ray.direction);
    TriangleRay::new(origin, direction, ray.t_near, ray.t_far, &blas.bounds())
}

/// The complete hit.
fn finish(tlas: &Tlas, best: &Best) -> Hit {
    let geom_id = tlas.instances()[best.inst as usize].blas;
    let (block, lane) = best.place;
    let corners = tlas.blases()[geom_id as usize].blocks()[block].corners(lane);
    let Candidate { t, u, v } = best.found;
    Hit {
        t,
        u,
        v,
        ng: world_normal(tlas, best.inst, &corners),
        prim_id: best.prim,
        geom_id,
        inst_id: best.inst,
    }
}

/// `e1 × e2`, transformed by the inverse transpose of `world_from_object`; see [`Hit::ng`].
pub(crate) fn world_normal(tlas: &Tlas, inst: u32, corners: &[[f32; 3]; 3]) -> Vec3 {
    let n = doubled_area_normal(corners);
    let m = &tlas.object_from_world(inst).matrix3;
    let dot =
        |column: Vec3| n.x * f64::from(column.x) + n.y * f64::from(column.y) + n.z * f64::from(column.z);
    let ng = DVec3::new(dot(m.x_axis), dot(m.y_axis), dot(m.z_axis));
    // A length that squares within f32 is left alone.
    let size = ng.abs().max_element();
    let ng = if (1e-18..=1e18).contains(&size) { ng } else { ng / size };
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    Vec3::new(ng.x as f32, ng.y as f32, ng.z as f32)
}
