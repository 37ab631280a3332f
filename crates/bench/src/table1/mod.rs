//! [Wald03, Table 1] measured again: rays that one CPU core casts and shades per second.
//!
//! The published scenes are not freely available; built-in scenes of the same kind and size replace them. Rays are
//! those of a pinhole camera in 8×8 tiles. Casting and [simple shading](crate::simple_shading) alternate in batches
//! that fit into the L1 cache. The generation of rays is not timed.

mod published;
mod report;
mod run;
mod world;

pub use published::{PUBLISHED, PublishedCpu, PublishedTable1Row};
pub use report::{Table1Rates, Table1Report, Table1Row};
pub use run::{ShadedImage, Table1Settings, run};
pub use world::WorldKind;
