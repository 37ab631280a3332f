//! What the renderer gives to the denoiser, and what it shows of the results.

use std::sync::Arc;
use std::time::Duration;

use sunfleck_image::Picture;

use super::{FrameOutcome, Method, Mode, Renderer, ShownImage, StageSecs, View};
use crate::session::denoising::{DenoiseJob, DenoiseResult, DenoisedImage};

impl Renderer {
    /// Starts to denoise an image at rest, if that is due and none is being denoised.
    pub(super) fn denoise_if_due(&mut self, view: &View, methods: &[Method]) {
        if self.is_denoising {
            return;
        }
        for (side, method) in methods.iter().enumerate() {
            if self.sides[side].is_denoising_due(view.target(method))
                && let Some(denoiser) = view.rest_denoiser(method)
            {
                let state = &mut self.sides[side];
                state.denoiser_samples = state.samples;
                let (canvas, samples) = (state.rest.canvas.clone(), state.samples);
                let (change, denoiser_change) = (self.change, self.denoiser_change);
                let image = DenoisedImage { side, change, denoiser_change, samples };
                self.denoising.denoise(DenoiseJob { canvas, denoiser, image });
                self.is_denoising = true;
                return;
            }
        }
    }

    /// Handles the result of the denoiser and returns what to show.
    pub(in crate::session) fn denoised(&mut self, result: DenoiseResult, view: &View) -> FrameOutcome {
        let DenoiseResult { image, picture, elapsed } = result;
        // The canvas of an earlier change is not used any more
        if image.change != self.change {
            return FrameOutcome::Nothing;
        }
        self.is_denoising = false;
        if image.denoiser_change != self.denoiser_change {
            return FrameOutcome::Nothing;
        }
        let outcome = picture.map(|picture| self.denoised_at_rest(image, picture, elapsed, view));
        match outcome {
            Ok(images) => images.unwrap_or(FrameOutcome::Nothing),
            Err(error) => FrameOutcome::NotDenoised(error),
        }
    }

    /// Shows the image at rest as it was denoised, or as it was rendered if there is no `picture`.
    fn denoised_at_rest(
        &mut self,
        image: DenoisedImage,
        picture: Option<Arc<Picture>>,
        elapsed: Duration,
        view: &View,
    ) -> Option<FrameOutcome> {
        let side = &mut self.sides[image.side];
        let denoised = picture.is_some().then_some(image.samples);
        let canvas = side.rest.canvas.clone();
        let picture = picture.or_else(|| canvas.picture())?;
        side.shown = Some(ShownImage { picture, denoised, canvas, channel: None });
        self.images_at_rest(view, Some(StageSecs("denoise", elapsed.as_secs_f32())))
    }

    /// Handles a change of the denoiser: images that are shown as they were rendered change at once, others when they
    /// are denoised.
    pub(in crate::session) fn denoiser_changed(&mut self, view: &View) -> FrameOutcome {
        self.denoiser_change += 1;
        for (side, method) in self.sides.iter_mut().zip(view.methods()) {
            side.denoiser_samples = 0;
            let canvas = side.rest.canvas.clone();
            if view.rest_denoiser(&method).is_none()
                && method.channel.is_none()
                && let Some(picture) = canvas.picture()
            {
                side.shown = Some(ShownImage { picture, denoised: None, canvas, channel: None });
            }
        }
        self.images_at_rest(view, None).unwrap_or(FrameOutcome::Nothing)
    }

    /// Returns the images at rest to show again, since one of them has changed without a new frame.
    fn images_at_rest(&mut self, view: &View, stage: Option<StageSecs>) -> Option<FrameOutcome> {
        let methods: Vec<Method> = view.methods().collect();
        let mut header = self.rest_header.clone()?;
        header.frame = self.next_frame_number();
        header.first = self.progress(0, &methods[0], Mode::Rest, view);
        header.second = methods.get(1).map(|method| self.progress(1, method, Mode::Rest, view));
        header.stages.extend(stage);
        Some(FrameOutcome::Images(self.pictures(methods.len())?, Box::new(header)))
    }
}
