//! The `sunfleck` binary: parses arguments, calls the other crates, and prints their results.
#![deny(unsafe_code)]

mod args;
mod bench;
mod compare;
mod completions;
mod config;
mod convert;
mod destination;
mod devices;
mod driver_messages;
mod info;
mod interrupt;
mod man;
mod materials;
mod memory;
mod parameters;
mod render;
mod scenes;
mod summary;
mod units;
mod values;
mod view;

use std::process::ExitCode;

use args::Command;
use sunfleck_command::{Exit, stdout};

fn main() -> ExitCode {
    driver_messages::suppress();
    let (command, bare) = match args::parse() {
        Ok(parsed) => parsed,
        Err(failure) => return sunfleck_command::end(Err(failure)),
    };
    let ended = match command {
        Command::Render(args) => render::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Materials(args) => materials::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::View(args) => view::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    sunfleck_command::end(match ended {
        Ok(Exit::Done) if bare => stdout::print(args::NEXT_STEPS).map(|()| Exit::Done),
        ended => ended,
    })
}
