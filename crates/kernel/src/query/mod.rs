//! Queries: what may be asked about one ray.

mod search;
mod state;
mod visit;

use fearless_simd::Simd;
use sunfleck_math::{Ray, Vec3};

use crate::geometry::Tlas;
use crate::hit::Hit;
pub(crate) use state::Search;
pub(crate) use visit::Visit;

/// What a ray can meet.
///
/// ```
/// use sunfleck_kernel::{Faces, Query};
///
/// const FRONT_OF_GLASS: Query = Query::ALL.with_mask(0b100).with_faces(Faces::Front);
/// assert_eq!(Query::default(), Query::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Instances take part when their mask has a bit in common with this; nested ones when all around them do as well.
    pub mask: u32,
    /// Which sides of surfaces count.
    pub faces: Faces,
}

impl Query {
    /// Everything, from both sides.
    pub const ALL: Self = Self { mask: u32::MAX, faces: Faces::Both };

    /// The same with another mask.
    #[must_use]
    pub const fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same for other faces.
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

/// Sides of surfaces, as [`Hit::ng`] tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faces {
    /// Either side.
    #[default]
    Both,
    /// The side that the normal points to: `ng · direction < 0`.
    Front,
    /// The other side, surfaces seen exactly edge-on included.
    Back,
}

impl Faces {
    /// Whether a surface with this normal counts.
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

/// Closest hits and occlusion.
impl Tlas {
    /// The closest hit with `t` in `[t_near, t_far]`, or none. Every instance counts as opaque.
    #[inline]
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray) -> Option<Hit> {
        self.intersect_with(simd, ray, &Query::ALL)
    }

    /// The closest hit of what the query asks for. Every instance counts as opaque.
    #[inline]
    pub fn intersect_with<S: Simd>(&self, simd: S, ray: &Ray, query: &Query) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, false, &mut |_: &Hit| true).closest(simd, self),
        )
    }

    /// The closest hit that the filter accepts.
    ///
    /// `filter` is asked about hits on instances that are not [`opaque`](crate::Instance::opaque), and says false to let
    /// the ray pass. It is asked in no particular order, and not about hits that are known to be hidden: let it depend on
    /// the hit alone.
    #[inline]
    pub fn intersect_filtered<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        filter: F,
    ) -> Option<Hit> {
        self.intersect_with_filter(simd, ray, &Query::ALL, filter)
    }

    /// The closest hit of what the query asks for and the filter accepts; see [`Tlas::intersect_filtered`].
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

    /// Whether anything is hit with `t` in `[t_near, t_far]`. Every instance counts as opaque.
    #[inline]
    pub fn occluded<S: Simd>(&self, simd: S, ray: &Ray) -> bool {
        self.occluded_with(simd, ray, &Query::ALL)
    }

    /// Whether anything is hit that the query asks for. Every instance counts as opaque.
    #[inline]
    pub fn occluded_with<S: Simd>(&self, simd: S, ray: &Ray, query: &Query) -> bool {
        simd.vectorize(
            #[inline(always)]
            || Search::new(ray, query, false, &mut |_: &Hit| true).any(simd, self),
        )
    }

    /// Whether anything that the filter accepts is hit; see [`Tlas::intersect_filtered`].
    #[inline]
    pub fn occluded_filtered<S: Simd, F: FnMut(&Hit) -> bool>(&self, simd: S, ray: &Ray, filter: F) -> bool {
        self.occluded_with_filter(simd, ray, &Query::ALL, filter)
    }

    /// Whether anything is hit that the query asks for and the filter accepts; see [`Tlas::intersect_filtered`].
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
