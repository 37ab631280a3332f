//! `sunfleck bench`, which is a program of its own now: tells where it is.

use std::ffi::OsString;

use clap::Args;
use sunfleck_command::{Exit, Failure};

/// Benchmarks are the program `sunfleck-bench` now, in this repository: `cargo run --release -p sunfleck-bench -- …`
#[derive(Args, Debug)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct BenchArgs {
    /// What `sunfleck-bench` takes
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

/// Always fails, with the sentence that tells how to run benchmarks.
pub(crate) fn run(_: &BenchArgs) -> Result<Exit, Failure> {
    Err(Failure::bad_input(
        "benchmarks are now `sunfleck-bench`, in this repository: `cargo run --release -p sunfleck-bench -- …`",
    ))
}
