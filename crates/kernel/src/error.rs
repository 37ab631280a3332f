//! Errors of building and validating acceleration structures.

/// Error of building a [`Blas`](crate::Blas) or a [`Tlas`](crate::Tlas).
///
/// Geometry that cannot be hit (zero area, NaN or infinite vertices) is no error: it is skipped and counted in
/// [`BvhStats::skipped`](crate::BvhStats::skipped).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertex_count} vertices")]
    VertexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// Vertex index that is out of range.
        index: u32,
        /// Number of vertices.
        vertex_count: usize,
    },
    /// An instance refers to a geometry that does not exist.
    #[error("instance {instance} refers to geometry {blas}, but there are only {blas_count} geometries")]
    BlasOutOfRange {
        /// Index of the instance.
        instance: usize,
        /// Geometry index that is out of range.
        blas: u32,
        /// Number of geometries.
        blas_count: usize,
    },
    /// There are more primitives than a tree can address.
    #[error("{count} primitives exceed the maximum of {limit} per tree")]
    TooMany {
        /// Number of primitives.
        count: usize,
        /// Maximum number of primitives.
        limit: usize,
    },
    /// The build would need more memory than [`BuildOptions::memory_limit`](crate::BuildOptions::memory_limit).
    #[error("the build needs {needed} bytes of memory, more than the limit of {limit} bytes")]
    MemoryLimit {
        /// Upper bound of the peak memory in bytes.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The progress callback cancelled the build.
    #[error("the build was cancelled")]
    Cancelled,
    /// The number of triangles of a refit differs from that of the build.
    #[error("a refit needs the same {expected} triangles as the build, but got {count}")]
    TriangleCountMismatch {
        /// Number of triangles of the refit.
        count: usize,
        /// Number of triangles of the build.
        expected: usize,
    },
    /// Instances are nested too deeply.
    #[error("{levels} nested levels of instances exceed the maximum of {limit}")]
    TooDeep {
        /// Number of levels of instances.
        levels: usize,
        /// Maximum number of levels.
        limit: usize,
    },
}

/// Violated invariant of a tree, found by [`Blas::validate`](crate::Blas::validate) or
/// [`Tlas::validate`](crate::Tlas::validate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidateError {
    /// A child refers to a node or leaf beyond the end of its array.
    #[error("slot {slot} of node {node} refers to a node or leaf that does not exist")]
    DanglingChild {
        /// Index of the node.
        node: u32,
        /// Child slot, 0–7.
        slot: usize,
    },
    /// A node is referenced twice or never, so the nodes are not a tree.
    #[error("node {node} is referenced {times} times instead of once")]
    NotATree {
        /// Index of the node.
        node: u32,
        /// Number of references to the node.
        times: u32,
    },
    /// The box of a child slot does not enclose the boxes below it.
    #[error("the box of slot {slot} of node {node} does not enclose the boxes below it")]
    BoxTooSmall {
        /// Index of the node.
        node: u32,
        /// Child slot, 0–7.
        slot: usize,
    },
    /// A primitive is referenced by two leaves or by none.
    #[error("primitive {prim} is referenced {times} times instead of {expected}")]
    WrongReferences {
        /// Index of the primitive.
        prim: u32,
        /// Number of references from leaves.
        times: u32,
        /// Expected number: 1, or 0 for a skipped primitive.
        expected: u32,
    },
    /// The boxes of the leaves that refer to a triangle do not cover it.
    #[error("primitive {prim} is not covered by the boxes of its leaves")]
    Uncovered {
        /// Index of the primitive.
        prim: u32,
    },
    /// A leaf refers to a primitive that does not exist.
    #[error("a leaf refers to primitive {prim}, but there are only {count} primitives")]
    UnknownPrimitive {
        /// Index of the primitive.
        prim: u32,
        /// Number of primitives.
        count: u32,
    },
}
