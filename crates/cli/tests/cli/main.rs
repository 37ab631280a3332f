//! The binary, run as people run it: what it prints, what it writes, and which exit code it ends with.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod animation;
mod bad_input;
mod compare;
mod convert;
mod formats;
mod info;
mod interrupt;
mod notes;
mod parameters_page;
mod render;
mod run;
mod same_bits;
mod stop;
