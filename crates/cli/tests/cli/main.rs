//! The `sunfleck` binary, run as a process: its output, files and exit codes.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod animation;
mod bad_input;
mod checkpoint;
mod compare;
mod convert;
mod formats;
mod info;
mod interrupt;
mod manners;
mod notes;
mod parameters_page;
mod render;
mod run;
mod same_bits;
mod stop;
