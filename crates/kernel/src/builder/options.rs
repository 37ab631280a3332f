/// How to build a tree. The result never depends on the number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildOptions {
    /// Largest number of triangles in a leaf, 1–32 (clamped). A top level always has one instance per leaf.
    pub max_leaf_size: usize,
    /// Bins per axis of the surface area heuristic, 2–32 (clamped).
    pub bins: usize,
    /// Cost of one binary node relative to testing one block of four triangles, ≥ 0.
    pub traversal_cost: f32,
    /// Whether to use the current rayon pool; `false` stays on the calling thread.
    pub parallel: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { max_leaf_size: 8, bins: 32, traversal_cost: 0.25, parallel: true }
    }
}
