use std::sync::atomic::AtomicBool;

use sunfleck_gpu::{FrameSequence, GpuError};
use sunfleck_image::{Film, Picture};
use sunfleck_integrators::{RenderProgress, StopRules, ViewSpec};
use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, vec3};

use super::{CameraPathErrors, IgiGpuBench, IgiGpuRow, IgiGpuSettings, ImageErrors, warm};

/// Path of a camera that moves forward and to the right, and turns.
#[derive(Clone, Copy, Debug)]
pub struct CameraPath {
    /// Number of frames that are averaged for an image.
    pub mean_of: u32,
    /// Distance between two frames, metres.
    pub step: f32,
    /// Number of frames of the reference mean; 0: no comparison.
    pub reference_frames: u32,
}

/// Unit direction of the motion in view space: forward and to the right.
const ALONG: [f32; 3] = [0.6, 0.0, -0.8];
/// Rotation per distance, radians per metre.
const TURN: f32 = 0.05;
/// Number of positions at which images are compared.
const COMPARISONS: u32 = 4;
/// Number of frames between two comparisons, in multiples of the number of averaged frames.
const MEANS: u32 = 3;

impl CameraPath {
    /// Returns the view of a frame.
    fn view(&self, from: &ViewSpec, frame: u32) -> ViewSpec {
        let distance = self.step * frame as f32;
        let [x, y, z] = ALONG;
        let step = Affine3::from_translation(vec3(x, y, z) * distance) * rotation_y(TURN * distance);
        ViewSpec { world_from_view: from.world_from_view * step, ..*from }
    }
}

impl IgiGpuBench<'_> {
    /// Measures the frames of a moving camera.
    pub(super) fn moving(&self, path: &CameraPath, name: &str) -> Result<IgiGpuRow, GpuError> {
        let Self { settings: IgiGpuSettings { igi, frames, .. }, stage, spec, scene, renderer } = self;
        let mut row = IgiGpuRow::empty(name, spec, path.mean_of);
        // The camera moves back and forth, so that it does not pass through walls
        let view = |frame: u32| path.view(spec, frame.abs_diff(*frames));
        let mut sequence = renderer.sequence(scene, stage.world.committed(), spec, igi, path.mean_of)?;
        row.fill(warm(|| sequence.time(*frames, view))?);
        if path.reference_frames > 0 {
            row.errors = self.errors(path)?;
        }
        Ok(row)
    }

    /// Returns the mean errors at several positions; `None` without an image.
    fn errors(&self, path: &CameraPath) -> Result<Option<CameraPathErrors>, GpuError> {
        let igi = self.settings.igi;
        let part = igi.part(path.mean_of);
        let begin = |igi, mean_of| {
            self.renderer.sequence(&self.scene, self.stage.world.committed(), self.spec, igi, mean_of)
        };
        let mut sequences = [begin(&igi, path.mean_of)?, begin(&igi, 1)?, begin(&part, 1)?];
        let mut sums = [ImageErrors::default(); 3];
        for comparison in 1..=COMPARISONS {
            let (first, last) = ((comparison - 1) * MEANS * path.mean_of, comparison * MEANS * path.mean_of);
            let end = path.view(self.spec, last);
            let reference = self.many(&end, path.reference_frames)?;
            for frame in first..last {
                sequences[0].show(&path.view(self.spec, frame))?;
            }
            for (sum, sequence) in sums.iter_mut().zip(&mut sequences) {
                sequence.show(&end)?;
                let picture = sequence.picture()?;
                let Some(errors) = picture.and_then(|picture| ImageErrors::of(&picture, &reference)) else {
                    return Ok(None);
                };
                sum.rmse += errors.rmse / f64::from(COMPARISONS);
                sum.flip += errors.flip / f64::from(COMPARISONS);
            }
        }
        let [moving, anew, part] = sums;
        Ok(Some(CameraPathErrors { reference_frames: path.reference_frames, walk: moving, anew, part }))
    }

    /// Returns the mean of many independent frames of a view.
    fn many(&self, view: &ViewSpec, frames: u32) -> Result<Picture, GpuError> {
        let Self { settings: IgiGpuSettings { igi, .. }, stage, scene, renderer, .. } = self;
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
