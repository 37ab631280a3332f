//! `sunfleck info`: statistics of a scene.

mod report;

use std::ffi::OsString;

use clap::Args;
use fearless_simd::Level;
use sunfleck_command::{Exit, Failure, ImportArgs, scene, stdout};
use sunfleck_engine::{Presentation, StageChoice};

use crate::summary::{Summary, columns};
use crate::{render, units};
use report::SceneReport;

/// Show the contents of a scene and the notes and warnings of its import.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    #[arg(help = scene::scene_help())]
    scene: OsString,

    #[command(flatten)]
    import: ImportArgs,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Opens the scene and prints its statistics.
///
/// # Errors
/// The scene cannot be opened.
pub(crate) fn run(args: &InfoArgs) -> Result<Exit, Failure> {
    let mut opened = args.import.open(&args.scene)?;
    let presented = Presentation::new(opened.scene.clone(), StageChoice::Automatic, Level::new())
        .map_err(|error| Failure::failed(format!("{}: {error}", opened.name)))?;
    let cameras = presented.cameras(render::DEFAULT_ASPECT);
    opened.notes.extend(presented.notes);
    let report = SceneReport::new(&opened, &cameras);
    if args.json {
        stdout::print_json(&report)?;
    } else {
        stdout::print(&summary(&report).to_string())?;
    }
    Ok(Exit::Done)
}

fn summary(report: &SceneReport) -> Summary {
    let mut summary = Summary::default();
    summary.lines("scene", [report.name.clone()]);
    summary.notes(report.notes.iter().cloned());
    summary.line(
        "meshes",
        [
            units::count(report.meshes),
            units::primitives(report.unique_triangles, report.unique_shapes),
            units::bytes(report.geometry_bytes),
        ],
    );
    summary.line(
        "instances",
        [
            units::count(report.instances),
            units::primitives(report.instanced_triangles, report.instanced_shapes),
        ],
    );
    if let Some(bounds) = &report.bounds {
        let point = |p: [f64; 3]| p.map(|x| format!("{x:.3}")).join(", ");
        let size: [f64; 3] = std::array::from_fn(|i| bounds.max[i] - bounds.min[i]);
        summary.lines(
            "bounds",
            [
                format!("({}) to ({})", point(bounds.min), point(bounds.max)),
                format!("{} m", size.map(|x| format!("{x:.3}")).join(" × ")),
            ],
        );
    }
    summary.lines("materials", [by_kind(&report.materials)]);
    summary.lines(
        "textures",
        columns(
            &report
                .textures
                .iter()
                .map(|texture| {
                    let size = format!("{} × {}", texture.width, texture.height);
                    vec![
                        texture.name.clone(),
                        size,
                        units::bytes(texture.bytes),
                        texture.encoding.to_string(),
                    ]
                })
                .collect::<Vec<_>>(),
        ),
    );
    summary.lines("lights", [by_kind(&report.lights)]);
    summary.lines("environment", [report.environment.clone()]);
    summary.lines(
        "cameras",
        columns(
            &report
                .cameras
                .iter()
                .zip(0..)
                .map(|(camera, index)| {
                    vec![format!("{index}"), camera.name.clone(), camera.projection.clone()]
                })
                .collect::<Vec<_>>(),
        ),
    );
    summary
        .lines("animations", columns(&report.animations.iter().zip(0..).map(animation).collect::<Vec<_>>()));
    summary
}

/// Cells of an animation: `0  Walk  2.5 s  animates 57 nodes`.
fn animation((animation, index): (&report::AnimationInfo, usize)) -> Vec<String> {
    let counts = [
        (animation.nodes, units::counted(animation.nodes, "node", "nodes")),
        (animation.meshes, units::counted(animation.meshes, "mesh", "meshes")),
    ];
    let counts: Vec<_> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    vec![
        format!("{index}"),
        animation.name.clone(),
        format!("{} s", animation.duration_secs),
        format!("animates {}", counts.join(" and ")),
    ]
}

/// Formats a total and its parts: `5: 3 lambert, 2 mirror`.
fn by_kind(kinds: &[report::KindCount]) -> String {
    let total: u64 = kinds.iter().map(|kind| kind.count).sum();
    let parts: Vec<_> =
        kinds.iter().map(|kind| format!("{} {}", units::count(kind.count), kind.name)).collect();
    if total == 0 { "none".to_string() } else { format!("{}: {}", units::count(total), parts.join(", ")) }
}
