/// How a tree turned out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BvhStats {
    /// Nodes with up to eight children each.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// Nodes on the longest way from the root to a leaf; 0 when there is nothing to hit.
    pub depth: usize,
    /// Primitives that leaves refer to.
    pub primitives: usize,
    /// References to them: more than [`primitives`](Self::primitives) where triangles are cut.
    pub references: usize,
    /// Primitives left out since nothing can hit them.
    pub left_out: SkippedPrimitives,
    /// Surface area heuristic: nodes visited plus leaf blocks tested, expected for a random line through the bounds.
    pub sah_cost: f64,
    /// Memory of nodes and leaves, bytes.
    pub bytes: usize,
}

impl BvhStats {
    /// Memory of nodes and leaves for each primitive that can be hit; 0 when there are none.
    pub fn bytes_per_primitive(&self) -> f64 {
        self.bytes as f64 / self.primitives.max(1) as f64
    }

    /// References per primitive: 1 unless triangles are cut; 0 when there are none.
    pub fn duplication(&self) -> f64 {
        self.references as f64 / self.primitives.max(1) as f64
    }
}

/// Primitives that are legal to give but impossible to hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedPrimitives {
    /// Triangles with a NaN or infinite vertex, instances with such a transform.
    pub non_finite: usize,
    /// Triangles of zero area, instances with a singular transform.
    pub degenerate: usize,
    /// Instances of an empty bottom level, or with mask 0.
    pub empty: usize,
}
