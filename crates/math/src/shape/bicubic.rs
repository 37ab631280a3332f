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
}

/// Evaluates `Σ B_i(u) B_j(v) net[4 j + i]`, where `B` are the cubic Bernstein polynomials
/// [Farin02, tensor product patches].
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
    Bicubic { value: sum(&at, &b), u: sum(&at, &d), v: sum(&along_v, &b) }
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

/// Returns the control points of both halves along u (0) or v (1), by de Casteljau's algorithm [Farin02, subdivision].
#[inline(always)]
pub fn split_bicubic(net: &[f64; 16], along: usize) -> [[f64; 16]; 2] {
    let (mut low, mut high) = ([0.0; 16], [0.0; 16]);
    for line in 0..4 {
        let index = [0, 1, 2, 3].map(|i| if along == 0 { 4 * line + i } else { 4 * i + line });
        let [a, b, c, d] = index.map(|i| net[i]);
        let (ab, bc, cd) = ((a + b) * 0.5, (b + c) * 0.5, (c + d) * 0.5);
        let (abc, bcd) = ((ab + bc) * 0.5, (bc + cd) * 0.5);
        let middle = (abc + bcd) * 0.5;
        for (i, (l, h)) in [(a, middle), (ab, bcd), (abc, cd), (middle, d)].into_iter().enumerate() {
            low[index[i]] = l;
            high[index[i]] = h;
        }
    }
    [low, high]
}

/// Point of a bicubic surface with its partial derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicubicPoint {
    /// Position.
    pub position: DVec3,
    /// Tangent along u.
    pub along_u: DVec3,
    /// Tangent along v.
    pub along_v: DVec3,
}

/// Points that are nearer to an edge of the unit square have the tangents at this distance from it.
const INSIDE: f64 = 1e-5;

impl BicubicPoint {
    /// Evaluates the surface whose coordinates are three nets; see [`bicubic`]. Returns the point, and the area of the
    /// surface per area of the unit square there.
    ///
    /// Tangents are those of a point at least 1e-5 within the unit square. At the edge itself there may be none: along
    /// an edge that is a single point, and across one whose row of control points is doubled
    /// [Farin02, degenerate patches].
    #[inline(always)]
    pub fn of(nets: &[[f64; 16]; 3], at: [f64; 2]) -> (Self, f64) {
        let inside = at.map(|t| t.clamp(INSIDE, 1.0 - INSIDE));
        let [x, y, z] = [0, 1, 2].map(|axis| bicubic(&nets[axis], inside));
        let (along_u, along_v) = (DVec3::new(x.u, y.u, z.u), DVec3::new(x.v, y.v, z.v));
        let position = if inside == at {
            DVec3::new(x.value, y.value, z.value)
        } else {
            DVec3::from([0, 1, 2].map(|axis| bicubic(&nets[axis], at).value))
        };
        (Self { position, along_u, along_v }, along_u.cross(along_v).length())
    }

    /// Returns the normal `along_u × along_v`, of any length; zero where the tangents are parallel.
    #[inline(always)]
    pub fn normal(&self) -> DVec3 {
        self.along_u.cross(self.along_v)
    }
}
