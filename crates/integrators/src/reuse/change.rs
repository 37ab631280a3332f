//! Detection of changed light. A single path through each square of pixels, a *probe*, is traced in the previous world
//! and, with the same random numbers, in the current one, both from the previous camera: temporal gradients [Schied18].
//! In contrast to the paper, which traces samples of the previous frame again, probes are samples of their own: so any
//! integrator can be used as it is, and no path is needed while the world stands still.
//!
//! An object that has moved is seen by a camera that moves along with it, so that the probes meet the same points of
//! it.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_constants::reuse::{
    FRAMES_AFTER_CHANGE, LARGE_WINDOW, LEAST_CERTAIN_ERRORS, LEAST_SQUARE_WEIGHT, MOST_FRAMES, MOST_RATIO,
    PROBE_EDGE, PROBE_SETS, SMALL_WINDOW,
};
use sunfleck_image::{Aov, AovSet, Filter, color};
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_transport::Motion;

use super::comparison::{Comparison, FirstSurface, Probe};
use super::probes::RenderProbes;
use crate::path::PathTracer;
use crate::view::RayCount;
use crate::{Algorithm, ViewSpec, World};

/// Change map: the change of light since the previous frame, by squares of its pixels.
#[derive(Clone, Debug)]
pub struct ChangeMap {
    width: u32,
    height: u32,
    /// Size of the previous film, pixels.
    film: Vec2,
    probes: Vec<Probe>,
    /// Change of the light of the surface of each probe, row by row.
    changes: Vec<Change>,
}

/// Change of the light of a surface since the previous frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Relative change, 0 to 1.
    pub relative: f32,
    /// Current over previous radiance, by which the history is multiplied.
    pub ratio: Vec3,
    /// Whether probes meet the surface in both worlds; else the change is a guess.
    pub is_known: bool,
}

impl Change {
    /// Returns the largest number of previous frames that are still to count. The larger the change, the more it
    /// differs between pixels of a window, and the sooner new frames have to replace a history that was scaled by its
    /// ratio. If half of the light or more has changed, no history is kept.
    pub(super) fn most_frames(&self) -> f32 {
        match self.relative {
            0.0 => MOST_FRAMES,
            relative => (FRAMES_AFTER_CHANGE * (1.0 / relative - 2.0)).max(0.0),
        }
    }

    /// Unchanged light.
    pub(super) const NONE: Self = Self { relative: 0.0, ratio: Vec3::ONE, is_known: true };
    /// Change of a surface that no probe meets in both worlds.
    const UNKNOWN: Self = Self { is_known: false, ..Self::NONE };
}

impl ChangeMap {
    /// Traces probes in both worlds. Returns the number of rays, too.
    ///
    /// * `motion` — motion of the current world since the previous one.
    /// * `spec` — view of the previous frame.
    /// * `number` — number of the frame, which selects the random numbers.
    ///
    /// # Errors
    /// Those of the renderer.
    pub fn trace<R: RenderProbes>(
        previous: &Arc<World>,
        motion: &Motion<'_>,
        current: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        number: u32,
        renderer: R,
    ) -> Result<(Self, RayCount), R::Error> {
        let (width, height) = (spec.width.div_ceil(PROBE_EDGE), spec.height.div_ceil(PROBE_EDGE));
        let aovs = [Aov::Ids, Aov::NormalGeometric, Aov::Depth].into_iter().collect::<AovSet>();
        let film = vec2(spec.width as f32, spec.height as f32);
        let spec = ViewSpec { width, height, aovs, filter: Filter::Box, ..*spec };
        // Choices that depend on the whole image, as those of virtual point lights, would differ; stored light would be
        // solved for both worlds
        let path = PathTracer::DEFAULT.into();
        let is_replaced = algorithm.samples_are_frames() || algorithm.has_stored_light();
        let algorithm = if is_replaced { &path } else { algorithm };
        let sample = number % PROBE_SETS;
        let mut comparison =
            Comparison { motion, algorithm, spec, sample, renderer, rays: RayCount::default() };
        let [previous, current] = World::with_common_lights(previous, current);
        let probes = comparison.probes(&previous, &current)?;
        let map = Self { width, height, film, probes, changes: Vec::new() };
        let squares = (0..height).into_par_iter().flat_map_iter(|y| (0..width).map(move |x| (x, y)));
        let changes = squares.map(|(x, y)| map.change(x, y)).collect();
        Ok((Self { changes, ..map }, comparison.rays))
    }

    /// Returns width and height in squares.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Returns the first surface of the probe of each square, and the change of its light, row by row.
    pub fn squares(&self) -> impl Iterator<Item = (FirstSurface, Change)> {
        self.probes.iter().map(|probe| probe.surface).zip(self.changes.iter().copied())
    }

    /// Returns the previous and the current radiance of the probes within `radius` squares of one that meet its surface
    /// in both worlds.
    fn around(&self, x: u32, y: u32, radius: i32) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        let middle = self.probe(x, y);
        let offsets = (-radius..=radius).flat_map(move |dy| (-radius..=radius).map(move |dx| (dx, dy)));
        offsets.filter_map(move |(dx, dy)| {
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            let probe =
                self.probe(x, y).filter(|probe| middle.is_some_and(|middle| middle.continues(probe)))?;
            Some((probe.previous, probe.current?))
        })
    }

    /// Returns the change of the surface of a probe: that of the probes in a window around it that meet the same
    /// surface. A small window finds the edges of shadows, a large one small changes of much light.
    fn change(&self, x: u32, y: u32) -> Change {
        let [small, large] = [SMALL_WINDOW, LARGE_WINDOW].map(|radius| self.change_in(x, y, radius));
        if small.relative > large.relative { small } else { large }
    }

    fn change_in(&self, x: u32, y: u32, radius: i32) -> Change {
        let (mut previous_sum, mut current_sum) = (Vec3::ZERO, Vec3::ZERO);
        let (mut signed, mut squares, mut count) = (0.0f32, 0.0f32, 0);
        for (previous, current) in self.around(x, y, radius) {
            let difference = color::luminance(current) - color::luminance(previous);
            signed += difference;
            squares += difference * difference;
            count += 1;
            previous_sum += previous;
            current_sum += current;
        }
        let brighter = color::luminance(previous_sum).max(color::luminance(current_sum));
        if count == 0 {
            return Change::UNKNOWN;
        }
        if squares == 0.0 || brighter <= 0.0 {
            return Change::NONE;
        }
        // Paths that take another course differ by noise, which cancels: sums below half of their standard error are no
        // change, and those above one standard error count fully
        let standard_errors = signed.abs() / squares.sqrt();
        let significance = (2.0 * standard_errors - 1.0).clamp(0.0, 1.0);
        // A ratio of a few bright paths would leave spots
        let certainty = ((standard_errors - LEAST_CERTAIN_ERRORS) / LEAST_CERTAIN_ERRORS).clamp(0.0, 1.0);
        let ratio = current_sum / previous_sum.max(Vec3::splat(f32::MIN_POSITIVE));
        let ratio = ratio.clamp(Vec3::ZERO, Vec3::splat(MOST_RATIO));
        Change {
            relative: (significance * signed.abs() / brighter).min(1.0),
            ratio: Vec3::ONE + (ratio - 1.0) * certainty,
            is_known: true,
        }
    }

    /// Returns the change of a surface at a point of the previous film: interpolated between those of the nearest 2 × 2
    /// squares whose probes meet the surface, or the largest of them if none does.
    pub(super) fn at(&self, film: Vec2, surface: &FirstSurface) -> Change {
        let size = vec2(self.width as f32, self.height as f32);
        let at = in_squares(film, self.film, size).clamp(Vec2::ZERO, size - 1.0);
        let corner = at.floor();
        let fraction = at - corner;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the map")]
        let (x, y) = (corner.x as u32, corner.y as u32);
        let mut sum = Change { relative: 0.0, ratio: Vec3::ZERO, is_known: true };
        let mut weights = 0.0;
        let mut largest: Option<f32> = None;
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let Some(probe) = self.probe(x + dx, y + dy) else { continue };
            let change = self.changes[self.index(x + dx, y + dy)];
            if !change.is_known {
                continue;
            }
            largest = Some(largest.unwrap_or(0.0).max(change.relative));
            if probe.surface.continues(surface) {
                let weight_x = if dx == 0 { 1.0 - fraction.x } else { fraction.x };
                let weight_y = if dy == 0 { 1.0 - fraction.y } else { fraction.y };
                // At least a little, so that a single square counts wherever it is
                let weight = weight_x * weight_y + LEAST_SQUARE_WEIGHT;
                sum.relative += change.relative * weight;
                sum.ratio += change.ratio * weight;
                weights += weight;
            }
        }
        match (weights > 0.0, largest) {
            (true, _) => {
                let scale = 1.0 / weights;
                Change { relative: sum.relative * scale, ratio: sum.ratio * scale, is_known: true }
            }
            // Too small to be met by a probe: the history cannot be trusted where anything changes around it
            (false, largest) => Change { relative: largest.unwrap_or(0.0), ..Change::UNKNOWN },
        }
    }

    fn index(&self, x: u32, y: u32) -> usize {
        y as usize * self.width as usize + x as usize
    }

    fn probe(&self, x: u32, y: u32) -> Option<&Probe> {
        if x < self.width && y < self.height { self.probes.get(self.index(x, y)) } else { None }
    }
}

/// Returns where a point of the film lies between the centres of the squares of a change map, which fills the height of
/// the film and is centred.
///
/// * `film`, `map` — sizes in pixels and in squares.
fn in_squares(point: Vec2, film: Vec2, map: Vec2) -> Vec2 {
    (point - 0.5 * film) * (map.y / film.y) + 0.5 * map - 0.5
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Affine3;
    use sunfleck_scene::{Camera, Projection};

    use super::*;
    use crate::reuse::FilmProjection;
    use crate::{CameraRays, PlacedCamera};

    #[test]
    fn squares_lie_where_their_probes_begin() {
        let projection = Projection::Perspective { fov_y_radians: 0.8 };
        let camera = PlacedCamera {
            name: String::new(),
            camera: Camera::new("camera", projection),
            world_from_view: Affine3::IDENTITY,
        };
        // No multiples of the edge of a square
        let (width, height) = (162, 90);
        let (map_width, map_height) = (41, 23);
        let film = FilmProjection::new(&ViewSpec::new(&camera, width, height));
        let rays = CameraRays::new(projection, Affine3::IDENTITY, map_width, map_height);
        let sizes = [[width, height], [map_width, map_height]].map(|[x, y]| vec2(x as f32, y as f32));
        for square in [vec2(0.0, 0.0), vec2(40.0, 3.0), vec2(20.0, 22.0)] {
            let ray = rays.ray(square + 0.5, Vec2::splat(0.5));
            let point = film.point(ray.at(2.0)).unwrap();
            assert!((in_squares(point, sizes[0], sizes[1]) - square).length() < 1e-3, "{square}");
        }
    }
}
