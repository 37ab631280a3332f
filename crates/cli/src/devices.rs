//! `sunfleck devices`: list of the CPU and the GPUs of this machine.

use std::fmt::Write;

use clap::Args;
use fearless_simd::Level;
use serde::Serialize;
use sunfleck_command::{Exit, Failure, simd, stdout};

/// List the CPU and the GPUs of this machine, with the reason if a GPU cannot be used.
#[derive(Args, Debug)]
pub(crate) struct DevicesArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct DeviceReport {
    processor: Cpu,
    gpus: Vec<GpuDevice>,
}

#[derive(Debug, Serialize)]
struct Cpu {
    threads: usize,
    simd: &'static str,
}

#[derive(Debug, Serialize)]
struct GpuDevice {
    name: String,
    kind: String,
    driver: String,
    interface: &'static str,
    /// Reason why the GPU cannot be used, if any.
    problem: Option<String>,
}

/// Prints the list of devices.
pub(crate) fn run(args: &DevicesArgs) -> Result<Exit, Failure> {
    let report = DeviceReport {
        processor: Cpu {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            simd: simd::name(Level::new()),
        },
        gpus: sunfleck_gpu::adapters().into_iter().map(device).collect(),
    };
    match args.json {
        true => stdout::print_json(&report)?,
        false => stdout::print(&text(&report))?,
    }
    Ok(Exit::Done)
}

fn device(adapter: sunfleck_gpu::Adapter) -> GpuDevice {
    let sunfleck_gpu::Adapter { name, kind, driver, interface, problem } = adapter;
    GpuDevice { name, kind: kind.to_string(), driver, interface, problem }
}

fn text(report: &DeviceReport) -> String {
    let Cpu { threads, simd } = report.processor;
    let mut text = format!("cpu    {threads} threads, {simd}\n");
    for (i, GpuDevice { name, kind, driver, interface, problem }) in report.gpus.iter().enumerate() {
        let _ = writeln!(text, "gpu:{i}  {name}, {kind}, {interface}, {driver}");
        if let Some(problem) = problem {
            let _ = writeln!(text, "       cannot be used: {problem}");
        }
    }
    if report.gpus.is_empty() {
        text.push_str("no GPU found: a driver for Vulkan, Metal or Direct3D 12 is needed\n");
    }
    text
}
