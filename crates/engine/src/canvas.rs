use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_image::{Film, Picture};
use sunfleck_integrators::World;
use sunfleck_integrators::igi::Memory;

use crate::frame::Frame;
use crate::pace::Pace;

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

/// What is added up.
#[derive(Debug, Default)]
pub(crate) struct Work {
    of: Option<(Arc<World>, Frame)>,
    pub(crate) film: Option<Film>,
    pub(crate) samples: u32,
    pub(crate) pace: Pace,
    /// Of steady frames.
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

    /// The sums with all channels that were asked for, as soon as no frame is being rendered. `None` before the first.
    pub fn film(&self) -> Option<Film> {
        self.work().film.clone()
    }

    pub(crate) fn show(&self, film: &Film, samples: u32) {
        let picture = Arc::new(film.radiance());
        *lock(&self.shared.seen) = Some(Seen { picture, samples });
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        lock(&self.shared.work)
    }
}

impl Work {
    /// Goes on with what there is if it shows the same, else starts again.
    pub(crate) fn turn_to(&mut self, world: &Arc<World>, frame: &Frame) {
        let same = |(w, f): &(Arc<World>, Frame)| Arc::ptr_eq(w, world) && f.is_same_view(frame);
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((world.clone(), frame.clone()));
            let (width, height) = (frame.width.max(1), frame.height.max(1));
            let fits =
                |film: &&mut Film| (film.width(), film.height(), film.aovs()) == (width, height, frame.aovs);
            match self.film.as_mut().filter(fits) {
                Some(film) => film.clear(),
                None => self.film = Some(Film::new(width, height, frame.aovs)),
            }
            self.samples = 0;
        }
    }
}

/// What is locked is whole between any two statements that could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
