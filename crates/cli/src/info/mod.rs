//! `sunfleck info`: what is in a scene.

mod facts;

use std::ffi::OsString;

use clap::Args;
use sunfleck_command::{Exit, Failure, scene, stdout};

use crate::sheet::{Sheet, columns};
use crate::units;
use facts::Facts;

/// Tells what is in a scene, and what the importer noticed while reading it.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    #[arg(help = scene::scene_help())]
    scene: OsString,

    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Opens the scene and describes it. Errors: the scene cannot be read.
pub(crate) fn run(args: &InfoArgs) -> Result<Exit, Failure> {
    let opened = scene::open(&args.scene)?;
    let facts = Facts::gather(&opened);
    if args.json {
        stdout::print_json(&facts)?;
    } else {
        stdout::print(&sheet(&facts).to_string())?;
    }
    Ok(Exit::Done)
}

fn sheet(facts: &Facts) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.row("scene", [facts.name.clone()]);
    sheet.row("noted", facts.notes.iter().cloned());
    sheet.facts(
        "meshes",
        [
            units::count(facts.meshes),
            units::counted(facts.unique_triangles, "triangle", "triangles"),
            units::bytes(facts.geometry_bytes),
        ],
    );
    sheet.facts(
        "instances",
        [units::count(facts.instances), units::counted(facts.instanced_triangles, "triangle", "triangles")],
    );
    if let Some(bounds) = &facts.bounds {
        let point = |p: [f32; 3]| p.map(|x| format!("{x:.3}")).join(", ");
        let size: [f32; 3] = std::array::from_fn(|i| bounds.max[i] - bounds.min[i]);
        sheet.row(
            "bounds",
            [
                format!("({}) to ({})", point(bounds.min), point(bounds.max)),
                format!("{} m", size.map(|x| format!("{x:.3}")).join(" × ")),
            ],
        );
    }
    sheet.row("materials", [by_kind(&facts.materials)]);
    sheet.row(
        "textures",
        columns(
            &facts
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
    sheet.row("lights", [by_kind(&facts.lights)]);
    sheet.row("sky", [facts.environment.clone()]);
    sheet.row(
        "cameras",
        columns(
            &facts
                .cameras
                .iter()
                .zip(0..)
                .map(|(camera, index)| {
                    vec![format!("{index}"), camera.name.clone(), camera.projection.clone()]
                })
                .collect::<Vec<_>>(),
        ),
    );
    sheet.row("animations", columns(&facts.animations.iter().zip(0..).map(animation).collect::<Vec<_>>()));
    sheet
}

/// `0  Walk  2.5 s  moves 57 nodes`.
fn animation((animation, index): (&facts::AnimationFacts, usize)) -> Vec<String> {
    let counts = [
        (animation.nodes, units::counted(animation.nodes, "node", "nodes")),
        (animation.meshes, units::counted(animation.meshes, "mesh", "meshes")),
    ];
    let counts: Vec<_> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    vec![
        format!("{index}"),
        animation.name.clone(),
        format!("{} s", animation.duration_secs),
        format!("moves {}", counts.join(" and ")),
    ]
}

/// `5: 3 lambert, 2 mirror`.
fn by_kind(kinds: &[facts::Kind]) -> String {
    let total: u64 = kinds.iter().map(|kind| kind.count).sum();
    let parts: Vec<_> =
        kinds.iter().map(|kind| format!("{} {}", units::count(kind.count), kind.name)).collect();
    if total == 0 { "none".to_string() } else { format!("{}: {}", units::count(total), parts.join(", ")) }
}
