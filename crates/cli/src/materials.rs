//! `sunfleck materials`: the scattering models, and what else a material has.

use std::fmt::Write;

use clap::Args;
use sunfleck_scene::parameter::Variant;
use sunfleck_scene::{Emission, Pattern, Surface};

use crate::parameters;
use sunfleck_command::{Exit, Failure, stdout};

/// Lists the scattering models of materials and their parameters.
#[derive(Args, Debug)]
#[command(after_long_help = list())]
pub(crate) struct MaterialsArgs {}

/// Prints the list.
pub(crate) fn run(_: &MaterialsArgs) -> Result<Exit, Failure> {
    stdout::print(&list())?;
    Ok(Exit::Done)
}

/// Scattering models, emission and patterns, each with its sentence and its parameters.
fn list() -> String {
    let mut text = "Scattering models, one for each material:\n\n".to_string();
    variants(&mut text, Surface::VARIANTS);
    text += "Emission, of every material:\n\n";
    text += &parameters::table(Emission::PARAMETERS);
    text += "\nPatterns, which multiply the colour of a material that has one:\n\n";
    variants(&mut text, Pattern::VARIANTS);
    text + "Materials come with scenes; `sunfleck view` changes them, and `sunfleck convert` keeps them.\n"
}

fn variants<T>(text: &mut String, table: &[Variant<T>]) {
    for Variant { name, label, summary, parameters, .. } in table {
        let _ = writeln!(text, "{name} ({label}): {summary}");
        *text += &parameters::table(parameters);
        text.push('\n');
    }
}
