//! Command line of `sunfleck`: its subcommands and help.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use sunfleck_command::Failure;

use crate::bench::BenchArgs;
use crate::compare::CompareArgs;
use crate::completions::CompletionsArgs;
use crate::config;
use crate::convert::ConvertArgs;
use crate::devices::DevicesArgs;
use crate::info::InfoArgs;
use crate::man::ManArgs;
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
    Completions(CompletionsArgs),
    Man(ManArgs),
    Bench(BenchArgs),
}

const AFTER_HELP: &str = "\
Examples:
  sunfleck                              render a built-in scene to sunfleck.png
  sunfleck render scene.glb --spp 256   render a file
  sunfleck view scene.glb               show a file in the browser, interactively
  sunfleck help render                  list all options of a subcommand
  sunfleck completions bash             print completions for a shell

Exit codes:
  0 success, 1 failure, 2 bad input, 130 interrupted by Ctrl-C or SIGTERM (the image rendered so
  far is written)";

/// What to try after a command line without arguments.
pub(crate) const NEXT_STEPS: &str = "
Next:
  sunfleck view                look around in this scene, in the browser
  sunfleck render scene.glb    render a scene of yours (glTF, OBJ, PLY, STL, OFF, NFF, AFF)
  sunfleck scenes              list the other built-in scenes
";

/// Parses the command line and the configuration file that it names; returns the subcommand, and whether there was no
/// argument. On invalid usage prints an error and ends the process.
///
/// # Errors
/// The configuration file cannot be read, or has an option that does not exist or a value that is invalid.
pub(crate) fn parse() -> Result<(Command, bool), Failure> {
    let words: Vec<_> = std::env::args_os().collect();
    let bare = words.len() == 1;
    let words = with_default_command(words);
    let given = given(&words);
    let words = config::with_options_of_file(table(), words, &given)?;
    let matches = table().get_matches_from(words);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ok((cli.command, bare))
}

/// Returns what a command line gives. What is wrong with it or missing is left out, since a configuration file may
/// complete it; help and version are printed at once, and end the process.
pub(crate) fn given(words: &[OsString]) -> ArgMatches {
    table().ignore_errors(true).get_matches_from(words)
}

/// Returns the table of all subcommands and their arguments.
pub(crate) fn table() -> clap::Command {
    Cli::command()
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

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    /// The first paragraph of a help text is what `-h` shows.
    #[test]
    fn every_option_of_render_has_one_line_of_help() {
        // Beside the names of the options, on a terminal of 100 columns
        const MOST: usize = 72;
        let table = table();
        let render = table.find_subcommand("render").unwrap();
        for option in render.get_arguments().filter(|argument| !argument.is_positional()) {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let what = format!("--{}: {help}", option.get_long().unwrap());
            assert!((1..=MOST).contains(&help.chars().count()), "{what}");
            assert!(help.starts_with(char::is_uppercase), "{what}");
            assert!(!help.contains('\n') && !help.contains(". ") && !help.ends_with('.'), "{what}");
        }
    }

    #[test]
    fn examples_are_valid_command_lines() {
        let mut count = 0;
        for command in table().get_subcommands() {
            let help = command.get_after_long_help().or_else(|| command.get_after_help());
            let help = help.map(ToString::to_string).unwrap_or_default();
            for line in help.lines().map(str::trim_start).filter(|line| line.starts_with("sunfleck ")) {
                // What follows belongs to the shell, or says what the command is for
                let ends = ["  ", " | ", " > ", " >> ", " 2> "];
                let end = ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
                let words = line[..end].split(' ').map(|word| word.trim_matches('\''));
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{line}: {error}");
                }
                count += 1;
            }
        }
        assert!(count > 30, "{count}");
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
