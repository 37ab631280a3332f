//! `sunfleck-kernel` against Embree: builds, closest hits and any hits of the same rays.
//!
//! Both kernels do the same work per ray: they read 32 bytes, trace, and write 16 bytes (1 byte for any hit). Each
//! reads the layout that suits it. Rounds alternate between Sunfleck and the peer; the peer's fastest query form
//! counts.

mod comparison;
mod cost;
mod files;
mod matching;
mod ours;
mod report;
mod run;
mod scaling;
mod shapes;
mod summary;

pub use comparison::{QueryComparison, QueryKind, QueryRate, QueryTiming};
pub use cost::{BuildCost, BuildPreset};
pub use files::{export, trace};
pub use ours::QueryForm;
pub use report::{KernelReport, KernelSceneReport};
pub use run::{KernelBenchSettings, run};
pub use scaling::{ScalingReport, scaling};
pub use shapes::{ShapeRates, ShapesReport, ShapesSettings, shapes};
pub use summary::{KernelSummary, MeanRatio};
