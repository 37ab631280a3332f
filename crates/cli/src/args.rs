//! Command line of `sunfleck`: its subcommands and help.

use std::ffi::OsString;
use std::path::Path;

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

/// Render and view scenes with physically based light transport.
#[derive(Debug, Parser)]
#[command(name = "sunfleck", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Subcommands; each is documented at its arguments.
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
  sunfleck                              render a built-in scene to sunfleck.png
  sunfleck render scene.glb --spp 256   render a file
  sunfleck view scene.glb               show a file in the browser, interactively
  sunfleck help render                  list all options of a subcommand

Exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted (the image rendered so far is written).";

/// What to try after a command line without arguments.
pub(crate) const NEXT_STEPS: &str = "
Next:
  sunfleck view                look around in this scene, in the browser
  sunfleck render scene.glb    render a scene of yours (glTF, OBJ, PLY, STL, OFF)
  sunfleck scenes              list the other built-in scenes
";

/// Parses the command line; returns the subcommand, and whether there was no argument. On invalid usage prints an error
/// and ends the process.
pub(crate) fn parse() -> (Command, bool) {
    let words: Vec<_> = std::env::args_os().collect();
    let bare = words.len() == 1;
    (Cli::parse_from(with_default_command(words)).command, bare)
}

/// Adds `render` to a command line without arguments, or whose first argument is a scene file.
fn with_default_command(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_none_or(|word| sunfleck_io::has_supported_extension(Path::new(word))) {
        words.insert(1, "render".into());
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
    fn no_arguments_mean_render() {
        let command = |words: &[&str]| {
            Cli::try_parse_from(with_default_command(words.iter().map(OsString::from).collect()))
                .map(|cli| cli.command)
        };
        assert!(matches!(command(&["sunfleck"]), Ok(Command::Render(_))));
        assert!(matches!(command(&["sunfleck", "scenes"]), Ok(Command::Scenes(_))));
        assert!(matches!(command(&["sunfleck", "a.GLB", "--spp", "4"]), Ok(Command::Render(_))));
        assert!(command(&["sunfleck", "rendr"]).is_err(), "unknown subcommand");
    }
}
