//! Choice of a scene's origin. Files hold coordinates in double precision, scenes in single precision: coordinates far
//! from zero, such as those of maps, are kept relative to an origin near the objects.

use sunfleck_math::DVec3;
use sunfleck_scene::Scene;

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::report::Reporter;

/// Coordinates that are more than this many times as large as the scene lose more than 7 of the 24 bits of their
/// precision.
const MAX_DISTANCE: f64 = 128.0;

/// Bounds of positions in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    min: DVec3,
    max: DVec3,
}

impl Bounds {
    /// Bounds of no points.
    pub(crate) const EMPTY: Self =
        Self { min: DVec3::splat(f64::INFINITY), max: DVec3::splat(f64::NEG_INFINITY) };

    /// Extends the bounds to contain a point; one that is not finite is ignored.
    pub(crate) fn add(&mut self, point: DVec3) {
        if point.is_finite() {
            self.min = self.min.min(point);
            self.max = self.max.max(point);
        }
    }

    /// Returns the middle; zero if there are no points.
    pub(crate) fn center(self) -> DVec3 {
        if self.min.cmple(self.max).all() { (self.min + self.max) * 0.5 } else { DVec3::ZERO }
    }

    /// Returns the origin of a scene with these bounds: zero, unless the distance of the scene from zero would cost its
    /// coordinates too many bits. An origin is a whole number of units, so that coordinates with few digits keep them.
    pub(crate) fn origin(self) -> DVec3 {
        let extent = (self.max - self.min).max_element();
        let distance = self.min.abs().max(self.max.abs()).max_element();
        let is_far = extent > 0.0 && distance > MAX_DISTANCE * extent && distance > MAX_DISTANCE;
        if is_far { ((self.min + self.max) * 0.5).floor() } else { DVec3::ZERO }
    }
}

/// Sets the origin of a scene with these bounds, and returns it; positions must be made relative to it.
///
/// Errors: the scene refuses the origin.
pub(crate) fn place(bounds: Bounds, scene: &mut Scene) -> Result<DVec3, ParseError> {
    let origin = bounds.origin();
    if origin != DVec3::ZERO {
        scene.set_origin(origin).at(|| FileLocation::File)?;
    }
    Ok(origin)
}

/// Adds a note on the origin of a scene, if it has one.
pub(crate) fn report_origin(scene: &Scene, report: &mut Reporter) {
    let DVec3 { x, y, z } = scene.origin();
    if scene.origin() != DVec3::ZERO {
        let message =
            format!("coordinates are far from zero: they are relative to the origin ({x}, {y}, {z})");
        report.note(FileLocation::File, message);
    }
}

impl FromIterator<DVec3> for Bounds {
    fn from_iter<T: IntoIterator<Item = DVec3>>(points: T) -> Self {
        let mut bounds = Self::EMPTY;
        points.into_iter().for_each(|point| bounds.add(point));
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(points: &[[f64; 3]]) -> DVec3 {
        points.iter().map(|&point| DVec3::from(point)).collect::<Bounds>().origin()
    }

    #[test]
    fn scenes_near_zero_keep_their_coordinates() {
        assert_eq!(origin(&[]), DVec3::ZERO);
        assert_eq!(origin(&[[1e6; 3], [-1e6; 3]]), DVec3::ZERO, "large, but around zero");
        assert_eq!(origin(&[[100.0, 0.0, 0.0], [101.0, 0.0, 0.0]]), DVec3::ZERO);
        assert_eq!(origin(&[[1e7; 3]]), DVec3::ZERO, "a point has no extent");
        assert_eq!(origin(&[[1e-3, 0.0, 0.0], [1.001e-3, 0.0, 0.0]]), DVec3::ZERO, "within a unit of zero");
    }

    #[test]
    fn map_coordinates_are_relative_to_whole_units() {
        let box_ = [[691_606.7, 119.6, 5_335_942.1], [691_607.9, 120.8, 5_335_943.3], [f64::NAN; 3]];
        assert_eq!(origin(&box_), DVec3::new(691_607.0, 120.0, 5_335_942.0));
        // A town of 10 km: single precision would move its vertices by up to 0.25 m.
        assert_eq!(origin(&[[0.0, 0.0, 5.33e6], [1e4, 0.0, 5.34e6]]), DVec3::new(5e3, 0.0, 5.335e6));
    }
}
