//! The tables and the figure of [RayEngine02, §6] again: the ray engine of `sunfleck-gpu` in its organisation of 2002 and in those of today.
//!
//! Scenes are the built-in ones that were made after the paper's. Rays are made before they are timed; a rate is that of the wall clock, from handing rays in
//! to having all hits.

mod published;
mod report;
mod run;

pub use published::{
    Application, BEST_TRIANGLES, CPU_ONLY, GEFORCE3, GEFORCE4, PublishedScene, RADEON_8500, RAYS, Rates,
    SCENES, SYSTEMS, TRIANGLES,
};
pub use report::{CostReport, Figure7, Point, RayEngineReport, SceneRow, SystemRow, TuningRow};
pub use run::{Settings, run};
