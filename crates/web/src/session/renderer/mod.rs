//! Choice of the next frame, for one image or for two that are compared: previews while something changes, better ones as
//! soon as it is at rest, and progressive refinement.

mod denoised;

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use sunfleck_engine::{EditableWorld, Engine, FrameResult, Ticket, Upsampling};
use sunfleck_image::Picture;
use sunfleck_integrators::{RenderStage, StopReason};
use tokio::sync::mpsc;

use super::denoising::{DenoiseError, Denoising};
use super::event::Event;
use super::image_state::{ImageState, ShownImage};
use super::method::Method;
use super::preview_pace::PreviewSize;
use super::view::{View, ViewerFrame};
use crate::encode::{Header, Mode, Progress, StageSecs};
use crate::memory;
use crate::protocol::Pose;

/// Time without a change after which previews become better.
const SETTLING_DELAY: Duration = Duration::from_millis(70);
/// Time without a change after which refinement starts.
const REST_DELAY: Duration = Duration::from_millis(160);
/// Predicted time of the first samples of all pixels from which previews become better before.
const LONG_FRAME: Duration = Duration::from_millis(250);
/// Steps in which previews become better: time since the view is at rest until which light keeps its resolution, and
/// then until which it has a quarter of the pixels.
const SETTLING: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1200)];

/// Starts a thread that waits for tickets and sends an event when a frame is done.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn wait_for_tickets(events: mpsc::Sender<Event>) -> std::io::Result<Sender<Arc<Ticket>>> {
    let (sender, tickets) = channel::<Arc<Ticket>>();
    let wait = move || {
        for ticket in tickets {
            if events.blocking_send(Event::FrameDone(ticket.wait())).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().name("sunfleck-waiter".into()).spawn(wait)?;
    Ok(sender)
}

/// Renderer of a session: the engine, both images, and the current frame.
#[derive(Debug)]
pub(super) struct Renderer {
    engine: Engine,
    waiter: Sender<Arc<Ticket>>,
    denoising: Denoising,
    /// The image, and the second one if two are compared.
    sides: [ImageState; 2],
    in_flight: Option<FrameInFlight>,
    /// Whether an image at rest of the current change is being denoised. Nothing is rendered at rest meanwhile.
    is_denoising: bool,
    /// Number of changes of the denoiser so far.
    denoiser_change: u64,
    /// Header of the newest frame at rest of the current change.
    rest_header: Option<Header>,
    /// Preview of the second image that follows the one of the first, with the same camera.
    second_preview: Option<ViewerFrame>,
    /// Number of changes so far that affect the image.
    change: u64,
    last_change: Instant,
    /// Number of the change at which the renderer panicked; it is not rendered again.
    failed_change: Option<u64>,
    /// Number of the latest input of the editor.
    input: Option<u64>,
    /// Number of frames so far.
    frames: u64,
}

/// Frame that is being rendered.
#[derive(Debug)]
struct FrameInFlight {
    ticket: Arc<Ticket>,
    mode: Mode,
    /// Index of the image: 0 or 1.
    side: usize,
    /// Whether the frame is for both images, which use the same preview.
    both: bool,
    /// Number of the change that the frame shows.
    change: u64,
    frame: ViewerFrame,
    /// Revision of the scene.
    revision: u64,
    input: Option<u64>,
    /// Samples per pixel before this frame.
    samples_before: u32,
}

/// Result of a frame.
#[derive(Debug)]
pub(super) enum FrameOutcome {
    /// Images to show: one, or two that are compared.
    Images(Vec<Arc<Picture>>, Box<Header>),
    /// There is nothing to show yet.
    Nothing,
    /// The renderer panicked.
    Failed,
    /// The denoiser failed.
    NotDenoised(DenoiseError),
}

impl Renderer {
    pub(super) fn new(engine: Engine, waiter: Sender<Arc<Ticket>>, denoising: Denoising) -> Self {
        Self {
            engine,
            waiter,
            denoising,
            sides: Default::default(),
            in_flight: None,
            is_denoising: false,
            denoiser_change: 0,
            rest_header: None,
            second_preview: None,
            change: 0,
            last_change: Instant::now(),
            failed_change: None,
            input: None,
            frames: 0,
        }
    }

    /// Discards the samples, since the image changes. `input` is the number of the input that changes it.
    pub(super) fn invalidate(&mut self, input: Option<u64>) {
        self.change += 1;
        self.last_change = Instant::now();
        self.sides.iter_mut().for_each(ImageState::invalidate);
        (self.is_denoising, self.rest_header) = (false, None);
        self.input = input.or(self.input);
        // Previews are finished even if they are out of date, so that continuous movements are shown
        if let Some(in_flight) = self.in_flight.as_ref().filter(|in_flight| in_flight.mode != Mode::Moving) {
            in_flight.ticket.cancel();
        }
    }

    /// Cancels the current frame.
    pub(super) fn pause(&mut self) {
        if let Some(in_flight) = &self.in_flight {
            in_flight.ticket.cancel();
        }
    }

    /// Starts the next frame, if none is being rendered and the images are not done.
    pub(super) fn start_next(&mut self, world: &EditableWorld, view: &View) {
        if self.in_flight.is_some() || self.failed_change == Some(self.change) {
            return;
        }
        let methods: Vec<Method> = view.methods().collect();
        if methods.len() < 2 {
            (self.sides[1], self.second_preview) = Default::default();
        }
        let pixels = view.pixels().map(u64::from).iter().product();
        if let Some(frame) = self.second_preview.take() {
            self.start(world, Mode::Moving, 1, false, frame);
        } else if self.is_moving(&methods, pixels) {
            self.start_moving(world, view, &methods, pixels);
        } else {
            self.start_resting(world, view, &methods, pixels);
        }
    }

    /// Returns whether the last change was so recent that another one is to be expected.
    fn is_moving(&self, methods: &[Method], pixels: u64) -> bool {
        let settles = |(side, method)| self.settling_size(side, method, pixels).is_some();
        let delay = if methods.iter().enumerate().any(settles) { SETTLING_DELAY } else { REST_DELAY };
        self.last_change.elapsed() < delay
    }

    /// Starts a preview. If two images need different previews, the second one follows.
    fn start_moving(&mut self, world: &EditableWorld, view: &View, methods: &[Method], pixels: u64) {
        let on_gpu = self.is_on_gpu();
        let preview = |method: &Method| (method.moving(on_gpu), method.channel);
        let distinct = methods.get(1).is_some_and(|second| preview(second) != preview(&methods[0]));
        let size = self.preview_size(view, methods, distinct, pixels);
        self.second_preview = distinct.then(|| view.moving_frame(&methods[1], size, on_gpu));
        let frame = view.moving_frame(&methods[0], size, on_gpu);
        self.start(world, Mode::Moving, 0, methods.len() == 2 && !distinct, frame);
    }

    /// Returns the size of previews.
    ///
    /// * `distinct` — whether there is one for each of two images: both must fit into the time of one, and have the same
    ///   size so that they are comparable.
    fn preview_size(&mut self, view: &View, methods: &[Method], distinct: bool, pixels: u64) -> PreviewSize {
        let (on_gpu, time) = (self.is_on_gpu(), view.frame_time());
        let count = if distinct { 2 } else { 1 };
        let sizes = self.sides.iter_mut().zip(methods).take(count).map(|(side, method)| {
            if method.is_upsampled(on_gpu) {
                side.upsampled.size(pixels, time / u32::try_from(count).unwrap_or(1))
            } else {
                PreviewSize {
                    scale: side.moving.pace.scale(pixels * count as u64, time),
                    light_divisor: None,
                }
            }
        });
        let smaller = |a: PreviewSize, b: PreviewSize| PreviewSize {
            scale: a.scale.min(b.scale),
            light_divisor: a.light_divisor.max(b.light_divisor),
        };
        sizes.reduce(smaller).unwrap_or(PreviewSize { scale: 1.0, light_divisor: None })
    }

    /// Denoises an image if that is due, else improves the preview of one that takes long, or refines the image with less
    /// render time, so that algorithms are compared at equal time.
    fn start_resting(&mut self, world: &EditableWorld, view: &View, methods: &[Method], pixels: u64) {
        self.denoise_if_due(view, methods);
        if self.is_denoising {
            return;
        }
        let remaining = |side: usize| view.target(&methods[side]).saturating_sub(self.sides[side].samples);
        let unfinished = (0..methods.len()).filter(|&side| remaining(side) > 0);
        let Some(side) =
            unfinished.min_by_key(|&side| self.sides[side].view_time + self.sides[side].settling_time)
        else {
            return;
        };
        let method = &methods[side];
        if let Some(size) = self.settling_size(side, method, pixels) {
            let frame = view.moving_frame(method, size, false);
            return self.start(world, Mode::Settling, side, false, frame);
        }
        let samples = self.sides[side].rest.pace.samples(pixels).min(remaining(side));
        self.start(world, Mode::Rest, side, false, view.rest_frame(method, samples));
    }

    /// Returns the size of the next preview of an image at rest; `None` if the time has come for light in all pixels.
    fn settling_size(&self, side: usize, method: &Method, pixels: u64) -> Option<PreviewSize> {
        let is_upsampled = method.is_upsampled(self.is_on_gpu());
        let state = &self.sides[side];
        if !is_upsampled || state.samples > 0 {
            return None;
        }
        // Where even edges take long, they would only delay the first samples
        state.upsampled.times(pixels).filter(|[edges, light]| *edges <= LONG_FRAME && *light > LONG_FRAME)?;
        let spent = state.settling_time;
        let divisor = match SETTLING.iter().position(|&until| spent < until)? {
            0 => state.upsampled.divisor().max(2),
            _ => 2,
        };
        Some(PreviewSize { scale: 1.0, light_divisor: Some(divisor) })
    }

    fn is_on_gpu(&self) -> bool {
        self.engine.gpu().is_some() && self.engine.trouble().is_none()
    }

    fn start(&mut self, world: &EditableWorld, mode: Mode, side: usize, both: bool, frame: ViewerFrame) {
        let samples_before = if mode == Mode::Rest { self.sides[side].samples } else { 0 };
        let canvas = &self.sides[side].paced_canvas(mode).canvas;
        let ticket = Arc::new(self.engine.render(world, &frame.request, canvas));
        // Fails only when the session is ending
        drop(self.waiter.send(ticket.clone()));
        let (change, input) = (self.change, self.input);
        let revision = world.committed().revision();
        self.in_flight =
            Some(FrameInFlight { ticket, mode, side, both, change, frame, revision, input, samples_before });
    }

    /// Handles the end of the current frame and returns what to show.
    pub(super) fn finish(&mut self, result: &FrameResult, view: &View) -> FrameOutcome {
        let Some(in_flight) = self.in_flight.take() else { return FrameOutcome::Nothing };
        if result.ended == StopReason::Failed {
            (self.failed_change, self.second_preview) = (Some(in_flight.change), None);
            return FrameOutcome::Failed;
        }
        self.images(&in_flight, result, view).unwrap_or(FrameOutcome::Nothing)
    }

    /// Updates the state of the image and returns the images to show, if they are complete.
    fn images(
        &mut self,
        in_flight: &FrameInFlight,
        result: &FrameResult,
        view: &View,
    ) -> Option<FrameOutcome> {
        let FrameInFlight { mode, side: index, both, change, ref frame, samples_before, .. } = *in_flight;
        let pixels = u64::from(frame.request.width) * u64::from(frame.request.height);
        let is_current = change == self.change;
        let new_samples = result.samples.saturating_sub(samples_before);
        if result.samples == 0 || (mode == Mode::Rest && (!is_current || new_samples == 0)) {
            return None;
        }
        let side = &mut self.sides[index];
        let upsampling = frame.request.upsampling.as_ref();
        match upsampling {
            Some(Upsampling { divisor, .. }) => side.upsampled.learn(pixels, *divisor, result),
            None => {
                // Previews with an unchanged camera accumulate, and their result counts all samples
                let samples = if mode == Mode::Moving { 1 } else { new_samples };
                side.paced_canvas(mode).pace.learn(pixels, samples, result.elapsed);
            }
        }
        match mode {
            Mode::Moving => {}
            Mode::Settling => side.settling_time += result.elapsed,
            Mode::Rest => {
                side.samples = result.samples;
                side.view_time += result.elapsed;
            }
        }
        // A denoiser that has failed has no time
        let is_denoised = upsampling.is_some() && !result.stages.of(RenderStage::Denoise).is_zero();
        let methods: Vec<Method> = view.methods().collect();
        let is_denoised_later = mode == Mode::Rest
            && methods.get(index).is_some_and(|method| view.rest_denoiser(method).is_some());
        // Until the next denoised image, the one before is better than the newest samples
        if !is_denoised_later {
            let canvas = side.paced_canvas(mode).canvas.clone();
            let shown = ShownImage {
                denoised: is_denoised.then_some(result.samples),
                picture: match frame.channel {
                    None => canvas.picture()?,
                    Some(channel) => Arc::new(canvas.film()?.display_image(channel)?),
                },
                canvas,
                channel: frame.channel,
            };
            if both {
                self.sides[1].shown = Some(shown.clone());
            }
            self.sides[index].shown = Some(shown);
        }
        let header = self.header(in_flight, result, view, &methods);
        if mode == Mode::Rest {
            self.rest_header = Some(header.clone());
        }
        let is_due = |(side, method): (&ImageState, &Method)| side.is_denoising_due(view.target(method));
        if is_denoised_later && is_due((&self.sides[index], methods.get(index)?)) {
            return None;
        }
        // Wait for the second preview
        if self.second_preview.is_some() {
            return None;
        }
        Some(FrameOutcome::Images(self.pictures(methods.len())?, Box::new(header)))
    }

    /// Returns the newest images; `None` before the first frame of a comparison that has just started.
    fn pictures(&self, count: usize) -> Option<Vec<Arc<Picture>>> {
        self.sides[..count].iter().map(|side| Some(side.shown.as_ref()?.picture.clone())).collect()
    }

    /// Makes the header of a finished frame.
    fn header(
        &mut self,
        in_flight: &FrameInFlight,
        result: &FrameResult,
        view: &View,
        methods: &[Method],
    ) -> Header {
        let progress = |side: usize, method: &Method| self.progress(side, method, in_flight.mode, view);
        let stage = |(stage, time): (RenderStage, Duration)| StageSecs(stage.name(), time.as_secs_f32());
        let header = Header {
            frame: self.frames + 1,
            revision: in_flight.revision,
            change: in_flight.change,
            mode: in_flight.mode,
            size: [in_flight.frame.request.width, in_flight.frame.request.height],
            light_divisor: in_flight.frame.request.upsampling.as_ref().map(|upsampling| upsampling.divisor),
            pose: Pose::from(&in_flight.frame.request.camera),
            first: progress(0, &methods[0]),
            second: methods.get(1).map(|method| progress(1, method)),
            side: in_flight.side,
            pictures: Vec::new(),
            frame_secs: result.elapsed.as_secs_f32(),
            encode_secs: 0.0,
            stages: match result.stages.iter().next() {
                Some(_) => result.stages.iter().map(stage).collect(),
                None => vec![StageSecs(result.by.name, result.elapsed.as_secs_f32())],
            },
            rays: result.rays.total(),
            vpls: result.vpls,
            by: self.rendered_by(result),
            exposure: 0.0,
            memory_bytes: memory::resident(),
            input: in_flight.input,
        };
        self.frames += 1;
        header
    }

    fn progress(&self, side: usize, method: &Method, mode: Mode, view: &View) -> Progress {
        let state = &self.sides[side];
        Progress {
            samples: if mode == Mode::Rest { state.samples } else { 1 },
            target: view.target(method),
            view_secs: state.view_time.as_secs_f32(),
            denoised: state.shown.as_ref().and_then(|shown| shown.denoised),
        }
    }

    /// Names the device that rendered a frame, with the reason if it is not the selected one.
    fn rendered_by(&self, result: &FrameResult) -> String {
        match (self.engine.gpu(), self.engine.trouble()) {
            (Some(gpu), None) => result.by.name.replacen("GPU", &gpu, 1),
            (_, Some(why)) => format!("{}, since {why}", result.by.name),
            (None, None) => result.by.name.into(),
        }
    }

    /// Returns the number of changes so far.
    pub(super) fn change(&self) -> u64 {
        self.change
    }

    /// Returns a new frame number, for images that are displayed again.
    pub(super) fn next_frame_number(&mut self) -> u64 {
        self.frames += 1;
        self.frames
    }

    /// Returns the first image.
    pub(super) fn shown(&self) -> Option<&ShownImage> {
        self.sides[0].shown.as_ref()
    }
}
