use std::cmp::Ordering;

use sunfleck_math::{DVec3, Ray};

use super::{Faces, Query, Visit};
use crate::hit::Hit;
use crate::primitive::Candidate;

/// A query in progress: what is asked, and the hit to beat.
pub(crate) struct Search<'a, F: ?Sized> {
    /// In the world.
    pub(crate) ray: &'a Ray,
    pub(crate) query: &'a Query,
    /// Whether there is a filter at all.
    pub(super) filtered: bool,
    pub(super) filter: &'a mut F,
    /// The end of the interval so far.
    pub(super) t_far: f32,
    pub(super) hit: Option<Hit>,
}

impl<'a, F: FnMut(&Hit) -> bool + ?Sized> Search<'a, F> {
    #[inline(always)]
    pub(crate) fn new(ray: &'a Ray, query: &'a Query, filtered: bool, filter: &'a mut F) -> Self {
        Self { ray, query, filtered, filter, t_far: ray.t_far, hit: None }
    }

    /// Whether hits in this instance have to be looked at before they count.
    #[inline(always)]
    pub(super) fn asks(&self, visit: &Visit<'_>) -> bool {
        self.filtered && !visit.is_opaque() || self.query.faces != Faces::Both
    }

    /// Whether a hit counts.
    pub(crate) fn accepts(&mut self, visit: &Visit<'_>, hit: &Hit) -> bool {
        self.query.faces.contain(hit.ng, self.ray.direction)
            && (!self.filtered || visit.is_opaque() || (self.filter)(hit))
    }

    /// As [`Visit::hit`].
    #[inline(always)]
    pub(crate) fn complete(&self, visit: &Visit<'_>, found: &Candidate, prim: u32, normal: DVec3) -> Hit {
        visit.hit(found, prim, normal, self.ray.direction)
    }

    /// Hits of an instance at the same `t` as the hit to beat win when their primitive is below this: ties go to the
    /// smaller path, wherever the tree puts it.
    #[inline(always)]
    pub(super) fn tie(&self, visit: &Visit<'_>) -> u32 {
        let Some(hit) = &self.hit else { return u32::MAX };
        match (hit.inst_id, hit.inst_path).cmp(&visit.path()) {
            Ordering::Less => 0,
            // Another part of the same instance
            Ordering::Equal => hit.prim_id,
            Ordering::Greater => u32::MAX,
        }
    }
}
