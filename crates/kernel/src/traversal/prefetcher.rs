use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::TriangleBlock;
use crate::simd::PrefetchAddress;

/// Size of the nodes in bytes up to which they are expected to stay in the core's cache.
const CACHE: usize = 1 << 19;

/// Prefetches nodes and leaves from their start addresses.
#[derive(Clone, Copy)]
pub(crate) struct Prefetcher {
    nodes: PrefetchAddress,
    blocks: PrefetchAddress,
    /// Whether the nodes exceed the cache, so that prefetching pays.
    enabled: bool,
}

impl Prefetcher {
    #[inline(always)]
    pub(crate) fn of(nodes: &[Bvh8Node], blocks: &[TriangleBlock]) -> Self {
        Self {
            nodes: PrefetchAddress::of(nodes),
            blocks: PrefetchAddress::of(blocks),
            enabled: size_of_val(nodes) > CACHE,
        }
    }

    /// Prefetches the memory that a visit will read. It does not branch on the kind of child: the branch would depend
    /// on the end of a long chain of instructions, and a misprediction would discard work done for other rays.
    #[inline(always)]
    pub(crate) fn prefetch(self, next: ChildRef) {
        if self.enabled {
            let (leaf, first) = next.masked();
            let node = self.nodes.after(next.node_index() * size_of::<Bvh8Node>());
            let block = self.blocks.after(first * size_of::<TriangleBlock>());
            node.or(block, leaf).prefetch();
        }
    }
}
