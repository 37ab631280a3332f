//! Flicker of instant global illumination, which its authors name as an open problem [Wald03b, §6]. The camera moves a
//! little from frame to frame; flicker is the change of the image beyond that of a converged image.

mod report;
mod run;

pub use report::{FlickerReport, FlickerRow};
pub use run::{FlickerSettings, run};
