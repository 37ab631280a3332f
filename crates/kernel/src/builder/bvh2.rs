use sunfleck_math::Aabb;

use super::forest::Choice;

/// The canonical tree that every layout converts from: binary, one primitive list.
#[derive(Debug)]
pub(crate) struct Bvh2 {
    /// Node 0 is the root; empty when there are no primitives.
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
        match node.choice() {
            None => node.count as usize,
            Some(_) => self.children(node).iter().map(|child| self.references(child)).sum(),
        }
    }

    fn append(&self, node: &Bvh2Node, into: &mut Vec<u32>) {
        match node.choice() {
            None => into.extend_from_slice(&self.prims[node.first as usize..][..node.count as usize]),
            Some(_) => self.children(node).iter().for_each(|child| self.append(child, into)),
        }
    }

    pub(crate) fn children(&self, node: &Bvh2Node) -> [Bvh2Node; 2] {
        [self.nodes[node.first as usize], self.nodes[node.first as usize + 1]]
    }
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
    pub(super) const VACANT: Self = Self { bounds: Aabb::EMPTY, first: 0, count: 0 };

    pub(super) fn leaf(bounds: Aabb, first: u32, count: u32) -> Self {
        Self { bounds, first, count }
    }

    pub(super) fn inner(bounds: Aabb, children: u32, choice: Choice) -> Self {
        Self { bounds, first: children, count: Self::INNER | choice.bits() }
    }

    /// The same node where nodes have been moved by `offset`.
    pub(super) fn moved(&self, offset: u32) -> Self {
        let first = if self.count & Self::INNER == 0 { self.first } else { self.first.wrapping_add(offset) };
        Self { first, ..*self }
    }

    /// Of an inner node the index of the left child.
    pub(super) fn first_child(&self) -> Option<usize> {
        (self.count & Self::INNER != 0).then_some(self.first as usize)
    }

    /// Of a leaf the first primitive, and how many.
    pub(super) fn leaf_range(&self) -> Option<(u32, u32)> {
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

/// Half of the surface area in f64, where the squares of all f32 lengths fit.
pub(crate) fn half_area(b: &Aabb) -> f64 {
    if b.is_empty() {
        return 0.0;
    }
    let [x, y, z] = [0, 1, 2].map(|axis| f64::from(b.max[axis]) - f64::from(b.min[axis]));
    x * y + y * z + z * x
}
