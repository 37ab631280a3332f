//! Measurements beside peers: the same rays and the same scene, in one process, alternating. The program `sunfleck-bench`
//! prints them.
//!
//! [`kernel::run`] times `sunfleck-kernel` against Embree 4, which is opened at run time where the user says it is, and
//! compares every hit; where they differ, brute force in f64 says who is right ([`Judgement`]). A [`Subject`] is what is traced: one list of triangles in world space, and a place to look from;
//! [`rays`] says which rays.
//!
//! ```
//! use sunfleck_bench::kernel::{self, Settings};
//! use sunfleck_bench::{RayKind, Subject};
//!
//! let subject = Subject::teapot(4);
//! let settings = Settings { kinds: vec![RayKind::Random], rounds: 1, resolution: 64, ..Settings::default() };
//! let report = kernel::run(&settings, &[subject], None, &mut |_| {})?;
//! assert!(report.scenes[0].contests[0].ours[0].rate.best > 0.0);
//! # Ok::<(), sunfleck_bench::BenchError>(())
//! ```
#![deny(unsafe_code)]

mod clock;
mod compare;
mod driver;
pub mod embree;
mod error;
pub mod flicker;
pub mod format;
pub mod gpu;
pub mod igi;
mod judge;
pub mod kernel;
mod mesh;
mod query;
pub mod ray_engine;
pub mod rays;
pub mod simple_shading;
mod stage;
mod subject;
mod table;
pub mod table1;
pub mod view;

pub use clock::CPU_TIME;
pub use compare::{Differences, TOLERATED_SHARE};
pub use driver::DriverError;
pub use error::BenchError;
pub use judge::{Faults, Judgement, MOST_RAYS, TOLERANCE};
pub use mesh::Mesh;
pub use rays::{RayKind, RaySet};
pub use subject::{Subject, Viewpoint};
