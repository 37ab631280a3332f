//! Test of one triangle: reference implementation of [`super::wide`] with the same operations, and the f64 part that
//! both share.

use super::triangle_ray::TriangleRay;

/// Candidate hit: ray parameter and barycentric coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) t: f32,
    pub(crate) u: f32,
    pub(crate) v: f32,
}

/// Edge functions below this absolute value are recomputed in f64, since they may have underflowed.
pub(super) const EDGE_MIN: f32 = 7.9e-31; // about 2^-100
/// If the sum of the edge functions exceeds this absolute value, they are recomputed in f64, since they may have
/// overflowed.
pub(super) const DET_MAX: f32 = 1.2e30; // about 2^100

/// Intersects a ray with a triangle by the watertight test [Woop13]; see [`super`]. The comparisons of `t` with
/// `t_near` and `t_far` are exact.
///
/// * `vertices` — `[vertex][axis]`, in original axis order, finite.
pub(crate) fn intersect_triangle(
    vertices: &[[f32; 3]; 3],
    ray: &TriangleRay,
    t_far: f32,
) -> Option<Candidate> {
    // Vertices relative to the origin, sheared
    let [a, b, c] = vertices.map(|v| {
        let [x, y, z] = [0, 1, 2].map(|i: usize| v[ray.axes[i]] - ray.origin[i]);
        [x - ray.shear[0] * z, y - ray.shear[1] * z, z]
    });
    // Edge functions, with a relative error of at most two roundings
    let e0 = difference(c[0], b[1], c[1], b[0]);
    let e1 = difference(a[0], c[1], a[1], c[0]);
    let e2 = difference(b[0], a[1], b[1], a[0]);
    let (least, most) = (min(min(e0, e1), e2), max(max(e0, e1), e2));
    if least < -EDGE_MIN && most > EDGE_MIN {
        return None;
    }
    // Barycentric coordinates and depth
    let det = (e0 + e1) + e2;
    let fast = (least > EDGE_MIN || most < -EDGE_MIN) && det.abs() <= DET_MAX;
    let found = if fast {
        let rdet = 1.0 / det;
        let (u, v) = (e1 * rdet, e2 * rdet);
        let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
        Candidate { t: z * ray.rdirection_z, u, v }
    } else {
        intersect_precise([a, b, c], ray.rdirection_z)?
    };
    let t = clamp_to_box(found.t, vertices, ray)?;
    (t >= ray.t_near && t <= t_far).then_some(Candidate { t, ..found })
}

/// Returns `a b - c d` with a relative error of at most two roundings, unless something underflows or overflows
/// [Jeannerod13, §3]. Hence zeros and signs are exact.
#[inline(always)]
fn difference(a: f32, b: f32, c: f32, d: f32) -> f32 {
    let cd = c * d;
    a.mul_add(b, -cd) - c.mul_add(d, -cd)
}

/// Completes the test in f64, for sheared vertices with an edge function that is zero or out of range in f32.
///
/// Products of f32 are exact in f64, so the signs are exact, including zeros: the tests of all triangles around a
/// shared edge or vertex agree on a ray through it.
#[cold]
#[inline(never)]
pub(super) fn intersect_precise(sheared: [[f32; 3]; 3], rdirection_z: f32) -> Option<Candidate> {
    let [a, b, c] = sheared.map(|v| v.map(f64::from));
    let e0 = c[0] * b[1] - c[1] * b[0];
    let e1 = a[0] * c[1] - a[1] * c[0];
    let e2 = b[0] * a[1] - b[1] * a[0];
    let inside = (e0 >= 0.0 && e1 >= 0.0 && e2 >= 0.0) || (e0 <= 0.0 && e1 <= 0.0 && e2 <= 0.0);
    let det = (e0 + e1) + e2;
    if !inside || det == 0.0 {
        return None;
    }
    let (u, v) = (e1 / det, e2 / det);
    let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    Some(Candidate { t: (z * f64::from(rdirection_z)) as f32, u: u as f32, v: v as f32 })
}

/// Clamps `t` to the interval in which the ray is inside the triangle's own (padded) box; `None` if it misses the box.
fn clamp_to_box(t: f32, vertices: &[[f32; 3]; 3], ray: &TriangleRay) -> Option<f32> {
    let (mut entry, mut exit) = (f32::NEG_INFINITY, f32::INFINITY);
    for axis in ray.axes {
        let [a, b, c] = vertices.map(|v| v[axis]);
        let (low, high) = (min(min(a, b), c), max(max(a, b), c));
        let slabs = &ray.slabs;
        let (near, far) = if slabs.entered[axis] == 0 { (low, high) } else { (high, low) };
        entry = max(entry, (near - slabs.origin_near[axis]) * slabs.rdir[axis]);
        exit = min(exit, (far - slabs.origin_far[axis]) * slabs.rdir[axis]);
    }
    (entry <= exit).then(|| min(max(t, entry), exit))
}

/// Returns `b` if it is smaller, else `a`; for NaNs and signed zeros, too, like the vector version.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// Returns `b` if it is larger, else `a`.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}
