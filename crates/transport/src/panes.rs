//! Panes of thin glass on the way of a shadow ray.

use sunfleck_kernel::Hit;
use sunfleck_math::Vec3;

/// Number of panes whose colours are multiplied.
const MOST: usize = 8;

/// The panes that a ray has passed, each once, although a triangle may be visited several times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PanesPassed {
    /// Instance, triangle and transmittance, in the order of the first two, so that the product has the same bits for
    /// any order of visits.
    panes: [(u32, u32, Vec3); MOST],
    count: usize,
    is_full: bool,
}

impl PanesPassed {
    /// Adds a pane unless it is known. Returns false if there are too many.
    pub(crate) fn add(&mut self, hit: &Hit, transmittance: Vec3) -> bool {
        let known = &self.panes[..self.count];
        let Err(at) =
            known.binary_search_by_key(&(hit.inst_id, hit.prim_id), |&(inst, prim, _)| (inst, prim))
        else {
            return true;
        };
        if self.count == MOST {
            self.is_full = true;
            return false;
        }
        self.panes.copy_within(at..self.count, at + 1);
        self.panes[at] = (hit.inst_id, hit.prim_id, transmittance);
        self.count += 1;
        true
    }

    /// Returns whether a pane could not be added.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the product of the transmittances.
    pub(crate) fn transmittance(&self) -> Vec3 {
        self.panes[..self.count].iter().map(|&(.., transmittance)| transmittance).product()
    }
}
