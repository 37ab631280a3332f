//! Radiosity beside the figures published in 2003 and 2004 [Radiosity03, §3.1, Fig. 3 and 4; Stochastic04, §4], and links of
//! hierarchical radiosity.

mod bandwidth;
mod gpu;
mod hierarchy;
mod report;
mod run;
mod tracers;

pub use hierarchy::{HierarchyReport, HierarchyRow};
pub use report::{
    ConvergenceRow, ErrorRow, GpuMatrixRow, GpuRadiosityReport, PUBLISHED, PublishedRate, RadiosityReport,
    SizeRow, StageRow, StochasticRow, TracerRow,
};
pub use run::{RadiosityBenchSettings, run};
