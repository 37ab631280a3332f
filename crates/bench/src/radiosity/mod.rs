//! Matrix radiosity on the CPU, beside the figures published in 2003 [Radiosity03, §3.1, Fig. 3 and 4].

mod bandwidth;
mod report;
mod run;

pub use report::{ConvergenceRow, PUBLISHED, PublishedRate, RadiosityReport, SizeRow};
pub use run::{RadiosityBenchSettings, run};
