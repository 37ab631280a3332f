mod steady;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use sunfleck_denoise::oidn::OidnError;
use sunfleck_gpu::{GpuError, GpuReuse, LivePicture};
use sunfleck_image::{AovSet, Film, Picture};
use sunfleck_integrators::reuse::TemporalReuse;
use sunfleck_integrators::{
    Algorithm, RenderOutcome, RenderStage, RenderStart, RenderState, TemporalHistory, World,
};

use crate::denoising::{Denoised, Denoiser};
use crate::frame::FrameRequest;
use crate::pace::Pace;
use crate::ticket::{FrameResult, RenderedBy};
use crate::world::EditableWorld;
pub(crate) use steady::{SteadyFrame, UpsampledFrame};

/// Image onto which frames are rendered. Frames of the same view of the same world are accumulated. The first frame of
/// another view or world starts again, but the previous image stays until the first pass of that frame is complete, so
/// that the display never flashes black.
///
/// Clones refer to the same canvas.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Samples; locked while a frame is rendered.
    work: Mutex<Accumulation>,
    /// Latest image; locked briefly.
    seen: Mutex<Option<ShownImage>>,
}

/// Weak reference to a canvas.
#[derive(Clone, Debug)]
pub(crate) struct CanvasKey(Weak<Shared>);

impl CanvasKey {
    pub(crate) fn is_of(&self, canvas: &Canvas) -> bool {
        self.0.as_ptr() == Arc::as_ptr(&canvas.shared)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

/// Accumulated samples.
#[derive(Debug, Default)]
pub(crate) struct Accumulation {
    /// World and request of the samples.
    of: Option<(Arc<World>, FrameRequest)>,
    /// Sums of the first samples. If there are none, the film may be of any size, and is kept to reuse its memory.
    film: Option<Film>,
    /// Sums of the following samples, on a GPU.
    live: Option<Live>,
    pub(crate) samples: u32,
    /// Number of the first sample that was never begun; larger than the number of samples if a frame ended early.
    pub(crate) next: u32,
    /// Where the next frame continues an image of another process.
    resumed: Option<RenderStart>,
    pub(crate) pace: Pace,
    /// State of `igi` between steady frames on the CPU.
    pub(crate) history: TemporalHistory,
    /// Temporal sequence of the steady frames on the CPU.
    pub(crate) reuse: TemporalReuse,
    /// Temporal sequence of the steady frames on a GPU.
    pub(crate) reuse_on_gpu: GpuReuse,
    /// The newest frame, if it is steady.
    steady: Option<SteadyFrame>,
    /// Number of the first sample of the next steady frame.
    steady_next: u32,
}

/// Samples on a GPU.
#[derive(Debug)]
struct Live {
    /// Number under which the renderer held the world when the image was started.
    held: u64,
    picture: LivePicture,
}

#[derive(Clone, Debug)]
struct ShownImage {
    picture: Arc<Picture>,
    samples: u32,
}

impl Canvas {
    /// Returns an empty canvas.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the latest image: linear radiance. `None` before the first pass of the first frame.
    pub fn picture(&self) -> Option<Arc<Picture>> {
        lock(&self.shared.seen).as_ref().map(|seen| seen.picture.clone())
    }

    /// Returns the number of samples per pixel of [`Canvas::picture`].
    pub fn samples(&self) -> u32 {
        lock(&self.shared.seen).as_ref().map_or(0, |seen| seen.samples)
    }

    /// Returns the sums with all requested channels. Waits for a frame that is being rendered. `None` before the first
    /// frame, and after steady frames of `igi` without AOVs on a GPU, which have no sums.
    pub fn film(&self) -> Option<Film> {
        self.work().sums()
    }

    /// Returns the denoised image of all samples so far. `None` as [`film`](Self::film). Errors: those
    /// of [`Denoiser::denoise`].
    pub fn denoised(&self, denoiser: &Denoiser) -> Result<Option<Picture>, OidnError> {
        self.work().denoised(denoiser)
    }

    /// Returns the image as [`denoised`](Self::denoised) does, with an estimate of its error. Errors: those of
    /// [`Denoiser::denoise_with_error`].
    pub fn denoised_with_error(&self, denoiser: &Denoiser) -> Result<Option<Denoised>, OidnError> {
        self.work().denoised_with_error(denoiser)
    }

    /// Returns the number of frames that the diffuse light of each pixel of the newest frame is a mean of, that frame
    /// included, row by row. `None` if that frame is not [steady](FrameRequest::steady), is one of `igi` without AOVs
    /// on a GPU, or is lost with a GPU. Waits for a frame that is being rendered.
    pub fn frame_counts(&self) -> Option<Vec<f32>> {
        self.work().frame_counts()
    }

    /// Discards all samples and histories: the next frame starts again. The image stays until then. Waits for a frame
    /// that is being rendered.
    pub fn clear(&self) {
        let mut work = self.work();
        let (film, pace) = (work.film.take(), work.pace);
        *work = Accumulation { film, pace, ..Accumulation::default() };
    }

    /// Puts the samples of an image onto the canvas that was [interrupted](crate::Ticket::request_state), perhaps in
    /// another process: the next frame of this view of this world continues it on the CPU, to the bits of an image that
    /// was never interrupted. The film must be of the size and have the AOVs of the frame; if not, or if the next frame
    /// is of another view, the samples are discarded.
    pub fn resume(&self, world: &EditableWorld, frame: &FrameRequest, state: RenderState) {
        let RenderState { film, start, .. } = state;
        self.show(&film, start.samples);
        *self.work() = Accumulation {
            of: Some((world.committed().clone(), frame.clone())),
            film: Some(film),
            samples: start.samples,
            next: start.samples,
            resumed: Some(start),
            ..Accumulation::default()
        };
    }

    /// Removes the sums and returns them as [`film`](Self::film) does; the next frame starts again.
    pub fn take_film(&self) -> Option<Film> {
        let mut work = self.work();
        let work = std::mem::take(&mut *work);
        if work.live.is_some() { work.sums() } else { work.film.filter(|_| work.of.is_some()) }
    }

    pub(crate) fn show(&self, film: &Film, samples: u32) {
        self.show_picture(Arc::new(film.radiance()), samples);
    }

    pub(crate) fn show_picture(&self, picture: Arc<Picture>, samples: u32) {
        *lock(&self.shared.seen) = Some(ShownImage { picture, samples });
    }

    /// Returns a key that identifies the canvas without keeping it alive.
    pub(crate) fn key(&self) -> CanvasKey {
        CanvasKey(Arc::downgrade(&self.shared))
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Accumulation> {
        lock(&self.shared.work)
    }
}

impl Accumulation {
    /// Keeps the samples if they show the same view of the same world, else discards them.
    pub(crate) fn set_view(&mut self, world: &Arc<World>, frame: &FrameRequest) {
        let same = |(w, f): &(Arc<World>, FrameRequest)| Arc::ptr_eq(w, world) && f.is_same_view(frame);
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((world.clone(), frame.clone()));
            (self.live, self.steady, self.samples, self.next) = (None, None, 0, 0);
            self.resumed = None;
        }
    }

    /// Returns the film for a frame that the CPU renders, with all samples so far. The caller gives it back with
    /// [`return_film`](Self::return_film).
    pub(crate) fn film_for(&mut self, world: &Arc<World>, frame: &FrameRequest) -> Film {
        self.set_view(world, frame);
        if self.live.is_some() {
            // `None` if the GPU is lost: its samples are lost, too
            self.film = self.sums();
            self.live = None;
        }
        let fits = |film: &Film| (film.window(), film.aovs()) == (frame.film_window(), frame.aovs);
        let has_samples = self.samples > 0 || self.resumed.is_some();
        match self.film.take_if(|film| has_samples && fits(film)) {
            Some(film) => film,
            None => {
                (self.samples, self.next, self.resumed) = (0, 0, None);
                self.empty_film(frame, frame.aovs)
            }
        }
    }

    /// Returns whether the samples are those of an image that was interrupted, which the CPU continues.
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed.is_some()
    }

    /// Returns where a frame on the CPU begins.
    pub(crate) fn start(&mut self) -> RenderStart {
        let resumed = self.resumed.take().filter(|start| start.samples == self.next);
        resumed.unwrap_or_else(|| self.next.into())
    }

    /// Returns a film without samples, in the memory of the previous one if that fits.
    fn empty_film(&mut self, frame: &FrameRequest, aovs: AovSet) -> Film {
        let window = frame.film_window();
        let fits = |film: &Film| (film.window(), film.aovs()) == (window, aovs);
        self.film.take().filter(fits).map_or_else(|| Film::of_window(window, aovs), cleared)
    }

    /// Records a frame that was rendered onto its film.
    ///
    /// * `outcome` — its `samples` is the number after the last sample, and includes those of previous frames.
    pub(crate) fn return_film(
        &mut self,
        film: Film,
        algorithm: &Algorithm,
        outcome: &RenderOutcome,
        by: RenderedBy,
    ) -> FrameResult {
        self.film = Some(film);
        self.note(algorithm, outcome, by)
    }

    /// Returns the image on a GPU to which a frame adds samples. If there is none, `begin` starts one at the given
    /// sample number.
    ///
    /// * `held` — number under which the renderer holds the world.
    pub(crate) fn live_for(
        &mut self,
        world: &Arc<World>,
        frame: &FrameRequest,
        held: u64,
        begin: impl FnOnce(u32) -> Result<LivePicture, GpuError>,
    ) -> Result<&mut LivePicture, GpuError> {
        self.set_view(world, frame);
        let live = match self.live.take() {
            Some(live) if live.held == held => live,
            // The renderer has held another world in the meantime
            other => {
                if let Some(other) = other {
                    self.film = self.with(&other);
                }
                self.film = self.film.take().filter(|_| self.samples > 0);
                if self.film.is_none() {
                    (self.samples, self.next) = (0, 0);
                }
                Live { held, picture: begin(self.next)? }
            }
        };
        Ok(&mut self.live.insert(live).picture)
    }

    /// Records samples that a GPU has added to the image.
    pub(crate) fn record_live(&mut self, algorithm: &Algorithm, outcome: &RenderOutcome) -> FrameResult {
        let gpu_samples = outcome.samples.saturating_sub(self.next);
        self.note(algorithm, outcome, RenderedBy { name: "GPU", gpu_samples })
    }

    /// Returns the image of a GPU so far; `None` if the GPU is lost.
    pub(crate) fn picture(&self) -> Option<Picture> {
        match (&self.film, &self.live) {
            (None, Some(live)) => live.picture.radiance().ok()?,
            _ => Some(self.sums()?.radiance()),
        }
    }

    /// Returns all samples; `None` if there are none, or if those on a GPU are lost.
    pub(crate) fn sums(&self) -> Option<Film> {
        match &self.live {
            Some(live) => self.with(live),
            None => self.film.clone(),
        }
    }

    /// Returns the denoised image. The CPU denoises what the GPU cannot, for lack of kernels or memory.
    fn denoised(&self, denoiser: &Denoiser) -> Result<Option<Picture>, OidnError> {
        if let Some(frame) = &self.steady {
            return self.denoised_steady(frame, denoiser);
        }
        if let (Some(live), None) = (&self.live, &self.film)
            && let Ok(Some(picture)) = denoiser.denoise_live(&live.picture, self.samples)
        {
            return Ok(Some(picture));
        }
        self.of_all(|film| denoiser.denoise(film))
    }

    /// Returns the denoised image with its error. Where that is not known, the GPU may denoise.
    fn denoised_with_error(&self, denoiser: &Denoiser) -> Result<Option<Denoised>, OidnError> {
        if self.samples < Denoiser::SAMPLES_FOR_ERROR || self.steady.is_some() {
            return Ok(self.denoised(denoiser)?.map(|picture| Denoised { picture, error: None }));
        }
        self.of_all(|film| denoiser.denoise_with_error(film))
    }

    /// Returns what the CPU makes of all samples; `None` if there are none.
    fn of_all<T>(&self, denoise: impl Fn(&Film) -> Result<T, OidnError>) -> Result<Option<T>, OidnError> {
        match (&self.live, &self.film) {
            (None, Some(film)) if self.samples > 0 => denoise(film).map(Some),
            (None, _) => Ok(None),
            (Some(live), _) => self.with(live).map(|film| denoise(&film)).transpose(),
        }
    }

    /// Returns the sums of all samples; `None` if the GPU is lost.
    fn with(&self, live: &Live) -> Option<Film> {
        let new = live.picture.film().ok()?;
        match &self.film {
            Some(film) => {
                let mut all = film.clone();
                all.add(&new);
                Some(all)
            }
            None => Some(new),
        }
    }

    fn note(&mut self, algorithm: &Algorithm, outcome: &RenderOutcome, by: RenderedBy) -> FrameResult {
        let &RenderOutcome { ended, samples, next, rays, elapsed, stages, vpls } = outcome;
        let added = samples.saturating_sub(self.next);
        if let Some((_, frame)) = &self.of {
            let pixels = frame.film_window().area() as u64;
            // What follows the samples of a steady frame is not theirs
            let after = [RenderStage::Reuse, RenderStage::Denoise, RenderStage::Upsample];
            let after = after.map(|stage| stages.of(stage)).iter().sum();
            self.pace.learn(algorithm, pixels, added, elapsed.saturating_sub(after));
        }
        self.samples += added;
        self.next = next;
        FrameResult { ended, samples: self.samples, rays, elapsed, stages, vpls, by }
    }
}

fn cleared(mut film: Film) -> Film {
    film.clear();
    film
}

/// Locks a mutex, also if a thread panicked while it held the lock: the state is consistent wherever code may panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
