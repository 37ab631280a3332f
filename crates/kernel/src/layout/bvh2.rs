//! Binary tree: the output of the builders, from which the wide layouts are computed.

use sunfleck_math::Aabb;

use super::collapse_costs::CollapseDecision;

/// Canonical binary tree over one list of primitives, from which all layouts are computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bvh2 {
    /// Node 0 is the root, and children come after their parents. Empty if there are no primitives.
    pub(crate) nodes: Vec<Bvh2Node>,
    /// Primitive indices; leaves refer to ranges of it.
    pub(crate) prims: Vec<u32>,
    /// Whether several threads convert the tree to other layouts.
    pub(crate) parallel: bool,
}

impl Bvh2 {
    /// Replaces the contents of `into` by the primitives below a node, in ascending order and without duplicates.
    pub(crate) fn gather(&self, node: &Bvh2Node, into: &mut Vec<u32>) {
        into.clear();
        self.append(node, into);
        into.sort_unstable();
        into.dedup();
    }

    /// Returns the number of references below a node.
    pub(crate) fn references(&self, node: &Bvh2Node) -> usize {
        match node.children() {
            None => node.count as usize,
            Some(children) => children.map(|child| self.references(self.node(child))).iter().sum(),
        }
    }

    fn append(&self, node: &Bvh2Node, into: &mut Vec<u32>) {
        match node.children() {
            None => into.extend_from_slice(&self.prims[node.first as usize..][..node.count as usize]),
            Some(children) => children.iter().for_each(|&child| self.append(self.node(child), into)),
        }
    }

    #[inline]
    pub(crate) fn node(&self, at: u32) -> &Bvh2Node {
        &self.nodes[at as usize]
    }

    /// Returns the maximum number of inner nodes on the path to a leaf.
    pub(crate) fn depth(&self) -> usize {
        let mut depths = vec![0u32; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for child in node.children().into_iter().flatten() {
                depths[child as usize] = depths[at] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0) as usize
    }
}

/// Appends two vacant nodes for the children of a node, and returns the index of the left one.
pub(crate) fn push_pair(nodes: &mut Vec<Bvh2Node>) -> usize {
    nodes.extend_from_slice(&[Bvh2Node::VACANT; 2]);
    nodes.len() - 2
}

/// Node of a binary tree. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Bvh2Node {
    /// Box around everything below.
    pub(crate) bounds: Aabb,
    /// Inner node: index of the left child, the right one follows it. Leaf: index of the first primitive.
    first: u32,
    /// Leaf: number of primitives. Inner node: [`INNER`](Self::INNER) and the bits of a [`CollapseDecision`].
    count: u32,
}

impl Bvh2Node {
    const INNER: u32 = 1 << 31;
    /// Placeholder of a node that is filled in later.
    pub(crate) const VACANT: Self = Self { bounds: Aabb::EMPTY, first: 0, count: 0 };

    pub(crate) fn leaf(bounds: Aabb, first: u32, count: u32) -> Self {
        Self { bounds, first, count }
    }

    pub(crate) fn inner(bounds: Aabb, children: u32, decision: CollapseDecision) -> Self {
        Self { bounds, first: children, count: Self::INNER | decision.bits() }
    }

    /// Returns the node with the index of its children increased by `offset`.
    pub(crate) fn moved(&self, offset: u32) -> Self {
        let first = if self.count & Self::INNER == 0 { self.first } else { self.first.wrapping_add(offset) };
        Self { first, ..*self }
    }

    /// Returns the indices of the children of an inner node; `None` for a leaf.
    #[inline]
    pub(crate) fn children(&self) -> Option<[u32; 2]> {
        (self.count & Self::INNER != 0).then_some([self.first, self.first.wrapping_add(1)])
    }

    /// Returns the index of the first primitive of a leaf and the number of its primitives; `None` for an inner node.
    pub(crate) fn leaf_range(&self) -> Option<(u32, u32)> {
        (self.count & Self::INNER == 0).then_some((self.first, self.count))
    }

    /// Returns the collapse decisions of an inner node; `None` for a leaf.
    #[inline]
    pub(crate) fn decision(&self) -> Option<CollapseDecision> {
        (self.count & Self::INNER != 0).then(|| CollapseDecision::from_bits(self.count))
    }

    /// Returns whether the node becomes one leaf of a wide tree.
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.decision().is_none_or(CollapseDecision::is_leaf)
    }
}
