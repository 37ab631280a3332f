//! Panes of thin glass on the way of a ray.

use std::mem::replace;

use sunfleck_constants::material::MOST_PANES;
use sunfleck_math::Vec3;
use sunfleck_shading::{ThinDielectric, luminance};

/// Which rays pass a pane of thin glass as if it were not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panes {
    /// Each ray passes with the part of the transmittance that is the same for all colours as its probability.
    ByChance,
    /// Each ray passes with the luminance of the transmittance as its probability: shadow rays without colour.
    ByLuminance,
    /// All rays pass a pane that most rays pass, and none passes another one.
    ByMajority,
    /// As [`ByMajority`](Self::ByMajority), but none passes a coloured pane, whose colour would be lost.
    ClearByMajority,
}

impl Panes {
    /// Returns the probability that a ray passes a pane.
    ///
    /// * `cos` — cosine between the ray and the normal of the pane.
    #[inline(always)]
    pub(crate) fn pass_probability(self, pane: &ThinDielectric, cos: f32) -> f32 {
        let by_majority = || f32::from(pane.pass_probability(cos) >= 0.5);
        match self {
            Self::ByChance => pane.pass_probability(cos),
            Self::ByLuminance => luminance(pane.transmittance(cos)),
            Self::ByMajority => by_majority(),
            Self::ClearByMajority if pane.tint == Vec3::ONE => by_majority(),
            Self::ClearByMajority => 0.0,
        }
    }
}

/// Identifies a crossing of a ray with a surface among all crossings of that ray: instance, and primitive with the side
/// from which it is crossed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crossing {
    pub(crate) inst_id: u32,
    /// Index of a triangle; twice the index of a shape, plus 1 if the ray leaves by its front.
    pub(crate) prim: u32,
}

/// A crossing of a ray with thin glass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassedPane {
    pub(crate) at: Crossing,
    /// Fraction of light that passes, RGB.
    pub(crate) transmittance: Vec3,
}

/// The panes that a ray has passed, each crossing once, although a primitive may be visited several times. If there are
/// more than [`MOST_PANES`], they are those of the lowest instances and primitives, so that the result has the same bits
/// for any order of visits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PanesPassed {
    /// In the order of crossings.
    panes: [PassedPane; MOST_PANES as usize],
    count: usize,
}

impl PanesPassed {
    /// Adds a pane unless it is known. Returns the pane for which there is no place, whose colour is lost; the caller
    /// leaves it to chance.
    pub(crate) fn add(&mut self, pane: PassedPane) -> Option<PassedPane> {
        let Err(at) = self.panes[..self.count].binary_search_by_key(&pane.at, |known| known.at) else {
            return None;
        };
        if self.count < self.panes.len() {
            self.panes.copy_within(at..self.count, at + 1);
            self.panes[at] = pane;
            self.count += 1;
            return None;
        }
        // The others move up, and the last one has no place
        Some(self.panes[at..].iter_mut().fold(pane, |pane, place| replace(place, pane)))
    }

    /// Returns the product of the transmittances.
    pub(crate) fn transmittance(&self) -> Vec3 {
        self.panes[..self.count].iter().map(|pane| pane.transmittance).product()
    }

    /// Removes all panes.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_panes_are_kept_in_any_order() {
        let pane = |prim| PassedPane {
            at: Crossing { inst_id: 7, prim },
            transmittance: Vec3::splat(1.0 / (prim + 2) as f32),
        };
        let orders =
            [[9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 9, 1, 8, 0, 7, 2, 5, 4, 6]];
        let results = orders.map(|order| {
            let mut panes = PanesPassed::default();
            let mut left: Vec<u32> =
                order.iter().filter_map(|&i| panes.add(pane(i))).map(|p| p.at.prim).collect();
            // Known panes are not added again, and those without a place have none again
            let again: Vec<u32> = (0..10).filter_map(|i| panes.add(pane(i))).map(|p| p.at.prim).collect();
            left.sort_unstable();
            assert_eq!((&left, &again), (&vec![8, 9], &vec![8, 9]));
            panes.transmittance()
        });
        // 1 / (2 · 3 · … · 9)
        assert!((results[0].x * 362_880.0 - 1.0).abs() < 1e-6);
        assert_eq!([results[0]; 2], [results[1], results[2]]);
    }
}
