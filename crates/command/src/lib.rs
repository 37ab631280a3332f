//! Common parts of Sunfleck's command-line programs: argument parsers, scenes by name or file, failures with exit
//! codes, output to standard output.
//!
//! A command returns `Result<Exit, Failure>`; [`end`] prints the failure and converts the result to an exit code.
//!
//! ```
//! use sunfleck_command::{Exit, scene};
//!
//! let opened = scene::open("cornell".as_ref())?;
//! assert!(opened.scene.instanced_triangle_count() > 10);
//!
//! let failure = scene::open("no-such.glb".as_ref()).unwrap_err();
//! assert_eq!(failure.exit(), Exit::BadInput);
//! # Ok::<(), sunfleck_command::Failure>(())
//! ```
#![forbid(unsafe_code)]

pub mod arguments;
mod failure;
mod import;
pub mod scene;
pub mod simd;
pub mod stdout;
mod threads;

pub use failure::{Exit, Failure, end};
pub use import::ImportArgs;
pub use threads::start_threads;
