//! Uniform sampling of directions towards a triangle.

use sunfleck_constants::sampling::LEAST_SOLID_ANGLE;
use sunfleck_math::{Vec2, Vec3, atan2, sin_cos, vec2};

use super::uniform_triangle;

/// Projection of a triangle onto the unit sphere around a point, for uniform sampling of directions towards the
/// triangle [Arvo95, algorithm].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphericalTriangle {
    /// Vector from the origin to vertex 0.
    to_corner: Vec3,
    edges: [Vec3; 2],
    /// Cross product of the edges, which has the direction of the normal and the length of twice the area.
    ng: Vec3,
    solid_angle: f32,
    arcs: Arcs,
}

/// Precomputed values for sampling the projection ABC on the unit sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arcs {
    a: Vec3,
    b: Vec3,
    /// Unit tangent of the arc from A to C, at A.
    tangent: Vec3,
    /// 1 + A·B
    p: f32,
    /// B·tangent
    q: f32,
    /// |det(A, B, tangent)|
    det: f32,
    /// Tangent of half the angle of the arc from A to C.
    half_tan: f32,
}

/// Sampled direction towards a [`SphericalTriangle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphericalTriangleSample {
    /// Unit vector from the origin.
    pub direction: Vec3,
    /// Distance to the triangle in that direction.
    pub distance: f32,
    /// Barycentric coordinates of vertices 1 and 2 at the sampled point, as in hits.
    pub barycentrics: Vec2,
    /// Density of `direction`, sr⁻¹.
    pub pdf_solid_angle: f32,
}

impl SphericalTriangle {
    /// Returns the projection of a triangle onto the unit sphere around `origin`. The triangle is two-sided.
    ///
    /// Returns `None` if the solid angle is zero or not finite: the triangle has no area, `origin` is in its plane, or
    /// a coordinate is not finite.
    #[inline(always)]
    pub fn new(origin: Vec3, corners: [Vec3; 3]) -> Option<Self> {
        let [to_a, to_b, to_c] = corners.map(|corner| corner - origin);
        let edges = [corners[1] - corners[0], corners[2] - corners[0]];
        let ng = edges[0].cross(edges[1]);
        let [a, b, c] = [to_a.try_normalize()?, to_b.try_normalize()?, to_c.try_normalize()?];

        // tan ½Ω = det(A, B, C) / (1 + A·B + B·C + C·A) [VanOosterom83], where the determinant is that of
        // the vertices, which avoids cancellation for small triangles
        let det = to_a.dot(ng).abs() / to_a.length() / to_b.length() / to_c.length();
        let solid_angle = 2.0 * atan2(det, 1.0 + a.dot(b) + b.dot(c) + c.dot(a));
        let is_visible = solid_angle > 0.0 && solid_angle.is_finite();
        is_visible.then(|| Self { to_corner: to_a, edges, ng, solid_angle, arcs: Arcs::new([a, b, c], det) })
    }

    /// Returns the solid angle of the triangle in sr, in (0, 2π).
    #[inline(always)]
    pub fn solid_angle(&self) -> f32 {
        self.solid_angle
    }

    /// Samples a direction towards the triangle, uniformly in solid angle; small triangles are sampled by area.
    #[inline(always)]
    pub fn sample(&self, u: Vec2) -> SphericalTriangleSample {
        let [e1, e2] = self.edges;
        if self.solid_angle < LEAST_SOLID_ANGLE {
            let barycentrics = uniform_triangle(u);
            let to_point = self.to_corner + e1 * barycentrics.x + e2 * barycentrics.y;
            let distance = to_point.length();
            let direction = to_point / distance;
            let pdf_solid_angle = self.pdf_solid_angle(direction);
            return SphericalTriangleSample { direction, distance, barycentrics, pdf_solid_angle };
        }
        // Intersection of the direction with the plane, by Cramer's rule [Moller97]
        let direction = self.arcs.sample(self.solid_angle, u);
        let scale = 1.0 / direction.dot(self.ng);
        let across = self.to_corner.cross(direction) * scale;
        let barycentrics = vec2(across.dot(e2), -across.dot(e1)).clamp(Vec2::ZERO, Vec2::ONE);
        let barycentrics = barycentrics / (barycentrics.x + barycentrics.y).max(1.0);
        let distance = self.to_corner.dot(self.ng) * scale;
        let pdf_solid_angle = 1.0 / self.solid_angle;
        SphericalTriangleSample { direction, distance, barycentrics, pdf_solid_angle }
    }

    /// Returns the density of [`SphericalTriangle::sample`] at a unit direction that hits the triangle, sr⁻¹.
    #[inline(always)]
    pub fn pdf_solid_angle(&self, direction: Vec3) -> f32 {
        if self.solid_angle >= LEAST_SOLID_ANGLE {
            return 1.0 / self.solid_angle;
        }
        // Density of area sampling: distance² / (area · |cos θ|)
        let cos_times_double_area = direction.dot(self.ng).abs();
        let distance = self.to_corner.dot(self.ng).abs() / cos_times_double_area;
        2.0 * distance * distance / cos_times_double_area
    }
}

impl Arcs {
    /// Precomputes the values from the unit vectors to the vertices.
    ///
    /// * `det` — |det(A, B, C)|
    #[inline(always)]
    fn new([a, b, c]: [Vec3; 3], det: f32) -> Self {
        // C - (A·C) A, where 1 - A·C is computed as |C - A|² / 2 to avoid cancellation
        let to_c = c - a;
        let tangent = (to_c + a * (0.5 * to_c.length_squared())).normalize_or_zero();
        let half_tan = to_c.length() / (a + c).length();
        let sin_arc = 2.0 * half_tan / (1.0 + half_tan * half_tan);
        let p = 0.5 * (a + b).length_squared();
        let q = (b - a).dot(tangent);
        Self { a, b, tangent, p, q, det: det / sin_arc, half_tan }
    }

    /// Samples a uniform direction of the spherical triangle.
    ///
    /// As in [Arvo95], X is the point of the arc AC for which the triangle ABX has the fraction `u.x` of the area, and
    /// the direction is on the arc from B to X. In contrast to the paper, X is derived from the formula of the solid
    /// angle, which needs no angles of the triangle and avoids cancellation. With X = A cos β + tangent sin β and
    /// h = tan ½β it is tan ½Ω' = h det / (p + h q), so h = p sin ½Ω' / (det cos ½Ω' - q sin ½Ω').
    #[inline(always)]
    fn sample(&self, solid_angle: f32, u: Vec2) -> Vec3 {
        let (sin, cos) = sin_cos(0.5 * solid_angle * u.x);
        let denominator = self.det * cos - self.q * sin;
        let h = if denominator > 0.0 { self.p * sin / denominator } else { self.half_tan };
        let h = h.min(self.half_tan);
        let x = (self.a * (1.0 - h * h) + self.tangent * (2.0 * h)) / (1.0 + h * h);

        // The cosine is uniform on the arc from B to X; 1 - B·X is |X - B|² / 2.
        let to_x = x - self.b;
        let one_minus_cos_arc = 0.5 * to_x.length_squared();
        let tangent = (to_x + self.b * one_minus_cos_arc).normalize_or_zero();
        let one_minus_cos = u.y * one_minus_cos_arc;
        let sin_theta = (one_minus_cos * (2.0 - one_minus_cos)).max(0.0).sqrt();
        let direction = self.b * (1.0 - one_minus_cos) + tangent * sin_theta;
        direction.normalize_or(self.b)
    }
}
