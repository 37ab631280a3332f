//! Accumulation of a frame with the history of its surfaces.

use std::sync::Arc;

use sunfleck_image::{Features, Film, Picture};

use super::change::ChangeMap;
use super::history::History;
use super::merge::Merge;
use super::previous_view::PreviousView;
use super::probes::CpuProbes;
use super::surfaces::primary_surfaces;
use crate::view::RayCount;
use crate::{Algorithm, Schedule, View, ViewSpec, World};

/// Temporal sequence: the newest frame with its history, which the next frame reuses. See the [module](super).
#[derive(Debug, Default)]
pub struct TemporalReuse {
    newest: Option<NewestFrame>,
    /// Number of frames.
    frames: u32,
}

/// Newest frame of a sequence.
#[derive(Debug)]
struct NewestFrame {
    world: Arc<World>,
    spec: ViewSpec,
    algorithm: Algorithm,
    history: History,
}

/// Frame together with what it reuses.
#[derive(Clone, Debug)]
pub struct ReusedFrame {
    /// Mean radiance, linear Rec. 709.
    pub picture: Picture,
    /// Number of frames that the diffuse light of each pixel is a mean of, this one included, row by row.
    pub frames: Vec<f32>,
    /// Variance of the luminance of each pixel, (W/(m² sr))², row by row; infinite where it is not known.
    pub variance: Vec<f32>,
    /// Mean features for denoising, row by row.
    pub features: Vec<Features>,
    /// Number of rays traced to find surfaces and changes.
    pub rays: RayCount,
}

impl TemporalReuse {
    /// Adds a frame to the sequence and returns it with what it reuses. A frame of another size, of other AOVs, or by
    /// another algorithm begins the sequence again.
    ///
    /// * `film` — the samples of this frame alone; their random numbers have to differ from those of previous frames.
    pub fn add(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        film: &Film,
        schedule: &Schedule,
    ) -> ReusedFrame {
        let fits = |frame: &NewestFrame| frame.spec.has_same_film(spec) && frame.algorithm == *algorithm;
        let previous = self.newest.take().filter(fits);
        let previous_view =
            previous.as_ref().map(|frame| PreviousView::new((&frame.world, &frame.spec), world, spec));
        let mut rays = RayCount::default();
        let change = previous.as_ref().zip(previous_view.as_ref()).filter(|(_, view)| !view.is_same_world);
        let change = change.map(|(frame, view)| {
            let Ok((map, traced)) = ChangeMap::trace(
                &frame.world,
                &view.motion,
                world,
                &frame.spec,
                algorithm,
                self.frames,
                CpuProbes { schedule },
            );
            rays += traced;
            map
        });
        self.frames = self.frames.wrapping_add(1);

        let view = View::new(world, *spec);
        let (surfaces, traced) = primary_surfaces(&view, previous_view.as_ref(), schedule.level);
        rays += traced;
        let history = previous.as_ref().map(|frame| &frame.history);
        let pixels = Merge { history, change: change.as_ref() }.pixels(&surfaces, film);
        let history = History { width: spec.width, height: spec.height, pixels };
        let reused = ReusedFrame::new(&history, rays);
        self.newest = Some(NewestFrame { world: world.clone(), spec: *spec, algorithm: *algorithm, history });
        reused
    }
}

impl ReusedFrame {
    fn new(history: &History, rays: RayCount) -> Self {
        let History { width, height, pixels } = history;
        let picture = Picture::from_fn(*width, *height, |x, y| {
            let pixel = &pixels[y as usize * *width as usize + x as usize];
            pixel.diffuse.radiance + pixel.highlights.radiance
        });
        Self {
            picture: picture.expect("a film has at least one pixel"),
            frames: pixels.iter().map(|pixel| pixel.diffuse.frames).collect(),
            variance: pixels
                .iter()
                .map(|pixel| pixel.diffuse.variance_of_mean() + pixel.highlights.variance_of_mean())
                .collect(),
            features: pixels.iter().map(|pixel| pixel.features).collect(),
            rays,
        }
    }
}
