//! Statistics and bounds of eight-wide trees.

use super::bvh8::Bvh8;
use crate::stats::BvhStats;
use sunfleck_math::Aabb;

impl Bvh8 {
    /// Returns the statistics of the nodes. The caller adds the bytes of its items and the skipped primitives, and
    /// corrects the number of references if an item holds several.
    pub(crate) fn stats(&self) -> BvhStats {
        let mut stats =
            BvhStats { nodes: self.nodes.len(), bytes: size_of_val(&*self.nodes), ..Default::default() };
        // Lengths in units of the longest edge, so that areas neither overflow nor underflow
        let scale = 1.0 / self.bounds().size().max_element();
        let half_area = |b: &Aabb| f64::from(Aabb { min: b.min * scale, max: b.max * scale }.half_area());
        let root_area = half_area(&self.bounds());
        // A root without area counts as always hit.
        let probability = |b: &Aabb| if root_area > 0.0 { half_area(b) / root_area } else { 1.0 };
        let mut stack = if self.nodes.is_empty() { vec![] } else { vec![(0, 1)] };
        stats.sah_cost = if self.nodes.is_empty() { 0.0 } else { 1.0 };
        while let Some((node, depth)) = stack.pop() {
            stats.depth = stats.depth.max(depth);
            let node = &self.nodes[node];
            for (slot, child) in node.slots() {
                let p = probability(&node.bounds(slot));
                if child.is_leaf() {
                    stats.leaves += 1;
                    stats.references += child.items().len();
                    stats.sah_cost += p * child.items().len() as f64;
                } else {
                    stats.sah_cost += p;
                    stack.push((child.node_index(), depth + 1));
                }
            }
        }
        stats
    }

    /// Returns the box around the whole tree; empty for an empty tree.
    pub(crate) fn bounds(&self) -> Aabb {
        let root = self.nodes.first();
        root.map_or(Aabb::EMPTY, |root| {
            root.slots().fold(Aabb::EMPTY, |b, (slot, _)| b.union(root.bounds(slot)))
        })
    }
}
