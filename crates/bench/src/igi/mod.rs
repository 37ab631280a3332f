//! Instant global illumination beside what was published in 2003 [Wald03, Table 2, §13]: frames per second on all
//! threads, with everything computed anew in every frame, how far one frame is from a path-traced image, and what
//! anti-aliasing costs and the filter does.

mod checks;
mod published;
mod report;
mod run;

pub use checks::Checks;
pub use published::{PUBLISHED, Published};
pub use report::{Errors, IgiReport, Row};
pub use run::{Settings, Shown, run};
