//! Merging of a frame with the history of its surfaces.

use rayon::prelude::*;
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_constants::reuse::{ALBEDO_SHARE, MOST_FRAMES, MOST_FRAMES_MOVED};
use sunfleck_image::{Features, Film};
use sunfleck_math::Vec3;

use super::change::{Change, ChangeMap};
use super::history::{History, Wanted};
use super::history_pixel::{HistoryPixel, LightMean};
use super::surfaces::PixelSurface;

/// Merges a frame with the history of its surfaces, pixel by pixel.
pub(super) struct Merge<'a> {
    pub(super) history: Option<&'a History>,
    pub(super) change: Option<&'a ChangeMap>,
}

impl Merge<'_> {
    /// Returns all pixels of the frame together with what they reuse, row by row.
    ///
    /// * `surfaces` — primary surfaces, row by row.
    /// * `film` — the samples of the frame alone.
    pub(super) fn pixels(&self, surfaces: &[PixelSurface], film: &Film) -> Vec<HistoryPixel> {
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
        let diffuse = match taps.is_exact {
            true => history.light(&taps, |pixel| pixel.diffuse),
            // Interpolation would blur textures, so that light over albedo is interpolated
            false => {
                let divisor = |albedo: Vec3| albedo + LEAST_ALBEDO;
                let albedo = mean.albedo + (alone.features.albedo - mean.albedo) * ALBEDO_SHARE;
                let light =
                    |pixel: &HistoryPixel| pixel.diffuse.scaled(divisor(pixel.features.albedo).recip());
                history.light(&taps, light).scaled(divisor(albedo))
            }
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
