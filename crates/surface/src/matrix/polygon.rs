//! Form factors of polygons in closed form, without occlusion, in f64.

use std::f64::consts::TAU;

use sunfleck_math::DVec3;

/// Planar polygon with its unit normal, about which the corners are counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    corners: Vec<DVec3>,
    normal: DVec3,
}

impl Polygon {
    /// Returns a planar, convex polygon of at least three corners.
    pub fn new(corners: impl IntoIterator<Item = DVec3>) -> Self {
        let corners: Vec<DVec3> = corners.into_iter().collect();
        let fan = corners.windows(2).skip(1).map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0]));
        let normal = fan.sum::<DVec3>().normalize_or(DVec3::Y);
        Self { corners, normal }
    }

    /// Returns the area, m².
    pub fn area(&self) -> f64 {
        let Some(&first) = self.corners.first() else { return 0.0 };
        let fan = self.corners.windows(2).skip(1).map(|pair| (pair[0] - first).cross(pair[1] - first));
        0.5 * fan.sum::<DVec3>().length()
    }

    fn edges(&self) -> impl Iterator<Item = (DVec3, DVec3)> + Clone {
        self.corners.iter().copied().zip(self.corners.iter().copied().cycle().skip(1))
    }

    /// Returns the part in front of the plane through `point` [Sutherland74, clipping].
    fn in_front_of(&self, point: DVec3, normal: DVec3) -> Self {
        let mut corners = Vec::with_capacity(self.corners.len() + 1);
        let size =
            self.corners.iter().fold(0.0, |size: f64, corner| size.max(corner.distance(self.corners[0])));
        // Corners that rounding moved just behind the plane lie in it
        let height = |p: DVec3| {
            let height = (p - point).dot(normal);
            if height.abs() < 1e-6 * size { 0.0 } else { height }
        };
        if self.corners.iter().all(|&corner| height(corner) <= 0.0) {
            return Self { corners, normal: self.normal };
        }
        for (a, b) in self.edges() {
            let (above, next) = (height(a), height(b));
            if above >= 0.0 {
                corners.push(a);
            }
            if above * next < 0.0 {
                corners.push(a + (b - a) * (above / (above - next)));
            }
        }
        Self { corners, normal: self.normal }
    }

    /// Returns the form factor from a differential area to the polygon: the fraction of the light of a diffuse emitter
    /// that arrives at its front [Baum89, analytic form factors],
    /// `F = 1 / 2π ∑ Γ · n`, where the length of Γ is the angle of an edge seen from the point.
    ///
    /// * `point`, `normal` — of the differential area.
    pub fn form_factor_from_point(&self, point: DVec3, normal: DVec3) -> f64 {
        if (point - self.corners[0]).dot(self.normal) <= 0.0 {
            return 0.0;
        }
        let visible = self.in_front_of(point, normal);
        let of_edge = |(a, b): (DVec3, DVec3)| {
            let (a, b) = (a - point, b - point);
            let cross = a.cross(b);
            let length = cross.length();
            if length > 0.0 { libm::atan2(length, a.dot(b)) * cross.dot(normal) / length } else { 0.0 }
        };
        // Seen from its front the polygon is counter-clockwise, so that Γ points away from it
        (visible.edges().map(of_edge).sum::<f64>() / -TAU).max(0.0)
    }

    /// Returns the product of the area and the form factor to another polygon, the same in both directions: by Stokes'
    /// theorem the contour integral [Schroeder93, contour integral]
    ///
    /// `A F = 1 / 2π ∮ ∮ ln r dx · dy`
    ///
    /// The inner integral along an edge is exact. In contrast to the paper the outer one is a Gauss rule, whose points
    /// are graded towards the ends of the edge, where it has its singularities.
    pub fn exchange(&self, other: &Self) -> f64 {
        if self.corners.len() < 3 || other.corners.len() < 3 {
            return 0.0;
        }
        let from = self.in_front_of(other.corners[0], other.normal);
        let to = other.in_front_of(self.corners[0], self.normal);
        if from.corners.len() < 3 || to.corners.len() < 3 {
            return 0.0;
        }
        let is_far = from.is_far(&to);
        let mut sum = 0.0;
        for (a, b) in from.edges() {
            let parts = if is_far { vec![0.0, 1.0] } else { parts(a, b, &to.corners) };
            for part in parts.windows(2) {
                let (start, end) = (a + (b - a) * part[0], a + (b - a) * part[1]);
                sum += edge_integral(start, end, &to, is_far);
            }
        }
        (sum / TAU).clamp(0.0, self.area().min(other.area()))
    }

    /// Returns whether the integrand is smooth: polygons are many times farther from each other than they are large.
    fn is_far(&self, other: &Self) -> bool {
        let bounds = |p: &Self| {
            let center = p.corners.iter().sum::<DVec3>() / p.corners.len() as f64;
            (center, p.corners.iter().fold(0.0, |radius: f64, corner| radius.max(corner.distance(center))))
        };
        let ((a, radius_a), (b, radius_b)) = (bounds(self), bounds(other));
        a.distance(b) > 4.0 * (radius_a + radius_b)
    }
}

/// Returns the ends of the parts of an edge as fractions of its length: it is divided near corners of the other polygon,
/// so that singularities are at ends.
fn parts(a: DVec3, b: DVec3, corners: &[DVec3]) -> Vec<f64> {
    let length_squared = a.distance_squared(b);
    let near = corners.iter().filter_map(|corner| {
        let at = (*corner - a).dot(b - a) / length_squared;
        let distance_squared = (a + (b - a) * at).distance_squared(*corner);
        (at > 1e-6 && at < 1.0 - 1e-6 && distance_squared < 0.25 * length_squared).then_some(at)
    });
    let mut parts: Vec<f64> = [0.0, 1.0].into_iter().chain(near).collect();
    parts.sort_by(f64::total_cmp);
    parts
}

/// Returns `∮ ∫ ln r dx · dy`, x along an edge.
fn edge_integral(a: DVec3, b: DVec3, to: &Polygon, is_far: bool) -> f64 {
    let edge = b - a;
    let at = |s: f64| {
        let x = a + edge * s;
        to.edges()
            .map(|(c, d)| edge.dot((d - c).normalize_or(DVec3::ZERO)) * log_integral(x, c, d))
            .sum::<f64>()
    };
    if is_far {
        return GAUSS_3.iter().map(|&[s, weight]| weight * at(s)).sum();
    }
    // s = 3 τ² − 2 τ³ has a derivative of 0 at the ends
    GAUSS_12.iter().map(|&[t, weight]| weight * 6.0 * t * (1.0 - t) * at(t * t * (3.0 - 2.0 * t))).sum()
}

/// Returns `∫ ln |x − y| dy` along an edge.
fn log_integral(x: DVec3, c: DVec3, d: DVec3) -> f64 {
    let length = c.distance(d);
    if length == 0.0 {
        return 0.0;
    }
    let along = (d - c) / length;
    let start = (c - x).dot(along);
    let height = ((c - x) - along * start).length();
    // Antiderivative of ½ ln(u² + h²)
    let antiderivative = |u: f64| {
        let squared = u * u + height * height;
        let logarithm = if squared > 0.0 { 0.5 * u * libm::log(squared) } else { 0.0 };
        let angle = if height > 0.0 { libm::atan(u / height) } else { 0.0 };
        logarithm - u + height * angle
    };
    antiderivative(start + length) - antiderivative(start)
}

/// Nodes in [0, 1] and weights of Gauss-Legendre quadrature.
const GAUSS_3: [[f64; 2]; 3] = [
    [0.1127016653792583, 0.2777777777777776],
    [0.5, 0.4444444444444444],
    [0.8872983346207417, 0.2777777777777776],
];
/// As above.
const GAUSS_12: [[f64; 2]; 12] = [
    [0.009219682876640378, 0.023587668193255917],
    [0.0479413718147626, 0.05346966299765909],
    [0.11504866290284765, 0.08003916427167317],
    [0.20634102285669126, 0.10158371336153292],
    [0.31608425050090994, 0.11674626826917739],
    [0.43738329574426554, 0.12457352290670144],
    [0.5626167042557344, 0.12457352290670144],
    [0.6839157494990901, 0.11674626826917739],
    [0.7936589771433087, 0.10158371336153292],
    [0.8849513370971523, 0.08003916427167317],
    [0.9520586281852375, 0.05346966299765909],
    [0.9907803171233596, 0.023587668193255917],
];

#[cfg(test)]
mod tests;
