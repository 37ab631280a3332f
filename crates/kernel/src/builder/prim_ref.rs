use rayon::prelude::*;
use sunfleck_math::Aabb;

/// Below this many references, one thread is faster than several.
pub(super) const PARALLEL_MIN: usize = 1 << 13;

/// All that the builder knows of a primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimRef {
    /// Finite bounds.
    pub(crate) bounds: Aabb,
    /// Index of the primitive.
    pub(crate) prim: u32,
}

impl PrimRef {
    #[inline]
    pub(super) fn centroid(&self, axis: usize) -> f32 {
        self.bounds.min[axis] * 0.5 + self.bounds.max[axis] * 0.5
    }
}

/// The box around some references, and the box around their centroids.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) bounds: Aabb,
    pub(super) centroids: Aabb,
}

impl Extent {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, centroids: Aabb::EMPTY };

    pub(super) fn of(refs: &[PrimRef], parallel: bool) -> Self {
        if parallel && refs.len() >= 2 * PARALLEL_MIN {
            // Unions are exact and the order of `reduce` is fixed: the same bits for every number of threads.
            return refs.par_chunks(PARALLEL_MIN).map(Self::of_chunk).reduce(|| Self::EMPTY, Self::union);
        }
        Self::of_chunk(refs)
    }

    fn of_chunk(refs: &[PrimRef]) -> Self {
        refs.iter().fold(Self::EMPTY, |e, r| Self {
            bounds: e.bounds.union(r.bounds),
            centroids: e.centroids.including(r.bounds.center()),
        })
    }

    fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), centroids: self.centroids.union(other.centroids) }
    }
}
