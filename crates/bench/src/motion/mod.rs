//! Frames of a moving camera or scene, with and without reuse of previous frames: error, flicker, cost, and the number
//! of frames after which changed light is gone.

mod measure;
mod motions;
mod report;
mod run;

pub use motions::{MotionKind, UnknownMotion};
pub use report::{ChangeRow, MotionReport, MotionRow};
pub use run::{MotionSettings, run};
