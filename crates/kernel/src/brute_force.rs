//! Reference implementation of the queries of [`Tlas`]: tests every primitive of every instance, without trees or SIMD.
//!
//! Its hits equal those of the fast queries bit for bit. It is meant for tests, not for rendering.

use sunfleck_math::Ray;

use crate::geometry::Tlas;
use crate::geometry::{BottomLevel, Geometry};
use crate::hit::Hit;
use crate::query::{InstanceContext, Query, Search};

/// As [`Tlas::intersect`].
pub fn intersect(tlas: &Tlas, ray: &Ray) -> Option<Hit> {
    intersect_with(tlas, ray, &Query::ALL)
}

/// As [`Tlas::intersect_with`].
pub fn intersect_with(tlas: &Tlas, ray: &Ray, query: &Query) -> Option<Hit> {
    all_hits(tlas, Search::new(ray, query, false, &mut |_: &Hit| true)).into_iter().min_by(compare)
}

/// As [`Tlas::intersect_filtered`]; calls the filter for every hit on instances that are not opaque.
pub fn intersect_filtered(tlas: &Tlas, ray: &Ray, filter: impl FnMut(&Hit) -> bool) -> Option<Hit> {
    intersect_with_filter(tlas, ray, &Query::ALL, filter)
}

/// As [`Tlas::intersect_with_filter`]; calls the filter for every hit on instances that are not opaque.
pub fn intersect_with_filter(
    tlas: &Tlas,
    ray: &Ray,
    query: &Query,
    mut filter: impl FnMut(&Hit) -> bool,
) -> Option<Hit> {
    all_hits(tlas, Search::new(ray, query, true, &mut filter)).into_iter().min_by(compare)
}

/// As [`Tlas::occluded`].
pub fn occluded(tlas: &Tlas, ray: &Ray) -> bool {
    intersect(tlas, ray).is_some()
}

/// As [`Tlas::occluded_with`].
pub fn occluded_with(tlas: &Tlas, ray: &Ray, query: &Query) -> bool {
    intersect_with(tlas, ray, query).is_some()
}

/// As [`Tlas::occluded_filtered`].
pub fn occluded_filtered(tlas: &Tlas, ray: &Ray, filter: impl FnMut(&Hit) -> bool) -> bool {
    intersect_filtered(tlas, ray, filter).is_some()
}

/// As [`Tlas::occluded_with_filter`].
pub fn occluded_with_filter(tlas: &Tlas, ray: &Ray, query: &Query, filter: impl FnMut(&Hit) -> bool) -> bool {
    intersect_with_filter(tlas, ray, query, filter).is_some()
}

type AnySearch<'a> = Search<'a, dyn FnMut(&Hit) -> bool + 'a>;

/// Returns all accepted hits in the interval of the ray, in no particular order.
fn all_hits<'a>(tlas: &Tlas, mut search: AnySearch<'a>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let ray = *search.ray;
    visit_instances(tlas, &ray, None, &mut search, &mut hits);
    hits
}

fn visit_instances(
    tlas: &Tlas,
    ray: &Ray,
    parent: Option<&InstanceContext<'_>>,
    search: &mut AnySearch<'_>,
    hits: &mut Vec<Hit>,
) {
    if tlas.slabs(ray).is_none() {
        return;
    }
    let mut seen = vec![false; tlas.instances().len()];
    for placed in tlas.placed().iter().filter(|placed| placed.mask & search.query.mask != 0) {
        // A rebraided instance has several entries: the first one is tested, as a whole.
        if std::mem::replace(&mut seen[placed.inst() as usize], true) {
            continue;
        }
        let context = InstanceContext { placed, parent };
        let object_ray = placed.ray_in_object(ray);
        match &tlas.geometries()[placed.geometry as usize] {
            Geometry::Triangles(blas) => visit_primitives(&**blas, &object_ray, &context, search, hits),
            Geometry::Shapes(shapes) => visit_primitives(&**shapes, &object_ray, &context, search, hits),
            Geometry::User(user) => visit_primitives(&**user, &object_ray, &context, search, hits),
            Geometry::Group(group) => visit_instances(group, &object_ray, Some(&context), search, hits),
        }
    }
}

fn visit_primitives<G: BottomLevel>(
    geometry: &G,
    ray: &Ray,
    context: &InstanceContext<'_>,
    search: &mut AnySearch<'_>,
    hits: &mut Vec<Hit>,
) {
    let Some(prepared) = geometry.prepare(ray) else { return };
    for item in 0..geometry.item_count() {
        geometry.test_scalar(item, &prepared, ray.t_far, &mut |found, prim, normal_data| {
            let hit = search.complete_hit(context, &found, prim, geometry.normal(normal_data));
            if search.accepts(context, &hit) {
                hits.push(hit);
            }
            false
        });
    }
}

/// Orders hits by `t`, then by instances, then by primitive; `-0` equals `0`.
fn compare(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    let ids = |hit: &Hit| (hit.inst_id, hit.inst_path, hit.prim_id);
    a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal).then(ids(a).cmp(&ids(b)))
}
