//! The program `sunfleck-bench`: benchmarks of Sunfleck and of its peers.
#![forbid(unsafe_code)]

mod flicker;
mod frame;
mod gallery;
mod gpu;
mod gpu_igi;
mod igi;
mod kernel;
mod motion;
mod parse;
mod path;
mod picture;
mod radiosity;
mod ray_engine;
mod shapes;
mod shared;
mod table1;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Benchmark Sunfleck and its peers.
#[derive(Debug, Parser)]
#[command(name = "sunfleck-bench", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    benchmark: Benchmark,
}

/// Benchmarks; their help texts are those of their arguments.
#[derive(Debug, Subcommand)]
enum Benchmark {
    Kernel(Box<kernel::KernelArgs>),
    Shapes(shapes::ShapesArgs),
    Table1(table1::Table1Args),
    Igi(igi::IgiArgs),
    Gpu(gpu::GpuArgs),
    GpuIgi(gpu_igi::GpuIgiArgs),
    RayEngine(ray_engine::RayEngineArgs),
    Radiosity(radiosity::RadiosityArgs),
    Flicker(flicker::FlickerArgs),
    Motion(Box<motion::MotionArgs>),
    Parse(parse::ParseArgs),
    View(view::ViewArgs),
    Gallery(gallery::GalleryArgs),
    Path(path::PathArgs),
    Picture(Box<picture::PictureArgs>),
}

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench kernel office          rays of each kind on one CPU core
  sunfleck-bench gpu conference        rays on a GPU
  sunfleck-bench help kernel            all options of a benchmark

Exit codes: 0 done, 1 failed or hits of Sunfleck are wrong, 2 bad input.";

fn main() -> ExitCode {
    sunfleck_command::end(match &Cli::parse().benchmark {
        Benchmark::Kernel(args) => kernel::run(args),
        Benchmark::Shapes(args) => shapes::run(args),
        Benchmark::Table1(args) => table1::run(args),
        Benchmark::Igi(args) => igi::run(args),
        Benchmark::Gpu(args) => gpu::run(args),
        Benchmark::GpuIgi(args) => gpu_igi::run(args),
        Benchmark::RayEngine(args) => ray_engine::run(args),
        Benchmark::Radiosity(args) => radiosity::run(args),
        Benchmark::Flicker(args) => flicker::run(args),
        Benchmark::Motion(args) => motion::run(args),
        Benchmark::Parse(args) => parse::run(args),
        Benchmark::View(args) => view::run(args),
        Benchmark::Gallery(args) => gallery::run(args),
        Benchmark::Path(args) => path::run(args),
        Benchmark::Picture(args) => picture::run(args),
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
