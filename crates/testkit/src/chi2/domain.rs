use std::f64::consts::{PI, TAU};
use std::fmt;

use sunfleck_math::{Vec2, Vec3};

/// Tolerance of the length of unit vectors.
const LENGTH_ERROR: f64 = 1e-4;
/// Tolerance by which rounding may move a point out of the unit square.
const ROUNDING: f64 = 1e-5;

/// Domain of the samples, and its map from and to the unit square, which preserves ratios of measures.
pub(super) struct Domain<'a, V> {
    /// Measure of the whole domain.
    pub(super) measure: f64,
    /// Map to the unit square; `None` outside the domain.
    to_square: Box<dyn Fn(V) -> Option<[f64; 2]> + 'a>,
    from_square: Box<dyn Fn([f64; 2]) -> V + 'a>,
    /// Number of columns and rows of cells.
    pub(super) cells: [usize; 2],
}

impl<V: Copy> Domain<'_, V> {
    /// Returns the value at a point of the unit square.
    pub(super) fn value(&self, point: [f64; 2]) -> V {
        (self.from_square)(point)
    }

    /// Returns the cell of a value, counted row by row; `None` outside the domain.
    #[allow(clippy::cast_possible_truncation, reason = "numbers of columns and rows")]
    pub(super) fn cell(&self, value: V) -> Option<usize> {
        let [columns, rows] = self.cells;
        let index = |x: f64, cells: usize| {
            let inside = (-ROUNDING..=1.0 + ROUNDING).contains(&x);
            inside.then(|| ((x.max(0.0) * cells as f64) as usize).min(cells.saturating_sub(1)))
        };
        let [x, y] = (self.to_square)(value)?;
        Some(index(y, rows)? * columns + index(x, columns)?)
    }

    /// Returns two opposite corners of a cell in the unit square.
    pub(super) fn bounds(&self, cell: usize) -> [[f64; 2]; 2] {
        let [columns, rows] = self.cells;
        let (column, row) = (cell % columns, cell / columns);
        let edges = |i: usize, cells: usize| [i as f64 / cells as f64, (i + 1) as f64 / cells as f64];
        let ([x0, x1], [y0, y1]) = (edges(column, columns), edges(row, rows));
        [[x0, y0], [x1, y1]]
    }
}

impl Domain<'_, Vec3> {
    /// Domain of directions with 1 - z ≤ `one_minus_cos`: x is the azimuth, y is 1 - z (Archimedes' map).
    pub(super) fn cap(one_minus_cos: f64) -> Self {
        let to_square = move |direction: Vec3| {
            let d = direction.as_dvec3();
            let is_unit = (d.length() - 1.0).abs() < LENGTH_ERROR;
            // 1 - z without cancellation near the pole
            let from_pole = if d.z > 0.0 { (d.x * d.x + d.y * d.y) / (1.0 + d.z) } else { 1.0 - d.z };
            is_unit.then(|| [d.y.atan2(d.x) / TAU + 0.5, from_pole / one_minus_cos])
        };
        let from_square = move |[x, y]: [f64; 2]| {
            let from_pole = y * one_minus_cos;
            let sin_theta = (from_pole * (2.0 - from_pole)).max(0.0).sqrt();
            let (sin_phi, cos_phi) = (TAU * (x - 0.5)).sin_cos();
            to_vec3([sin_theta * cos_phi, sin_theta * sin_phi, 1.0 - from_pole])
        };
        Self {
            measure: TAU * one_minus_cos,
            to_square: Box::new(to_square),
            from_square: Box::new(from_square),
            cells: [64, 32],
        }
    }
}

impl Domain<'_, Vec2> {
    /// Domain of points between two corners.
    pub(super) fn rectangle(min: Vec2, max: Vec2) -> Self {
        let [low, high] = [min, max].map(|corner| corner.to_array().map(f64::from));
        let size = [high[0] - low[0], high[1] - low[1]];
        let to_square = move |point: Vec2| {
            let [x, y] = point.to_array().map(f64::from);
            Some([(x - low[0]) / size[0], (y - low[1]) / size[1]])
        };
        let from_square = move |[x, y]: [f64; 2]| to_vec2([low[0] + x * size[0], low[1] + y * size[1]]);
        Self {
            measure: size[0] * size[1],
            to_square: Box::new(to_square),
            from_square: Box::new(from_square),
            cells: [48, 48],
        }
    }

    /// Domain of points of the unit disk: x is the azimuth, y the squared radius.
    pub(super) fn unit_disk() -> Self {
        let to_square = |point: Vec2| {
            let [x, y] = point.to_array().map(f64::from);
            Some([y.atan2(x) / TAU + 0.5, x * x + y * y])
        };
        let from_square = |[x, y]: [f64; 2]| {
            let (sin_phi, cos_phi) = (TAU * (x - 0.5)).sin_cos();
            to_vec2([y.sqrt() * cos_phi, y.sqrt() * sin_phi])
        };
        Self {
            measure: PI,
            to_square: Box::new(to_square),
            from_square: Box::new(from_square),
            cells: [64, 32],
        }
    }
}

impl Domain<'_, f32> {
    /// Domain of numbers in an interval.
    #[allow(clippy::cast_possible_truncation, reason = "the values are f32")]
    pub(super) fn interval(min: f64, max: f64) -> Self {
        let size = max - min;
        Self {
            measure: size,
            to_square: Box::new(move |x| Some([(f64::from(x) - min) / size, 0.5])),
            from_square: Box::new(move |[x, _]| (min + x * size) as f32),
            cells: [512, 1],
        }
    }
}

impl Domain<'_, usize> {
    /// Domain of indices, with a cell for each.
    #[allow(clippy::cast_possible_truncation, reason = "an index")]
    pub(super) fn indices(count: usize) -> Self {
        Self {
            measure: count as f64,
            to_square: Box::new(move |i| Some([(i as f64 + 0.5) / count as f64, 0.5])),
            from_square: Box::new(move |[x, _]| (x * count as f64) as usize),
            cells: [count, 1],
        }
    }
}

impl<V> fmt::Debug for Domain<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Domain")
            .field("measure", &self.measure)
            .field("cells", &self.cells)
            .finish_non_exhaustive()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the values are f32")]
fn to_vec2(v: [f64; 2]) -> Vec2 {
    Vec2::from_array(v.map(|x| x as f32))
}

#[allow(clippy::cast_possible_truncation, reason = "the values are f32")]
fn to_vec3(v: [f64; 3]) -> Vec3 {
    Vec3::from_array(v.map(|x| x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the value at the centre of each cell belongs to that cell.
    #[track_caller]
    fn assert_maps_invert<V: Copy>(domain: &Domain<'_, V>) {
        let [columns, rows] = domain.cells;
        for cell in 0..columns * rows {
            let [[x0, y0], [x1, y1]] = domain.bounds(cell);
            let middle = [0.5 * (x0 + x1), 0.5 * (y0 + y1)];
            assert_eq!(domain.cell(domain.value(middle)), Some(cell), "{domain:?}");
        }
    }

    #[test]
    fn maps_invert() {
        for one_minus_cos in [2.0, 1.0, 0.3, 1e-4] {
            assert_maps_invert(&Domain::cap(one_minus_cos));
        }
        assert_maps_invert(&Domain::rectangle(Vec2::new(-3.0, 2.0), Vec2::new(5.0, 2.5)));
        assert_maps_invert(&Domain::unit_disk());
        assert_maps_invert(&Domain::interval(-1.0, 3.0));
        assert_maps_invert(&Domain::indices(1000));
    }

    #[test]
    fn values_outside_the_domain_have_no_cell() {
        assert_eq!(Domain::cap(1.0).cell(Vec3::NEG_Z), None, "below the hemisphere");
        assert_eq!(Domain::cap(2.0).cell(Vec3::Z * 1.01), None, "not unit");
        assert_eq!(Domain::cap(2.0).cell(Vec3::NAN), None, "NaN");
        assert_eq!(Domain::unit_disk().cell(Vec2::ONE), None, "a corner");
        assert_eq!(Domain::interval(0.0, 1.0).cell(f32::INFINITY), None, "infinite");
        assert_eq!(Domain::indices(3).cell(3), None, "one too many");
    }
}
