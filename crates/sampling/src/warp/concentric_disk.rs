use std::f32::consts::{FRAC_1_PI, FRAC_PI_4};

use sunfleck_math::{Vec2, sin_cos, vec2};

/// Samples a uniform point of the unit disk by a map of low distortion that maps concentric squares to concentric
/// circles [Shirley97, concentric map].
#[inline(always)]
pub fn concentric_disk(u: Vec2) -> Vec2 {
    let square = u * 2.0 - Vec2::ONE;
    // The coordinate of larger magnitude is the signed radius. The angle from the axis of that coordinate is
    // π/4 times the ratio of the other coordinate to it.
    let along_x = square.x.abs() > square.y.abs();
    let (radius, other) = if along_x { (square.x, square.y) } else { (square.y, square.x) };
    let ratio = other / if radius == 0.0 { 1.0 } else { radius };
    let (sin, cos) = sin_cos(FRAC_PI_4 * ratio);
    if along_x { vec2(radius * cos, radius * sin) } else { vec2(radius * sin, radius * cos) }
}

/// Returns the density of [`concentric_disk`], per unit area. It has a tolerance for points that rounding has moved
/// just outside the disk.
#[inline(always)]
pub fn concentric_disk_pdf(point: Vec2) -> f32 {
    if point.length_squared() <= 1.0 + 4.0 * f32::EPSILON { FRAC_1_PI } else { 0.0 }
}
