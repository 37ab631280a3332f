use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use fearless_simd::Level;
use sunfleck_command::{Failure, arguments, scene};
use sunfleck_engine::Device;
use sunfleck_image::{AovSet, Filter, ToneCurve};
use sunfleck_integrators::{Algorithm, StopRules, ViewSpec};
use sunfleck_math::Vec3;
use sunfleck_sampling::SamplerKind;

use super::environment::EnvironmentChoice;
use super::exposure::Exposure;
use super::help;
use super::moment::MomentArgs;
use crate::values;

/// What `sunfleck` shows when it is not told.
const DEFAULT_SCENE: &str = "teapot-room";
const DEFAULT_OUTPUT: &str = "sunfleck.png";
const DEFAULT_WIDTH: u32 = 960;
const DEFAULT_HEIGHT: u32 = 540;

/// Makes a picture of a scene, and tells what it did (`sunfleck` alone does it too).
///
/// It stops by itself. Ctrl-C ends it early: what there is of the picture is written. The same arguments make the same
/// picture, bit for bit, with any number of threads, tile size and instruction set.
#[derive(Args, Debug)]
#[command(after_long_help = help::after_render())]
pub(crate) struct RenderArgs {
    #[arg(default_value = DEFAULT_SCENE, help = scene::scene_help())]
    pub(super) scene: OsString,

    /// Where to write; .png, .exr or .hdr says in which format. Can be given several times
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_OUTPUT)]
    pub(super) output: Vec<PathBuf>,

    /// Width of the picture, pixels
    #[arg(long, value_name = "PIXELS", default_value_t = DEFAULT_WIDTH, value_parser = value_parser!(u32).range(1..))]
    pub(super) width: u32,

    /// Height of the picture, pixels
    #[arg(long, value_name = "PIXELS", default_value_t = DEFAULT_HEIGHT, value_parser = value_parser!(u32).range(1..))]
    pub(super) height: u32,

    /// Say nothing unless it fails
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Report as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) stop: StopArgs,

    #[command(flatten)]
    pub(super) view: ViewArgs,

    #[command(flatten)]
    pub(super) moment: MomentArgs,

    #[command(flatten)]
    pub(super) light: LightArgs,

    #[command(flatten)]
    pub(super) method: MethodArgs,

    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// When is it enough? Whichever comes first.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "When to stop (whichever comes first)")]
pub(super) struct StopArgs {
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..), help = help::samples())]
    spp: Option<u32>,

    /// Time for rendering, such as 30s or "1h 20min"; every pixel gets a sample in any case
    #[arg(long, value_name = "DURATION", value_parser = values::positive_duration)]
    time: Option<Duration>,

    /// Noise: the mean relative standard error of the pixels, such as 0.01
    #[arg(long, value_name = "LEVEL", value_parser = values::positive_number)]
    noise: Option<f32>,
}

/// What is seen, and how it is shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "View")]
pub(super) struct ViewArgs {
    /// A camera of the scene (see `sunfleck info`) [default: the first]
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) camera: Option<String>,

    /// Move the camera to this point of the world, metres
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = arguments::point)]
    pub(super) look_from: Option<Vec3>,

    /// Turn the camera towards this point of the world
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = arguments::point)]
    pub(super) look_at: Option<Vec3>,

    /// Vertical angle of view instead of the camera's own, degrees
    #[arg(long, value_name = "DEGREES", value_parser = values::angle_of_view)]
    pub(super) fov: Option<f32>,

    /// Brighten PNGs by so many stops, -1 halves the light; or `auto`, so that the mean is a middle grey, lamps
    /// and black left out [default: 0; auto if the scene has no light of its own and the
    /// integrator needs light]
    #[arg(long, value_name = "STOPS|auto", allow_negative_numbers = true)]
    pub(super) exposure: Option<Exposure>,

    /// How light becomes the values of a PNG
    #[arg(long, value_name = "CURVE", default_value_t, value_parser = values::tone_curve())]
    pub(super) tone_curve: ToneCurve,

    /// More channels, separated by commas
    #[arg(long, visible_alias = "aov", value_name = "NAMES", long_help = help::aovs())]
    #[arg(value_delimiter = ',', value_parser = values::aov_set())]
    pub(super) aovs: Vec<AovSet>,

    /// How far the channel `ao` looks, metres; the integrator `ao` has `--set distance` instead
    #[arg(long, value_name = "METRES", default_value_t = 1.0, value_parser = values::positive_number)]
    pub(super) occlusion_radius: f32,

    /// Average textures over this share of a pixel's side where camera rays meet surfaces; 0 reads them as they are
    #[arg(long, value_name = "SHARE", default_value_t = ViewSpec::TEXTURE_FOOTPRINT, value_parser = values::number_from_zero)]
    pub(super) texture_footprint: f32,
}

/// The light from outside.
#[derive(Args, Debug)]
#[command(next_help_heading = "Light from outside")]
pub(super) struct LightArgs {
    /// A latitude-longitude picture (.hdr, .exr …), `black` or `white`, instead of the scene's own environment
    #[arg(long, value_name = "FILE|black|white")]
    pub(super) environment: Option<EnvironmentChoice>,

    /// Turn the environment around the vertical axis, counter-clockwise seen from above
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = arguments::finite_number)]
    pub(super) environment_rotation: Option<f32>,
}

/// How light is computed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
pub(super) struct MethodArgs {
    /// How light is computed
    #[arg(long, value_name = "NAME", default_value_t = Algorithm::ALL[0], value_parser = values::integrator())]
    pub(super) integrator: Algorithm,

    /// Parameters of the integrator that go together: `igi` has preview, interactive and final
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,

    /// A parameter of the integrator; --help lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::assignment)]
    pub(super) parameters: Vec<(String, String)>,

    /// Where random numbers come from
    #[arg(long, value_name = "NAME", default_value_t, value_parser = values::sampler())]
    pub(super) sampler: SamplerKind,

    /// How samples make a pixel
    #[arg(long, value_name = "NAME", default_value_t, value_parser = values::filter())]
    pub(super) filter: Filter,

    /// Another number is another picture of the same scene: its noise differs
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) seed: u32,

    /// Where: `cpu`; `gpu`, or `gpu:N` of `sunfleck devices`; `auto`, a GPU if it can do what is asked; `shared`, a GPU and
    /// the processor together. GPUs agree with processors but for rounding
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(super) device: Device,
}

/// What changes the speed, but no bit of the picture.
#[derive(Args, Debug)]
#[command(next_help_heading = "Speed (no bit of the picture depends on it)")]
pub(super) struct MachineArgs {
    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    pub(super) threads: Option<u16>,

    /// Edge of the squares that are handed to threads, pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 32, value_parser = value_parser!(u32).range(1..=4096))]
    pub(super) tile_size: u32,

    /// Instruction set; one that this processor lacks is refused
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = arguments::instruction_set())]
    pub(super) simd: Level,
}

impl ViewArgs {
    /// All AOVs asked for.
    pub(super) fn wanted_aovs(&self) -> AovSet {
        self.aovs.iter().flat_map(|set| set.iter()).collect()
    }

    /// Those that an integrator is to record: all of `all` that it can. Errors: it cannot record one that was asked for by name.
    pub(super) fn aov_set(&self, algorithm: &Algorithm) -> Result<AovSet, Failure> {
        let (wanted, known) = (self.wanted_aovs(), algorithm.channels());
        match wanted.iter().find(|aov| !known.contains(*aov)) {
            Some(aov) if wanted != AovSet::ALL => {
                let able = Algorithm::ALL.into_iter().filter(|other| other.channels().contains(aov));
                let able: Vec<_> = able.map(|other| other.name()).collect();
                let failure = Failure::bad_input(format!("`{algorithm}` does not record `{aov}`"));
                Err(failure.with_help(format!("these integrators do: {}", able.join(", "))))
            }
            _ => Ok(wanted.iter().filter(|aov| known.contains(*aov)).collect()),
        }
    }
}

impl StopArgs {
    pub(super) fn rules(self) -> StopRules {
        StopRules { samples: self.spp, time: self.time, noise: self.noise }
    }
}
