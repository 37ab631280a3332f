//! Expected cost of any-hit queries: children that find a hit at the lowest cost are to be visited first [Ize11].

use sunfleck_constants::tree::NODE_COST;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};

/// Hit probability and expected cost of a ray that hits the box of a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HitProbabilities {
    /// Probability that the ray hits a primitive of the subtree.
    pub hit: f32,
    /// Expected cost of an any-hit query: in item tests for trees of the GPU, in node visits for trees of the CPU.
    pub cost: f32,
}

impl HitProbabilities {
    /// Returns the hit probability per cost. Siblings are visited in descending order of it, since those after a hit
    /// need not be visited.
    pub(super) fn hits_per_cost(self) -> f32 {
        self.hit / self.cost.max(f32::MIN_POSITIVE)
    }

    /// Returns the estimate of a binary node, from the boxes and estimates of its children.
    fn above(children: &mut [(Aabb, Self)]) -> Self {
        children.sort_by(|(_, a), (_, b)| b.hits_per_cost().total_cmp(&a.hits_per_cost()));
        let area = children.iter().fold(Aabb::EMPTY, |whole, (own, _)| whole.union(*own)).half_area();
        // A four-wide node replaces about two binary ones.
        let (mut unoccluded, mut cost) = (1.0, 0.5 * NODE_COST);
        for (own, below) in children {
            let box_probability = if area > 0.0 { (own.half_area() / area).min(1.0) } else { 1.0 };
            cost += unoccluded * box_probability * below.cost;
            unoccluded *= 1.0 - box_probability * below.hit;
        }
        Self { hit: 1.0 - unoccluded, cost }
    }
}

/// Estimates the hit probabilities of all nodes of a tree that is not empty.
///
/// * `leaf` — returns the estimate of a leaf.
pub(super) fn hit_probabilities(
    tree: &Bvh2,
    leaf: &dyn Fn(&Bvh2Node) -> HitProbabilities,
) -> Vec<HitProbabilities> {
    let mut hit_probabilities = vec![HitProbabilities::default(); tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        hit_probabilities[at] = match node.children() {
            Some(children) => HitProbabilities::above(
                &mut children.map(|child| (tree.node(child).bounds, hit_probabilities[child as usize])),
            ),
            None => leaf(node),
        };
    }
    // The root of a wide tree is an inner node, even over a single leaf.
    if tree.nodes[0].children().is_none() {
        hit_probabilities[0] = HitProbabilities::above(&mut [(tree.nodes[0].bounds, hit_probabilities[0])]);
    }
    hit_probabilities
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    #[test]
    fn probabilities_of_a_node_follow_from_its_leaves() {
        // Cubes side by side in a box of 2 by 1 by 1: each is hit by three of five rays that hit the box.
        let cube = |x: f32| Aabb { min: vec3(x, 0.0, 0.0), max: vec3(x + 1.0, 1.0, 1.0) };
        let of = |hit| HitProbabilities { hit, cost: 2.0 };
        let found = HitProbabilities::above(&mut [(cube(0.0), of(0.5)), (cube(1.0), of(1.0))]);
        // The second cube has the higher hit probability and is visited first; 0.4 of the rays go on to the first one.
        let expected =
            HitProbabilities { hit: 1.0 - 0.4 * 0.7, cost: 0.5 * NODE_COST + 0.6 * 2.0 + 0.4 * 0.6 * 2.0 };
        assert!((found.hit - expected.hit).abs() < 1e-6, "{found:?} for {expected:?}");
        assert!((found.cost - expected.cost).abs() < 1e-6, "{found:?} for {expected:?}");
    }
}
