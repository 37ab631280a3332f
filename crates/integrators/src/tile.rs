//! Jobs and results that an [`Assembly`](crate::Assembly) exchanges with workers, on this machine or on others.

use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmError, FilmTile, TileRect};

use crate::parameters::ParameterError;
use crate::pass::Pass;
use crate::tile_light::TileLight;
use crate::view::RayCount;

/// One tile of a pass: the unit of work of a core, a GPU or a machine. Plain data that can be serialised in any format
/// that keeps every bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileJob {
    /// The pass that the tile belongs to.
    pub pass: Pass,
    /// Pixels of the tile.
    pub rect: TileRect,
    /// Sums of these pixels so far, if there are any and the algorithm adds to them. Sums are rounded in the order of
    /// the samples, so that the image depends only on their number.
    pub before: Option<FilmTile>,
    /// Number of samples that each pixel shall have, row by row, if the numbers differ. Those that it lacks are added,
    /// instead of the samples of the pass.
    pub targets: Option<Vec<u32>>,
}

/// Result of a [`TileJob`]. It can be serialised as well; deserialisation refuses inconsistent data and values that are
/// not finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileResult {
    pub(crate) pass: Pass,
    pub(crate) content: TileContent,
}

#[expect(
    clippy::large_enum_variant,
    reason = "one value per tile, whose arrays are a thousand times as large"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum TileContent {
    /// Sums over all samples of the pixels so far.
    Sums(FilmTile, RayCount),
    /// Light that is still to be filtered together with that of neighbouring tiles.
    Light(TileLight),
}

impl TileResult {
    /// Returns the pixels of the tile.
    pub fn rect(&self) -> TileRect {
        match &self.content {
            TileContent::Sums(tile, _) => tile.rect(),
            TileContent::Light(light) => light.rect(),
        }
    }

    /// Returns the number of rays traced for the tile.
    pub fn rays(&self) -> RayCount {
        match &self.content {
            TileContent::Sums(_, rays) => *rays,
            TileContent::Light(light) => light.rays(),
        }
    }
}

/// Reason why a job cannot be computed, or a result cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// This machine has another revision of the world.
    #[error("the tile belongs to revision {wanted} of the world, but this machine has revision {found}")]
    OtherWorld {
        /// Revision of the job.
        wanted: u64,
        /// Revision of this machine's world.
        found: u64,
    },
    /// The job or result belongs to another pass, or to another view.
    #[error("the tile belongs to another pass")]
    OtherPass,
    /// The size of the film is out of range.
    #[error("a film of {width}×{height} pixels cannot be rendered")]
    Size {
        /// Width, pixels.
        width: u32,
        /// Height, pixels.
        height: u32,
    },
    /// The number of samples is out of range.
    #[error("{count} samples from number {first} cannot be added in one pass")]
    Samples {
        /// Index of the first sample.
        first: u32,
        /// Number of samples.
        count: u32,
    },
    /// A parameter of the algorithm is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The rectangle is not a tile of the pass.
    #[error("{0:?} is not a tile of the pass")]
    Rect(TileRect),
    /// The sums of the tile are of other pixels or record other channels, or the result is of another kind than the
    /// algorithm produces.
    #[error("the tile's pixels, channels or kind of result do not match its pass")]
    OtherContent,
    /// The film refused the tile.
    #[error(transparent)]
    Film(#[from] FilmError),
    /// The pass is not complete; holds the number of missing tiles.
    #[error("{0} tiles of the pass are missing")]
    Missing(usize),
}
