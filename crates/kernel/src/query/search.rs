//! Ray traversal through two or more levels: top level, transform into object space, nested top level or bottom
//! level, primitives.

use std::ops::ControlFlow;

use fearless_simd::Simd;
use sunfleck_math::Ray;

use super::{Query, Search, Visit};
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
            return level::<S, ANY, F>(simd, tlas, self.ray, None, self);
        };
        let placed = tlas.placed().first().filter(|placed| placed.mask & self.query.mask != 0);
        let Some(placed) = placed else { return ControlFlow::Continue(()) };
        bottom::<S, _, ANY, F>(simd, blas, &Visit { placed, around: None }, self.ray, self)
    }
}

/// Intersects the instances of a top level. Breaks at the first hit for `ANY`.
///
/// * `ray` — in the space of `tlas`, with the interval of the query. `t` means the same in all spaces, since
///   directions are not renormalised.
#[inline(never)]
fn level<S: Simd, const ANY: bool, F: FnMut(&Hit) -> bool>(
    simd: S,
    tlas: &Tlas,
    ray: &Ray,
    around: Option<&Visit<'_>>,
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
                        instance::<S, ANY, F>(simd, tlas, placed, around, ray, search)?;
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
fn instance<S: Simd, const ANY: bool, F: FnMut(&Hit) -> bool>(
    simd: S,
    tlas: &Tlas,
    placed: &PlacedInstance,
    around: Option<&Visit<'_>>,
    ray: &Ray,
    search: &mut Search<'_, F>,
) -> ControlFlow<()> {
    let visit = Visit { placed, around };
    let object_ray = placed.ray_in_object(ray);
    match &tlas.geometries()[placed.geometry as usize] {
        Geometry::Triangles(blas) => bottom::<S, _, ANY, F>(simd, &**blas, &visit, &object_ray, search),
        Geometry::Group(group) => level::<S, ANY, F>(simd, group, &object_ray, Some(&visit), search),
        Geometry::Spheres(spheres) => {
            search.apart(|search| bottom_apart::<S, _, ANY>(simd, &**spheres, &visit, &object_ray, search))
        }
        Geometry::User(user) => {
            search.apart(|search| bottom_apart::<S, _, ANY>(simd, &**user, &visit, &object_ray, search))
        }
    }
}

impl Tlas {
    /// Returns the closest hit of one instance with `t` in `[t_near, t_far]`, or for `any` some hit. For streams,
    /// which traverse the top level themselves.
    ///
    /// * `mask` — ray mask for nested instances.
    #[inline(never)]
    pub(crate) fn search_instance<S: Simd>(
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
                || instance::<S, true, _>(simd, self, placed, None, ray, &mut search),
            )
        } else {
            simd.vectorize(
                #[inline(always)]
                || instance::<S, false, _>(simd, self, placed, None, ray, &mut search),
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
fn bottom<S: Simd, G: BottomLevel, const ANY: bool, F: FnMut(&Hit) -> bool + ?Sized>(
    simd: S,
    geometry: &G,
    visit: &Visit<'_>,
    ray: &Ray,
    search: &mut Search<'_, F>,
) -> ControlFlow<()> {
    let Some(ready) = geometry.prepare(ray) else { return ControlFlow::Continue(()) };
    let asks = search.asks(visit);
    let mut best = Candidate { t: search.t_far, u: 0.0, v: 0.0 };
    let (mut prim, mut place) = (search.tie(visit), None);
    let ended = traverse::<S, ANY>(
        simd,
        (geometry.bvh(), visit.placed.start),
        G::slabs(&ready),
        ray.t_near,
        best.t,
        #[inline(always)]
        |items| {
            for item in items {
                geometry.test(
                    simd,
                    item,
                    &ready,
                    best.t,
                    #[inline(always)]
                    |found, id, at| {
                        let better = found.t < best.t || found.t == best.t && id < prim;
                        if !(ANY || better) {
                            return true;
                        }
                        let counts = !asks || {
                            let hit = search.complete(visit, &found, id, geometry.normal(at));
                            search.accepts(visit, &hit)
                        };
                        if counts {
                            (best, prim, place) = (found, id, Some(at));
                        }
                        counts
                    },
                );
                if ANY && place.is_some() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(best.t)
        },
    );
    if let Some(place) = place.filter(|_| !ANY) {
        search.t_far = best.t;
        search.hit = Some(search.complete(visit, &best, prim, geometry.normal(place)));
    }
    ended
}

/// [`bottom`] out of line and compiled once for all filters, for primitives that are less common than triangles.
#[inline(never)]
fn bottom_apart<S: Simd, G: BottomLevel, const ANY: bool>(
    simd: S,
    geometry: &G,
    visit: &Visit<'_>,
    ray: &Ray,
    search: &mut Search<'_, dyn FnMut(&Hit) -> bool + '_>,
) -> ControlFlow<()> {
    simd.vectorize(
        #[inline(always)]
        || bottom::<S, G, ANY, _>(simd, geometry, visit, ray, search),
    )
}

impl<F: FnMut(&Hit) -> bool> Search<'_, F> {
    /// Continues with the type of the filter erased.
    #[inline(always)]
    fn apart<R>(&mut self, run: impl FnOnce(&mut Search<'_, dyn FnMut(&Hit) -> bool + '_>) -> R) -> R {
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
