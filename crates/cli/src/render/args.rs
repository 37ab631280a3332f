//! Arguments of `sunfleck render`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use fearless_simd::Level;
use sunfleck_command::{ImportArgs, arguments, scene};
use sunfleck_engine::{Device, StageChoice};
use sunfleck_image::{AovSet, BitDepth, Filter, PictureFormat, ToneCurve};
use sunfleck_integrators::{Algorithm, StopRules, ViewSpec};
use sunfleck_math::DVec3;
use sunfleck_sampling::SamplerKind;

use super::animation::AnimationArgs;
use super::background::BackgroundArgs;
use super::checkpoint::CheckpointArgs;
use super::crop::Crop;
use super::environment::EnvironmentChoice;
use super::exposure::Exposure;
use super::fireflies::FireflyArgs;
use super::help;
use super::lens::LensArgs;
use crate::values::{self, DenoiseChoice};

/// Scene that is rendered if none is given.
const DEFAULT_SCENE: &str = "teapot-room";
const DEFAULT_OUTPUT: &str = "sunfleck.png";
pub(super) const DEFAULT_WIDTH: u32 = 960;
pub(super) const DEFAULT_HEIGHT: u32 = 540;
/// Aspect ratio of the image if no size is given.
pub(crate) const DEFAULT_ASPECT: f32 = DEFAULT_WIDTH as f32 / DEFAULT_HEIGHT as f32;

/// Render a scene to an image. `sunfleck FILE` is short for `sunfleck render FILE`.
///
/// Ctrl-C and SIGTERM end rendering early and write the image rendered so far; of several images, the finished ones. The
/// same arguments give the same image, bit for bit, with any number of threads, tile size and instruction set.
#[derive(Args, Debug)]
#[command(after_long_help = help::after_render())]
pub(crate) struct RenderArgs {
    #[arg(default_value = DEFAULT_SCENE, help = scene::scene_help())]
    pub(super) scene: OsString,

    /// File to write; its extension selects the format; `-` is standard output
    ///
    /// The extension is .png, .jpg, .webp, .tiff, .exr or .hdr. Several files are written if the option is given
    /// several times.
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_OUTPUT)]
    pub(super) output: Vec<PathBuf>,

    /// Format of the image on standard output [default: png]
    #[arg(long, value_name = "FORMAT", value_parser = values::picture_format())]
    pub(super) format: Option<PictureFormat>,

    /// Width of the image in pixels [default: that of the file, else 960]
    ///
    /// With `--height` alone, images of files that state a size keep their shape.
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(1..))]
    pub(super) width: Option<u32>,

    /// Height of the image in pixels [default: that of the file, else 540]
    ///
    /// With `--width` alone, images of files that state a size keep their shape.
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(1..))]
    pub(super) height: Option<u32>,

    /// Render a part of the image, with the pixels of the whole image
    ///
    /// X and Y are the column and row of its upper left pixel. EXR files get the part as data window and the image as
    /// display window. The pixels are those of the whole image bit for bit if the exposure is given and the image is
    /// not denoised (`--denoise off`): automatic exposure and denoisers know the part alone, so that a denoised part
    /// differs within some pixels of its border. `--noise` is reached for the part. `igi` renders the whole image.
    ///
    /// The default is the crop window of the film, which scenes of Mitsuba and pbrt may have, scaled to the size of the
    /// image.
    #[arg(long, value_name = "X,Y,W,H")]
    pub(super) crop: Option<Crop>,

    /// Write the image even if the camera sees no surface
    #[arg(long)]
    pub(super) allow_empty: bool,

    /// Print errors only
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Log files, acceleration structures and passes with their times
    ///
    /// They are lines on standard error, beside those of the progress.
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// Read options from a TOML file; those of the command line win
    ///
    /// Keys are the names of options without dashes: `spp = 64`, `tone-curve = "agx"`, `output = ["a.png", "a.exr"]`,
    /// `transparent = true`. No file is read unless it is given, and the report names it.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) stop: StopArgs,

    #[command(flatten)]
    pub(super) import: ImportArgs,

    #[command(flatten)]
    pub(super) checkpoint: CheckpointArgs,

    #[command(flatten)]
    pub(super) view: ViewArgs,

    #[command(flatten)]
    pub(super) lens: LensArgs,

    #[command(flatten)]
    pub(super) animation: AnimationArgs,

    #[command(flatten)]
    pub(super) light: LightArgs,

    #[command(flatten)]
    pub(super) background: BackgroundArgs,

    #[command(flatten)]
    pub(super) method: MethodArgs,

    #[command(flatten)]
    pub(super) fireflies: FireflyArgs,

    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Stop rules; the first one that is met ends rendering.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Stop rules (the first one met ends rendering)")]
pub(super) struct StopArgs {
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    #[arg(help = help::samples(), long_help = help::samples_long())]
    spp: Option<u32>,

    /// Time limit in seconds, or with units, such as "1h 20min"
    ///
    /// The time to denoise the image is included, as far as it can be predicted; that to read the scene and to write
    /// files is not. Each pixel gets at least one sample.
    #[arg(long, value_name = "DURATION", value_parser = values::positive_duration)]
    time: Option<Duration>,

    /// Noise level to reach: mean relative error of the pixels, such as 1%
    ///
    /// It is a percentage, or a fraction such as 0.01. If all files are denoised, it is the residual error after
    /// denoising, which needs fewer samples; with `--denoise off`, or an .exr or .hdr file, it is the noise of the
    /// samples.
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true, value_parser = values::noise_level)]
    noise: Option<f32>,
}

/// Camera, exposure, tone curve and AOVs.
#[derive(Args, Debug)]
#[command(next_help_heading = "View")]
pub(super) struct ViewArgs {
    /// Camera of the scene, by name or index [default: the first]
    ///
    /// `sunfleck info` lists the cameras.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) camera: Option<String>,

    /// Render every camera of the scene, to files with its name
    ///
    /// `-o a.png` writes `a-NAME.png`.
    #[arg(long, conflicts_with_all = ["camera", "look_from", "look_at"])]
    pub(super) all_cameras: bool,

    /// Position of the camera, in the coordinates of the file
    ///
    /// Those of a file whose z axis points up (STL, --up z) are turned: (x, y, z) of the file is (x, z, -y) here and in
    /// `sunfleck info`. Without --look-at, the camera looks at the centre of the scene.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = arguments::position)]
    pub(super) look_from: Option<DVec3>,

    /// Point at which the camera looks, in the same coordinates
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = arguments::position)]
    pub(super) look_at: Option<DVec3>,

    /// Vertical field of view in degrees, instead of the camera's own
    #[arg(long, value_name = "DEGREES", value_parser = values::angle_of_view)]
    pub(super) fov: Option<f32>,

    /// Exposure in stops, or `auto` [default: of the scene, else auto]
    ///
    /// -1 halves the brightness. `auto` maps the mean luminance, without lamps and black pixels, to middle grey.
    /// Built-in scenes have an exposure. .exr and .hdr files are not exposed.
    #[arg(long, value_name = "STOPS|auto", allow_negative_numbers = true)]
    pub(super) exposure: Option<Exposure>,

    /// Tone curve of all files but .exr and .hdr
    #[arg(long, value_name = "CURVE", default_value_t, value_parser = values::tone_curve())]
    pub(super) tone_curve: ToneCurve,

    /// Bits per channel of PNG and TIFF files, 8 or 16
    #[arg(long, value_name = "N", default_value = "8", value_parser = values::bit_depth)]
    pub(super) bits: BitDepth,

    /// Denoiser, or `off` [default: off for .exr and .hdr, else auto]
    ///
    /// `learned` is a neural network, which `auto` selects; `features` a filter without one; `oidn` Intel Open Image
    /// Denoise, if its library is installed.
    #[arg(long, value_name = "METHOD", value_parser = values::denoise())]
    pub(super) denoise: Option<DenoiseChoice>,

    /// AOVs to record, separated by commas
    #[arg(long, visible_alias = "aov", value_name = "NAMES", long_help = help::aovs())]
    #[arg(value_delimiter = ',', value_parser = values::aov_set())]
    pub(super) aovs: Vec<AovSet>,

    /// Maximum distance of occluders for the AOV `ao`, in metres
    ///
    /// The integrator `ao` has `--set distance` instead.
    #[arg(long, value_name = "METRES", default_value_t = 1.0, value_parser = values::positive_number)]
    pub(super) occlusion_radius: f32,

    /// Width of the texture filter at camera hits, pixels; 0 is off
    #[arg(long, value_name = "PIXELS", default_value_t = ViewSpec::TEXTURE_FOOTPRINT, value_parser = values::non_negative_number)]
    pub(super) texture_footprint: f32,
}

/// Environment that replaces that of the scene.
#[derive(Args, Debug)]
#[command(next_help_heading = "Environment")]
pub(super) struct LightArgs {
    /// Replace the environment: an image, `black` or `white`
    ///
    /// Images are maps of latitude and longitude (.hdr, .exr …), or cube maps.
    #[arg(long, value_name = "FILE|black|white")]
    pub(super) environment: Option<EnvironmentChoice>,

    /// Stage: an environment, and a ground below objects
    ///
    /// By default, there is one if no light reaches what the camera sees: `sky` for buildings, `studio` for objects.
    #[arg(long, value_name = "NAME", conflicts_with = "environment", value_parser = arguments::stage())]
    pub(super) stage: Option<StageChoice>,

    /// Rotate the environment about the vertical axis
    ///
    /// The rotation is counter-clockwise, seen from above.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = arguments::finite_number)]
    pub(super) environment_rotation: Option<f32>,

    /// Multiply the light of the environment
    ///
    /// Automatic exposure compensates for it where there is no other light: give --exposure, too.
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, value_parser = values::non_negative_number)]
    pub(super) environment_strength: Option<f32>,
}

/// Integrator, sampler, filter and device.
#[derive(Args, Debug)]
#[command(next_help_heading = "Integrator, sampler and device")]
pub(super) struct MethodArgs {
    /// Integrator: algorithm of light transport
    #[arg(long, value_name = "NAME", default_value_t = Algorithm::ALL[0], value_parser = values::integrator())]
    pub(super) integrator: Algorithm,

    /// Preset of the parameters of the integrator
    ///
    /// `igi` has preview, wald03, interactive (path tracing of few samples, to be denoised) and final.
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,

    /// Set a parameter of the integrator; --help lists them
    ///
    /// The option can be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::assignment)]
    pub(super) parameters: Vec<(String, String)>,

    /// Sampler: generator of the sample values
    #[arg(long, value_name = "NAME", default_value_t, value_parser = values::sampler())]
    pub(super) sampler: SamplerKind,

    /// Reconstruction filter
    #[arg(long, value_name = "NAME", default_value_t, value_parser = values::filter())]
    pub(super) filter: Filter,

    /// Seed of the sampler; another seed gives another noise pattern
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) seed: u32,

    /// Device to render on: `cpu`, `gpu`, `gpu:N`, `auto` or `shared`
    ///
    /// `gpu:N` is one that `sunfleck devices` lists; `auto` a GPU, if it supports everything requested; `shared` a GPU
    /// and the CPU together. GPU and CPU results agree up to rounding.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(super) device: Device,
}

/// Performance settings; the image does not depend on them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Performance (the image does not depend on it)")]
pub(super) struct MachineArgs {
    /// Number of CPU threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    pub(super) threads: Option<u16>,

    /// Edge length of tiles in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 32, value_parser = value_parser!(u32).range(1..=4096))]
    pub(super) tile_size: u32,

    /// Refuse to render what needs more memory, such as 200M or 1.5G
    ///
    /// The limit is for geometry, textures, acceleration structures and images together. Units are powers of 1024.
    #[arg(long, value_name = "SIZE", value_parser = values::byte_size)]
    pub(super) memory_limit: Option<u64>,

    /// SIMD instruction set; it must be supported by this CPU
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = arguments::instruction_set())]
    pub(super) simd: Level,
}

impl RenderArgs {
    /// Returns what keeps frames from reusing those before, if anything does.
    ///
    /// * `is_cropped` — whether a part of the image is rendered.
    pub(super) fn excludes_reuse(&self, is_cropped: bool) -> Option<&'static str> {
        let options = [
            (self.stop.noise.is_some(), "--noise is given"),
            (is_cropped, "a part of the image is rendered"),
            (self.view.all_cameras, "--all-cameras is given"),
        ];
        options.into_iter().find_map(|(is_given, why)| is_given.then_some(why))
    }

    /// Returns whether several images are rendered, each into files of its own.
    pub(super) fn renders_several_images(&self) -> bool {
        self.view.all_cameras || self.animation.is_sequence()
    }

    /// Returns how a series of images is continued after an interruption; `None` of a single image.
    pub(super) fn how_to_continue(&self) -> Option<&'static str> {
        match (self.animation.is_turntable(), self.view.all_cameras) {
            (true, _) => Some("the images of a turntable that is interrupted are rendered again"),
            (false, _) if self.animation.is_sequence() => {
                Some("a sequence is continued by rendering the missing frames with --frames")
            }
            (false, true) => Some("the missing images are rendered one by one with --camera"),
            (false, false) => None,
        }
    }

    /// Returns the stage given; none with an environment of its own, or for an integrator that needs no light.
    pub(super) fn stage_choice(&self) -> StageChoice {
        let needs_light = self.light.environment.is_none() && self.method.integrator.uses_lights();
        let default = if needs_light { StageChoice::Automatic } else { StageChoice::None };
        self.light.stage.unwrap_or(default)
    }
}

impl StopArgs {
    /// Returns the rules for an algorithm, whose frames may have several samples.
    pub(super) fn rules(self, algorithm: &Algorithm) -> StopRules {
        let samples = self.spp.map(|frames| frames.saturating_mul(algorithm.samples_per_frame()));
        StopRules { samples, time: self.time, noise: self.noise }
    }
}
