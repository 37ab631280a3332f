//! Instant global illumination beside what was published in 2003 [Wald03, Table 2, §13]: frames per second on all threads, with
//! everything computed anew in every frame, and how far one frame is from a path-traced picture.

mod published;
mod report;
mod run;

pub use published::{PUBLISHED, Published};
pub use report::{Errors, IgiReport, Row};
pub(crate) use run::shoot_at;
pub use run::{Settings, Shown, run};
