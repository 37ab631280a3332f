//! `sunfleck man`: manual pages.

use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
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
    let end = command.get_after_long_help().or_else(|| command.get_after_help()).map(ToString::to_string);
    let command = command.after_help(None::<&str>).after_long_help(None::<&str>);
    let mut page = Vec::new();
    let written = Man::new(command).render(&mut page);
    written.map_err(|error| Failure::failed(format!("cannot write the manual page: {error}")))?;
    let sections = end.map(|end| sections(&end).render()).unwrap_or_default();
    stdout::print(&(String::from_utf8_lossy(&page) + &*sections))?;
    Ok(Exit::Done)
}

/// Returns the end of a help text, which consists of paragraphs with headings, as sections of a page. Lines are not
/// filled, since they are examples and tables.
fn sections(help: &str) -> Roff {
    let mut page = Roff::new();
    for paragraph in help.trim_matches('\n').split("\n\n") {
        let lines = match paragraph.split_once(":\n") {
            Some((heading, lines)) if !heading.contains('\n') => {
                // Names of options keep their case
                let is_plain = !heading.contains("--");
                let heading = if is_plain { heading.to_uppercase() } else { heading.replace('-', "\\-") };
                page.control("SH", [&*heading]);
                lines
            }
            _ => {
                page.control("PP", []);
                paragraph
            }
        };
        page.control("nf", []);
        for line in lines.lines() {
            page.text([roman(line)]);
        }
        page.control("fi", []);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_of_help_are_sections() {
        let help = "Examples:\n  sunfleck a    first\n  sunfleck b\n\nValues of --set:\n  c\n\nThe end.\n";
        let expected = ".SH EXAMPLES\n.nf\n  sunfleck a    first\n  sunfleck b\n.fi\n\
                        .SH \"Values of \\-\\-set\"\n.nf\n  c\n.fi\n.PP\n.nf\nThe end.\n.fi\n";
        assert_eq!(sections(help).to_roff(), expected);
    }
}
