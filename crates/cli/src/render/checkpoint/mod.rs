//! Checkpoints of an image: its samples in a file, so that another process can continue it to the same bits.

mod args;
mod file;
mod image_id;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_engine::{FrameRequest, Ticket};
use sunfleck_integrators::RenderState;
use sunfleck_scene::Scene;

pub(super) use args::CheckpointArgs;
pub(super) use file::{Checkpoint, Spent};
use image_id::ImageId;

/// Writer of the checkpoints of an image.
#[derive(Debug)]
pub(super) struct Checkpoints {
    file: PathBuf,
    every: Duration,
    /// Time of the last checkpoint, or of the start.
    last: Instant,
    image: ImageId,
}

impl Checkpoints {
    /// Begins the first interval.
    fn new(file: PathBuf, every: Duration, image: ImageId) -> Self {
        Self { file, every, last: Instant::now(), image }
    }

    /// Asks a frame for its state when a checkpoint is due, and writes what it has.
    ///
    /// * `spent` — what was spent on the image without the steps of this ticket.
    /// * `target` — number of samples after which the image is denoised and judged.
    pub(super) fn watch(&mut self, ticket: &Ticket, spent: &Spent, target: u32) {
        if let Some(state) = ticket.take_state() {
            let mut spent = *spent;
            spent.rays += state.rays;
            spent.elapsed += ticket.progress().elapsed;
            self.write(state, spent, target);
        } else if self.last.elapsed() >= self.every {
            ticket.request_state();
        }
    }

    /// Writes a checkpoint. A failure is a warning: rendering goes on, and so do later checkpoints.
    pub(super) fn write(&mut self, state: RenderState, spent: Spent, target: u32) {
        let checkpoint = Checkpoint { image: self.image.clone(), spent, target, state };
        if let Err(why) = checkpoint.save(&self.file) {
            eprintln!("warning: {why}");
        }
        self.last = Instant::now();
    }
}

/// Returns the writer of the checkpoints of a frame, and the checkpoint to continue from, as far as they are wanted.
///
/// # Errors
/// Those of [`resume`]; the scene cannot be encoded.
pub(super) fn of_frame(
    args: &CheckpointArgs,
    scene: &Scene,
    request: &FrameRequest,
) -> Result<(Option<Checkpoints>, Option<Checkpoint>), Failure> {
    let Some(file) = args.file() else { return Ok((None, None)) };
    let image = ImageId::new(scene, request.view(), request.window, request.algorithm)?;
    let resumed = resume(args, &image)?;
    Ok((Some(Checkpoints::new(file.clone(), args.every, image)), resumed))
}

/// Reads the checkpoint that an image is to be continued from.
///
/// # Errors
/// The file cannot be read, is not a checkpoint or damaged, or is of another image.
fn resume(args: &CheckpointArgs, image: &ImageId) -> Result<Option<Checkpoint>, Failure> {
    let Some(file) = &args.resume else { return Ok(None) };
    let checkpoint = Checkpoint::load(file)?;
    match image.differences(&checkpoint.image)[..] {
        [] => Ok(Some(checkpoint)),
        ref differences => Err(Failure::bad_input(format!(
            "{}: is a checkpoint of another image: another {}",
            file.display(),
            differences.join(", another ")
        ))
        .with_help("give the arguments of the command that wrote it; only the stop rules may differ")),
    }
}
