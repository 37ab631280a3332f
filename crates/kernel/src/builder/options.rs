//! Options of a build.

/// Quality of a tree, which selects the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Fastest build, by Morton codes [Lauterbach09, §3], for geometry that changes every frame.
    Fast,
    /// Binned surface area heuristic [Wald07, binning]: good trees in a short time.
    Balanced,
    /// As [`Balanced`](Self::Balanced), with spatial splits of triangles where boxes would overlap [Stich09, §4], and
    /// with reinsertion of the subtrees with the largest parents [Bittner13; Meister18]. For static geometry, above all
    /// with long, thin or crossing triangles, such as buildings.
    Best,
}

/// Options of a build. The tree does not depend on the number of threads.
///
/// Start from a preset: `BuildOptions { parallel: false, ..BuildOptions::BEST }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildOptions {
    /// Builder. For a TLAS, [`Quality::Best`] is the same as [`Quality::Balanced`].
    pub quality: Quality,
    /// Maximum number of triangles in a leaf, 1–32 (clamped). A TLAS always has one instance per leaf.
    pub max_leaf_size: usize,
    /// Number of bins per axis of the surface area heuristic, 2–32 (clamped).
    pub bins: usize,
    /// Cost of visiting a node of eight boxes relative to testing one block of four triangles, ≥ 0.
    pub traversal_cost: f32,
    /// Maximum number of references that spatial splits add, in per cent of the triangles, 0–400 (clamped). Only for
    /// [`Quality::Best`].
    pub duplicates_percent: u32,
    /// Maximum peak memory of a build in bytes, including the finished tree; `None` for no limit.
    ///
    /// [`Quality::Best`] adds fewer references to stay below it. If that is not enough, the build fails with
    /// [`BuildError::MemoryLimit`](crate::BuildError::MemoryLimit).
    pub memory_limit: Option<u64>,
    /// Whether to use the current rayon pool; if false, the build runs on the calling thread.
    pub parallel: bool,
}

impl BuildOptions {
    /// Preset for geometry that changes every frame.
    pub const FAST: Self = Self { quality: Quality::Fast, ..Self::BALANCED };
    /// Preset for good trees in a short time; the default.
    pub const BALANCED: Self = Self {
        quality: Quality::Balanced,
        max_leaf_size: 8,
        bins: 32,
        traversal_cost: 1.0,
        duplicates_percent: 25,
        memory_limit: None,
        parallel: true,
    };
    /// Preset for the best trees.
    pub const BEST: Self = Self { quality: Quality::Best, ..Self::BALANCED };

    /// Returns the preset for a quality.
    pub const fn preset(quality: Quality) -> Self {
        match quality {
            Quality::Fast => Self::FAST,
            Quality::Balanced => Self::BALANCED,
            Quality::Best => Self::BEST,
        }
    }
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self::BALANCED
    }
}
