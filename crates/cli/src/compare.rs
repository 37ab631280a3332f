//! `sunfleck compare`: difference of two images.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sunfleck_command::{Exit, Failure, arguments, stdout};
use sunfleck_image::metrics::{self, DEFAULT_PIXELS_PER_DEGREE, FlipMap, SizeMismatch};
use sunfleck_image::{DisplayOptions, Picture, ToneCurve, read_picture, save_picture};

use crate::destination;
use crate::summary::Summary;
use crate::values;

const AFTER_HELP: &str = "\
RMSE is in units of radiance. relMSE divides each squared error by the squared reference (+ 0.01). FLIP is the
perceived difference between the images as shown on a display, from 0 to 1.

Examples:
  sunfleck compare new.exr reference.exr -o difference.png
  sunfleck compare new.png reference.png --fail-above-flip 0.01    exit with 1 if the mean FLIP is above 0.01";

/// Measure how much an image differs from a reference of the same size.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompareArgs {
    /// Image to measure: PNG, EXR, HDR, JPEG …
    image: PathBuf,

    /// Reference image of the same size
    reference: PathBuf,

    /// Write an image of the FLIP error in false colours, from black (none) to pale yellow
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Exit with 1 if the mean FLIP is above this limit
    #[arg(long, value_name = "LIMIT")]
    fail_above_flip: Option<f64>,

    /// Tone curve applied to both images before FLIP
    #[arg(long, value_name = "CURVE", default_value_t = ToneCurve::Linear, value_parser = values::tone_curve())]
    tone_curve: ToneCurve,

    /// Exposure applied to both images before the tone curve
    #[arg(long, value_name = "STOPS", default_value_t = 0.0)]
    #[arg(allow_negative_numbers = true, value_parser = arguments::finite_number)]
    exposure: f32,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Error measures between an image and its reference; see [`metrics`].
#[derive(Debug, Serialize)]
struct Difference {
    rmse: f64,
    relmse: f64,
    flip_mean: f64,
    flip_max: f64,
    /// Largest absolute difference of a colour component.
    largest: f32,
}

/// Reads both images, measures and prints their difference.
///
/// # Errors
/// An image cannot be read, the sizes differ, or the image of the FLIP error cannot be written.
pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    if let Some(output) = &args.output {
        destination::check(output)?;
    }
    let (picture, reference) = (read(&args.image)?, read(&args.reference)?);
    let flip = flip(args, &picture, &reference);
    let flip = flip.map_err(|error| Failure::bad_input(format!("{}: {error}", args.image.display())))?;
    let difference = Difference::measure(&picture, &reference, &flip);
    let difference =
        difference.map_err(|error| Failure::bad_input(format!("{}: {error}", args.image.display())))?;
    if let Some(output) = &args.output {
        let unchanged =
            DisplayOptions { tone_curve: ToneCurve::Linear, dither: false, ..DisplayOptions::default() };
        let saved = save_picture(&flip.picture(), output, &unchanged);
        saved.map_err(|error| Failure::failed(error.to_string()))?;
    }
    if args.json {
        stdout::print_json(&difference)?;
    } else {
        stdout::print(&difference.summary(args.output.as_deref()).to_string())?;
    }
    // NaN is above every limit
    let within = args.fail_above_flip.is_none_or(|limit| difference.flip_mean <= limit);
    Ok(if within { Exit::Done } else { Exit::Failed })
}

fn read(path: &Path) -> Result<Picture, Failure> {
    read_picture(path).map_err(|error| Failure::bad_input(error.to_string()))
}

/// Computes FLIP between the images after exposure and tone curve.
fn flip(args: &CompareArgs, picture: &Picture, reference: &Picture) -> Result<FlipMap, SizeMismatch> {
    let displayed =
        |picture: &Picture| picture.map(|radiance| args.tone_curve.apply(radiance, args.exposure));
    metrics::flip(&displayed(picture), &displayed(reference), DEFAULT_PIXELS_PER_DEGREE)
}

impl Difference {
    fn measure(picture: &Picture, reference: &Picture, flip: &FlipMap) -> Result<Self, SizeMismatch> {
        let components = picture.pixels().iter().zip(reference.pixels()).map(|(a, b)| (*a - *b).abs());
        // `f32::max` ignores NaN
        let larger = |largest: f32, next: f32| if next > largest || next.is_nan() { next } else { largest };
        Ok(Self {
            rmse: metrics::rmse(picture, reference)?,
            relmse: metrics::relmse(picture, reference)?,
            flip_mean: flip.mean(),
            flip_max: flip.errors().iter().copied().fold(0.0, larger).into(),
            largest: components.flat_map(|d| d.to_array()).fold(0.0, larger),
        })
    }

    fn summary(&self, output: Option<&Path>) -> Summary {
        let mut summary = Summary::default();
        summary.lines("RMSE", [format!("{:.6}", self.rmse)]);
        summary.lines("relMSE", [format!("{:.6}", self.relmse)]);
        summary.lines("FLIP", [format!("{:.6} (largest {:.6})", self.flip_mean, self.flip_max)]);
        summary.lines("largest error", [format!("{:.6}", self.largest)]);
        summary.lines("written", output.map(|path| path.display().to_string()));
        summary
    }
}
