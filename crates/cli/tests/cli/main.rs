//! The `sunfleck` binary, run as a process: its output, files and exit codes.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod animation;
mod background;
mod bad_input;
mod checkpoint;
mod compare;
mod configuration;
mod convert;
mod crop;
mod formats;
mod info;
mod interrupt;
mod limits;
mod manners;
mod notes;
mod parameters_page;
mod render;
mod run;
mod same_bits;
mod standard_output;
mod stop;
mod views;
