//! `sunfleck devices`: what can compute here.

use std::fmt::Write;

use clap::Args;
use fearless_simd::Level;
use serde::Serialize;
use sunfleck_command::{Exit, Failure, simd, stdout};

/// Lists the processors and GPUs of this machine, and why one of them cannot be used.
#[derive(Args, Debug)]
pub(crate) struct DevicesArgs {
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    processor: Processor,
    gpus: Vec<Device>,
}

#[derive(Debug, Serialize)]
struct Processor {
    threads: usize,
    simd: &'static str,
}

#[derive(Debug, Serialize)]
struct Device {
    name: String,
    kind: String,
    driver: String,
    interface: &'static str,
    /// None if it can be used.
    problem: Option<String>,
}

/// Prints the list.
pub(crate) fn run(args: &DevicesArgs) -> Result<Exit, Failure> {
    let report = Report {
        processor: Processor {
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

fn device(adapter: sunfleck_gpu::Adapter) -> Device {
    let sunfleck_gpu::Adapter { name, kind, driver, interface, problem } = adapter;
    Device { name, kind: kind.to_string(), driver, interface, problem }
}

fn text(report: &Report) -> String {
    let Processor { threads, simd } = report.processor;
    let mut text = format!("cpu    {threads} threads, {simd}\n");
    for (i, Device { name, kind, driver, interface, problem }) in report.gpus.iter().enumerate() {
        let _ = writeln!(text, "gpu:{i}  {name}, {kind}, {interface}, {driver}");
        if let Some(problem) = problem {
            let _ = writeln!(text, "       cannot be used: {problem}");
        }
    }
    if report.gpus.is_empty() {
        text.push_str("no GPU: none has a driver for Vulkan, Metal or Direct3D 12\n");
    }
    text
}
