//! Ray traversal through two or more levels: top level, transform into object space, nested top level or bottom
//! level, primitives.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use sunfleck_math::Ray;

use super::{InstanceContext, Query, Search};
use crate::geometry::Tlas;
use crate::geometry::instance::PlacedInstance;
use crate::geometry::{BottomLevel, Geometry};
use crate::hit::{Hit, InstPath};
use crate::layout::ChildRef;
use crate::primitive::Candidate;
use crate::traversal::traverse;

impl<F: FnMut(&Hit) -> bool> Search<'_, F> {
    /// Returns the closest hit.
    #[inline(always)]
    pub(crate) fn closest<S: Simd>(mut self, simd: S, tlas: &Tlas) -> Option<Hit> {
        let _ = self.run::<S, false>(simd, tlas);
        self.hit
    }

    /// Returns whether there is a hit.
    #[inline(always)]
    pub(crate) fn any<S: Simd>(mut self, simd: S, tlas: &Tlas) -> bool {
        self.run::<S, true>(simd, tlas).is_break()
    }

    #[inline(always)]
    fn run<S: Simd, const ANY: bool>(&mut self, simd: S, tlas: &Tlas) -> ControlFlow<()> {
        let Some(blas) = tlas.as_single() else {
            return intersect_top_level::<S, ANY, F>(simd, tlas, self.ray, None, self);
        };
        let placed = tlas.placed().first().filter(|placed| placed.mask & self.query.mask != 0);
        let Some(placed) = placed else { return ControlFlow::Continue(()) };
        intersect_bottom_level::<S, _, ANY, F>(
            simd,
            blas,
            &InstanceContext { placed, parent: None },
            self.ray,
            self,
        )
    }
}

/// Intersects the instances of a top level. Breaks at the first hit for `ANY`.
///
/// * `ray` — in the space of `tlas`, with the interval of the query. `t` means the same in all spaces, since
///   directions are not renormalised.
#[inline(never)]
fn intersect_top_level<S: Simd, const ANY: bool, F: FnMut(&Hit) -> bool>(
    simd: S,
    tlas: &Tlas,
    ray: &Ray,
    parent: Option<&InstanceContext<'_>>,
    search: &mut Search<'_, F>,
) -> ControlFlow<()> {
    simd.vectorize(
        #[inline(always)]
        || {
            let Some(slabs) = tlas.slabs(ray) else { return ControlFlow::Continue(()) };
            traverse::<S, ANY>(
                simd,
                (tlas.bvh(), ChildRef::ROOT),
                &slabs,
                ray.t_near,
                search.t_far,
                #[inline(always)]
                |items| {
                    for placed in &tlas.placed()[items] {
                        if placed.mask & search.query.mask == 0 {
                            continue;
                        }
                        intersect_instance::<S, ANY, F>(simd, tlas, placed, parent, ray, search)?;
                    }
                    ControlFlow::Continue(search.t_far)
                },
            )
        },
    )
}

/// Intersects one instance. Breaks at the first hit for `ANY`.
///
/// * `ray` — in the space of `tlas`.
#[inline(always)]
fn intersect_instance<S: Simd, const ANY: bool, F: FnMut(&Hit) -> bool>(
    simd: S,
    tlas: &Tlas,
    placed: &PlacedInstance,
    parent: Option<&InstanceContext<'_>>,
    ray: &Ray,
    search: &mut Search<'_, F>,
) -> ControlFlow<()> {
    let context = InstanceContext { placed, parent };
    let object_ray = placed.ray_in_object(ray);
    match &tlas.geometries()[placed.geometry as usize] {
        Geometry::Triangles(blas) => {
            intersect_bottom_level::<S, _, ANY, F>(simd, &**blas, &context, &object_ray, search)
        }
        Geometry::Group(group) => {
            intersect_top_level::<S, ANY, F>(simd, group, &object_ray, Some(&context), search)
        }
        Geometry::Shapes(shapes) => search.with_erased_filter(|search| {
            intersect_bottom_level_erased::<S, _, ANY>(simd, &**shapes, &context, &object_ray, search)
        }),
        Geometry::User(user) => search.with_erased_filter(|search| {
            intersect_bottom_level_erased::<S, _, ANY>(simd, &**user, &context, &object_ray, search)
        }),
    }
}

impl Tlas {
    /// Returns the closest hit of one instance with `t` in `[t_near, t_far]`. For `any`, the returned hit
    /// only says that there is one; its values have no meaning. For streams, which traverse the top level
    /// themselves.
    ///
    /// * `mask` — ray mask for nested instances.
    #[inline(never)]
    pub(crate) fn query_instance<S: Simd>(
        &self,
        simd: S,
        placed: &PlacedInstance,
        ray: &Ray,
        mask: u32,
        any: bool,
    ) -> Option<Hit> {
        let mut filter = |_: &Hit| true;
        let query = Query::ALL.with_mask(mask);
        let mut search = Search::new(ray, &query, false, &mut filter);
        let ended = if any {
            simd.vectorize(
                #[inline(always)]
                || intersect_instance::<S, true, _>(simd, self, placed, None, ray, &mut search),
            )
        } else {
            simd.vectorize(
                #[inline(always)]
                || intersect_instance::<S, false, _>(simd, self, placed, None, ray, &mut search),
            )
        };
        let some_hit = Hit {
            t: ray.t_near,
            u: 0.0,
            v: 0.0,
            ng: -ray.direction,
            prim_id: 0,
            geom_id: placed.geometry,
            inst_id: placed.inst(),
            inst_path: InstPath::EMPTY,
        };
        if ended.is_break() { Some(some_hit) } else { search.hit }
    }
}

/// Intersects the primitives of a bottom level. Breaks at the first hit for `ANY`.
///
/// * `ray` — in object space, with the interval of the query.
#[inline(always)]
fn intersect_bottom_level<S: Simd, G: BottomLevel, const ANY: bool, F: FnMut(&Hit) -> bool + ?Sized>(
    simd: S,
    geometry: &G,
    context: &InstanceContext<'_>,
    ray: &Ray,
    search: &mut Search<'_, F>,
) -> ControlFlow<()> {
    let Some(prepared) = geometry.prepare(ray) else { return ControlFlow::Continue(()) };
    let needs_filter = search.needs_filter(context);
    let mut best = Candidate { t: search.t_far, u: 0.0, v: 0.0 };
    let (mut prim, mut normal_data) = (search.tie_break(context), None);
    let ended = traverse::<S, ANY>(
        simd,
        (geometry.bvh(), context.placed.start),
        G::slabs(&prepared),
        ray.t_near,
        best.t,
        #[inline(always)]
        |items| {
            for item in items {
                geometry.test(
                    simd,
                    item,
                    &prepared,
                    best.t,
                    #[inline(always)]
                    |candidate, id, data| {
                        let better = candidate.t < best.t || candidate.t == best.t && id < prim;
                        if !(ANY || better) {
                            return true;
                        }
                        let accepted = !needs_filter || {
                            let hit = search.complete_hit(context, &candidate, id, geometry.normal(data));
                            search.accepts(context, &hit)
                        };
                        if accepted {
                            (best, prim, normal_data) = (candidate, id, Some(data));
                        }
                        accepted
                    },
                );
                if ANY && normal_data.is_some() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(best.t)
        },
    );
    if let Some(normal_data) = normal_data.filter(|_| !ANY) {
        search.t_far = best.t;
        search.hit = Some(search.complete_hit(context, &best, prim, geometry.normal(normal_data)));
    }
    ended
}

/// [`intersect_bottom_level`] out of line and compiled once for all filters, for primitives that are less common than
/// triangles.
#[inline(never)]
fn intersect_bottom_level_erased<S: Simd, G: BottomLevel, const ANY: bool>(
    simd: S,
    geometry: &G,
    context: &InstanceContext<'_>,
    ray: &Ray,
    search: &mut Search<'_, dyn FnMut(&Hit) -> bool + '_>,
) -> ControlFlow<()> {
    simd.vectorize(
        #[inline(always)]
        || intersect_bottom_level::<S, G, ANY, _>(simd, geometry, context, ray, search),
    )
}

impl<F: FnMut(&Hit) -> bool> Search<'_, F> {
    /// Continues with the type of the filter erased.
    #[inline(always)]
    fn with_erased_filter<R>(
        &mut self,
        run: impl FnOnce(&mut Search<'_, dyn FnMut(&Hit) -> bool + '_>) -> R,
    ) -> R {
        let mut erased = Search {
            ray: self.ray,
            query: self.query,
            filtered: self.filtered,
            filter: &mut *self.filter as &mut (dyn FnMut(&Hit) -> bool + '_),
            t_far: self.t_far,
            hit: self.hit,
        };
        let result = run(&mut erased);
        (self.t_far, self.hit) = (erased.t_far, erased.hit);
        result
    }
}
