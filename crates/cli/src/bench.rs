//! `sunfleck bench`: measurements beside peers.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, value_parser};
use fearless_simd::Level;
use serde::Serialize;
use sunfleck_bench::embree::Library;
use sunfleck_bench::kernel::{self, Form, KernelReport, Preset, Settings};
use sunfleck_bench::table1::{self, Table1Report};
use sunfleck_bench::{BenchError, Mesh, RayKind, RaySet, Subject, Viewpoint, format};
use sunfleck_image::{Picture, PngOptions, ToneCurve, save_picture};
use sunfleck_math::Vec3;

use crate::failure::{Exit, Failure};
use crate::{open, simd, stdout, values};

const AFTER_HELP: &str = "\
A scene is `teapot` (or `teapot:DIVISIONS`), a built-in scene, a file, or a .tri file of the exchange format; `@2` after it cuts
each triangle into 4².

Examples:
  sunfleck bench kernel --peer embree=/usr/lib/libembree4.so
  sunfleck bench kernel office teapot@3 --kinds diffuse,random --query stream
  sunfleck bench kernel --scene kitchen.tri --rays kitchen.primary.rays --hits kitchen.primary.hits";

/// Measures parts of Sunfleck beside other programs.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Kernel(Box<KernelArgs>),
    Table1(Table1Args),
}

/// What every measurement asks for.
#[derive(Args, Debug)]
struct SharedArgs {
    /// Our instruction set; one that this processor lacks is refused
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::instruction_set())]
    level: Level,

    /// How often everything is timed
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..), default_value_t = 5)]
    rounds: u16,

    /// Write all numbers as JSON beside the table; `-` is standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The ray kernel: building, closest hits, any hits; the same rays and scenes as Embree's, if its library is given.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
struct KernelArgs {
    /// What to trace; without: teapot, teapot@4, teapot-room and office
    scenes: Vec<OsString>,

    /// Another scene, for files
    #[arg(long, value_name = "FILE")]
    scene: Option<OsString>,

    /// Trace the rays of this file (.rays of the exchange format; KIND in SCENE.KIND.rays is the hint) instead of making some
    #[arg(long, value_name = "FILE")]
    rays: Option<PathBuf>,

    /// Write our closest hits of `--rays` (.hits of the exchange format)
    #[arg(long, value_name = "FILE", requires = "rays")]
    hits: Option<PathBuf>,

    /// Which rays to make
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind(), default_values_t = RayKind::ALL.map(RayKind::name).map(String::from))]
    kinds: Vec<String>,

    /// How to ask our kernel: `1` ray at a time, as a `stream` with the hint that fits the kind, or without one (`auto`)
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = form(), default_value = "1,stream")]
    query: Vec<String>,

    /// Numbers of threads, each with its share of the rays
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = value_parser!(u16).range(1..=1024), default_value = "1")]
    threads: Vec<u16>,

    /// Primary rays per side of the picture
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    /// Cut each triangle of every scene into 4ᴺ
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=8), default_value_t = 0)]
    subdivide: u32,

    /// How much work goes into building: Embree's low, medium and high quality, and what is nearest to them on our side
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = Preset::Best.name())]
    quality: Preset,

    /// Where primary rays come from, for all scenes
    #[arg(long, value_name = "X,Y,Z", value_parser = values::point, requires = "look_at", allow_hyphen_values = true)]
    look_from: Option<Vec3>,

    /// What they look at
    #[arg(long, value_name = "X,Y,Z", value_parser = values::point, requires = "look_from", allow_hyphen_values = true)]
    look_at: Option<Vec3>,

    /// Compare with Embree 4: `embree=` and the path of its shared library
    #[arg(long, value_name = "NAME=FILE", value_parser = values::assignment)]
    peer: Option<(String, String)>,

    /// Time Embree's robust mode as well, which is watertight as our kernel is
    #[arg(long, requires = "peer")]
    robust: bool,

    /// Instead of scenes: teapots of 10⁴, 10⁵ … triangles, up to so many, and how the cost per ray grows
    #[arg(long, value_name = "TRIANGLES", num_args = 0..=1, default_missing_value = "10000000", value_parser = value_parser!(u32).range(10_000..=100_000_000), conflicts_with_all = ["scenes", "scene", "rays", "export"])]
    scaling: Option<u32>,

    /// Write scenes, rays and our hits into this folder (.tri, .rays, .hits of the exchange format)
    #[arg(long, value_name = "FOLDER", conflicts_with = "rays")]
    export: Option<PathBuf>,

    #[command(flatten)]
    shared: SharedArgs,
}

const TABLE1_AFTER_HELP: &str = "\
The paper is Wald, Purcell, Schmittler, Benthin and Slusallek, Realtime Ray Tracing and its use for Interactive Global
Illumination, Eurographics 2003. Our scenes stand for ERW6, the conference room and Soda Hall.

Examples:
  sunfleck bench table1 --json table1.json --pictures pictures
  sunfleck bench table1 erw6 conference --rounds 3";

/// Casting and simple shading of primary rays on one thread, beside what was published in 2003.
#[derive(Args, Debug)]
#[command(after_help = TABLE1_AFTER_HELP)]
struct Table1Args {
    /// What to trace: built-in scenes or files
    #[arg(default_values = ["erw6", "conference", "building"])]
    scenes: Vec<OsString>,

    /// Pixels per side of the picture; rounded down to a multiple of 8
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    /// How much work goes into building
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = Preset::Best.name())]
    quality: Preset,

    /// Leave out the rows for worlds of two levels
    #[arg(long)]
    only_static: bool,

    /// Write what was shaded into this folder, one PNG for each scene
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,

    #[command(flatten)]
    shared: SharedArgs,
}

/// Everything about a measurement, as JSON.
#[derive(Debug, Serialize)]
struct Record<'a, R> {
    version: &'static str,
    /// Of our kernel.
    simd: &'static str,
    processors: usize,
    #[serde(flatten)]
    measured: &'a R,
}

/// Measures and prints. Errors: bad input; our forms disagree, or brute force contradicts our hits.
pub(crate) fn run(args: &BenchArgs) -> Result<Exit, Failure> {
    match &args.what {
        What::Kernel(args) => run_kernel(args),
        What::Table1(args) => run_table1(args),
    }
}

fn run_kernel(args: &KernelArgs) -> Result<Exit, Failure> {
    let peer = args.peer.as_ref().map(|(name, path)| open_peer(name, path)).transpose()?;
    let settings = args.settings();
    let mut progress = |doing: &str| eprintln!("{doing}");
    if let Some(largest) = args.scaling {
        let report = kernel::scaling(&settings, largest, peer.as_ref(), &mut progress).map_err(refused)?;
        args.shared.write(&report)?;
        return verdict(&report.measured);
    }

    let subjects = args.subjects()?;
    if let (Some(file), [subject]) = (&args.hits, subjects.as_slice()) {
        let hits = kernel::trace(&settings, subject, &subject.rays[0]).map_err(refused)?;
        format::write_hits(file, &hits).map_err(refused)?;
    }
    if let Some(folder) = &args.export {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::failed(format!("{}: {error}", folder.display())))?;
        subjects
            .iter()
            .try_for_each(|subject| kernel::export(&settings, subject, folder))
            .map_err(refused)?;
    }
    let report = kernel::run(&settings, &subjects, peer.as_ref(), &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    verdict(&report)
}

fn run_table1(args: &Table1Args) -> Result<Exit, Failure> {
    let settings = table1::Settings {
        level: args.shared.level,
        rounds: args.shared.rounds.into(),
        resolution: args.resolution,
        preset: args.quality,
        dynamic: !args.only_static,
    };
    let open = |name: &OsString| {
        let opened = open::open(name.as_ref())?;
        let title = Path::new(name).file_name().unwrap_or(name).to_string_lossy().into_owned();
        Ok((title, opened.scene))
    };
    let scenes = args.scenes.iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
    let (report, pictures): (Table1Report, _) =
        table1::run(&settings, &scenes, &mut |doing| eprintln!("{doing}")).map_err(refused)?;
    if let Some(folder) = &args.pictures {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::failed(format!("{}: {error}", folder.display())))?;
        pictures.into_iter().try_for_each(|picture| save(picture, folder))?;
    }
    args.shared.write(&report)?;
    Ok(Exit::Done)
}

/// As `NAME.png`: what is white there is white here.
fn save(table1::Picture { name, width, pixels }: table1::Picture, folder: &Path) -> Result<(), Failure> {
    let file = folder.join(format!("{}.png", name.replace([':', ',', '='], "-")));
    let picture = Picture::new(width, width, pixels).map_err(|error| Failure::failed(error.to_string()))?;
    let options = PngOptions { tone_curve: ToneCurve::Linear, ..PngOptions::default() };
    save_picture(&picture, &file, &options).map_err(|error| Failure::failed(error.to_string()))
}

fn verdict(report: &KernelReport) -> Result<Exit, Failure> {
    match report.agrees() {
        true => Ok(Exit::Done),
        false => Err(Failure::failed("our hits are wrong: see the answers that differ")),
    }
}

impl SharedArgs {
    /// As table and, if asked for, as JSON.
    fn write(&self, measured: &(impl Serialize + Display)) -> Result<(), Failure> {
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

impl KernelArgs {
    fn settings(&self) -> Settings {
        let is = |wanted: &[String], name: &str| wanted.iter().any(|w| w == name);
        Settings {
            kinds: RayKind::ALL.into_iter().filter(|kind| is(&self.kinds, kind.name())).collect(),
            forms: Form::ALL.into_iter().filter(|form| is(&self.query, form.name())).collect(),
            threads: self.threads.iter().map(|&threads| threads.into()).collect(),
            level: self.shared.level,
            rounds: self.shared.rounds.into(),
            resolution: self.resolution,
            robust: self.robust,
            preset: self.quality,
        }
    }

    fn subjects(&self) -> Result<Vec<Subject>, Failure> {
        const DEFAULT: [&str; 4] = ["teapot", "teapot@4", "teapot-room", "office"];
        let mut wanted: Vec<OsString> = self.scenes.iter().chain(&self.scene).cloned().collect();
        if wanted.is_empty() {
            wanted = DEFAULT.map(OsString::from).to_vec();
        }
        if self.rays.is_some() && wanted.len() != 1 {
            return Err(Failure::bad_input("--rays goes with exactly one scene"));
        }
        let subject = |spec: &OsString| {
            let mut subject = subject(spec, self.subdivide)?;
            if let (Some(from), Some(at)) = (self.look_from, self.look_at) {
                subject.viewpoint = Viewpoint::between(from, at);
            }
            if let Some(file) = &self.rays {
                let rays = format::read_rays(file).map_err(refused)?;
                subject.rays = vec![RaySet::new(kind_of_file(file), rays)];
            }
            Ok(subject)
        };
        wanted.iter().map(subject).collect()
    }
}

/// What is meant by `SCENE[@N]`.
fn subject(spec: &OsString, subdivide: u32) -> Result<Subject, Failure> {
    let text = spec.to_string_lossy().into_owned();
    let (name, times) = match text.rsplit_once('@').and_then(|(name, n)| Some((name, n.parse::<u32>().ok()?)))
    {
        Some((name, times)) => (name, times.saturating_add(subdivide)),
        None => (text.as_str(), subdivide),
    };
    let (model, divisions) = name.split_once(':').unwrap_or((name, "10"));
    let title = Path::new(&text).file_name().map_or(text.clone(), |name| name.to_string_lossy().into_owned());
    let mut subject = if model == "teapot" {
        let divisions: Option<u32> = divisions.parse().ok().filter(|d| (1..=1000).contains(d));
        Subject::teapot(divisions.ok_or_else(|| Failure::bad_input("teapot:DIVISIONS takes 1 to 1000"))?)
    } else if Path::new(name).extension().is_some_and(|extension| extension == "tri") {
        let mesh = format::read_mesh(Path::new(name)).map_err(refused)?;
        Subject::from_mesh(text.as_str(), mesh).map_err(refused)?
    } else {
        let opened = open::open(name.as_ref())?;
        Subject::from_scene(text.as_str(), &opened.scene, opened.added.camera).map_err(refused)?
    };
    let too_fine = || Failure::bad_input(format!("{text}: so many triangles cannot be numbered"));
    let grown =
        (subject.mesh.triangles.len() as u64).checked_mul(4u64.checked_pow(times).unwrap_or(u64::MAX));
    if grown.is_none_or(|triangles| triangles >= 1 << 28) {
        return Err(too_fine());
    }
    subject.mesh = std::mem::take::<Mesh>(&mut subject.mesh).subdivided(times).ok_or_else(too_fine)?;
    subject.name = title;
    Ok(subject)
}

fn open_peer(name: &str, path: &str) -> Result<Arc<Library>, Failure> {
    match name {
        "embree" => Library::open(path.as_ref()).map(Arc::new).map_err(refused),
        _ => Err(Failure::bad_input(format!("there is no peer `{name}`; there is: embree"))),
    }
}

/// The kind that a name such as `kitchen.primary.rays` tells.
fn kind_of_file(file: &Path) -> RayKind {
    let stem = file.file_stem().unwrap_or_default();
    let kind = Path::new(stem).extension().and_then(|kind| kind.to_str());
    RayKind::ALL.into_iter().find(|known| Some(known.name()) == kind).unwrap_or(RayKind::File)
}

fn refused(error: BenchError) -> Failure {
    match error {
        BenchError::Embree { .. } | BenchError::Threads(_) => Failure::failed(error.to_string()),
        _ => Failure::bad_input(error.to_string()),
    }
}

fn kind() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(RayKind::ALL.map(RayKind::name))
}

fn preset() -> impl TypedValueParser<Value = Preset> {
    let named = |name: String| Preset::ALL.into_iter().find(|preset| preset.name() == name);
    PossibleValuesParser::new(Preset::ALL.map(Preset::name)).try_map(move |name| named(name).ok_or("unknown"))
}

fn form() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(Form::ALL.map(Form::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_can_be_cut_finer() {
        let triangles = |spec: &str, n| subject(&spec.into(), n).unwrap().mesh.triangles.len();
        let coarse = triangles("teapot:2", 0);
        assert_eq!(triangles("teapot:2@2", 0), 16 * coarse);
        assert_eq!(triangles("teapot:2@1", 1), 16 * coarse);
        assert_eq!(triangles("cornell@1", 0), 4 * triangles("cornell", 0));
        assert!(subject(&"teapot@14".into(), 0).is_err() && subject(&"teapot@99".into(), 0).is_err());
        assert!(subject(&"teapot:0".into(), 0).is_err());
    }

    #[test]
    fn a_file_of_rays_tells_its_kind() {
        assert_eq!(kind_of_file(Path::new("x/kitchen.diffuse.rays")), RayKind::Diffuse);
        assert_eq!(kind_of_file(Path::new("primary.rays")), RayKind::File);
    }
}
