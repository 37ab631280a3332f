use clap::{Args, value_parser};
use sunfleck_bench::parse::{ParseSettings, run as measure};
use sunfleck_command::{Exit, Failure};

use crate::shared::{RoundsArgs, SharedArgs, refused};

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench parse
  sunfleck-bench parse --megabytes 200 --threads 8";

/// Read generated text files of all formats.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ParseArgs {
    /// Size of each file, MB
    #[arg(long, value_name = "MB", value_parser = value_parser!(u32).range(1..=4000), default_value_t = 50)]
    megabytes: u32,

    /// Threads that a file is read by
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), default_value_t = 1)]
    threads: u16,

    #[command(flatten)]
    rounds: RoundsArgs,

    #[command(flatten)]
    shared: SharedArgs,
}

pub(crate) fn run(args: &ParseArgs) -> Result<Exit, Failure> {
    let settings = ParseSettings {
        bytes: args.megabytes as usize * 1_000_000,
        rounds: args.rounds.rounds.into(),
        threads: args.threads.into(),
    };
    let mut progress = |name: &str| eprintln!("{name}");
    args.shared.write(&measure(&settings, &mut progress).map_err(refused)?)?;
    Ok(Exit::Done)
}
