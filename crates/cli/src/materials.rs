//! `sunfleck materials`: list of scattering models, emission and patterns with their parameters.

use std::fmt::Write;

use clap::Args;
use sunfleck_scene::parameter::Variant;
use sunfleck_scene::{Emission, Pattern, Surface};

use crate::parameters;
use sunfleck_command::{Exit, Failure, stdout};

/// List the scattering models of materials and their parameters.
#[derive(Args, Debug)]
#[command(after_long_help = list())]
pub(crate) struct MaterialsArgs {}

/// Prints the list.
pub(crate) fn run(_: &MaterialsArgs) -> Result<Exit, Failure> {
    stdout::print(&list())?;
    Ok(Exit::Done)
}

/// Returns scattering models, emission and patterns, each with summary and parameters.
fn list() -> String {
    let mut text = "Scattering models (each material has one):\n\n".to_string();
    variants(&mut text, Surface::VARIANTS);
    text += "Emission (of every material):\n\n";
    text += &parameters::table(Emission::PARAMETERS);
    text += "\nPatterns (optional; multiply the base colour of a material):\n\n";
    variants(&mut text, Pattern::VARIANTS);
    text + "Materials are part of scenes: edit them with `sunfleck view`; `sunfleck convert` exports them.\n"
}

fn variants<T>(text: &mut String, table: &[Variant<T>]) {
    for Variant { name, label, summary, parameters, .. } in table {
        let _ = writeln!(text, "{name} ({label}): {summary}");
        *text += &parameters::table(parameters);
        text.push('\n');
    }
}
