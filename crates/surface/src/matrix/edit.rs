//! Differences between the patches of two worlds.

use std::collections::BTreeMap;

use sunfleck_math::{Aabb, Ray, Vec3};

use super::ray_hits::UNKNOWN;
use super::{Patch, Patches};

/// Padding of the places that changed, relative to their coordinates: more than the rounding of hits.
const PADDING: f32 = 1e-5;

/// What an edit of the geometry changed.
#[derive(Debug)]
pub(super) struct Edit {
    /// Former index of each patch, [`UNKNOWN`] for new ones.
    former: Vec<u32>,
    /// Present index of each former patch, [`UNKNOWN`] if it is gone.
    now: Vec<u32>,
    /// Bounds of new patches, and of those that are gone, for each instance.
    changed: Vec<Aabb>,
}

impl Edit {
    /// Compares patches. They are the same if their corners and sides are.
    pub(super) fn new(before: &Patches, after: &Patches) -> Self {
        let (before, after) = (before.patches(), after.patches());
        let by_key: BTreeMap<[u32; 2], u32> =
            before.iter().zip(0..).map(|(patch, i)| (patch.key, i)).collect();
        let mut former = vec![UNKNOWN; after.len()];
        let mut now = vec![UNKNOWN; before.len()];
        for (i, patch) in after.iter().enumerate() {
            let found = by_key.get(&patch.key).copied().filter(|&k| is_same(&before[k as usize], patch));
            // Of patches at the same place only one is recognised
            if let Some(k) = found.filter(|&k| now[k as usize] == UNKNOWN) {
                former[i] = k;
                now[k as usize] = u32::try_from(i).unwrap_or(UNKNOWN);
            }
        }
        let mut bounds = BTreeMap::new();
        let come = after.iter().zip(&former).filter(|(_, former)| **former == UNKNOWN);
        let gone = before.iter().zip(&now).filter(|(_, now)| **now == UNKNOWN);
        for (is_new, patch) in
            come.map(|(patch, _)| (true, patch)).chain(gone.map(|(patch, _)| (false, patch)))
        {
            let of_instance = bounds.entry((is_new, patch.instance)).or_insert(Aabb::EMPTY);
            *of_instance = of_instance.union(Aabb::from_points(patch.corners().iter().copied()));
        }
        let changed = bounds.into_values().map(|bounds| {
            let padding = Vec3::splat(PADDING * bounds.min.abs().max(bounds.max.abs()).max_element());
            Aabb { min: bounds.min - padding, max: bounds.max + padding }
        });
        Self { former, now, changed: changed.collect() }
    }

    /// Returns the former index of a patch; `None` if it is new.
    pub(super) fn former(&self, patch: u32) -> Option<u32> {
        self.former.get(patch as usize).copied().filter(|&former| former != UNKNOWN)
    }

    /// Returns the present index of each former patch; [`UNKNOWN`] if it is gone.
    pub(super) fn now(&self) -> &[u32] {
        &self.now
    }

    /// Returns whether a ray passes a place that changed.
    pub(super) fn is_changed_along(&self, ray: &Ray) -> bool {
        self.changed.iter().any(|bounds| bounds.intersect(ray).is_some())
    }

    /// Returns whether a place between two patches may have changed.
    pub(super) fn is_changed_between(&self, a: &Patch, b: &Patch) -> bool {
        let hull = Aabb::from_points(a.corners().iter().chain(b.corners()).copied());
        let overlaps = |bounds: &Aabb| hull.min.cmple(bounds.max).all() && hull.max.cmpge(bounds.min).all();
        self.changed.iter().any(overlaps)
    }
}

fn is_same(a: &Patch, b: &Patch) -> bool {
    (a.corners, a.normal, a.is_quad) == (b.corners, b.normal, b.is_quad)
}
