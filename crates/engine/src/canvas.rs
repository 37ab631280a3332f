use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use sunfleck_gpu::{GpuError, LivePicture};
use sunfleck_image::{Film, Picture};
use sunfleck_integrators::TemporalHistory;
use sunfleck_integrators::{Algorithm, RenderOutcome, World};

use crate::frame::FrameRequest;
use crate::pace::Pace;
use crate::ticket::{FrameResult, RenderedBy};

/// Where frames go. Frames of the same view of the same world add up; the first frame of another one starts again, but what is
/// seen stays until its first pass is done: no black flash.
///
/// Clones are the same canvas.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Held while a frame is rendered.
    work: Mutex<Work>,
    /// Held for moments.
    seen: Mutex<Option<Seen>>,
}

/// Of a canvas that may be gone.
#[derive(Clone, Debug)]
pub(crate) struct Key(Weak<Shared>);

impl Key {
    pub(crate) fn is_of(&self, canvas: &Canvas) -> bool {
        self.0.as_ptr() == Arc::as_ptr(&canvas.shared)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

/// What is added up.
#[derive(Debug, Default)]
pub(crate) struct Work {
    of: Option<(Arc<World>, FrameRequest)>,
    /// Sums of the first samples; of another size, or of nothing, where there are none.
    film: Option<Film>,
    /// Those after them.
    live: Option<Live>,
    pub(crate) samples: u32,
    /// Number of the first sample that was never begun: more than there are where a frame ended early.
    pub(crate) next: u32,
    pub(crate) pace: Pace,
    /// Of steady frames, by the processor.
    pub(crate) memory: TemporalHistory,
}

/// Samples on a GPU.
#[derive(Debug)]
struct Live {
    /// The number under which its renderer held the world when it began.
    held: u64,
    picture: LivePicture,
}

#[derive(Clone, Debug)]
struct Seen {
    picture: Arc<Picture>,
    samples: u32,
}

impl Canvas {
    /// With nothing on it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The latest picture: linear radiance. `None` before the first pass of the first frame.
    pub fn picture(&self) -> Option<Arc<Picture>> {
        lock(&self.shared.seen).as_ref().map(|seen| seen.picture.clone())
    }

    /// How many samples of each pixel [`Canvas::picture`] is made of.
    pub fn samples(&self) -> u32 {
        lock(&self.shared.seen).as_ref().map_or(0, |seen| seen.samples)
    }

    /// The sums with all channels that were asked for, as soon as no frame is being rendered. `None` before the first, and of steady frames by a GPU,
    /// which are no sums.
    pub fn film(&self) -> Option<Film> {
        self.work().sums()
    }

    /// Forgets all that is added up: the next frame starts again, and takes after nothing. What is seen stays until then. Waits for a frame that is being
    /// rendered.
    pub fn clear(&self) {
        let mut work = self.work();
        let (film, pace) = (work.film.take(), work.pace);
        *work = Work { film, pace, ..Work::default() };
    }

    /// Takes the sums out, as [`film`](Self::film); then none are left, and the next frame starts again.
    pub fn take_film(&self) -> Option<Film> {
        let mut work = self.work();
        let work = std::mem::take(&mut *work);
        if work.live.is_some() { work.sums() } else { work.film.filter(|_| work.of.is_some()) }
    }

    pub(crate) fn show(&self, film: &Film, samples: u32) {
        self.show_picture(Arc::new(film.radiance()), samples);
    }

    pub(crate) fn show_picture(&self, picture: Arc<Picture>, samples: u32) {
        *lock(&self.shared.seen) = Some(Seen { picture, samples });
    }

    /// Tells it from others, and does not keep it.
    pub(crate) fn key(&self) -> Key {
        Key(Arc::downgrade(&self.shared))
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        lock(&self.shared.work)
    }
}

impl Work {
    /// Goes on with what there is if it shows the same, else there is nothing.
    pub(crate) fn turn_to(&mut self, world: &Arc<World>, frame: &FrameRequest) {
        let same = |(w, f): &(Arc<World>, FrameRequest)| Arc::ptr_eq(w, world) && f.is_same_view(frame);
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((world.clone(), frame.clone()));
            (self.live, self.samples, self.next) = (None, 0, 0);
        }
    }

    /// The film of a frame that the processor renders, to be given back by [`landed`](Self::landed): with all samples that there are.
    pub(crate) fn film_for(&mut self, world: &Arc<World>, frame: &FrameRequest) -> Film {
        self.turn_to(world, frame);
        if self.live.is_some() {
            // Those on a GPU that is lost are lost
            self.film = self.sums();
            self.live = None;
        }
        let (width, height) = (frame.width.max(1), frame.height.max(1));
        let fits = |film: &Film| (film.width(), film.height(), film.aovs()) == (width, height, frame.aovs);
        match self.film.take().filter(fits) {
            Some(film) if self.samples > 0 => film,
            film => {
                (self.samples, self.next) = (0, 0);
                film.map_or_else(|| Film::new(width, height, frame.aovs), cleared)
            }
        }
    }

    /// A frame has been rendered onto its film.
    ///
    /// * `outcome` — its samples are counted from the number of the first on.
    pub(crate) fn landed(
        &mut self,
        film: Film,
        algorithm: &Algorithm,
        outcome: &RenderOutcome,
        by: RenderedBy,
    ) -> FrameResult {
        self.film = Some(film);
        self.note(algorithm, outcome, by)
    }

    /// The picture of a frame that a GPU renders; `begin` makes one whose first sample has that number.
    ///
    /// * `held` — under which number the renderer holds the world.
    pub(crate) fn live_for(
        &mut self,
        world: &Arc<World>,
        frame: &FrameRequest,
        held: u64,
        begin: impl FnOnce(u32) -> Result<LivePicture, GpuError>,
    ) -> Result<&mut LivePicture, GpuError> {
        self.turn_to(world, frame);
        let live = match self.live.take() {
            Some(live) if live.held == held => live,
            // The renderer has held another world meanwhile
            before => {
                if let Some(before) = before {
                    self.film = self.with(&before);
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

    /// A GPU has added samples to the picture.
    pub(crate) fn gained(&mut self, algorithm: &Algorithm, outcome: &RenderOutcome) -> FrameResult {
        let gpu_samples = outcome.samples.saturating_sub(self.next);
        self.note(algorithm, outcome, RenderedBy { name: "GPU", gpu_samples })
    }

    /// What a GPU has made so far; `None`: it is lost.
    pub(crate) fn picture(&self) -> Option<Picture> {
        match (&self.film, &self.live) {
            (None, Some(live)) => live.picture.radiance().ok()?,
            _ => Some(self.sums()?.radiance()),
        }
    }

    /// All samples; `None` if there are none, or those on a GPU are lost.
    pub(crate) fn sums(&self) -> Option<Film> {
        match &self.live {
            Some(live) => self.with(live),
            None => self.film.clone(),
        }
    }

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
            let pixels = u64::from(frame.width) * u64::from(frame.height);
            self.pace.learn(algorithm, pixels, added, elapsed);
        }
        self.samples += added;
        self.next = next;
        FrameResult { ended, samples: self.samples, rays, elapsed, stages, vpls, by }
    }

    /// A steady frame has been rendered by a GPU: there are no sums, so the next frame that adds to some starts again.
    pub(crate) fn walked(&mut self) {
        *self = Self { pace: self.pace, ..Self::default() };
    }
}

fn cleared(mut film: Film) -> Film {
    film.clear();
    film
}

/// What is locked is whole between any two statements that could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
