//! `sunfleck scenes`: list of the built-in scenes with their parameters.

use std::fmt::Write;

use clap::Args;
use sunfleck_command::{Exit, Failure, stdout};
use sunfleck_models::{Model, models};

use crate::parameters;

const AFTER_HELP: &str = "\
Examples:
  sunfleck render sunflowers
  sunfleck render sunflowers:flowers=1000,seed=3
  sunfleck info cornell";

/// List the built-in scenes and their parameters.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP, after_long_help = format!("{AFTER_HELP}\n\n{}", list()))]
pub(crate) struct ScenesArgs {}

/// Prints the list.
pub(crate) fn run(_: &ScenesArgs) -> Result<Exit, Failure> {
    stdout::print(&list())?;
    Ok(Exit::Done)
}

/// Returns all built-in scenes, each with summary and parameters.
fn list() -> String {
    let mut text = String::new();
    for Model { name, summary, parameters, .. } in models() {
        let _ = writeln!(text, "{name}: {summary}");
        text += &parameters::table(parameters);
        text.push('\n');
    }
    text + "Set parameters after a colon: `sunfleck render sunflowers:flowers=1000,seed=3`.\n"
}
