//! The `sunfleck-bench` program: measures Sunfleck, beside its peers where there are any.
#![forbid(unsafe_code)]

mod flicker;
mod frame;
mod gpu;
mod gpu_igi;
mod igi;
mod kernel;
mod ray_engine;
mod shared;
mod table1;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measure Sunfleck beside its peers.
#[derive(Debug, Parser)]
#[command(name = "sunfleck-bench", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    measurement: Measurement,
}

/// Measurements; each is described at its arguments.
#[derive(Debug, Subcommand)]
enum Measurement {
    Kernel(Box<kernel::KernelArgs>),
    Table1(table1::Table1Args),
    Igi(igi::IgiArgs),
    Gpu(gpu::GpuArgs),
    GpuIgi(gpu_igi::GpuIgiArgs),
    RayEngine(ray_engine::RayEngineArgs),
    Flicker(flicker::FlickerArgs),
    View(view::ViewArgs),
}

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench kernel office          rays of each kind on one core
  sunfleck-bench gpu conference         rays on a GPU
  sunfleck-bench help kernel            everything that can be set

Exit codes: 0 done, 1 failed, or our hits are wrong, 2 bad input.";

fn main() -> ExitCode {
    sunfleck_command::end(match &Cli::parse().measurement {
        Measurement::Kernel(args) => kernel::run(args),
        Measurement::Table1(args) => table1::run(args),
        Measurement::Igi(args) => igi::run(args),
        Measurement::Gpu(args) => gpu::run(args),
        Measurement::GpuIgi(args) => gpu_igi::run(args),
        Measurement::RayEngine(args) => ray_engine::run(args),
        Measurement::Flicker(args) => flicker::run(args),
        Measurement::View(args) => view::run(args),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
