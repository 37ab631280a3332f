/// What a tree is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Geometry that changes every frame: the quickest build, by Morton codes [Lauterbach09, §3].
    Fast,
    /// Binned surface area heuristic [Wald07, binning]: good trees in little time.
    Balanced,
    /// Also cuts through triangles where boxes would overlap [Stich09, §4], and puts subtrees in the largest boxes where they cost least [Bittner13; Meister18]: for
    /// long, thin, crossing triangles, such as those of buildings, traced many times.
    Best,
}

/// How to build a tree. The result never depends on the number of threads.
///
/// Start from a preset: `BuildOptions { parallel: false, ..BuildOptions::BEST }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildOptions {
    /// Which builder. A top level of instances takes [`Quality::Best`] for [`Quality::Balanced`].
    pub quality: Quality,
    /// Largest number of triangles in a leaf, 1–32 (clamped). A top level always has one instance per leaf.
    pub max_leaf_size: usize,
    /// Bins per axis of the surface area heuristic, 2–32 (clamped).
    pub bins: usize,
    /// Cost of visiting a node of eight boxes relative to testing one block of four triangles, ≥ 0.
    pub traversal_cost: f32,
    /// [`Quality::Best`]: at most this many references per hundred triangles are added by cuts, 0–400 (clamped).
    pub duplicates_percent: u32,
    /// Most bytes that a build may hold at one time, the finished tree included. [`Quality::Best`] makes do with fewer
    /// duplicates; else the build is refused before it begins:
    /// [`BuildError::MemoryLimit`](crate::BuildError::MemoryLimit). None: no limit.
    pub memory_limit: Option<u64>,
    /// Whether to use the current rayon pool; `false` stays on the calling thread.
    pub parallel: bool,
}

impl BuildOptions {
    /// For geometry that changes every frame.
    pub const FAST: Self = Self { quality: Quality::Fast, ..Self::BALANCED };
    /// Good trees in little time; the default.
    pub const BALANCED: Self = Self {
        quality: Quality::Balanced,
        max_leaf_size: 8,
        bins: 32,
        traversal_cost: 1.0,
        duplicates_percent: 25,
        memory_limit: None,
        parallel: true,
    };
    /// The best trees.
    pub const BEST: Self = Self { quality: Quality::Best, ..Self::BALANCED };

    /// The preset for a purpose.
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
