//! `sunfleck render`: checks arguments, renders and writes images, and reports.

mod animation;
mod aovs;
mod args;
mod background;
mod camera;
mod checkpoint;
mod crop;
mod denoising;
mod environment;
mod exposure;
mod film;
mod fireflies;
mod frame;
mod help;
mod id_table;
mod image_size;
mod lens;
mod log;
mod memory_budget;
mod output;
mod plan;
mod progress;
mod report;
mod series;
mod setup;
mod stop_rule;
mod turntable;
mod verdict;

use sunfleck_command::{Exit, Failure, stdout};

pub(crate) use args::{DEFAULT_ASPECT, RenderArgs};

use crate::interrupt::Interrupt;
use plan::CheckedArgs;
use progress::Progress;
use report::RenderReport;
use series::{ImageSeries, Outcome};
use setup::RenderSetup;

/// Renders all images, writes their files and prints the report.
///
/// # Errors
/// See [`Exit`]. Files are written atomically, so none is left incomplete.
pub(crate) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    if args.verbose {
        log::print_events();
    }
    let checked = CheckedArgs::new(args)?;
    let environment = environment::read_map(&args.light)?;
    let progress = Progress::new(args.quiet, args.verbose, checked.rules.noise);
    let opened = setup::open(args, &progress)?;
    let plan = checked.with_film(camera::film(&args.view, &opened.scene))?;
    let setup = RenderSetup::new(args, opened, environment, plan.budget, &progress)?;
    let (scene, name) = (&setup.name, plan.algorithm.name());
    plan.algorithm
        .check_world(setup.world.committed())
        .map_err(|why| Failure::bad_input(format!("{scene}: `{name}` {why}")))?;
    let mut images = ImageSeries::new(&plan, setup, &interrupt, progress);
    let outcome = images.render()?;
    let ImageSeries { setup, written, last: Some(last), .. } = images else {
        return Err(Failure::interrupted(
            "interrupted before the first image was finished: no image is written",
        ));
    };
    let report = RenderReport::new(&plan, &setup, &last, outcome, written);
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&report)?,
        (false, false) if plan.outputs.use_standard_output() => eprint!("{report}"),
        (false, false) => stdout::print(&report.to_string())?,
    }
    Ok(match outcome {
        Outcome::Complete => Exit::Done,
        Outcome::Interrupted => Exit::Interrupted,
    })
}
