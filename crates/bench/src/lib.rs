//! Benchmarks of Sunfleck beside its peers: both trace the same rays through the same scene, in one process and in
//! alternating rounds. The program `sunfleck-bench` prints the results.
//!
//! [`kernel::run`] times `sunfleck-kernel` against Embree 4, which is loaded at run time from a path that the user
//! gives, and compares every hit. Where hits differ, a brute-force test in f64 decides which are right ([`Judgement`]).
//! A [`Subject`] is a scene to trace: one list of triangles in world space, and a viewpoint. Module [`rays`] generates
//! the rays.
//!
//! ```
//! use sunfleck_bench::kernel::{self, KernelBenchSettings};
//! use sunfleck_bench::{RayKind, Subject};
//!
//! let subject = Subject::teapot(4);
//! let settings = KernelBenchSettings {
//!     kinds: vec![RayKind::Random],
//!     rounds: 1,
//!     resolution: 64,
//!     ..KernelBenchSettings::default()
//! };
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
pub mod gallery;
pub mod gpu;
pub mod igi;
mod judge;
pub mod kernel;
mod mesh;
pub mod motion;
pub mod parse;
pub mod path;
pub mod picture;
mod query;
pub mod radiosity;
pub mod ray_engine;
pub mod rays;
mod regions;
pub mod simple_shading;
mod stage;
mod subject;
mod table;
pub mod table1;
pub mod view;

pub use clock::CPU_TIME;
pub use compare::{Differences, TOLERATED_FRACTION};
pub use driver::DriverError;
pub use error::BenchError;
pub use judge::{Faults, HIT_TOLERANCE, Judgement, MAX_EXAMINED_RAYS};
pub use mesh::Mesh;
pub use rays::{RayKind, RaySet};
pub use subject::{Subject, Viewpoint};
