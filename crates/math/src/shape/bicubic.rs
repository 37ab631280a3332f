//! Bicubic Bézier polynomials of one coordinate.

use glam::DVec3;

/// Value of a bicubic polynomial with its partial derivatives at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bicubic {
    /// Value.
    pub value: f64,
    /// Derivative along u.
    pub u: f64,
    /// Derivative along v.
    pub v: f64,
    /// Mixed second derivative.
    pub uv: f64,
}

/// Evaluates `Σ B_i(u) B_j(v) net[4 j + i]`, where `B` are the cubic Bernstein polynomials [Farin02, tensor product patches].
#[inline(always)]
pub fn bicubic(net: &[f64; 16], [u, v]: [f64; 2]) -> Bicubic {
    let (b, d) = (bernstein(v), bernstein_derivatives(v));
    let column = |weights: &[f64; 4], i: usize| {
        (net[i] * weights[0] + net[4 + i] * weights[1]) + (net[8 + i] * weights[2] + net[12 + i] * weights[3])
    };
    let (at, along_v) = ([0, 1, 2, 3].map(|i| column(&b, i)), [0, 1, 2, 3].map(|i| column(&d, i)));
    let (b, d) = (bernstein(u), bernstein_derivatives(u));
    let sum = |row: &[f64; 4], weights: &[f64; 4]| {
        (row[0] * weights[0] + row[1] * weights[1]) + (row[2] * weights[2] + row[3] * weights[3])
    };
    Bicubic { value: sum(&at, &b), u: sum(&at, &d), v: sum(&along_v, &b), uv: sum(&along_v, &d) }
}

#[inline(always)]
fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s * s * s, 3.0 * t * (s * s), 3.0 * s * (t * t), t * t * t]
}

#[inline(always)]
fn bernstein_derivatives(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    let (a, b, c) = (s * s, 2.0 * s * t, t * t);
    [-3.0 * a, 3.0 * (a - b), 3.0 * (b - c), 3.0 * c]
}

/// Point of a bicubic surface with its partial derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicubicPoint {
    /// Position.
    pub position: DVec3,
    /// Tangent along u; at a point into which an edge is collapsed, its direction beside that point.
    pub along_u: DVec3,
    /// Tangent along v; as `along_u` at a collapsed edge.
    pub along_v: DVec3,
}

/// A tangent shorter than the square root of this part of the mixed derivative is that of an edge collapsed into a point.
const COLLAPSED: f64 = 1e-6;

impl BicubicPoint {
    /// Evaluates the surface whose coordinates are three nets; see [`bicubic`]. Returns the point, and the area of the
    /// surface per area of the unit square there.
    ///
    /// An edge v = 0 that is a single point has no tangent along u there. Beside it, the tangent is v times the mixed
    /// derivative to first order, so that its direction is that of the mixed derivative [Farin02, degenerate patches].
    #[inline(always)]
    pub fn of(nets: &[[f64; 16]; 3], [u, v]: [f64; 2]) -> (Self, f64) {
        let [x, y, z] = [0, 1, 2].map(|axis| bicubic(&nets[axis], [u, v]));
        let (along_u, along_v) = (DVec3::new(x.u, y.u, z.u), DVec3::new(x.v, y.v, z.v));
        let mixed = DVec3::new(x.uv, y.uv, z.uv);
        let tiny = COLLAPSED * mixed.length_squared();
        let inwards = |t: f64| if t < 0.5 { 1.0 } else { -1.0 };
        let point = Self {
            position: DVec3::new(x.value, y.value, z.value),
            along_u: if along_u.length_squared() < tiny { mixed * inwards(v) } else { along_u },
            along_v: if along_v.length_squared() < tiny { mixed * inwards(u) } else { along_v },
        };
        (point, along_u.cross(along_v).length())
    }

    /// Returns the normal `along_u × along_v`, of any length; zero where the tangents are parallel.
    #[inline(always)]
    pub fn normal(&self) -> DVec3 {
        self.along_u.cross(self.along_v)
    }
}
