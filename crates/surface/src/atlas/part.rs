//! A connected or disconnected part of the triangles with its own adjacency, from which clusters are made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sunfleck_math::Vec3;

use super::adjacency::Adjacency;

/// Triangle of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) triangle: u32,
    pub(super) area: f32,
    pub(super) centroid: Vec3,
}

/// Triangles and their adjacency by local index.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) members: Vec<Member>,
    pub(super) adjacency: Adjacency,
}

/// The members of a connected part in the order of their distance from a seed, and the tree of shortest paths.
pub(super) struct Growth {
    pub(super) order: Vec<u32>,
    /// Parent in the tree, by local index; that of the seed is itself.
    pub(super) parent: Vec<u32>,
}

impl Part {
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn area(&self) -> f64 {
        self.members.iter().map(|member| f64::from(member.area)).sum()
    }

    /// Returns the members that can be reached from a seed, nearest first, by the lengths of paths through centroids.
    pub(super) fn grow(&self, seed: u32) -> Growth {
        let mut distance = vec![f32::INFINITY; self.len()];
        let mut parent: Vec<u32> = vec![u32::MAX; self.len()];
        let mut done = vec![false; self.len()];
        let mut order = Vec::with_capacity(self.len());
        // Distances are not negative, so that their bits are in the order of their values
        let mut heap = BinaryHeap::from([Reverse((0u32, seed))]);
        (distance[seed as usize], parent[seed as usize]) = (0.0, seed);
        while let Some(Reverse((_, node))) = heap.pop() {
            if std::mem::replace(&mut done[node as usize], true) {
                continue;
            }
            order.push(node);
            let from = distance[node as usize];
            for &next in self.adjacency.of_node(node) {
                let step =
                    self.members[node as usize].centroid.distance(self.members[next as usize].centroid);
                let to = from + if step.is_finite() { step } else { 0.0 };
                if !done[next as usize] && to < distance[next as usize] {
                    (distance[next as usize], parent[next as usize]) = (to, node);
                    heap.push(Reverse((to.to_bits(), next)));
                }
            }
        }
        Growth { order, parent }
    }

    /// Returns the number of the connected component of each member, and how many there are. Only members that are
    /// `included` have one.
    pub(super) fn components(&self, included: impl Fn(u32) -> bool) -> (Vec<u32>, u32) {
        let mut component = vec![u32::MAX; self.len()];
        let (mut count, mut open) = (0, Vec::new());
        for (seed, _) in (0u32..).zip(&self.members) {
            if component[seed as usize] != u32::MAX || !included(seed) {
                continue;
            }
            component[seed as usize] = count;
            open.push(seed);
            while let Some(node) = open.pop() {
                for &next in self.adjacency.of_node(node) {
                    if component[next as usize] == u32::MAX && included(next) {
                        component[next as usize] = count;
                        open.push(next);
                    }
                }
            }
            count += 1;
        }
        (component, count)
    }

    /// Divides the part: those that are `in_first` and the others, each in the same order.
    pub(super) fn divide(&self, in_first: &[bool]) -> [Self; 2] {
        let mut local = vec![0u32; self.len()];
        let mut sides = [Vec::new(), Vec::new()];
        for (i, (member, &first)) in self.members.iter().zip(in_first).enumerate() {
            let side = &mut sides[usize::from(!first)];
            local[i] = u32::try_from(side.len()).unwrap_or(u32::MAX);
            side.push(*member);
        }
        let mut pairs = [Vec::new(), Vec::new()];
        for (node, &first) in (0u32..).zip(in_first) {
            for &next in self.adjacency.of_node(node) {
                if in_first[next as usize] == first {
                    pairs[usize::from(!first)].push([local[node as usize], local[next as usize]]);
                }
            }
        }
        // Local indices are in the order of the old ones, so that the edges are still sorted
        let [first, second] = sides;
        let part = |members: Vec<Member>, pairs: &[[u32; 2]]| {
            let adjacency = Adjacency::from_sorted(members.len(), pairs);
            Self { members, adjacency }
        };
        [part(first, &pairs[0]), part(second, &pairs[1])]
    }

    /// Joins pairs of members.
    pub(super) fn join(&mut self, joints: &[[u32; 2]]) {
        let mut pairs: Vec<[u32; 2]> = joints.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        for (node, _) in (0u32..).zip(&self.members) {
            pairs.extend(self.adjacency.of_node(node).iter().map(|&next| [node, next]));
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.adjacency = Adjacency::from_sorted(self.len(), &pairs);
    }
}
