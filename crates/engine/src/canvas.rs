use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use sunfleck_image::{Film, Picture};
use sunfleck_integrators::igi::Memory;
use sunfleck_integrators::{Algorithm, Outcome, World};

use crate::device::Who;
use crate::frame::Frame;
use crate::pace::Pace;
use crate::ticket::Shot;

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
    of: Option<(Arc<World>, Frame)>,
    film: Option<Film>,
    pub(crate) samples: u32,
    pub(crate) pace: Pace,
    /// Of steady frames, by the processor.
    pub(crate) memory: Memory,
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
        self.work().film.clone()
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
    /// The film of a frame, to be given back by [`landed`](Self::landed): what there is if it shows the same, else an empty one.
    pub(crate) fn film_for(&mut self, world: &Arc<World>, frame: &Frame) -> Film {
        let same = |(w, f): &(Arc<World>, Frame)| Arc::ptr_eq(w, world) && f.is_same_view(frame);
        let goes_on = self.of.as_ref().is_some_and(same);
        let (width, height) = (frame.width.max(1), frame.height.max(1));
        let fits = |film: &Film| (film.width(), film.height(), film.aovs()) == (width, height, frame.aovs);
        let film = self.film.take().filter(fits);
        match film {
            Some(film) if goes_on => film,
            film => {
                self.of = Some((world.clone(), frame.clone()));
                self.samples = 0;
                film.map_or_else(|| Film::new(width, height, frame.aovs), cleared)
            }
        }
    }

    /// Takes the film back as it was.
    pub(crate) fn keep(&mut self, film: Film) {
        self.film = Some(film);
    }

    /// A steady frame has been rendered by a GPU: there are no sums, so the next frame that adds to some starts again.
    pub(crate) fn walked(&mut self) {
        *self = Self { pace: self.pace, ..Self::default() };
    }

    /// A frame has been rendered onto its film.
    pub(crate) fn landed(&mut self, film: Film, algorithm: &Algorithm, outcome: &Outcome, by: Who) -> Shot {
        let &Outcome { ended, samples, rays, elapsed, stages, vpls, .. } = outcome;
        let pixels = u64::from(film.width()) * u64::from(film.height());
        self.pace.learn(algorithm, pixels, samples - self.samples, elapsed);
        self.samples = samples;
        self.keep(film);
        Shot { ended, samples, rays, elapsed, stages, vpls, by }
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
