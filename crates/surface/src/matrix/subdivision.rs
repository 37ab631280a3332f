/// Options for dividing surfaces into patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subdivision {
    /// Size of the patches.
    pub size: PatchSize,
    /// Largest number of patches. Larger patches are used if there would be more.
    pub most_patches: usize,
}

/// Size of patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatchSize {
    /// Length of the edges, metres.
    EdgeLength(f32),
    /// Total number of patches, which have about equal areas. It is met approximately, since every surface needs one.
    Number(usize),
}

impl Default for Subdivision {
    fn default() -> Self {
        Self { size: PatchSize::Number(2048), most_patches: 1 << 16 }
    }
}
