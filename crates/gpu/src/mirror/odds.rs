//! What a ray may expect that is content with any hit: so nodes have first what brings one soonest [Ize11].

use sunfleck_constants::tree::NODE_PRICE;
use sunfleck_kernel::{PairChild, PairTree};

use super::quads::{corners, half_area};

/// Of a ray that meets a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Odds {
    /// How likely it hits something in it.
    pub(super) hit: f32,
    /// What it pays until it knows, in items.
    pub(super) cost: f32,
}

impl Odds {
    /// Hits for the price: of several boxes that with the most comes first, since what is after it need not be visited if it brings a hit.
    pub(super) fn worth(self) -> f32 {
        self.hit / self.cost.max(f32::MIN_POSITIVE)
    }
}

/// Of each binary node.
///
/// * `leaf` — those of a leaf, by its first item, their number, and half of the area of its box.
pub(super) fn odds(tree: &PairTree, leaf: impl Fn(u32, u32, f32) -> Odds) -> Vec<Odds> {
    let mut odds = vec![Odds::default(); tree.nodes.len()];
    // Children come after their parents
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let shown = node.children.iter().filter(|child| **child != PairChild::NONE);
        let area = half_area(shown.clone().map(corners));
        let mut met: Vec<(f32, Odds)> = shown
            .map(|child| {
                let own = half_area([corners(child)]);
                let below = match child.count {
                    0 => odds[child.first as usize],
                    count => leaf(child.first, count, own),
                };
                (if area > 0.0 { (own / area).min(1.0) } else { 1.0 }, below)
            })
            .collect();
        met.sort_by(|(_, a), (_, b)| b.worth().total_cmp(&a.worth()));
        // A binary node is about half of one of four
        let (mut goes_on, mut cost) = (1.0, 0.5 * NODE_PRICE);
        for (share, below) in met {
            cost += goes_on * share * below.cost;
            goes_on *= 1.0 - share * below.hit;
        }
        odds[i] = Odds { hit: 1.0 - goes_on, cost };
    }
    odds
}

#[cfg(test)]
mod tests {
    use sunfleck_kernel::PairNode;

    use super::*;

    #[test]
    fn a_node_of_two_leaves_has_their_odds() {
        let leaf_at =
            |low: f32, first| PairChild { min: [low, 0.0, 0.0], first, max: [low + 1.0, 1.0, 1.0], count: 1 };
        // Cubes side by side in a box of 2 by 1 by 1: either is met by three rays of five
        let nodes = vec![PairNode { children: [leaf_at(0.0, 0), leaf_at(1.0, 1)] }];
        let leaf = |first, _, area| {
            assert_eq!(area, 3.0, "half of the area of a cube");
            [Odds { hit: 0.5, cost: 2.0 }, Odds { hit: 1.0, cost: 2.0 }][first as usize]
        };
        let found = odds(&PairTree { nodes, depth: 1 }, leaf)[0];
        // The second brings a hit sooner, and two of five need the first
        let expected = Odds { hit: 1.0 - 0.4 * 0.7, cost: 0.5 * NODE_PRICE + 0.6 * 2.0 + 0.4 * 0.6 * 2.0 };
        assert!((found.hit - expected.hit).abs() < 1e-6, "{found:?} for {expected:?}");
        assert!((found.cost - expected.cost).abs() < 1e-6, "{found:?} for {expected:?}");
    }
}
