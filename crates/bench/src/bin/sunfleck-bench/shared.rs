//! Common parts of the benchmarks: arguments, JSON record, scenes, images, exit codes of errors.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use fearless_simd::Level;
use serde::Serialize;
use sunfleck_bench::BenchError;
use sunfleck_bench::kernel::BuildPreset;
use sunfleck_command::{Failure, arguments, scene, simd, stdout};
use sunfleck_image::{DisplayOptions, Picture, ToneCurve, save_picture};
use sunfleck_scene::Scene;

/// Arguments of all benchmarks.
#[derive(Args, Debug)]
pub(crate) struct SharedArgs {
    /// SIMD instruction set of Sunfleck's kernel; it must be supported by this CPU
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = arguments::instruction_set())]
    pub(crate) level: Level,

    /// Write all numbers as JSON to this file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Argument of benchmarks with several timings.
#[derive(Args, Debug)]
pub(crate) struct RoundsArgs {
    /// Number of timings of each measurement
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..), default_value_t = 5)]
    pub(crate) rounds: u16,
}

/// JSON record of a benchmark.
#[derive(Debug, Serialize)]
struct Record<'a, R> {
    version: &'static str,
    /// SIMD level of Sunfleck's kernel.
    simd: &'static str,
    processors: usize,
    #[serde(flatten)]
    measured: &'a R,
}

impl SharedArgs {
    /// Writes the table and, if requested, the JSON record.
    pub(crate) fn write(&self, measured: &(impl Serialize + Display)) -> Result<(), Failure> {
        let record = Record {
            version: env!("CARGO_PKG_VERSION"),
            simd: simd::name(self.level),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            measured,
        };
        match self.json.as_deref() {
            Some(file) if file == Path::new("-") => return stdout::print_json(&record),
            Some(file) => {
                let failed = |error: &dyn Display| Failure::failed(format!("{}: {error}", file.display()));
                let json = serde_json::to_string_pretty(&record).map_err(|error| failed(&error))?;
                std::fs::write(file, json + "\n").map_err(|error| failed(&error))?;
            }
            None => {}
        }
        stdout::print(&measured.to_string())
    }
}

/// Opens scenes, and returns each with its name in tables. Errors: one cannot be read.
pub(crate) fn opened(names: &[OsString]) -> Result<Vec<(String, Scene)>, Failure> {
    let open = |name: &OsString| {
        let opened = scene::open(name.as_ref())?;
        let title = Path::new(name).file_name().unwrap_or(name).to_string_lossy().into_owned();
        Ok((title, opened.scene))
    };
    names.iter().map(open).collect()
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::failed(format!("{}: {error}", folder.display())))
}

/// Writes an image as `NAME.png`.
pub(crate) fn save(
    picture: &Picture,
    name: &str,
    tone_curve: ToneCurve,
    folder: &Path,
) -> Result<(), Failure> {
    let file = folder.join(format!("{}.png", name.replace([':', ',', '='], "-")));
    let options = DisplayOptions { tone_curve, ..DisplayOptions::default() };
    save_picture(picture, &file, &options).map_err(|error| Failure::failed(error.to_string()))
}

/// Returns the failure of the program, and thereby its exit code, for an error.
pub(crate) fn refused(error: BenchError) -> Failure {
    match error {
        BenchError::Embree { .. }
        | BenchError::Engine(_)
        | BenchError::Driver(_)
        | BenchError::Gpu(_)
        | BenchError::Image(_)
        | BenchError::RayEngine(_)
        | BenchError::Peer { .. }
        | BenchError::Viewer(_)
        | BenchError::Threads(_) => Failure::failed(error.to_string()),
        _ => Failure::bad_input(error.to_string()),
    }
}

pub(crate) fn preset() -> impl TypedValueParser<Value = BuildPreset> {
    let named = |name: String| BuildPreset::ALL.into_iter().find(|preset| preset.name() == name);
    PossibleValuesParser::new(BuildPreset::ALL.map(BuildPreset::name))
        .try_map(move |name| named(name).ok_or("unknown"))
}
