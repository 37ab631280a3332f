//! Bicubic Bézier patches.

use glam::{DVec3, Vec2, Vec3, vec2};
use serde::{Deserialize, Serialize};
use sunfleck_constants::shape::PATCH_CELLS;

use super::bicubic::BicubicPoint;

/// Columns, and rows, of the cells between which area sampling chooses.
const CELLS: usize = PATCH_CELLS as usize;

/// Most by which a tangent is lengthened; a shorter one has no direction.
const MOST_STRETCH: f64 = 1e20;

/// Bicubic Bézier patch: the surface `P(u, v) = Σ B_i(u) B_j(v) p_ji` over the unit square. Its front shows u growing to
/// the right and v upwards: the normal is along `∂P/∂u × ∂P/∂v`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "PatchData", into = "PatchData")]
pub struct BezierPatch {
    points: [Vec3; 16],
    uv: [Vec2; 4],
    /// The control points by axis.
    nets: [[f64; 16]; 3],
    /// Cumulative probabilities of the cells, row by row; the last one is 1.
    cumulative: [f32; CELLS * CELLS],
    area: f32,
}

/// What a [`BezierPatch`] is made from.
#[derive(Clone, Serialize, Deserialize)]
struct PatchData {
    points: [Vec3; 16],
    uv: [Vec2; 4],
}

impl From<PatchData> for BezierPatch {
    fn from(data: PatchData) -> Self {
        Self::new(data.points).with_uv(data.uv)
    }
}

impl From<BezierPatch> for PatchData {
    fn from(patch: BezierPatch) -> Self {
        Self { points: patch.points, uv: patch.uv }
    }
}

/// Point of a patch with tangents and texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BezierPatchPoint {
    /// Position.
    pub position: Vec3,
    /// Tangent along u, and the change of the texture coordinates along it.
    pub along_u: (Vec3, Vec2),
    /// Tangent along v, as long as that along u, and the change of the texture coordinates along it.
    pub along_v: (Vec3, Vec2),
    /// Unit normal of the front.
    pub normal: Vec3,
    /// Texture coordinates.
    pub uv: Vec2,
    /// Area of the surface per area of the unit square: `|∂P/∂u × ∂P/∂v|`.
    pub stretch: f32,
}

impl BezierPatch {
    /// Creates a patch. Its texture coordinates are (u, 1 − v), so that images stand upright.
    ///
    /// * `points` — control points: four rows from v = 0 to v = 1 of four points with growing u.
    pub fn new(points: [Vec3; 16]) -> Self {
        let nets = [0, 1, 2].map(|axis| points.map(|point| f64::from(point[axis])));
        let uv = [Vec2::Y, Vec2::ONE, Vec2::ZERO, Vec2::X];
        let mut patch = Self { points, uv, nets, cumulative: [0.0; CELLS * CELLS], area: 0.0 };
        patch.measure();
        patch
    }

    /// Sets the texture coordinates, between which those of other points are interpolated bilinearly.
    ///
    /// * `uv` — at (u, v) = (0, 0), (1, 0), (0, 1), (1, 1).
    #[must_use]
    pub fn with_uv(self, uv: [Vec2; 4]) -> Self {
        Self { uv, ..self }
    }

    /// Returns the control points, row by row.
    pub fn points(&self) -> &[Vec3; 16] {
        &self.points
    }

    /// Returns the control points by axis.
    pub fn nets(&self) -> &[[f64; 16]; 3] {
        &self.nets
    }

    /// Returns the texture coordinates of the corners; see [`BezierPatch::with_uv`].
    pub fn uv(&self) -> &[Vec2; 4] {
        &self.uv
    }

    /// Returns the area of one side, by quadrature.
    pub fn area(&self) -> f32 {
        self.area
    }

    /// Returns the cumulative probabilities with which [`BezierPatch::sample`] chooses the cells, row by row.
    pub fn cumulative(&self) -> &[f32] {
        &self.cumulative
    }

    /// Returns whether the control points are finite and the patch has an area.
    pub fn is_valid(&self) -> bool {
        let is_finite = self.points.iter().all(|p| p.is_finite()) && self.uv.iter().all(|uv| uv.is_finite());
        is_finite && self.area > 0.0 && self.area.is_finite()
    }

    /// Returns the point at (u, v) in the unit square.
    #[inline]
    pub fn at(&self, location: Vec2) -> BezierPatchPoint {
        let (point, stretch) = self.derivatives(location);
        // At a cusp, the tangents of a point nearby
        let is_cusp = point.normal().try_normalize().is_none();
        let nearby = location * 0.998 + Vec2::splat(0.001);
        let tangents = if is_cusp { self.derivatives(nearby).0 } else { point };
        let [a, b, c, d] = self.uv;
        let Vec2 { x: u, y: v } = location;
        let (bottom, top) = (a + (b - a) * u, c + (d - c) * u);
        let uv_along_u = (b - a) * (1.0 - v) + (d - c) * v;
        let uv_along_v = top - bottom;
        let size = tangents.along_u.length().max(tangents.along_v.length());
        // Of equal length, so that the triangle that stands for the surface is not thin
        let stretched = |tangent: DVec3, uv: Vec2| {
            let stretch = (size / tangent.length()).min(MOST_STRETCH);
            #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
            let uv_stretch = stretch as f32;
            ((tangent * stretch).as_vec3(), uv * uv_stretch)
        };
        BezierPatchPoint {
            position: point.position.as_vec3(),
            along_u: stretched(tangents.along_u, uv_along_u),
            along_v: stretched(tangents.along_v, uv_along_v),
            normal: tangents.normal().normalize_or(DVec3::Z).as_vec3(),
            uv: bottom + (top - bottom) * v,
            #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
            stretch: stretch as f32,
        }
    }

    fn derivatives(&self, location: Vec2) -> (BicubicPoint, f64) {
        BicubicPoint::of(&self.nets, [location.x.into(), location.y.into()])
    }

    /// Returns the location of the point of the patch that is nearest to a point, found by Gauss and Newton's method
    /// from the nearest point of a grid.
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    pub(super) fn location_of(&self, p: DVec3) -> Vec2 {
        const STEPS: u8 = 16;
        // Not at the edges, where a tangent may be nearly zero
        let grid = (0..STEPS)
            .flat_map(|j| (0..STEPS).map(move |i| [i, j].map(|k| (f64::from(k) + 0.5) / f64::from(STEPS))));
        let distance = |at: [f64; 2]| (BicubicPoint::of(&self.nets, at).0.position - p).length_squared();
        let mut best = grid
            .map(|at| (distance(at), at))
            .fold((f64::INFINITY, [0.5; 2]), |a, b| if b.0 < a.0 { b } else { a });
        for _ in 0..20 {
            let (BicubicPoint { position, along_u, along_v }, _) = BicubicPoint::of(&self.nets, best.1);
            let rest = p - position;
            let (a, b, c) = (along_u.dot(along_u), along_u.dot(along_v), along_v.dot(along_v));
            let (x, y) = (along_u.dot(rest), along_v.dot(rest));
            let determinant = (a * c - b * b).max(f64::MIN_POSITIVE);
            let step = [(c * x - b * y) / determinant, (a * y - b * x) / determinant];
            let next = [0, 1].map(|k| (best.1[k] + step[k]).clamp(0.0, 1.0));
            let there = distance(next);
            if there >= best.0 {
                break;
            }
            best = (there, next);
        }
        vec2(best.1[0] as f32, best.1[1] as f32)
    }

    /// Maps `[0, 1)²` to a location: uniformly in a cell of the unit square, which is chosen by the area of the surface
    /// over it. Returns the location and its density in the unit square.
    pub fn sample(&self, u: Vec2) -> (Vec2, f32) {
        let cell = self.cumulative.partition_point(|&end| end <= u.x).min(CELLS * CELLS - 1);
        let (start, probability) = self.cell(cell);
        let within = ((u.x - start) / probability).clamp(0.0, 1.0);
        let corner = vec2((cell % CELLS) as f32, (cell / CELLS) as f32);
        ((corner + vec2(within, u.y)) / CELLS as f32, probability * (CELLS * CELLS) as f32)
    }

    /// Returns the density of [`BezierPatch::sample`] at a location, in the unit square.
    pub fn density(&self, location: Vec2) -> f32 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the cells")]
        let index = |x: f32| ((x * CELLS as f32) as usize).min(CELLS - 1);
        self.cell(index(location.y) * CELLS + index(location.x)).1 * (CELLS * CELLS) as f32
    }

    /// Returns the cumulative probability of the cells before one, and its probability.
    fn cell(&self, cell: usize) -> (f32, f32) {
        let start = cell.checked_sub(1).map_or(0.0, |before| self.cumulative[before]);
        (start, self.cumulative[cell] - start)
    }

    /// Computes the area and the probabilities of the cells.
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    fn measure(&mut self) {
        // Gauss's points of two by two per cell
        const OFFSETS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];
        let areas: [f64; CELLS * CELLS] = std::array::from_fn(|cell| {
            let corner = [cell % CELLS, cell / CELLS].map(|k| k as f64);
            let at = |x: f64, y: f64| [(corner[0] + x) / CELLS as f64, (corner[1] + y) / CELLS as f64];
            let points = OFFSETS.iter().flat_map(|&x| OFFSETS.map(|y| at(x, y)));
            points.map(|at| BicubicPoint::of(&self.nets, at).1).sum::<f64>() / 4.0
        });
        let mean = areas.iter().sum::<f64>() / (CELLS * CELLS) as f64;
        self.area = mean as f32;
        // No cell is left out, since its area is only estimated
        let weight = |cell: usize| areas[cell].max(0.01 * mean);
        let total: f64 = (0..CELLS * CELLS).map(weight).sum();
        let mut sum = 0.0;
        for cell in 0..CELLS * CELLS {
            sum += weight(cell);
            self.cumulative[cell] = (sum / total) as f32;
        }
        self.cumulative[CELLS * CELLS - 1] = 1.0;
    }
}
