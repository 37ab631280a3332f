//! `sunfleck render`: checks arguments, renders frames, writes images and a report.

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
mod lens;
mod log;
mod memory_budget;
mod output;
mod progress;
mod report;
mod setup;
mod stop_rule;
mod turntable;
mod verdict;

use std::collections::BTreeMap;

use sunfleck_command::arguments::set_parameters;
use sunfleck_command::{Exit, Failure, start_threads, stdout};
use sunfleck_engine::{Canvas, FrameRequest, VisibleContent};
use sunfleck_integrators::{Algorithm, StopReason};

pub(crate) use args::{DEFAULT_ASPECT, RenderArgs};

use crate::interrupt::Interrupt;
use animation::Reuse;
use background::Background;
use checkpoint::{Checkpoint, Checkpoints, PictureId};
use denoising::Denoising;
use exposure::Exposure;
use frame::{FrameRenderer, RenderedFrame};
use memory_budget::MemoryBudget;
use output::Outputs;
use progress::Progress;
use report::RenderReport;
use setup::{CameraView, RenderSetup};

/// Renders all images, writes their files and prints the report.
///
/// # Errors
/// See [`Exit`]. Files are written atomically, so none is left incomplete.
pub(crate) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    if args.verbose {
        log::print_events();
    }

    // Check all arguments before the scene is opened
    let algorithm = algorithm(args)?;
    let rules = args.stop.rules(&algorithm);
    let background = Background::new(&args.background)?;
    let mut outputs = Outputs::check(args, &background)?;
    let images = film::bytes_needed(args, &algorithm, &outputs, &background)?;
    let budget = MemoryBudget { limit: args.machine.memory_limit, images, ..MemoryBudget::default() };
    budget.check()?;
    args.view.aov_set(&algorithm)?;
    background.check(&algorithm)?;
    args.checkpoint.check(args.renders_several_images(), &outputs)?;
    let mut denoising = Denoising::new(rules, &algorithm, &outputs)?;
    let mut environment = environment::read_map(&args.light)?;
    start_threads(args.machine.threads)?;
    outputs.prepare_background(&background);
    if let Some(denoising) = &mut denoising {
        denoising.measure(rules, &algorithm, args)?;
    }
    let engine = setup::engine(args)?;
    if engine.gpu().is_some() && args.checkpoint.file().is_some() {
        let failure = Failure::bad_input("only the CPU can render images with checkpoints");
        return Err(failure.with_help("add `--device cpu`"));
    }

    let reuse = args.animation.reuse(args.excludes_reuse(), outputs.are_all_denoised());
    let reuses = reuse == Some(Reuse::On);
    let shared_canvas = Canvas::new();
    let mut setup: Option<RenderSetup> = None;
    // A sequence keeps the exposure of its first frame, since automatic exposure per frame would flicker
    let mut exposures: BTreeMap<Option<String>, f32> = BTreeMap::new();
    let mut written = Vec::new();
    let mut last = None;
    let mut interrupted = false;
    'frames: for frame in args.animation.frames_to_render() {
        let mut progress = Progress::new(args.quiet, args.verbose, rules.noise);
        let setup: &mut RenderSetup = match &mut setup {
            None => setup.insert(RenderSetup::new(args, environment.take(), frame, budget, &progress)?),
            Some(setup) => {
                setup.advance(args, frame)?;
                setup
            }
        };
        for CameraView { label, camera } in setup.views(args, frame)? {
            setup.camera = camera;
            let is_single = !args.renders_several_images();
            if is_single && !args.allow_empty && !setup.sees_something(args) {
                return Err(empty(setup));
            }
            // Ctrl-C while the image before was denoised or written
            if last.is_some() && interrupt.is_requested() {
                let files = outputs.of_image(label.as_deref(), frame.number).names();
                eprintln!("interrupted: the images from {files} on are not rendered");
                interrupted = true;
                break 'frames;
            }
            interrupt.start_rendering();
            let request =
                setup.request(args, &algorithm, background.is_environment(), denoising.is_some())?;
            let request = FrameRequest { steady: reuses, ..request };
            let (checkpoints, resumed) = checkpoints(args, setup, &request)?;
            let requested = interrupt.requested();
            let canvas = if reuses { shared_canvas.clone() } else { Canvas::new() };
            let frame_renderer =
                FrameRenderer::new(&engine, setup, request, rules, canvas, requested, &progress)
                    .with_checkpoints(checkpoints, resumed);
            let rendered = frame_renderer.render(denoising.as_ref())?;
            let RenderedFrame { film, result, denoised } = &rendered;
            drop(progress);
            progress = Progress::new(args.quiet, args.verbose, rules.noise);

            if let Some(why) = engine.trouble() {
                eprintln!("warning: rendered on the CPU, since {why}");
            }
            let outputs = outputs.of_image(label.as_deref(), frame.number);
            interrupted = result.ended == StopReason::Cancelled;
            if interrupted && !is_single {
                // Under its name it would pass for a finished one
                if last.is_none() {
                    return Err(Failure::interrupted(
                        "interrupted before the first image was finished: no image is written",
                    ));
                }
                eprintln!("interrupted: {} is not finished and not written", outputs.names());
                break 'frames;
            }
            if interrupted {
                if film.is_empty() {
                    return Err(Failure::interrupted(
                        "interrupted before the first sample was rendered: no image is written",
                    ));
                }
                eprintln!("interrupted: writing the image rendered so far");
            }
            let scene_stops = setup.world.scene().exposure_stops();
            let exposure_stops = *exposures.entry(label.clone()).or_insert_with(|| {
                Exposure::choose(args.view.exposure, algorithm.uses_lights(), scene_stops).stops(film)
            });
            if algorithm.uses_lights() {
                let lights = setup.world.committed().light_count();
                let verdict = verdict::of_image(film, exposure_stops, args.view.tone_curve, lights);
                // Before the notes of the import, of which there may be many
                setup.notes.splice(0..0, verdict.filter(|_| is_single && outputs.show_radiance()));
            }
            written.extend(outputs.write(film, denoised.as_ref(), exposure_stops)?);
            written.extend(id_table::write(&outputs, setup.world.scene())?);
            last = Some((rendered, exposure_stops));
            if interrupted {
                break 'frames;
            }
        }
        drop(progress);
    }
    let (Some(setup), Some((rendered, exposure_stops))) = (setup, last) else {
        return Err(Failure::bad_input("there are no frames to render"));
    };
    let report = RenderReport::new(
        args,
        &algorithm,
        &rules,
        denoising.as_ref().is_some_and(|denoising| denoising.limits_denoised),
        &setup,
        &rendered,
        reuse,
        interrupted,
        exposure_stops,
        engine.gpu().as_deref(),
        written,
    );
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&report)?,
        (false, false) if outputs.use_standard_output() => eprint!("{report}"),
        (false, false) => stdout::print(&report.to_string())?,
    }
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

/// Returns the writer of the picture's checkpoints, and the checkpoint to continue from, as far as they are wanted.
///
/// # Errors
/// Those of [`checkpoint::resume`].
fn checkpoints(
    args: &RenderArgs,
    setup: &RenderSetup,
    request: &FrameRequest,
) -> Result<(Option<Checkpoints>, Option<Checkpoint>), Failure> {
    let Some(file) = args.checkpoint.file() else { return Ok((None, None)) };
    let picture = PictureId::new(setup.world.scene(), request.view(), request.window, request.algorithm)?;
    let resumed = checkpoint::resume(&args.checkpoint, &picture)?;
    Ok((Some(Checkpoints::new(file.clone(), args.checkpoint.every, picture)), resumed))
}

/// Failure for a camera that sees nothing.
fn empty(setup: &RenderSetup) -> Failure {
    let failure =
        Failure::bad_input(format!("{}: the camera `{}` sees no surface", setup.name, setup.camera.name));
    failure.with_help(match VisibleContent::of(setup.world.scene()).triangles {
        0 => "the scene has no visible triangles; `sunfleck info` lists what it has; --allow-empty renders it anyway",
        _ => "choose another --camera, or --look-from and --look-at; --allow-empty renders it anyway",
    })
}

/// Returns the integrator with preset and parameters as given.
///
/// # Errors
/// The preset or a parameter is unknown, or a value is out of range.
fn algorithm(args: &RenderArgs) -> Result<Algorithm, Failure> {
    let RenderArgs { method: args, fireflies, .. } = args;
    let mut algorithm = args.integrator;
    if let Some(preset) = &args.preset {
        algorithm
            .set_preset(preset)
            .map_err(|error| Failure::bad_input(format!("--preset {preset}: {error}")))?;
    }
    set_parameters(&mut algorithm, &args.parameters)?;
    fireflies.apply(&mut algorithm)?;
    Ok(algorithm)
}
