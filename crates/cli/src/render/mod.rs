//! `sunfleck render`: checks arguments, renders frames, writes images and a report.

mod animation;
mod args;
mod camera;
mod checkpoint;
mod denoising;
mod environment;
mod exposure;
mod film;
mod frame;
mod help;
mod id_table;
mod output;
mod progress;
mod report;
mod setup;
mod verdict;

use sunfleck_command::arguments::set_parameters;
use sunfleck_command::{Exit, Failure, start_threads, stdout};
use sunfleck_engine::{Canvas, FrameRequest, VisibleContent};
use sunfleck_integrators::{Algorithm, StopReason};

pub(crate) use args::{DEFAULT_ASPECT, RenderArgs};

use crate::interrupt::Interrupt;
use animation::Reuse;
use args::MethodArgs;
use checkpoint::{Checkpoint, Checkpoints, PictureId};
use denoising::Denoising;
use exposure::Exposure;
use frame::{FrameRenderer, RenderedFrame};
use output::Outputs;
use progress::Progress;
use report::RenderReport;
use setup::RenderSetup;

/// Renders all frames, writes their files and prints the report.
///
/// # Errors
/// See [`Exit`]. Files are written atomically, so none is left incomplete.
pub(crate) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;

    // Check all arguments before the scene is opened
    let algorithm = algorithm(&args.method)?;
    let rules = args.stop.rules(&algorithm);
    let outputs = Outputs::check(args)?;
    film::check(args, &outputs)?;
    args.view.aov_set(&algorithm)?;
    args.checkpoint.check(args.animation.is_sequence())?;
    let mut denoising = Denoising::new(rules, &algorithm, &outputs)?;
    let mut environment = environment::read_map(&args.light)?;
    start_threads(args.machine.threads)?;
    if let Some(denoising) = &mut denoising {
        denoising.measure(rules, args)?;
    }
    let engine = setup::engine(args)?;
    if engine.gpu().is_some() && args.checkpoint.file().is_some() {
        let failure = Failure::bad_input("only the CPU can render images with checkpoints");
        return Err(failure.with_help("add `--device cpu`"));
    }

    let reuse = args.animation.reuse(rules.noise.is_some(), outputs.are_all_denoised());
    let reuses = reuse == Some(Reuse::On);
    let canvas = Canvas::new();
    let frames = args.animation.frames_to_render();
    let (mut setup, mut exposure_stops) = (None, None);
    let mut written = Vec::new();
    let mut last = None;
    for frame in frames {
        let progress = Progress::new(args.quiet, rules.noise);
        let setup: &mut RenderSetup = match &mut setup {
            None => setup.insert(RenderSetup::new(args, environment.take(), frame, &progress)?),
            Some(setup) => {
                setup.advance(args, frame)?;
                setup
            }
        };
        let is_sequence = frame.number.is_some();
        if !is_sequence && !args.allow_empty && !setup.sees_something(args) {
            return Err(empty(setup));
        }
        interrupt.start_rendering();
        let request = setup.request(args, &algorithm, denoising.is_some())?;
        let request = FrameRequest { steady: reuses, ..request };
        let (checkpoints, resumed) = checkpoints(args, setup, &request)?;
        let interrupted = interrupt.requested();
        let canvas = if reuses { canvas.clone() } else { Canvas::new() };
        let frame_renderer =
            FrameRenderer::new(&engine, setup, request, rules, canvas, interrupted, &progress)
                .with_checkpoints(checkpoints, resumed);
        let rendered = frame_renderer.render(denoising.as_ref())?;
        let RenderedFrame { film, result, denoised } = &rendered;
        drop(progress);

        if let Some(why) = engine.trouble() {
            eprintln!("warning: rendered on the CPU, since {why}");
        }
        let interrupted = result.ended == StopReason::Cancelled;
        if interrupted {
            if film.is_empty() {
                return Err(Failure::interrupted(
                    "interrupted before the first sample was rendered: no image is written",
                ));
            }
            eprintln!("interrupted: writing the image rendered so far");
        }
        // Images that do not show light, such as those of ambient occlusion, are not exposed
        let scene_stops = setup.world.scene().exposure_stops().or((!algorithm.uses_lights()).then_some(0.0));
        // A sequence keeps the exposure of its first frame, since automatic exposure per frame would flicker
        let exposure_stops = *exposure_stops
            .get_or_insert_with(|| Exposure::choose(args.view.exposure, scene_stops).stops(film));
        if algorithm.uses_lights() {
            let lights = setup.world.committed().light_count();
            let verdict = verdict::of_image(film, exposure_stops, args.view.tone_curve, lights);
            // Before the notes of the import, of which there may be many
            setup.notes.splice(0..0, verdict.filter(|_| !is_sequence && outputs.show_radiance()));
        }
        let outputs = outputs.of_frame(frame.number);
        written.extend(outputs.write(film, denoised.as_ref(), exposure_stops)?);
        id_table::write(&outputs, setup.world.scene())?;
        last = Some((rendered, exposure_stops, interrupted));
        if interrupted {
            break;
        }
    }
    let (Some(setup), Some((rendered, exposure_stops, interrupted))) = (setup, last) else {
        return Err(Failure::bad_input("there are no frames to render"));
    };
    let report = RenderReport::new(
        args,
        &algorithm,
        &setup,
        &rendered,
        reuse,
        exposure_stops,
        engine.gpu().as_deref(),
        written,
    );
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&report)?,
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
    let picture = PictureId::new(setup.world.scene(), request.view(), request.algorithm)?;
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
