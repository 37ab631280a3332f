//! Arguments about checkpoints.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use sunfleck_command::Failure;

use crate::render::output::Outputs;
use crate::{destination, values};

/// Group of the options that name the file of the checkpoints.
const FILES: &str = "checkpoint_files";

/// Checkpoints: samples so far, to continue after an interruption.
#[derive(Args, Debug)]
#[command(next_help_heading = "Checkpoints")]
#[command(group = ArgGroup::new(FILES).args(["checkpoint", "resume"]).multiple(true))]
pub(in crate::render) struct CheckpointArgs {
    /// Write the samples so far to a file, at intervals and at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Time between checkpoints
    #[arg(long, value_name = "DURATION", default_value = "60s", requires = FILES)]
    #[arg(value_parser = values::positive_duration)]
    pub(in crate::render) every: Duration,

    /// Continue the image of a checkpoint, with the same arguments
    ///
    /// The image has the same bits as if it had not been interrupted. Stop rules may differ, so that samples can be
    /// added to a finished image. Further checkpoints are written to the same file, if --checkpoint names no other.
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
}

impl CheckpointArgs {
    /// Returns the file to write; `None`: there are no checkpoints.
    pub(in crate::render) fn file(&self) -> Option<&PathBuf> {
        self.checkpoint.as_ref().or(self.resume.as_ref())
    }

    /// Checks that checkpoints can be written.
    ///
    /// * `continue_series` — how a series of images is continued instead; `None` of a single image.
    ///
    /// # Errors
    /// The file cannot be written, is that of an image, or the image is one of a series.
    pub(in crate::render) fn check(
        &self,
        continue_series: Option<&str>,
        outputs: &Outputs,
    ) -> Result<(), Failure> {
        let Some(file) = self.file() else { return Ok(()) };
        if let Some(how) = continue_series {
            return Err(Failure::bad_input("checkpoints are of single images").with_help(how));
        }
        if let Some(file) = self.checkpoint.iter().chain(&self.resume).find(|file| outputs.has_file(file)) {
            let why = format!("{}: a checkpoint and an image cannot be the same file", file.display());
            return Err(Failure::bad_input(why).with_help("give the checkpoint a name of its own"));
        }
        destination::check_folder(file)
    }
}
