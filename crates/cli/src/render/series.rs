//! Series of the images of a rendering: of its frames and cameras, or a single one.

use std::collections::BTreeMap;

use sunfleck_command::Failure;
use sunfleck_engine::{Canvas, FrameRequest};
use sunfleck_image::Film;
use sunfleck_integrators::{PlacedCamera, StopReason};

use super::checkpoint;
use super::exposure::Exposure;
use super::frame::{FrameRenderer, RenderedFrame};
use super::output::{Outputs, WrittenFile};
use super::plan::RenderPlan;
use super::progress::Progress;
use super::setup::{CameraView, RenderSetup};
use super::{id_table, verdict};
use crate::interrupt::Interrupt;

/// Images of a rendering, which are rendered and written one after another.
#[derive(Debug)]
pub(super) struct ImageSeries<'a> {
    plan: &'a RenderPlan<'a>,
    pub(super) setup: RenderSetup,
    interrupt: &'a Interrupt,
    progress: Progress,
    /// Canvas of frames that reuse those before.
    canvas: Canvas,
    /// Exposure of each camera, in stops. A sequence keeps that of its first frame, since automatic exposure per frame
    /// would flicker.
    exposures: BTreeMap<Option<String>, f32>,
    pub(super) written: Vec<WrittenFile>,
    /// Last image that was written.
    pub(super) last: Option<FinishedImage>,
}

/// Image that was written, for the report.
#[derive(Debug)]
pub(super) struct FinishedImage {
    pub(super) camera: PlacedCamera,
    pub(super) frame: RenderedFrame,
    pub(super) exposure_stops: f32,
    /// Warning if the image is black or white.
    pub(super) verdict: Option<String>,
}

/// Whether an image, or a series of them, is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Complete,
    Interrupted,
}

impl<'a> ImageSeries<'a> {
    /// * `setup` — at the first frame.
    pub(super) fn new(
        plan: &'a RenderPlan<'a>,
        setup: RenderSetup,
        interrupt: &'a Interrupt,
        progress: Progress,
    ) -> Self {
        let (canvas, exposures) = (Canvas::new(), BTreeMap::new());
        Self { plan, setup, interrupt, progress, canvas, exposures, written: Vec::new(), last: None }
    }

    /// Renders and writes all images, until an interrupt.
    ///
    /// # Errors
    /// A frame or camera cannot be rendered, a file cannot be written, or a single image has no samples yet when it is
    /// interrupted.
    pub(super) fn render(&mut self) -> Result<Outcome, Failure> {
        let args = self.plan.args;
        let first = args.animation.first_frame();
        for frame in args.animation.frames_to_render() {
            if frame != first {
                self.setup.advance(args, frame)?;
            }
            for view in self.setup.views(args, self.plan.size.aspect(), frame)? {
                let outputs = self.plan.outputs.of_image(view.label.as_deref(), frame.number);
                // Ctrl-C while the image before was denoised or written
                if self.last.is_some() && self.interrupt.is_requested() {
                    let files = outputs.names();
                    eprintln!("interrupted: the images from {files} on are not rendered");
                    return Ok(Outcome::Interrupted);
                }
                if self.render_image(view, &outputs)? == Outcome::Interrupted {
                    return Ok(Outcome::Interrupted);
                }
            }
        }
        Ok(Outcome::Complete)
    }

    /// Renders and writes one image; of several, not if it is interrupted.
    fn render_image(&mut self, view: CameraView, outputs: &Outputs) -> Result<Outcome, Failure> {
        let args = self.plan.args;
        let CameraView { label, camera } = view;
        if !args.allow_empty && !args.renders_several_images() {
            self.setup.check_visible(args, &self.plan.size, &camera)?;
        }
        let frame = self.render_frame(&camera)?;
        self.progress.clear();
        if let Some(why) = self.plan.engine.trouble() {
            eprintln!("warning: rendered on the CPU, since {why}");
        }
        let outcome = match frame.result.ended {
            StopReason::Cancelled => Outcome::Interrupted,
            _ => Outcome::Complete,
        };
        if outcome == Outcome::Interrupted && !self.keeps_interrupted(&frame, outputs)? {
            return Ok(outcome);
        }
        self.write(label, camera, frame, outputs)?;
        Ok(outcome)
    }

    fn render_frame(&self, camera: &PlacedCamera) -> Result<RenderedFrame, Failure> {
        let Self { plan, setup, interrupt, progress, .. } = self;
        interrupt.start_rendering();
        let denoising = plan.denoising.as_ref();
        let request = setup.request(
            plan.args,
            &plan.algorithm,
            &plan.size,
            camera.clone(),
            plan.shows_environment,
            denoising.is_some(),
        )?;
        let request = FrameRequest { steady: plan.reuses(), ..request };
        let (checkpoints, resumed) =
            checkpoint::of_frame(&plan.args.checkpoint, setup.world.scene(), &request)?;
        let canvas = if plan.reuses() { self.canvas.clone() } else { Canvas::new() };
        FrameRenderer::new(&plan.engine, setup, request, plan.rules, canvas, interrupt.requested(), progress)
            .with_checkpoints(checkpoints, resumed)
            .render(denoising)
    }

    /// Returns whether an image that is interrupted is written, and says so. Of several images it is not, since its
    /// file would pass for that of a finished one.
    ///
    /// # Errors
    /// It has no samples.
    fn keeps_interrupted(&self, frame: &RenderedFrame, outputs: &Outputs) -> Result<bool, Failure> {
        if self.plan.args.renders_several_images() {
            if self.last.is_some() {
                eprintln!("interrupted: {} is not finished and not written", outputs.names());
            }
            return Ok(false);
        }
        if frame.film.is_empty() {
            return Err(Failure::interrupted(
                "interrupted before the first sample was rendered: no image is written",
            ));
        }
        eprintln!("interrupted: writing the image rendered so far");
        if let Some(warning) = unrendered(&frame.film) {
            eprintln!("{warning}");
        }
        Ok(true)
    }

    fn write(
        &mut self,
        label: Option<String>,
        camera: PlacedCamera,
        frame: RenderedFrame,
        outputs: &Outputs,
    ) -> Result<(), Failure> {
        let RenderPlan { args, algorithm, size, backdrop, .. } = self.plan;
        let RenderedFrame { film, denoised, .. } = &frame;
        let scene = self.setup.world.scene();
        let exposure_stops = *self.exposures.entry(label).or_insert_with(|| {
            let scene_stops = scene.exposure_stops();
            Exposure::choose(args.view.exposure, algorithm.uses_lights(), scene_stops).stops(film)
        });
        self.written.extend(outputs.write(
            film,
            denoised.as_ref(),
            exposure_stops,
            size,
            backdrop.as_ref(),
        )?);
        self.written.extend(id_table::write(outputs, scene)?);
        let is_judged = algorithm.uses_lights() && !args.renders_several_images() && outputs.show_radiance();
        let judge = || {
            let lights = self.setup.world.committed().light_count();
            verdict::of_image(film, exposure_stops, args.view.tone_curve, lights)
        };
        let verdict = if is_judged { judge() } else { None };
        self.last = Some(FinishedImage { camera, frame, exposure_stops, verdict });
        Ok(())
    }
}

/// Returns a warning if an image was interrupted before each of its pixels had a sample.
fn unrendered(film: &Film) -> Option<String> {
    let [total, rendered] =
        film.attempts().fold([0_u64; 2], |[total, rendered], n| [total + 1, rendered + u64::from(n > 0)]);
    (rendered < total).then(|| {
        let percent = match rendered * 100 / total {
            0 => "less than 1".to_string(),
            percent => format!("only {percent}"),
        };
        format!("warning: {percent} % of the pixels have been rendered; the others have no sample")
    })
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{AovSet, PixelSample, TileRect};

    use super::*;

    #[test]
    fn an_image_without_samples_in_some_pixels_is_told_from_a_complete_one() {
        let mut film = Film::new(4, 2, AovSet::EMPTY);
        for (rows, expected) in [(1, Some("only 50 % of the pixels")), (2, None)] {
            let mut tile = film.tile(TileRect { x0: 0, y0: rows - 1, x1: 4, y1: rows });
            (0..4).for_each(|x| tile.add(x, rows - 1, &PixelSample::default()));
            film.put(tile).unwrap();
            let warning = unrendered(&film);
            assert_eq!(warning.is_some(), expected.is_some(), "{warning:?}");
            assert!(warning.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }
}
