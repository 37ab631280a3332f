use std::cmp::Ordering;

use sunfleck_math::{DVec3, Ray};

use super::{Faces, InstanceContext, Query};
use crate::hit::Hit;
use crate::primitive::Candidate;

/// State of a query: the query and the closest hit so far.
pub(crate) struct Search<'a, F: ?Sized> {
    /// Ray in world space.
    pub(crate) ray: &'a Ray,
    pub(crate) query: &'a Query,
    /// Whether there is a filter.
    pub(super) filtered: bool,
    pub(super) filter: &'a mut F,
    /// Current end of the interval.
    pub(super) t_far: f32,
    pub(super) hit: Option<Hit>,
}

impl<'a, F: FnMut(&Hit) -> bool + ?Sized> Search<'a, F> {
    #[inline(always)]
    pub(crate) fn new(ray: &'a Ray, query: &'a Query, filtered: bool, filter: &'a mut F) -> Self {
        Self { ray, query, filtered, filter, t_far: ray.t_far, hit: None }
    }

    /// Returns whether hits in this instance have to be filtered.
    #[inline(always)]
    pub(super) fn needs_filter(&self, context: &InstanceContext<'_>) -> bool {
        self.filtered && !context.is_opaque() || self.query.faces != Faces::Both
    }

    /// Returns whether a hit is accepted.
    pub(crate) fn accepts(&mut self, context: &InstanceContext<'_>, hit: &Hit) -> bool {
        self.query.faces.contain(hit.ng, self.ray.direction)
            && (!self.filtered || context.is_opaque() || (self.filter)(hit))
    }

    /// As [`InstanceContext::hit`].
    #[inline(always)]
    pub(crate) fn complete_hit(
        &self,
        context: &InstanceContext<'_>,
        candidate: &Candidate,
        prim: u32,
        normal: DVec3,
    ) -> Hit {
        context.hit(candidate, prim, normal, self.ray.direction)
    }

    /// Returns the bound below which the primitive ids of an instance's hits win against a closest hit at the same
    /// `t`: ties go to the smaller path, independently of the tree.
    #[inline(always)]
    pub(super) fn tie_break(&self, context: &InstanceContext<'_>) -> u32 {
        let Some(hit) = &self.hit else { return u32::MAX };
        match (hit.inst_id, hit.inst_path).cmp(&context.path()) {
            Ordering::Less => 0,
            // Another split part of the same instance
            Ordering::Equal => hit.prim_id,
            Ordering::Greater => u32::MAX,
        }
    }
}
