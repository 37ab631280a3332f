/// Why a [`Blas`](crate::Blas) or a [`Tlas`](crate::Tlas) could not be built.
///
/// Geometry that merely cannot be hit (zero area, NaN or infinite vertices) is no error: it is left out and counted in
/// [`BvhStats::left_out`](crate::BvhStats::left_out).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertex_count} vertices")]
    VertexOutOfRange {
        /// Which triangle, counted from 0.
        triangle: usize,
        /// The index that it holds.
        index: u32,
        /// How many positions were given.
        vertex_count: usize,
    },
    /// An instance names a bottom level that does not exist.
    #[error(
        "instance {instance} refers to bottom level {blas}, but there are only {blas_count} bottom levels"
    )]
    BlasOutOfRange {
        /// Which instance, counted from 0.
        instance: usize,
        /// The index that it holds.
        blas: u32,
        /// How many bottom levels were given.
        blas_count: usize,
    },
    /// More primitives than a tree can address.
    #[error("{count} primitives are more than one tree can hold ({limit})")]
    TooMany {
        /// How many were given.
        count: usize,
        /// How many are possible.
        limit: usize,
    },
    /// The build would need more memory than [`BuildOptions::memory_limit`](crate::BuildOptions::memory_limit).
    #[error("building needs {needed} bytes, but only {limit} are allowed")]
    MemoryLimit {
        /// What it would need at one time, bytes: a bound from above.
        needed: u64,
        /// What is allowed, bytes.
        limit: u64,
    },
    /// The progress callback asked to stop.
    #[error("the build was cancelled")]
    Cancelled,
    /// A refit was given another number of triangles than the build.
    #[error("refitting needs the {expected} triangles of the build, but got {count}")]
    OtherTriangles {
        /// How many were given.
        count: usize,
        /// How many the tree was built from.
        expected: usize,
    },
    /// Groups in groups are nested too deep.
    #[error("{levels} levels of instances are more than a hit can tell apart ({limit})")]
    TooDeep {
        /// How many levels of instances there would be.
        levels: usize,
        /// How many are possible.
        limit: usize,
    },
}

/// What [`Blas::validate`](crate::Blas::validate) or [`Tlas::validate`](crate::Tlas::validate) found wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidateError {
    /// A child refers to a node or leaf beyond the end of its array.
    #[error("slot {slot} of node {node} refers beyond the arrays")]
    DanglingChild {
        /// Index of the node.
        node: u32,
        /// Child slot, 0–7.
        slot: usize,
    },
    /// A node is reached twice or never: the nodes are no tree.
    #[error("node {node} is reached {times} times instead of once")]
    NotATree {
        /// Index of the node.
        node: u32,
        /// How often it is reached from the root.
        times: u32,
    },
    /// A child's box sticks out of its parent's.
    #[error("the box of slot {slot} of node {node} does not hold what is below it")]
    LooseBox {
        /// Index of the node.
        node: u32,
        /// Child slot, 0–7.
        slot: usize,
    },
    /// A primitive is referenced twice or never.
    #[error("primitive {prim} is referenced {times} times instead of {expected}")]
    WrongReferences {
        /// Index of the primitive.
        prim: u32,
        /// How often leaves refer to it.
        times: u32,
        /// How often they should: 1, or 0 when it was left out.
        expected: u32,
    },
    /// The boxes of the leaves that refer to a triangle do not hold all of it.
    #[error("leaves do not cover primitive {prim}")]
    Uncovered {
        /// Index of the primitive.
        prim: u32,
    },
    /// A leaf refers to a primitive that was never given.
    #[error("a leaf refers to primitive {prim}, but there are only {count}")]
    UnknownPrimitive {
        /// The index found.
        prim: u32,
        /// How many primitives were given.
        count: u32,
    },
}
