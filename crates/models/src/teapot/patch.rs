use sunfleck_math::{Vec3, vec3};

use super::patches::{POINTS, Patch};

/// Bicubic Bézier patch on a grid of vertices, in Newell's coordinates (z up).
pub(super) struct TessellatedPatch {
    points: [Vec3; 16],
    quarter: bool,
    /// Numbers of rows and columns of cells.
    divisions: [u32; 2],
}

/// Reflection of a patch: the factors of its coordinates, 1 or -1. All reflections of all patches make up the teapot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reflection(Vec3);

impl Reflection {
    /// Reflection in the plane y = 0, which contains spout and handle.
    pub(super) const IN_Y: Self = Self(vec3(1.0, -1.0, 1.0));

    pub(super) fn apply(self, p: Vec3) -> Vec3 {
        p * self.0
    }

    /// Returns whether the reflection reverses the orientation of triangles.
    pub(super) fn flips_orientation(self) -> bool {
        self.0.x * self.0.y < 0.0
    }
}

impl TessellatedPatch {
    pub(super) fn new(patch: &Patch, divisions: u32) -> Self {
        let points = patch.points.map(|i| Vec3::from(POINTS[usize::from(i)]));
        let [rows, columns] = patch.eighths.map(|eighths| divisions * eighths / 8);
        // At least two columns, so that the handle is not flat
        let divisions = [rows.max(1), columns.max(2)];
        Self { points, quarter: patch.quarter, divisions }
    }

    /// Returns the control points, row by row, in Newell's coordinates.
    pub(super) fn points(&self) -> &[Vec3; 16] {
        &self.points
    }

    pub(super) fn rows(&self) -> u32 {
        self.divisions[0]
    }

    pub(super) fn columns(&self) -> u32 {
        self.divisions[1]
    }

    /// Returns the reflections of the patch, including the identity.
    pub(super) fn reflections(&self) -> impl Iterator<Item = Reflection> + use<> {
        let x = if self.quarter { &[1.0, -1.0][..] } else { &[1.0][..] };
        x.iter().flat_map(|&x| [1.0, -1.0].map(|y| Reflection(vec3(x, y, 1.0))))
    }

    /// Returns the position of a grid vertex. Patches that share an edge have bitwise equal positions there.
    pub(super) fn position(&self, row: u32, column: u32) -> Vec3 {
        let [first, .., last] = std::array::from_fn::<_, 4, _>(|r| self.row(r));
        let edge = if row == 0 {
            Some(first)
        } else if row == self.rows() {
            Some(last)
        } else {
            None
        };
        match edge {
            // An edge that is a single point must not be split by rounding.
            Some([a, b, c, d]) if a == b && b == c && c == d => a,
            _ => self
                .combine(bernstein(fraction(row, self.rows())), bernstein(fraction(column, self.columns()))),
        }
    }

    /// Returns the outward unit normal at a grid vertex.
    pub(super) fn normal(&self, row: u32, column: u32) -> Vec3 {
        let at = |s: [f32; 2], t: [f32; 2]| {
            let along_s = self.combine(bernstein_derivatives(s), bernstein(t));
            let along_t = self.combine(bernstein(s), bernstein_derivatives(t));
            along_t.cross(along_s)
        };
        let (s, t) = (fraction(row, self.rows()), fraction(column, self.columns()));
        // Where an edge of the patch is a single point, the normal is taken from a point nearby.
        let inside =
            |[complement, parameter]: [f32; 2]| [complement * 0.998 + 0.001, parameter * 0.998 + 0.001];
        let normal = Some(at(s, t)).filter(|n| n.length() > 1e-4).unwrap_or_else(|| at(inside(s), inside(t)));
        normal.normalize_or(Vec3::Z)
    }

    /// Evaluates the tensor product of the control points with weights for rows and columns.
    fn combine(&self, rows: [f32; 4], columns: [f32; 4]) -> Vec3 {
        let row = |r: usize| symmetric_sum(std::array::from_fn(|c| self.row(r)[c] * columns[c]));
        symmetric_sum(std::array::from_fn(|r| row(r) * rows[r]))
    }

    fn row(&self, row: usize) -> [Vec3; 4] {
        std::array::from_fn(|column| self.points[4 * row + column])
    }
}

/// Returns [1 - t, t] for t = `step / steps`. Both are correctly rounded, so that the opposite direction of a shared
/// edge yields the same numbers in reverse.
fn fraction(step: u32, steps: u32) -> [f32; 2] {
    [(steps - step) as f32 / steps as f32, step as f32 / steps as f32]
}

/// Cubic Bernstein polynomials of [u, t] = [1 - t, t].
fn bernstein([u, t]: [f32; 2]) -> [f32; 4] {
    [u * u * u, 3.0 * t * (u * u), 3.0 * u * (t * t), t * t * t]
}

/// Derivatives of the cubic Bernstein polynomials.
fn bernstein_derivatives([u, t]: [f32; 2]) -> [f32; 4] {
    let (a, b, c) = (u * u, 2.0 * u * t, t * t);
    [-3.0 * a, 3.0 * (a - b), 3.0 * (b - c), 3.0 * c]
}

/// Sum that has the same bits when its terms are reversed.
fn symmetric_sum([a, b, c, d]: [Vec3; 4]) -> Vec3 {
    (a + d) + (b + c)
}
