//! `sunfleck render`: from arguments to files.

mod args;
mod camera;
mod environment;
mod exposure;
mod film;
mod help;
mod moment;
mod output;
mod progress;
mod report;
mod stage;

use sunfleck_command::arguments::set_parameters;
use sunfleck_command::{Exit, Failure, start_threads, stdout};
use sunfleck_integrators::{Algorithm, StopReason};

pub(crate) use args::RenderArgs;

use crate::interrupt::Interrupt;
use args::MethodArgs;
use exposure::Exposure;
use output::Outputs;
use progress::Progress;
use report::Report;
use stage::RenderSetup;

/// Opens, commits, renders, writes, reports. Errors: see [`Exit`]; then no file is written, or whole ones only.
pub(crate) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;

    // Whatever can be refused is refused before the long work
    let algorithm = algorithm(&args.method)?;
    let outputs = Outputs::check(args)?;
    film::check(args)?;
    args.view.aov_set(&algorithm)?;
    let mut environment = environment::read_map(&args.light)?;
    start_threads(args.machine.threads)?;
    let engine = stage::engine(args)?;

    let moments = args.moment.moments();
    let (mut stage, mut exposure_stops) = (None, None);
    let mut written = Vec::new();
    let mut last = None;
    for moment in &moments {
        let progress = Progress::new(args.quiet, args.stop.rules());
        let stage: &mut RenderSetup = match &mut stage {
            None => stage.insert(RenderSetup::set(args, environment.take(), moment, &progress)?),
            Some(stage) => {
                stage.go_on(args, moment)?;
                stage
            }
        };
        interrupt.begin_picture();
        let (film, shot) = stage.shoot(&engine, args, &algorithm, interrupt.wanted(), &progress)?;
        drop(progress);

        if let Some(why) = engine.trouble() {
            eprintln!("warning: on the processor, since {why}");
        }
        let interrupted = shot.ended == StopReason::Cancelled;
        if interrupted {
            if film.is_empty() {
                return Err(Failure::interrupted(
                    "interrupted before there was a sample: no picture is written",
                ));
            }
            eprintln!("interrupted: writing what there is of the picture");
        }
        let made_up_light = stage.added.sky && args.light.environment.is_none() && algorithm.uses_lights();
        // A sequence keeps the exposure of its first picture: else the eye would follow every change of light
        let exposure_stops = *exposure_stops
            .get_or_insert_with(|| Exposure::choose(args.view.exposure, made_up_light).stops(&film));
        written.extend(outputs.of_frame(moment.frame).write(&film, exposure_stops)?);
        last = Some((film, shot, exposure_stops, interrupted));
        if interrupted {
            break;
        }
    }
    let (Some(stage), Some((film, shot, exposure_stops, interrupted))) = (stage, last) else {
        return Err(Failure::bad_input("there are no frames to make"));
    };
    let report =
        Report::new(args, &algorithm, &stage, &film, exposure_stops, &shot, engine.gpu().as_deref(), written);
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
    set_parameters(&mut algorithm, &args.parameters)?;
    Ok(algorithm)
}
