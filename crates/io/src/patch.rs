//! Bicubic patches of files as shapes.

use std::sync::Arc;

use sunfleck_math::{BezierPatch, DVec3, Shape, UnitShape, Vec2};

/// Returns a patch relative to an origin.
///
/// * `points` — control points, row by row. * `uv` — texture coordinates of its corners; `None` for its parameters.
pub(crate) fn patch(points: &[DVec3; 16], uv: Option<[Vec2; 4]>, origin: DVec3) -> Shape {
    let patch = BezierPatch::new(points.map(|point| (point - origin).as_vec3()));
    let patch = match uv {
        Some(uv) => patch.with_uv(uv),
        None => patch,
    };
    Shape::new(UnitShape::Patch(Arc::new(patch)))
}
