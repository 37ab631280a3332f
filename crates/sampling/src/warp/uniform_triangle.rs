use sunfleck_math::{Vec2, vec2};

/// Samples a uniform point of a triangle.
///
/// Returns the barycentric coordinates (b₁, b₂) of vertices 1 and 2, as in hits; the coordinate of vertex 0 is
/// 1 - b₁ - b₂. The mapping moves the corner (1, 1) of the unit square to the middle of the edge between
/// vertices 1 and 2, and is linear on each side of the diagonal through that corner
/// [Heitz19, low-distortion map]. It distorts less than the common mapping with a square root.
#[inline(always)]
pub fn uniform_triangle(u: Vec2) -> Vec2 {
    let half = u * 0.5;
    if u.y > u.x { vec2(half.x, u.y - half.x) } else { vec2(u.x - half.y, half.y) }
}

/// Returns the density of [`uniform_triangle`] with respect to barycentric coordinates, which is 2 inside the triangle.
/// The density per unit area is this value divided by twice the area of the triangle.
#[inline(always)]
pub fn uniform_triangle_pdf(barycentrics: Vec2) -> f32 {
    let Vec2 { x, y } = barycentrics;
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 { 2.0 } else { 0.0 }
}
