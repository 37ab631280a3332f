use sunfleck_math::{Vec3, vec3};

use super::patches::{POINTS, Patch};

/// A Bézier patch with its divisions, in Newell's coordinates (z up).
pub(super) struct Surface {
    points: [Vec3; 16],
    quarter: bool,
    divisions: [u32; 2],
}

/// One of the mirror images that make a whole teapot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn(Vec3);

impl Turn {
    /// The other side of the plane through spout and handle.
    pub(super) const ACROSS: Self = Self(vec3(1.0, -1.0, 1.0));

    pub(super) fn apply(self, p: Vec3) -> Vec3 {
        p * self.0
    }

    /// Whether it turns the front of a triangle into its back.
    pub(super) fn mirrors(self) -> bool {
        self.0.x * self.0.y < 0.0
    }
}

impl Surface {
    pub(super) fn new(patch: &Patch, divisions: u32) -> Self {
        let points = patch.points.map(|i| Vec3::from(POINTS[usize::from(i)]));
        let [rows, columns] = patch.eighths.map(|eighths| divisions * eighths / 8);
        // Two columns, so that a handle is not flat
        let divisions = [rows.max(1), columns.max(2)];
        Self { points, quarter: patch.quarter, divisions }
    }

    pub(super) fn rows(&self) -> u32 {
        self.divisions[0]
    }

    pub(super) fn columns(&self) -> u32 {
        self.divisions[1]
    }

    pub(super) fn turns(&self) -> impl Iterator<Item = Turn> + use<> {
        let x = if self.quarter { &[1.0, -1.0][..] } else { &[1.0][..] };
        x.iter().flat_map(|&x| [1.0, -1.0].map(|y| Turn(vec3(x, y, 1.0))))
    }

    /// Where a corner of the grid is; patches that share a side get the same bits there.
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
            // A side that is one point stays one, whatever the roundings.
            Some([a, b, c, d]) if a == b && b == c && c == d => a,
            _ => self.combine(weights(fraction(row, self.rows())), weights(fraction(column, self.columns()))),
        }
    }

    /// The outward normal at a corner of the grid, unit.
    pub(super) fn normal(&self, row: u32, column: u32) -> Vec3 {
        let at = |s: [f32; 2], t: [f32; 2]| {
            let along_s = self.combine(slopes(s), weights(t));
            let along_t = self.combine(weights(s), slopes(t));
            along_t.cross(along_s)
        };
        let (s, t) = (fraction(row, self.rows()), fraction(column, self.columns()));
        // Where a side of the patch is one point, the normal is that of its neighbourhood.
        let inside = |[rest, done]: [f32; 2]| [rest * 0.998 + 0.001, done * 0.998 + 0.001];
        let normal = Some(at(s, t)).filter(|n| n.length() > 1e-4).unwrap_or_else(|| at(inside(s), inside(t)));
        normal.normalize_or(Vec3::Z)
    }

    fn combine(&self, rows: [f32; 4], columns: [f32; 4]) -> Vec3 {
        let row = |r: usize| symmetric_sum(std::array::from_fn(|c| self.row(r)[c] * columns[c]));
        symmetric_sum(std::array::from_fn(|r| row(r) * rows[r]))
    }

    fn row(&self, row: usize) -> [Vec3; 4] {
        std::array::from_fn(|column| self.points[4 * row + column])
    }
}

/// What is left and what is done, each exactly rounded, so that the way back gives the same numbers in reverse.
fn fraction(step: u32, steps: u32) -> [f32; 2] {
    [(steps - step) as f32 / steps as f32, step as f32 / steps as f32]
}

/// Cubic Bernstein polynomials.
fn weights([rest, done]: [f32; 2]) -> [f32; 4] {
    [rest * rest * rest, 3.0 * done * (rest * rest), 3.0 * rest * (done * done), done * done * done]
}

/// Their derivatives.
fn slopes([rest, done]: [f32; 2]) -> [f32; 4] {
    let (a, b, c) = (rest * rest, 2.0 * rest * done, done * done);
    [-3.0 * a, 3.0 * (a - b), 3.0 * (b - c), 3.0 * c]
}

/// The same bits in reverse order.
fn symmetric_sum([a, b, c, d]: [Vec3; 4]) -> Vec3 {
    (a + d) + (b + c)
}
