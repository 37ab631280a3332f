use sunfleck_math::Aabb;

use super::forest::Choice;

/// The canonical tree that every layout converts from: binary, one primitive list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bvh2 {
    /// Node 0 is the root, children come after their parents; empty when there are no primitives.
    pub(crate) nodes: Vec<Bvh2Node>,
    /// Primitive indices; leaves refer to ranges of it.
    pub(crate) prims: Vec<u32>,
    /// Whether to convert it on several threads.
    pub(crate) parallel: bool,
}

impl Bvh2 {
    /// Appends the primitives below a node, in ascending order, each once.
    pub(crate) fn gather(&self, node: &Bvh2Node, into: &mut Vec<u32>) {
        into.clear();
        self.append(node, into);
        into.sort_unstable();
        into.dedup();
    }

    /// How many references there are below a node.
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

    /// The most inner nodes on the way to a leaf.
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

/// Makes room for two children side by side; the index of the left one.
pub(crate) fn push_pair(nodes: &mut Vec<Bvh2Node>) -> usize {
    nodes.extend_from_slice(&[Bvh2Node::VACANT; 2]);
    nodes.len() - 2
}

/// 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Bvh2Node {
    /// The box around everything below.
    pub(crate) bounds: Aabb,
    /// Inner node: index of the left child, the right one follows it. Leaf: index of the first primitive.
    first: u32,
    /// Leaf: number of primitives. Inner node: [`INNER`](Self::INNER) and the bits of a [`Choice`].
    count: u32,
}

impl Bvh2Node {
    const INNER: u32 = 1 << 31;
    /// A place to be filled in.
    pub(crate) const VACANT: Self = Self { bounds: Aabb::EMPTY, first: 0, count: 0 };

    pub(crate) fn leaf(bounds: Aabb, first: u32, count: u32) -> Self {
        Self { bounds, first, count }
    }

    pub(crate) fn inner(bounds: Aabb, children: u32, choice: Choice) -> Self {
        Self { bounds, first: children, count: Self::INNER | choice.bits() }
    }

    /// The same node where nodes have been moved by `offset`.
    pub(crate) fn moved(&self, offset: u32) -> Self {
        let first = if self.count & Self::INNER == 0 { self.first } else { self.first.wrapping_add(offset) };
        Self { first, ..*self }
    }

    /// The children of an inner node, by index.
    #[inline]
    pub(crate) fn children(&self) -> Option<[u32; 2]> {
        (self.count & Self::INNER != 0).then_some([self.first, self.first.wrapping_add(1)])
    }

    /// Of a leaf the first primitive, and how many.
    pub(crate) fn leaf_range(&self) -> Option<(u32, u32)> {
        (self.count & Self::INNER == 0).then_some((self.first, self.count))
    }

    /// How an inner node is best laid out; none for a leaf.
    #[inline]
    pub(crate) fn choice(&self) -> Option<Choice> {
        (self.count & Self::INNER != 0).then(|| Choice::from_bits(self.count))
    }

    /// Whether wide layouts have one leaf here.
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.choice().is_none_or(Choice::is_leaf)
    }
}
