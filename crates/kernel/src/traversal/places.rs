use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::TriangleBlock;
use crate::simd::PrefetchAddress;

/// Nodes of this size, bytes, stay near the core.
const CACHE: usize = 1 << 19;

/// Where nodes and leaves are in memory.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    nodes: PrefetchAddress,
    blocks: PrefetchAddress,
    /// Whether they are far away, so that asking for them early pays.
    far: bool,
}

impl Places {
    #[inline(always)]
    pub(crate) fn of(nodes: &[Bvh8Node], blocks: &[TriangleBlock]) -> Self {
        Self {
            nodes: PrefetchAddress::of(nodes),
            blocks: PrefetchAddress::of(blocks),
            far: size_of_val(nodes) > CACHE,
        }
    }

    /// Asks for the memory that a visit will read. There is no branch on what it is: it would depend on the end of a long chain
    /// of instructions, and a wrong guess would throw away what was done for other rays meanwhile.
    #[inline(always)]
    pub(crate) fn aim(self, next: ChildRef) {
        if self.far {
            let (leaf, first) = next.masked();
            let node = self.nodes.after(next.node_index() * size_of::<Bvh8Node>());
            let block = self.blocks.after(first * size_of::<TriangleBlock>());
            node.or(block, leaf).prefetch();
        }
    }
}
