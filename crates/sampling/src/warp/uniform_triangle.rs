use sunfleck_math::{Vec2, vec2};

/// Samples a uniform point of a triangle: barycentric coordinates (u, v) of its vertices 1 and 2, as in hits; vertex 0
/// has 1 - u - v.
///
/// It folds the unit square along its diagonal and moves the crease to the edge [Heitz19, low-distortion map], with
/// less distortion than the common mapping by a square root.
#[inline(always)]
pub fn uniform_triangle(u: Vec2) -> Vec2 {
    let half = u * 0.5;
    if u.y > u.x { vec2(half.x, u.y - half.x) } else { vec2(u.x - half.y, half.y) }
}

/// Returns the density of [`uniform_triangle`] per unit of barycentric area, which is 2. Per unit area, it is that
/// divided by twice the area of the triangle.
#[inline(always)]
pub fn uniform_triangle_pdf(barycentrics: Vec2) -> f32 {
    let Vec2 { x, y } = barycentrics;
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 { 2.0 } else { 0.0 }
}
