use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use sunfleck_bench::embree::EmbreeLibrary;
use sunfleck_bench::kernel::{self, BuildPreset, KernelBenchSettings, KernelReport, QueryForm};
use sunfleck_bench::{Mesh, RayKind, RaySet, Subject, Viewpoint, format};
use sunfleck_command::{Exit, Failure, arguments, scene};
use sunfleck_math::Vec3;

use crate::shared::{RoundsArgs, SharedArgs, make_folder, preset, refused};

const AFTER_HELP: &str = "\
A scene is `teapot` (or `teapot:DIVISIONS`), a built-in scene, a file, or a .tri file of the exchange format; a suffix
`@2` subdivides each triangle into 4².

Examples:
  sunfleck-bench kernel --peer embree=/usr/lib/libembree4.so
  sunfleck-bench kernel office teapot@3 --kinds diffuse,random --query stream
  sunfleck-bench kernel --scene kitchen.tri --rays kitchen.primary.rays --hits kitchen.primary.hits";

/// Measure the ray kernel: builds, closest hits and any hits, compared with Embree if its library is given.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct KernelArgs {
    /// Scenes to trace [default: teapot teapot@4 teapot-room office]
    scenes: Vec<OsString>,

    /// Another scene to trace, for files
    #[arg(long, value_name = "FILE")]
    scene: Option<OsString>,

    /// Trace the rays of this file instead of generated ones (.rays of the exchange format; KIND in SCENE.KIND.rays
    /// is the coherence hint)
    #[arg(long, value_name = "FILE")]
    rays: Option<PathBuf>,

    /// Write Sunfleck's closest hits of `--rays` (.hits of the exchange format)
    #[arg(long, value_name = "FILE", requires = "rays")]
    hits: Option<PathBuf>,

    /// Kinds of rays to generate
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind(), default_values_t = RayKind::ALL.map(RayKind::name).map(String::from))]
    kinds: Vec<String>,

    /// Forms in which rays are passed to Sunfleck's kernel: `1` ray at a time, as a `stream` with the coherence hint of
    /// their kind, or as a stream without a hint (`auto`)
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = form(), default_value = "1,stream")]
    query: Vec<String>,

    /// Numbers of threads, each tracing an equal part of the rays
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = value_parser!(u16).range(1..=1024), default_value = "1")]
    threads: Vec<u16>,

    /// Primary rays per side of the image
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    /// Subdivide each triangle of every scene into 4ᴺ
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=8), default_value_t = 0)]
    subdivide: u32,

    /// Build quality: Embree's low, medium or high, and the nearest of Sunfleck's
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = BuildPreset::Best.name())]
    quality: BuildPreset,

    /// Origin of primary rays, for all scenes
    #[arg(long, value_name = "X,Y,Z", value_parser = arguments::point, requires = "look_at", allow_hyphen_values = true)]
    look_from: Option<Vec3>,

    /// Target of primary rays
    #[arg(long, value_name = "X,Y,Z", value_parser = arguments::point, requires = "look_from", allow_hyphen_values = true)]
    look_at: Option<Vec3>,

    /// Compare with Embree 4: `embree=` and the path of its shared library
    #[arg(long, value_name = "NAME=FILE", value_parser = arguments::assignment)]
    peer: Option<(String, String)>,

    /// Also time Embree's robust mode, which is watertight, as Sunfleck's kernel is
    #[arg(long, requires = "peer")]
    robust: bool,

    /// Measure how the cost per ray grows: trace teapots of 10⁴, 10⁵, … triangles, up to this number, instead of scenes
    #[arg(long, value_name = "TRIANGLES", num_args = 0..=1, default_missing_value = "10000000", value_parser = value_parser!(u32).range(10_000..=100_000_000), conflicts_with_all = ["scenes", "scene", "rays", "export"])]
    scaling: Option<u32>,

    /// Write scenes, rays and Sunfleck's hits into this folder (.tri, .rays, .hits of the exchange format)
    #[arg(long, value_name = "FOLDER", conflicts_with = "rays")]
    export: Option<PathBuf>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &KernelArgs) -> Result<Exit, Failure> {
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
        make_folder(folder)?;
        subjects
            .iter()
            .try_for_each(|subject| kernel::export(&settings, subject, folder))
            .map_err(refused)?;
    }
    let report = kernel::run(&settings, &subjects, peer.as_ref(), &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    verdict(&report)
}

fn verdict(report: &KernelReport) -> Result<Exit, Failure> {
    match report.agrees() {
        true => Ok(Exit::Done),
        false => Err(Failure::failed("hits of Sunfleck are wrong: see the answers that differ")),
    }
}

impl KernelArgs {
    fn settings(&self) -> KernelBenchSettings {
        let is = |wanted: &[String], name: &str| wanted.iter().any(|w| w == name);
        KernelBenchSettings {
            kinds: RayKind::ALL.into_iter().filter(|kind| is(&self.kinds, kind.name())).collect(),
            forms: QueryForm::ALL.into_iter().filter(|form| is(&self.query, form.name())).collect(),
            threads: self.threads.iter().map(|&threads| threads.into()).collect(),
            level: self.shared.level,
            rounds: self.timing.rounds.into(),
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
            return Err(Failure::bad_input("--rays needs exactly one scene"));
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

/// Opens the scene of `SCENE[@N]`, and subdivides its triangles.
pub(crate) fn subject(spec: &OsString, subdivide: u32) -> Result<Subject, Failure> {
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
        Subject::teapot(
            divisions
                .ok_or_else(|| Failure::bad_input("teapot:DIVISIONS: DIVISIONS must be from 1 to 1000"))?,
        )
    } else if Path::new(name).extension().is_some_and(|extension| extension == "tri") {
        let mesh = format::read_mesh(Path::new(name)).map_err(refused)?;
        Subject::from_mesh(text.as_str(), mesh).map_err(refused)?
    } else {
        let opened = scene::open(name.as_ref())?;
        Subject::from_scene(text.as_str(), &opened.scene).map_err(refused)?
    };
    let too_fine = || Failure::bad_input(format!("{text}: too many triangles after subdivision"));
    let grown =
        (subject.mesh.triangles.len() as u64).checked_mul(4u64.checked_pow(times).unwrap_or(u64::MAX));
    if grown.is_none_or(|triangles| triangles >= 1 << 28) {
        return Err(too_fine());
    }
    subject.mesh = std::mem::take::<Mesh>(&mut subject.mesh).subdivided(times).ok_or_else(too_fine)?;
    subject.name = title;
    Ok(subject)
}

fn open_peer(name: &str, path: &str) -> Result<Arc<EmbreeLibrary>, Failure> {
    match name {
        "embree" => EmbreeLibrary::open(path.as_ref()).map(Arc::new).map_err(refused),
        _ => Err(Failure::bad_input(format!("unknown peer `{name}`; known peers: embree"))),
    }
}

/// Returns the kind of rays in a name such as `kitchen.primary.rays`.
fn kind_of_file(file: &Path) -> RayKind {
    let stem = file.file_stem().unwrap_or_default();
    let kind = Path::new(stem).extension().and_then(|kind| kind.to_str());
    RayKind::ALL.into_iter().find(|known| Some(known.name()) == kind).unwrap_or(RayKind::File)
}

pub(crate) fn kind() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(RayKind::ALL.map(RayKind::name))
}

fn form() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(QueryForm::ALL.map(QueryForm::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_subdivided() {
        let triangles = |spec: &str, n| subject(&spec.into(), n).unwrap().mesh.triangles.len();
        let coarse = triangles("teapot:2", 0);
        assert_eq!(triangles("teapot:2@2", 0), 16 * coarse);
        assert_eq!(triangles("teapot:2@1", 1), 16 * coarse);
        assert_eq!(triangles("cornell@1", 0), 4 * triangles("cornell", 0));
        assert!(subject(&"teapot@14".into(), 0).is_err() && subject(&"teapot@99".into(), 0).is_err());
        assert!(subject(&"teapot:0".into(), 0).is_err());
    }

    #[test]
    fn the_kind_of_rays_is_in_the_file_name() {
        assert_eq!(kind_of_file(Path::new("x/kitchen.diffuse.rays")), RayKind::Diffuse);
        assert_eq!(kind_of_file(Path::new("primary.rays")), RayKind::File);
    }
}
