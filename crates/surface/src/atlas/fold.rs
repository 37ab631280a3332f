//! The mapping between a triangle and the rectangle of its leaf.
//!
//! A triangle that is drawn into a rectangle leaves half of the texels unused. Therefore the rectangle is folded along
//! its diagonal instead, which is mapped to a median of the triangle [Heitz19, low-distortion map]: the mapping is
//! continuous, affine on each side of the diagonal, and preserves areas but for one factor. All texels of a rectangle
//! are used and cover equal areas.

use sunfleck_math::{Vec2, vec2};
use sunfleck_sampling::warp;

/// Returns the barycentric coordinates of vertices 1 and 2 at a point of the unit square.
#[inline(always)]
pub fn barycentrics_of(square: Vec2) -> Vec2 {
    warp::uniform_triangle(square)
}

/// Returns the point of the unit square at barycentric coordinates of vertices 1 and 2: the inverse of
/// [`barycentrics_of`]. Points beside the triangle, where rounding moves them, are clamped.
#[inline(always)]
pub fn folded(Vec2 { x: u, y: v }: Vec2) -> Vec2 {
    let point = if v > u { vec2(2.0 * u, u + v) } else { vec2(u + v, 2.0 * v) };
    point.clamp(Vec2::ZERO, Vec2::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_inverted() {
        for i in 0..64u16 {
            for j in 0..64u16 {
                let point = vec2(f32::from(i) + 0.5, f32::from(j) + 0.5) / 64.0;
                let b = barycentrics_of(point);
                assert!(b.x >= 0.0 && b.y >= 0.0 && b.x + b.y <= 1.0, "{b} is in the triangle");
                assert!(folded(b).abs_diff_eq(point, 1e-6), "{point}: {}", folded(b));
            }
        }
    }

    #[test]
    fn areas_and_edges_are_kept() {
        // The images of a small square's edges span twice its area in barycentric coordinates (the triangle has 1/2)
        for corner in [vec2(0.1, 0.7), vec2(0.8, 0.3), vec2(0.5, 0.1)] {
            let [a, b, c] = [corner, corner + vec2(1e-2, 0.0), corner + vec2(0.0, 1e-2)].map(barycentrics_of);
            assert!(((b - a).perp_dot(c - a).abs() - 0.5e-4).abs() < 1e-7, "at {corner}");
        }
        // Continuous across the diagonal, which is the median through vertex 0
        for t in [0.0, 0.25, 0.5, 1.0] {
            let median = barycentrics_of(Vec2::splat(t));
            assert!(median.abs_diff_eq(Vec2::splat(t / 2.0), 1e-6), "{median}");
        }
    }
}
