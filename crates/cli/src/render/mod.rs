//! `sunfleck render`: from arguments to files.

mod args;
mod camera;
mod environment;
mod exposure;
mod film;
mod gpu;
mod help;
mod output;
mod progress;
mod report;
mod stage;

use sunfleck_integrators::{Algorithm, Ended};

pub(crate) use args::RenderArgs;
pub(crate) use help::algorithms;

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::{parameters, stdout, threads};
use args::MethodArgs;
use exposure::Exposure;
use output::Outputs;
use progress::Progress;
use report::Report;
use stage::Stage;

/// Opens, commits, renders, writes, reports. Errors: see [`Exit`]; then no file is written, or whole ones only.
pub(crate) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;

    // Whatever can be refused is refused before the long work
    let algorithm = algorithm(&args.method)?;
    let outputs = Outputs::check(args)?;
    let mut film = film::new(args)?;
    let environment = environment::read_map(&args.light)?;
    threads::start(args.machine.threads)?;

    let progress = Progress::new(args.quiet, args.stop.rules());
    let stage = Stage::set(args, environment, &progress)?;
    interrupt.begin_picture();
    let shot = stage.shoot(args, &algorithm, &mut film, interrupt.wanted(), &progress)?;
    drop(progress);

    let interrupted = shot.outcome.ended == Ended::Cancelled;
    if interrupted {
        eprintln!("interrupted: writing what there is of the picture");
    }
    let made_up_light = stage.opened.added.sky && args.light.environment.is_none();
    let exposure_stops = Exposure::choose(args.view.exposure, made_up_light).stops(&film);
    let written = outputs.write(&film, exposure_stops)?;
    let report = Report::new(args, &algorithm, &stage, &film, exposure_stops, &shot, written);
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&report)?,
        (false, false) => stdout::print(&report.to_string())?,
    }
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

/// The integrator with the parameters as typed. Errors: it has no such parameter, or not that value.
fn algorithm(args: &MethodArgs) -> Result<Algorithm, Failure> {
    let mut algorithm = args.integrator;
    if let Some(preset) = &args.preset {
        algorithm
            .set_preset(preset)
            .map_err(|error| Failure::bad_input(format!("--preset {preset}: {error}")))?;
    }
    parameters::set(&mut algorithm, &args.parameters)?;
    Ok(algorithm)
}
