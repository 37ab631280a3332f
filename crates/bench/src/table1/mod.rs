//! [Wald03, Table 1] again: how many rays a second one processor casts and shades.
//!
//! The published scenes are not free; ours stand for them, of the same kind and size. Rays are those of a pinhole camera in
//! 8×8 tiles; casting and [simple shading](crate::simple_shading) alternate in batches that stay in the first cache.
//! Making the rays is not timed.

mod published;
mod report;
mod run;
mod world;

pub use published::{PUBLISHED, Processor, Published};
pub use report::{Rates, Row, Table1Report};
pub use run::{Picture, Settings, run};
pub use world::WorldKind;
