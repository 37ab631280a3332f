/// Options of hierarchical radiosity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HierarchyOptions {
    /// Largest error that one link may make of the irradiance of a cluster, relative to the mean irradiance of a closed
    /// room of the same light and reflectance. 0 links all pairs of texels.
    pub tolerance: f32,
    /// Rays of a link, from stratified points of one cluster to stratified points of the other.
    pub rays: u32,
    /// Samples per texel and side of lights without surfaces and of the environment.
    pub light_samples: u32,
    /// Largest number of links, 24 bytes each.
    pub most_links: usize,
    /// Seed of all random numbers.
    pub seed: u32,
}

impl Default for HierarchyOptions {
    fn default() -> Self {
        Self { tolerance: 3e-3, rays: 16, light_samples: 64, most_links: 1 << 26, seed: 0 }
    }
}

/// Error of hierarchical radiosity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// The atlas is one of charts, which has no clusters.
    #[error(
        "hierarchical radiosity needs a meshed atlas, whose MIP levels are clusters; this is an atlas of charts"
    )]
    NotMeshed,
    /// There are more links than allowed.
    #[error("more than {limit} links are needed; raise the tolerance or lower the resolution of the atlas")]
    TooManyLinks {
        /// Largest allowed number.
        limit: usize,
    },
}
