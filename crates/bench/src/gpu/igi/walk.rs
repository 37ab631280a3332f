use std::sync::atomic::AtomicBool;

use sunfleck_gpu::{FrameSequence, GpuError};
use sunfleck_image::{Film, Picture};
use sunfleck_integrators::{RenderProgress, StopRules, ViewSpec};
use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, vec3};

use super::{Errors, IgiGpuRow, Settings, Trial, WalkErrors, warm};

/// A camera that moves forward and a little to the right, and turns.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Number of frames that are averaged for an image.
    pub mean_of: u32,
    /// Metres between two frames.
    pub step: f32,
    /// Number of frames of the reference mean; 0: no comparison.
    pub reference_frames: u32,
}

/// Forward and to the right, of length 1.
const ALONG: [f32; 3] = [0.6, 0.0, -0.8];
/// Radians for each metre.
const TURN: f32 = 0.05;
/// Number of comparisons, and frames between two of them in multiples of the averaged frames.
const MOMENTS: u32 = 4;
const MEANS: u32 = 3;

impl Walk {
    /// Returns the view of a frame.
    fn view(&self, from: &ViewSpec, frame: u32) -> ViewSpec {
        let walked = self.step * frame as f32;
        let [x, y, z] = ALONG;
        let step = Affine3::from_translation(vec3(x, y, z) * walked) * rotation_y(TURN * walked);
        ViewSpec { world_from_view: from.world_from_view * step, ..*from }
    }
}

impl Trial<'_> {
    /// Renders the frames of the moving camera.
    pub(super) fn walk(&self, walk: &Walk, name: &str) -> Result<IgiGpuRow, GpuError> {
        let Self { settings: Settings { igi, frames, .. }, stage, spec, scene, renderer } = self;
        let mut row = IgiGpuRow::empty(name, spec, walk.mean_of);
        // Back and forth, so that the camera does not run into walls
        let view = |frame: u32| walk.view(spec, frame.abs_diff(*frames));
        let mut sequence = renderer.sequence(scene, stage.world.committed(), spec, igi, walk.mean_of)?;
        row.fill(warm(|| sequence.time(*frames, view))?);
        if walk.reference_frames > 0 {
            row.errors = self.errors(walk)?;
        }
        Ok(row)
    }

    /// Returns the mean error at several times; `None` without an image.
    fn errors(&self, walk: &Walk) -> Result<Option<WalkErrors>, GpuError> {
        let igi = self.settings.igi;
        let part = igi.part(walk.mean_of);
        let begin = |igi, mean_of| {
            self.renderer.sequence(&self.scene, self.stage.world.committed(), self.spec, igi, mean_of)
        };
        let mut sequences = [begin(&igi, walk.mean_of)?, begin(&igi, 1)?, begin(&part, 1)?];
        let mut sums = [Errors::default(); 3];
        for moment in 1..=MOMENTS {
            let (first, last) = ((moment - 1) * MEANS * walk.mean_of, moment * MEANS * walk.mean_of);
            let end = walk.view(self.spec, last);
            let reference = self.many(&end, walk.reference_frames)?;
            for frame in first..last {
                sequences[0].show(&walk.view(self.spec, frame))?;
            }
            for (sum, sequence) in sums.iter_mut().zip(&mut sequences) {
                sequence.show(&end)?;
                let picture = sequence.picture()?;
                let Some(errors) = picture.and_then(|picture| Errors::of(&picture, &reference)) else {
                    return Ok(None);
                };
                sum.rmse += errors.rmse / f64::from(MOMENTS);
                sum.flip += errors.flip / f64::from(MOMENTS);
            }
        }
        let [walked, anew, part] = sums;
        Ok(Some(WalkErrors { reference_frames: walk.reference_frames, walk: walked, anew, part }))
    }

    /// Returns the mean of many frames.
    fn many(&self, view: &ViewSpec, frames: u32) -> Result<Picture, GpuError> {
        let Self { settings: Settings { igi, .. }, stage, scene, renderer, .. } = self;
        let mut film = Film::new(view.width, view.height, view.aovs);
        let stop = StopRules { samples: Some(frames), ..StopRules::default() };
        let go_on = AtomicBool::new(false);
        renderer.render(
            scene,
            stage.world.committed(),
            view,
            igi,
            &mut film,
            &stop,
            &go_on,
            &|_: &RenderProgress| (),
        )?;
        Ok(film.radiance())
    }
}
