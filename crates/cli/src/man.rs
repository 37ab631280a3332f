//! `sunfleck man`: manual pages.

use clap::Args;
use clap_mangen::Man;
use sunfleck_command::{Exit, Failure, stdout};

use crate::args;

const AFTER_HELP: &str = "\
Examples:
  sunfleck man render | man -l -                                read a page
  sunfleck man > ~/.local/share/man/man1/sunfleck.1             install the page of the program
  sunfleck man render > ~/.local/share/man/man1/sunfleck-render.1";

/// Print the manual page of the program or of a subcommand, in the format of man(1).
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ManArgs {
    /// Subcommand [default: the program]
    subcommand: Option<String>,
}

/// Prints the page.
///
/// # Errors
/// There is no such subcommand, or writing to standard output failed.
pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let mut table = args::table();
    // Gives subcommands the names of their pages, such as `sunfleck-render`
    table.build();
    let command = match &args.subcommand {
        None => table,
        Some(name) => {
            let shown = || table.get_subcommands().filter(|command| !command.is_hide_set());
            let found = shown().find(|command| command.get_name() == name);
            found.cloned().ok_or_else(|| {
                let names: Vec<_> = shown().map(clap::Command::get_name).collect();
                Failure::bad_input(format!("there is no subcommand `{name}`"))
                    .with_help(format!("subcommands: {}", names.join(", ")))
            })?
        }
    };
    let mut page = Vec::new();
    let written = Man::new(command).render(&mut page);
    written.map_err(|error| Failure::failed(format!("cannot write the manual page: {error}")))?;
    stdout::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
