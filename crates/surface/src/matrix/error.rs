/// Error of matrix radiosity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RadiosityError {
    /// The world contains shapes, which cannot be divided into patches.
    #[error("instance {instance} is made of shapes; commit the scene that `with_triangles_only` returns")]
    Shapes {
        /// Index of the instance.
        instance: u32,
    },
    /// No surface has an area.
    #[error("the scene has no surface that could be divided into patches")]
    Empty,
    /// There are more patches than allowed.
    #[error("the surfaces need at least {needed} patches, more than the {limit} that are allowed")]
    TooMany {
        /// Number of patches with one per surface.
        needed: usize,
        /// Largest allowed number.
        limit: usize,
    },
    /// A solver needs entries of the matrix, but none are stored.
    #[error("the {0} solver needs a stored matrix")]
    NotStored(&'static str),
    /// Two arrays belong to different numbers of patches.
    #[error("there are {found} values for {expected} patches")]
    Length {
        /// Number of values.
        found: usize,
        /// Number of patches.
        expected: usize,
    },
}
