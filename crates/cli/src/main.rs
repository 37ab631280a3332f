//! The `sunfleck` binary: glue that turns arguments into calls of the other rooms, and their answers into words.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod compare;
mod convert;
mod destination;
mod devices;
mod failure;
mod info;
mod interrupt;
mod materials;
mod memory;
mod open;
mod parameters;
mod render;
mod scenes;
mod sheet;
mod simd;
mod stdout;
mod threads;
mod units;
mod values;
mod view;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    let done = match args::parse() {
        Command::Render(args) => render::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Materials(args) => materials::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::View(args) => view::run(&args),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let exit = failure.exit();
            failure.print();
            exit.into()
        }
    }
}
