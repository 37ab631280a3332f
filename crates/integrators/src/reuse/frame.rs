//! A frame that reuses those before.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_constants::reuse::{MOST_FRAMES, MOST_FRAMES_MOVED};
use sunfleck_image::{Features, Film, Picture, color};
use sunfleck_math::Vec3;

use super::change::{Change, ChangeMap};
use super::history::{KeptFrame, KeptPixel, LightMean, Wanted};
use super::probes::CpuProbes;
use super::projection::FilmProjection;
use super::surfaces::{EarlierView, SeenSurface, SurfacePass, mark_calm};
use crate::view::RayCount;
use crate::{Algorithm, Schedule, View, ViewSpec, World};

/// Frames so far of a temporal sequence, as far as the next one reuses them. See the [module](super).
#[derive(Debug, Default)]
pub struct TemporalReuse {
    kept: Option<Kept>,
    /// Number of frames.
    frames: u32,
}

/// The newest frame.
#[derive(Debug)]
struct Kept {
    world: Arc<World>,
    spec: ViewSpec,
    algorithm: Algorithm,
    frame: KeptFrame,
}

/// A frame together with what it reuses.
#[derive(Clone, Debug)]
pub struct ReusedFrame {
    /// Mean linear radiance.
    pub picture: Picture,
    /// Number of frames that each pixel is a mean of, row by row.
    pub frames: Vec<f32>,
    /// Variance of the luminance of each pixel, row by row; infinite where it is not known.
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
    /// * `film` — the samples of this frame alone; their random numbers have to differ from those of the frames before.
    pub fn add(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        film: &Film,
        schedule: &Schedule,
    ) -> ReusedFrame {
        let kept = self.kept.take();
        let kept = kept.filter(|kept| kept.spec.has_same_film(spec) && kept.algorithm == *algorithm);
        let mut rays = RayCount::default();
        let earlier = kept.as_ref().map(|kept| EarlierView {
            motion: world.motion_since(&kept.world),
            projection: FilmProjection::new(&kept.spec),
            origin: kept.spec.world_from_view.translation,
            is_same: kept.spec.world_from_view == spec.world_from_view
                && kept.spec.projection == spec.projection,
            is_same_world: Arc::ptr_eq(&kept.world, world),
        });
        let change = kept.as_ref().zip(earlier.as_ref()).filter(|(kept, _)| !Arc::ptr_eq(&kept.world, world));
        let change = change.map(|(kept, earlier)| {
            let Ok((map, traced)) = ChangeMap::trace(
                &kept.world,
                &earlier.motion,
                world,
                &kept.spec,
                algorithm,
                self.frames,
                CpuProbes { schedule },
            );
            rays += traced;
            map
        });
        self.frames = self.frames.wrapping_add(1);

        let view = View::new(world, *spec);
        let pass = SurfacePass { view: &view, before: earlier.as_ref() };
        let rows: Vec<(Vec<SeenSurface>, RayCount)> =
            (0..spec.height).into_par_iter().map(|y| pass.row(schedule.level, y)).collect();
        rays = rows.iter().fold(rays, |mut sum, &(_, rays)| {
            sum += rays;
            sum
        });
        let radiance = film.radiance();
        let diffuse = film.diffuse();
        let features = film.features().unwrap_or_default();
        let merge = Merge { kept: kept.as_ref().map(|kept| &kept.frame), change: change.as_ref() };
        let mut surfaces: Vec<SeenSurface> = rows.into_iter().flat_map(|(row, _)| row).collect();
        mark_calm(&mut surfaces, spec.width);
        let pixels: Vec<KeptPixel> = surfaces
            .par_iter()
            .enumerate()
            .map(|(i, seen)| {
                let features = features.get(i).copied().unwrap_or(Features::MISS);
                let radiance = radiance.pixels()[i];
                let diffuse = diffuse.as_ref().map_or(radiance, |diffuse| diffuse.pixels()[i]);
                merge.pixel(seen, &PixelLight { diffuse, highlights: radiance - diffuse, features })
            })
            .collect();
        let frame = KeptFrame { width: spec.width, height: spec.height, pixels };
        let reused = ReusedFrame::new(&frame, rays);
        self.kept = Some(Kept { world: world.clone(), spec: *spec, algorithm: *algorithm, frame });
        reused
    }
}

/// Merges a frame with those before, pixel by pixel.
struct Merge<'a> {
    kept: Option<&'a KeptFrame>,
    change: Option<&'a ChangeMap>,
}

impl Merge<'_> {
    /// Returns a pixel of the frame together with what it reuses.
    ///
    /// * `alone` — the frame alone.
    fn pixel(&self, seen: &SeenSurface, alone: &PixelLight) -> KeptPixel {
        let SeenSurface { id, position, ng, .. } = *seen;
        let found = self.kept.zip(seen.past).and_then(|(kept, past)| {
            let wanted = Wanted { id, point: past.point, tolerance: past.tolerance };
            kept.taps(past.film, &wanted).map(|taps| (kept, past, wanted, taps))
        });
        let Some((kept, past, wanted, taps)) = found else {
            let [diffuse, highlights] =
                [alone.diffuse, alone.highlights].map(|light| LightMean::NONE.with_frame(light));
            return KeptPixel { id, position, ng, diffuse, highlights, features: alone.features };
        };
        let change = self.change.map_or(Change::NONE, |change| change.at(past.film, &seen.first));
        let most_frames = match past.is_still || change.is_known {
            true => MOST_FRAMES,
            false => MOST_FRAMES_MOVED,
        };
        let most_frames = most_frames.min(change.most_frames());
        let limited = |light: LightMean, most: f32| LightMean {
            frames: light.frames.min(most),
            ..light.scaled(change.ratio)
        };
        let (earlier, features) = (kept.features(&taps), alone.features);
        let diffuse = match taps.is_exact {
            true => kept.light(&taps, |pixel| pixel.diffuse),
            // Interpolation would blur textures: it is that of light over albedo
            false => kept
                .light(&taps, |pixel| pixel.diffuse.scaled((pixel.features.albedo + LEAST_ALBEDO).recip()))
                .scaled(features.albedo + LEAST_ALBEDO),
        };
        let diffuse = limited(diffuse, most_frames);
        let of_image = seen.highlights.film.and_then(|film| kept.taps(film, &wanted));
        let (highlights_taps, most_highlights) = match &of_image {
            Some(of_image) => (of_image, most_frames),
            None => (&taps, seen.highlights.most_frames.min(most_frames)),
        };
        let highlights = kept.light(highlights_taps, |pixel| pixel.highlights);
        let highlights = limited(highlights, most_highlights);
        let share = (diffuse.frames + 1.0).recip();
        let albedo_share = if taps.is_exact { share } else { 1.0 };
        KeptPixel {
            id,
            position,
            ng,
            diffuse: diffuse.with_frame(alone.diffuse),
            highlights: highlights.with_frame(alone.highlights),
            features: Features {
                albedo: earlier.albedo + (features.albedo - earlier.albedo) * albedo_share,
                normal: earlier.normal + (features.normal - earlier.normal) * share,
                inverse_distance: earlier.inverse_distance
                    + (features.inverse_distance - earlier.inverse_distance) * share,
            },
        }
    }
}

/// Light and features of a pixel of the frame alone.
struct PixelLight {
    diffuse: Vec3,
    highlights: Vec3,
    features: Features,
}

impl ReusedFrame {
    fn new(frame: &KeptFrame, rays: RayCount) -> Self {
        let KeptFrame { width, height, pixels } = frame;
        let picture = Picture::from_fn(*width, *height, |x, y| {
            let pixel = &pixels[y as usize * *width as usize + x as usize];
            pixel.diffuse.radiance + pixel.highlights.radiance
        });
        let variance = |light: &LightMean| {
            let luminance = color::luminance(light.radiance);
            // That of the mean of several frames
            match light.frames >= 2.0 {
                true => (light.square - luminance * luminance).max(0.0) / (light.frames - 1.0),
                false => f32::INFINITY,
            }
        };
        Self {
            picture: picture.expect("a film has at least one pixel"),
            frames: pixels.iter().map(|pixel| pixel.diffuse.frames).collect(),
            variance: pixels
                .iter()
                .map(|pixel| variance(&pixel.diffuse) + variance(&pixel.highlights))
                .collect(),
            features: pixels.iter().map(|pixel| pixel.features).collect(),
            rays,
        }
    }
}
