//! Instant global illumination against the figures of 2003 [Wald03, Table 2, §13]: frame rate of independent frames on
//! all threads, error of a frame against a path-traced reference, cost of anti-aliasing and effect of the filter.

mod checks;
mod published;
mod report;
mod run;

pub use checks::IgiChecks;
pub use published::{PUBLISHED, PublishedIgi};
pub use report::{IgiReport, IgiRow, ImageErrors};
pub use run::{IgiBenchSettings, IgiImages, run};
