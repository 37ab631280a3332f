//! What can be typed.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::bench::BenchArgs;
use crate::compare::CompareArgs;
use crate::convert::ConvertArgs;
use crate::devices::DevicesArgs;
use crate::info::InfoArgs;
use crate::materials::MaterialsArgs;
use crate::render::RenderArgs;
use crate::scenes::ScenesArgs;
use crate::view::ViewArgs;

/// Shows scenes with physically based light.
#[derive(Debug, Parser)]
#[command(name = "sunfleck", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do; described where its arguments are.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Render(Box<RenderArgs>),
    Info(InfoArgs),
    Scenes(ScenesArgs),
    Materials(MaterialsArgs),
    Devices(DevicesArgs),
    Compare(CompareArgs),
    Convert(ConvertArgs),
    View(ViewArgs),
    Bench(BenchArgs),
}

const AFTER_HELP: &str = "\
Examples:
  sunfleck                              a built-in scene, into sunfleck.png
  sunfleck render scene.glb --spp 256   a file
  sunfleck view scene.glb               live, in the browser
  sunfleck help render                  everything that can be set

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted (a picture begun is written as far as it came).";

/// Reads the command line; wrong usage is explained, and ends the process.
pub(crate) fn parse() -> Command {
    Cli::parse_from(completed(std::env::args_os().collect())).command
}

/// `sunfleck` alone is `sunfleck render`.
fn completed(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.len() == 1 {
        words.push("render".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_words_mean_render() {
        let command = |words: &[&str]| {
            Cli::try_parse_from(completed(words.iter().map(OsString::from).collect())).map(|cli| cli.command)
        };
        assert!(matches!(command(&["sunfleck"]), Ok(Command::Render(_))));
        assert!(matches!(command(&["sunfleck", "scenes"]), Ok(Command::Scenes(_))));
        assert!(command(&["sunfleck", "rendr"]).is_err(), "there is no such command");
    }
}
