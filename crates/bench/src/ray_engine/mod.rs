//! The tables and the figure of [RayEngine02, §6] again: the ray engine of `sunfleck-ray-engine` in its organisation of 2002 and in those of today.
//!
//! Scenes are the built-in ones that were made after the paper's. Rays are made before they are timed; a rate is that of the wall clock, from handing rays in
//! to having all hits.

mod report;
mod run;

pub use report::{CostReport, Figure7, Point, RayEngineReport, SceneRow, SystemRow, TuningRow};
pub use run::{Settings, run};
