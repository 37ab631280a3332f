//! What a ray may expect that is content with any hit: what brings one soonest is to be visited first [Ize11].

use sunfleck_constants::tree::NODE_PRICE;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};

/// Of a ray that meets a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HitProbabilities {
    /// How likely it hits something in it.
    pub hit: f32,
    /// What it pays until it knows, in items of GPUs' trees, in nodes of the processor's.
    pub cost: f32,
}

impl HitProbabilities {
    /// Hits for the price: of several boxes that with the most comes first, since what is after it need not be visited if it brings a hit.
    pub(super) fn worth(self) -> f32 {
        self.hit / self.cost.max(f32::MIN_POSITIVE)
    }

    /// Of a binary node, from those of its children with their boxes.
    fn above(children: &mut [(Aabb, Self)]) -> Self {
        children.sort_by(|(_, a), (_, b)| b.worth().total_cmp(&a.worth()));
        let area = children.iter().fold(Aabb::EMPTY, |whole, (own, _)| whole.union(*own)).half_area();
        // A binary node is about half of one of four
        let (mut goes_on, mut cost) = (1.0, 0.5 * NODE_PRICE);
        for (own, below) in children {
            let meets = if area > 0.0 { (own.half_area() / area).min(1.0) } else { 1.0 };
            cost += goes_on * meets * below.cost;
            goes_on *= 1.0 - meets * below.hit;
        }
        Self { hit: 1.0 - goes_on, cost }
    }
}

/// Of each node of a tree that is not empty.
///
/// * `leaf` — those of a leaf.
pub(super) fn odds(tree: &Bvh2, leaf: &dyn Fn(&Bvh2Node) -> HitProbabilities) -> Vec<HitProbabilities> {
    let mut odds = vec![HitProbabilities::default(); tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        odds[at] = match node.children() {
            Some(children) => HitProbabilities::above(
                &mut children.map(|child| (tree.node(child).bounds, odds[child as usize])),
            ),
            None => leaf(node),
        };
    }
    // Wide trees begin with a node
    if tree.nodes[0].children().is_none() {
        odds[0] = HitProbabilities::above(&mut [(tree.nodes[0].bounds, odds[0])]);
    }
    odds
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    #[test]
    fn a_node_of_two_leaves_has_their_odds() {
        // Cubes side by side in a box of 2 by 1 by 1: either is met by three rays of five
        let cube = |x: f32| Aabb { min: vec3(x, 0.0, 0.0), max: vec3(x + 1.0, 1.0, 1.0) };
        let of = |hit| HitProbabilities { hit, cost: 2.0 };
        let found = HitProbabilities::above(&mut [(cube(0.0), of(0.5)), (cube(1.0), of(1.0))]);
        // The second brings a hit sooner, and two of five need the first
        let expected =
            HitProbabilities { hit: 1.0 - 0.4 * 0.7, cost: 0.5 * NODE_PRICE + 0.6 * 2.0 + 0.4 * 0.6 * 2.0 };
        assert!((found.hit - expected.hit).abs() < 1e-6, "{found:?} for {expected:?}");
        assert!((found.cost - expected.cost).abs() < 1e-6, "{found:?} for {expected:?}");
    }
}
