//! What travels between those who want a picture and those who compute it.

use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmError, FilmTile, TileRect};

use crate::parameters::ParameterError;
use crate::pass::Pass;
use crate::tile_light::TileLight;
use crate::view::RayCount;

/// A part of a pass: the unit of work for a core, a GPU or a machine. Plain data that may travel, in an encoding that keeps
/// every bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileJob {
    /// Which samples of what.
    pub pass: Pass,
    /// Of which pixels.
    pub rect: TileRect,
    /// The sums of these pixels so far, if there are any and the algorithm goes on with them: sums are rounded in the order of
    /// the samples, so that the picture depends on their number alone.
    pub before: Option<FilmTile>,
}

/// What has become of a [`TileJob`]. Travels as it does; data that contradict themselves, or are not finite, are refused when they
/// are deserialised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileResult {
    pub(crate) pass: Pass,
    pub(crate) content: Content,
}

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each tile, whose arrays are a thousand times as large"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Content {
    /// All samples of the pixels so far, ready for the film.
    Sums(FilmTile, RayCount),
    /// Light that the filter has still to mix with that of other tiles.
    Light(TileLight),
}

impl TileResult {
    /// Which pixels.
    pub fn rect(&self) -> TileRect {
        match &self.content {
            Content::Sums(tile, _) => tile.rect(),
            Content::Light(light) => light.rect(),
        }
    }

    /// Rays traced for it.
    pub fn rays(&self) -> RayCount {
        match &self.content {
            Content::Sums(_, rays) => *rays,
            Content::Light(light) => light.rays(),
        }
    }
}

/// Why a job cannot be done, or a result not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// The machine has the world of another revision.
    #[error("the tile is of revision {wanted} of the world; here is revision {found}")]
    OtherWorld {
        /// Of the order.
        wanted: u64,
        /// Of the machine.
        found: u64,
    },
    /// It belongs to another pass, or to another view.
    #[error("the tile belongs to another pass")]
    OtherPass,
    /// There is no such film.
    #[error("a film of {width}×{height} pixels cannot be rendered")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// There are no such samples.
    #[error("{count} samples from number {first} cannot be added at once")]
    Samples {
        /// Number of the first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A parameter of the algorithm is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// It is none of the pass's tiles.
    #[error("{0:?} is not a tile of the pass")]
    Rect(TileRect),
    /// The sums that it shall go on with are of other pixels or record other channels, or it has such light as another algorithm
    /// makes.
    #[error("the tile holds something else than its pass says")]
    OtherContent,
    /// See [`FilmError`].
    #[error(transparent)]
    Film(#[from] FilmError),
    /// The pass is not complete.
    #[error("{0} tiles of the pass are missing")]
    Missing(usize),
}
