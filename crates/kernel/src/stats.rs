//! Statistics of trees.

/// Size, shape and SAH cost of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BvhStats {
    /// Number of nodes; each has up to eight children.
    pub nodes: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of nodes on the longest path from the root to a leaf; 0 for an empty tree.
    pub depth: usize,
    /// Number of primitives in the tree.
    pub primitives: usize,
    /// Number of references from leaves to primitives: more than [`primitives`](Self::primitives) after spatial splits.
    pub references: usize,
    /// Primitives that are not in the tree, because no ray can hit them.
    pub skipped: SkippedPrimitives,
    /// SAH cost: expected number of nodes visited plus leaf blocks tested for a random line through the bounds.
    pub sah_cost: f64,
    /// Memory of nodes and leaves in bytes.
    pub bytes: usize,
}

impl BvhStats {
    /// Returns the bytes of nodes and leaves per primitive in the tree; 0 for an empty tree.
    pub fn bytes_per_primitive(&self) -> f64 {
        self.bytes as f64 / self.primitives.max(1) as f64
    }

    /// Returns the references per primitive: 1 without spatial splits; 0 for an empty tree.
    pub fn duplication(&self) -> f64 {
        self.references as f64 / self.primitives.max(1) as f64
    }
}

/// Numbers of primitives that are valid input but cannot be hit, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedPrimitives {
    /// Triangles with a NaN or infinite vertex, and instances whose transform has a NaN or infinite element.
    pub non_finite: usize,
    /// Triangles of zero area, and instances with a singular transform.
    pub degenerate: usize,
    /// Instances of an empty geometry or with mask 0.
    pub empty: usize,
}
