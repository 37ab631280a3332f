//! `sunfleck bench`, moved to the program `sunfleck-bench`: prints how to run it.

use std::ffi::OsString;

use clap::Args;
use sunfleck_command::{Exit, Failure};

/// Print how to run benchmarks, which moved to the program `sunfleck-bench`.
#[derive(Args, Debug)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct BenchArgs {
    /// Arguments of `sunfleck-bench`
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Fails with a message that says how to run benchmarks.
pub(crate) fn run(_: &BenchArgs) -> Result<Exit, Failure> {
    Err(Failure::bad_input(
        "benchmarks moved to `sunfleck-bench`; run `cargo run --release -p sunfleck-bench -- …`",
    ))
}
