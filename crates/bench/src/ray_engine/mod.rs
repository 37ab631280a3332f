//! The tables and the figure of [RayEngine02, §6] measured again, with the organisation of 2002 and with today's ray
//! engine of `sunfleck-ray-engine`.
//!
//! Built-in scenes replace those of the paper. Rays are generated in advance; rates are per second of wall time, from
//! the submission of the rays until all hits are available.

mod report;
mod run;

pub use report::{CostReport, Figure7, Figure7Point, RayEngineReport, SceneRow, SystemRow, TuningRow};
pub use run::{RayEngineBenchSettings, run};
