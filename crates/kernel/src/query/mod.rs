//! Queries for one ray.

mod context;
mod search;
mod state;

use fearless_simd::Simd;
use sunfleck_math::{Ray, Vec3};

use crate::geometry::Tlas;
use crate::hit::Hit;
pub(crate) use context::InstanceContext;
pub(crate) use state::Search;

/// Restriction of a query to some instances and to some sides of surfaces.
///
/// ```
/// use sunfleck_kernel::{Faces, Query};
///
/// const FRONT_OF_GLASS: Query = Query::ALL.with_mask(0b100).with_faces(Faces::Front);
/// assert_eq!(Query::default(), Query::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Ray mask: an instance is visible if its mask and this one share a bit; a nested one if all enclosing
    /// instances are visible, too.
    pub mask: u32,
    /// Which sides of surfaces can be hit.
    pub faces: Faces,
}

impl Query {
    /// All instances, both sides of surfaces.
    pub const ALL: Self = Self { mask: u32::MAX, faces: Faces::Both };

    /// Returns the query with another mask.
    #[must_use]
    pub const fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// Returns the query for other faces.
    #[must_use]
    pub const fn with_faces(self, faces: Faces) -> Self {
        Self { faces, ..self }
    }
}

impl Default for Query {
    fn default() -> Self {
        Self::ALL
    }
}

/// Sides of surfaces, by the direction of [`Hit::ng`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faces {
    /// Both sides.
    #[default]
    Both,
    /// Front faces, to which the normal points: `ng · direction < 0`.
    Front,
    /// Back faces, surfaces seen exactly edge-on included.
    Back,
}

impl Faces {
    /// Returns whether a surface with this normal can be hit.
    #[inline]
    pub fn contain(self, ng: Vec3, direction: Vec3) -> bool {
        let cosine = ng.as_dvec3().dot(direction.as_dvec3());
        match self {
            Self::Both => true,
            Self::Front => cosine < 0.0,
            Self::Back => cosine >= 0.0,
        }
    }
}

/// Closest-hit and occlusion queries.
impl Tlas {
    /// Returns the closest hit with `t` in `[t_near, t_far]`, or `None`. All instances are treated as opaque.
    #[inline]
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray) -> Option<Hit> {
        self.intersect_with(simd, ray, &Query::ALL)
    }

    /// Returns the closest hit for a query. All instances are treated as opaque.
    #[inline]
    pub fn intersect_with<S: Simd>(&self, simd: S, ray: &Ray, query: &Query) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, false, &mut |_: &Hit| true).closest(simd, self),
        )
    }

    /// Returns the closest hit that the filter accepts.
    ///
    /// `filter` is called for hits on instances that are not [`opaque`](crate::Instance::opaque), and returns false
    /// to let the ray pass. It is called in no particular order, and not for hits that are known to be occluded: let
    /// it depend on the hit alone.
    #[inline]
    pub fn intersect_filtered<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        filter: F,
    ) -> Option<Hit> {
        self.intersect_with_filter(simd, ray, &Query::ALL, filter)
    }

    /// Returns the closest hit for a query that the filter accepts; see [`Tlas::intersect_filtered`].
    #[inline]
    pub fn intersect_with_filter<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        query: &Query,
        mut filter: F,
    ) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, true, &mut filter).closest(simd, self),
        )
    }

    /// Returns whether anything is hit with `t` in `[t_near, t_far]`. All instances are treated as opaque.
    #[inline]
    pub fn occluded<S: Simd>(&self, simd: S, ray: &Ray) -> bool {
        self.occluded_with(simd, ray, &Query::ALL)
    }

    /// Returns whether anything is hit for a query. All instances are treated as opaque.
    #[inline]
    pub fn occluded_with<S: Simd>(&self, simd: S, ray: &Ray, query: &Query) -> bool {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, false, &mut |_: &Hit| true).any(simd, self),
        )
    }

    /// Returns whether anything is hit that the filter accepts; see [`Tlas::intersect_filtered`].
    #[inline]
    pub fn occluded_filtered<S: Simd, F: FnMut(&Hit) -> bool>(&self, simd: S, ray: &Ray, filter: F) -> bool {
        self.occluded_with_filter(simd, ray, &Query::ALL, filter)
    }

    /// Returns whether anything is hit for a query that the filter accepts; see [`Tlas::intersect_filtered`].
    #[inline]
    pub fn occluded_with_filter<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        query: &Query,
        mut filter: F,
    ) -> bool {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, true, &mut filter).any(simd, self),
        )
    }
}
