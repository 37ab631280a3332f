//! `sunfleck-kernel` against Embree: builds, closest hits and any hits of the same rays.
//!
//! The work that is timed per ray is the same on both sides: read 32 bytes, trace, write 16 (one for any hit). Each side reads the
//! layout that suits it. Rounds alternate between us and the peer; of the peer's ways of being asked the fastest counts.

mod contest;
mod cost;
mod files;
mod matching;
mod ours;
mod report;
mod run;
mod scaling;
mod summary;

pub use contest::{Contest, Entrant, Question, Rate};
pub use cost::{BuildCost, Preset};
pub use files::{export, trace};
pub use ours::Form;
pub use report::{KernelReport, SceneReport};
pub use run::{Settings, run};
pub use scaling::{ScalingReport, scaling};
pub use summary::{Mean, Summary};
