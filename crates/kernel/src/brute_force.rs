//! The slow twin of the queries of [`Tlas`]: every triangle of every instance, one after the other, no tree, no SIMD.
//!
//! Its answers are bit for bit those of the fast queries. Use it as an oracle, not as a renderer.

use sunfleck_math::Ray;

use crate::hit::Hit;
use crate::instance::Placement;
use crate::primitive::{TriangleRay, intersect_triangle, world_major_axis};
use crate::query::world_normal;
use crate::tlas::Tlas;

/// As [`Tlas::intersect`].
pub fn intersect(tlas: &Tlas, ray: &Ray) -> Option<Hit> {
    all_hits(tlas, ray).min_by(compare)
}

/// As [`Tlas::intersect_filtered`]; asks about every hit on instances that are not opaque.
pub fn intersect_filtered(tlas: &Tlas, ray: &Ray, mut filter: impl FnMut(&Hit) -> bool) -> Option<Hit> {
    all_hits(tlas, ray).filter(|hit| is_opaque(tlas, hit) || filter(hit)).min_by(compare)
}

/// As [`Tlas::occluded`].
pub fn occluded(tlas: &Tlas, ray: &Ray) -> bool {
    all_hits(tlas, ray).next().is_some()
}

/// As [`Tlas::occluded_filtered`].
pub fn occluded_filtered(tlas: &Tlas, ray: &Ray, mut filter: impl FnMut(&Hit) -> bool) -> bool {
    all_hits(tlas, ray).any(|hit| is_opaque(tlas, &hit) || filter(&hit))
}

/// All triangles that the ray hits in its interval, in no particular order.
fn all_hits(tlas: &Tlas, ray: &Ray) -> impl Iterator<Item = Hit> {
    let instances = (0u32..).zip(tlas.instances()).filter(|(_, instance)| instance.mask != 0);
    instances.flat_map(move |(inst_id, instance)| {
        let blas = &tlas.blases()[instance.blas as usize];
        let placement = Placement::new(&instance.world_from_object, &blas.bounds());
        let object_ray = placement.filter(|_| world_major_axis(ray).is_some()).and_then(|p| {
            let origin = p.object_from_world.transform_point3(ray.origin);
            let direction = p.object_from_world.transform_vector3(ray.direction);
            TriangleRay::new(origin, direction, ray.t_near, ray.t_far, &blas.bounds())
        });
        object_ray.into_iter().flat_map(move |object_ray| {
            let lanes =
                blas.blocks().iter().flat_map(|block| block.triangles().map(move |lane| (block, lane)));
            lanes.filter_map(move |(block, (lane, prim_id))| {
                let corners = block.corners(lane);
                let found = intersect_triangle(&corners, &object_ray, ray.t_far)?;
                let ng = world_normal(tlas, inst_id, &corners);
                Some(Hit { t: found.t, u: found.u, v: found.v, ng, prim_id, geom_id: instance.blas, inst_id })
            })
        })
    })
}

fn is_opaque(tlas: &Tlas, hit: &Hit) -> bool {
    tlas.instances()[hit.inst_id as usize].opaque
}

/// `t`, then instance, then triangle; `-0` equals `0`.
fn compare(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    let ids = |hit: &Hit| (hit.inst_id, hit.prim_id);
    a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal).then(ids(a).cmp(&ids(b)))
}
