use sunfleck_math::{Vec2, vec2};

/// A uniform point of a triangle as barycentric coordinates (u, v) of its corners 1 and 2, as in hits; corner 0 has 1 - u - v.
///
/// Folds the unit square over its diagonal and straightens the crease [Heitz19, low-distortion map]: less distorted than the
/// square root of textbooks.
#[inline(always)]
pub fn uniform_triangle(u: Vec2) -> Vec2 {
    let half = u * 0.5;
    if u.y > u.x { vec2(half.x, u.y - half.x) } else { vec2(u.x - half.y, half.y) }
}

/// Density of [`uniform_triangle`] per unit of barycentric area: 2. Per unit area it is that over twice the triangle's area.
#[inline(always)]
pub fn uniform_triangle_pdf(barycentrics: Vec2) -> f32 {
    let Vec2 { x, y } = barycentrics;
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 { 2.0 } else { 0.0 }
}
