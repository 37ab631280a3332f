//! Accumulation of a frame with the history of its surfaces.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_constants::reuse::{ALBEDO_SHARE, MOST_FRAMES, MOST_FRAMES_MOVED};
use sunfleck_image::{Features, Film, Picture};
use sunfleck_math::Vec3;

use super::change::{Change, ChangeMap};
use super::history::{History, HistoryPixel, LightMean, Wanted};
use super::previous_view::PreviousView;
use super::probes::CpuProbes;
use super::surfaces::{PixelSurface, primary_surfaces};
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

/// Merges a frame with the history of its surfaces, pixel by pixel.
struct Merge<'a> {
    history: Option<&'a History>,
    change: Option<&'a ChangeMap>,
}

impl Merge<'_> {
    /// Returns all pixels of the frame together with what they reuse, row by row.
    ///
    /// * `surfaces` — primary surfaces, row by row.
    /// * `film` — the samples of the frame alone.
    fn pixels(&self, surfaces: &[PixelSurface], film: &Film) -> Vec<HistoryPixel> {
        let (radiance, diffuse) = (film.radiance(), film.diffuse());
        let features = film.features().unwrap_or_default();
        let pixel = |(i, surface): (usize, &PixelSurface)| {
            let features = features.get(i).copied().unwrap_or(Features::MISS);
            let radiance = radiance.pixels()[i];
            let diffuse = diffuse.as_ref().map_or(radiance, |diffuse| diffuse.pixels()[i]);
            self.pixel(surface, &PixelLight { diffuse, highlights: radiance - diffuse, features })
        };
        surfaces.par_iter().enumerate().map(pixel).collect()
    }

    /// Returns a pixel of the frame together with what it reuses.
    ///
    /// * `alone` — light and features of the frame alone.
    fn pixel(&self, surface: &PixelSurface, alone: &PixelLight) -> HistoryPixel {
        let PixelSurface { id, position, ng, .. } = *surface;
        let found = self.history.zip(surface.previous).and_then(|(history, previous)| {
            let wanted = Wanted { id, point: previous.point, tolerance: previous.tolerance };
            history.taps(previous.film, &wanted).map(|taps| (history, previous, wanted, taps))
        });
        let Some((history, previous, wanted, taps)) = found else {
            let [diffuse, highlights] =
                [alone.diffuse, alone.highlights].map(|light| LightMean::NONE.with_frame(light));
            return HistoryPixel { id, position, ng, diffuse, highlights, features: alone.features };
        };
        let change = self.change.map_or(Change::NONE, |change| change.at(previous.film, &surface.first));
        let most_frames = match previous.is_still || change.is_known {
            true => MOST_FRAMES,
            false => MOST_FRAMES_MOVED,
        };
        let most_frames = most_frames.min(change.most_frames());
        let limited = |light: LightMean, most: f32| LightMean {
            frames: light.frames.min(most),
            ..light.scaled(change.ratio)
        };

        let mean = history.features(&taps);
        let albedo = mean.albedo + (alone.features.albedo - mean.albedo) * ALBEDO_SHARE;
        let diffuse = match taps.is_exact {
            true => history.light(&taps, |pixel| pixel.diffuse),
            // Interpolation would blur textures, so that light over albedo is interpolated
            false => history
                .light(&taps, |pixel| pixel.diffuse.scaled((pixel.features.albedo + LEAST_ALBEDO).recip()))
                .scaled(albedo + LEAST_ALBEDO),
        };
        let diffuse = limited(diffuse, most_frames);

        let image = surface.highlights.film.and_then(|film| history.taps(film, &wanted));
        let (highlights_taps, most_highlights) = match &image {
            Some(image) => (image, most_frames),
            None => (&taps, surface.highlights.most_frames.min(most_frames)),
        };
        let highlights = history.light(highlights_taps, |pixel| pixel.highlights);
        let highlights = limited(highlights, most_highlights);

        let share = (diffuse.frames + 1.0).recip();
        let albedo_share = if taps.is_exact { share } else { ALBEDO_SHARE };
        HistoryPixel {
            id,
            position,
            ng,
            diffuse: diffuse.with_frame(alone.diffuse),
            highlights: highlights.with_frame(alone.highlights),
            features: mixed_features(&mean, &alone.features, share, albedo_share),
        }
    }
}

/// Returns mean features with those of a frame added.
///
/// * `share` — weight of the frame. * `albedo_share` — its weight for the albedo.
fn mixed_features(mean: &Features, alone: &Features, share: f32, albedo_share: f32) -> Features {
    Features {
        albedo: mean.albedo + (alone.albedo - mean.albedo) * albedo_share,
        normal: mean.normal + (alone.normal - mean.normal) * share,
        inverse_distance: mean.inverse_distance + (alone.inverse_distance - mean.inverse_distance) * share,
    }
}

/// Light and features of a pixel of the frame alone.
struct PixelLight {
    diffuse: Vec3,
    highlights: Vec3,
    features: Features,
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
