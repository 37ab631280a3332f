//! `sunfleck completions`: completions of the command line for shells.

use clap::Args;
use clap_complete::Shell;
use sunfleck_command::{Exit, Failure, stdout};

use crate::args;

const AFTER_HELP: &str = "\
Examples:
  sunfleck completions bash > ~/.local/share/bash-completion/completions/sunfleck
  sunfleck completions zsh > ~/.zfunc/_sunfleck      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  sunfleck completions fish > ~/.config/fish/completions/sunfleck.fish
  sunfleck completions powershell >> $PROFILE";

/// Print completions of subcommands and options for a shell.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompletionsArgs {
    /// Shell
    shell: Shell,
}

/// Prints the script of a shell.
///
/// # Errors
/// Writing to standard output failed.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::table(), "sunfleck", &mut script);
    stdout::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
