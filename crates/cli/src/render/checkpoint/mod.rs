//! Checkpoints of a picture: its samples in a file, so that another process can continue it to the same bits.

mod args;
mod file;
mod picture;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_engine::{FrameRequest, Ticket};
use sunfleck_integrators::RenderState;
use sunfleck_scene::Scene;

pub(super) use args::CheckpointArgs;
pub(super) use file::{Checkpoint, Spent};
use picture::PictureId;

/// Writer of the checkpoints of a picture.
#[derive(Debug)]
pub(super) struct Checkpoints {
    file: PathBuf,
    every: Duration,
    /// Time of the last checkpoint, or of the start.
    last: Instant,
    picture: PictureId,
}

impl Checkpoints {
    /// Begins the first interval.
    fn new(file: PathBuf, every: Duration, picture: PictureId) -> Self {
        Self { file, every, last: Instant::now(), picture }
    }

    /// Asks a frame for its state when a checkpoint is due, and writes what it has.
    ///
    /// * `spent` — what was spent on the picture without the steps of this ticket.
    /// * `target` — number of samples after which the picture is denoised and judged.
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

    /// Writes a checkpoint. A failure is no reason to stop rendering: it is a warning, and the next checkpoint is tried
    /// again.
    pub(super) fn write(&mut self, state: RenderState, spent: Spent, target: u32) {
        let checkpoint = Checkpoint { picture: self.picture.clone(), spent, target, state };
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
    let picture = PictureId::new(scene, request.view(), request.window, request.algorithm)?;
    let resumed = resume(args, &picture)?;
    Ok((Some(Checkpoints::new(file.clone(), args.every, picture)), resumed))
}

/// Reads the checkpoint that a picture is to be continued from.
///
/// # Errors
/// The file cannot be read, is not a checkpoint or damaged, or is of another picture.
fn resume(args: &CheckpointArgs, picture: &PictureId) -> Result<Option<Checkpoint>, Failure> {
    let Some(file) = &args.resume else { return Ok(None) };
    let checkpoint = Checkpoint::load(file)?;
    match picture.differences(&checkpoint.picture)[..] {
        [] => Ok(Some(checkpoint)),
        ref differences => Err(Failure::bad_input(format!(
            "{}: is a checkpoint of another picture: another {}",
            file.display(),
            differences.join(", another ")
        ))
        .with_help("give the arguments of the command that wrote it; only the stop rules may differ")),
    }
}
