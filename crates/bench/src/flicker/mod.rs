//! Flicker of instant global illumination, which its authors name as the open problem [Wald03b, §6]: a camera moves a
//! little from frame to frame, and what changes in the image beyond what changes in a converged one is flicker.

mod report;
mod run;

pub use report::{FlickerReport, Row};
pub use run::{Settings, run};
