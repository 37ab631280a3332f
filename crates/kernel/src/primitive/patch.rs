//! Intersection of rays with pieces of bicubic patches.
//!
//! The ray is the intersection of two planes [Kajiya82, planes of a ray]. Distances of the control points from them are
//! the control points of a plane patch that is zero where the ray meets the surface. Newton's method finds the zero
//! [Martin00, root finding] [Benthin04, Newton iteration], but not from any start, and only one of several. In contrast
//! to these papers, which rely on patches that are divided finely enough, a cell is searched by Newton's method only if
//! the plane patch is known to be one-to-one on it; else the cell is halved. Cells whose control points are all on one
//! side of the zero are left out. So all crossings are found, at silhouettes, too. All of it is in f64, as for other
//! shapes.

use sunfleck_math::shape::{BicubicPoint, bicubic, split_bicubic};
use sunfleck_math::{Aabb, BezierPatch, DVec3, Shape, Vec3};

use super::shape::{Crossing, ShapeRay};

/// Most pieces of a patch along u, and along v.
const MOST_PIECES: u32 = 16;
/// A patch is divided until the second differences of the control points are less than this part of their distances.
const FLATNESS: f64 = 1.0 / 12.0;
/// Distance by which a piece is enlarged, in its own parameters: more than rounding moves crossings, so that rays
/// between two pieces hit at least one of them.
const MARGIN: f64 = 1e-8;
/// Distance from a cell, in its own parameters, within which a zero is the only one.
const NEARBY: f64 = 0.1;
/// Most crossings of a piece that are found. Pieces are nearly flat, so that two are rare.
const MOST_CROSSINGS: usize = 4;
/// Most cells of a piece that are visited. Only rays within a surface need more; they miss it.
const MOST_CELLS: u32 = 400;
/// Size of a cell, as a part of the piece, that counts as one crossing although the ray touches the surface there, or
/// meets a point into which an edge is collapsed.
const LEAST_CELL: f64 = 1e-7;
/// Distance in the parameters of the patch within which two crossings are one: more than [`MARGIN`], [`LEAST_CELL`] and
/// the rounding of locations.
const SAME_CROSSING: f32 = 5e-7;

/// Part of a patch in object space, the item of a leaf.
#[derive(Clone, Debug)]
pub(crate) struct PatchPiece {
    /// Index of the patch among the shapes.
    pub(crate) prim: u32,
    /// Box around the control points.
    pub(crate) bounds: Aabb,
    /// Control points by axis.
    nets: [[f64; 16]; 3],
    /// Parameters of the patch at the piece's corner.
    from: [f64; 2],
    /// Extent of the piece in the parameters of the patch.
    size: [f64; 2],
    /// −1 if normals are reversed, or turned by a reflection.
    side: f64,
}

impl PatchPiece {
    /// Divides a patch into pieces that are nearly flat.
    pub(crate) fn divide(prim: u32, shape: &Shape, patch: &BezierPatch, pieces: &mut Vec<Self>) {
        let m = &shape.object_from_unit;
        let rows = [0, 1, 2].map(|axis| {
            [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(|column| f64::from(column[axis]))
        });
        let [x, y, z] = patch.nets();
        let nets = [0, 1, 2].map(|axis| {
            let ([a, b, c], d) = (rows[axis], f64::from(m.translation[axis]));
            std::array::from_fn(|i| a * x[i] + b * y[i] + c * z[i] + d)
        });
        let mirrored = m.matrix3.determinant() < 0.0;
        let side = if shape.flipped != mirrored { -1.0 } else { 1.0 };
        let whole = Self { prim, bounds: Aabb::EMPTY, nets, from: [0.0; 2], size: [1.0; 2], side };
        let columns = pieces_along(&nets, 0);
        let rows = pieces_along(&nets, 1);
        for column in whole.halved(0, columns) {
            pieces.extend(column.halved(1, rows).into_iter().map(Self::with_bounds));
        }
    }

    /// Divides a piece into a power of two of pieces along u or v.
    fn halved(&self, along: usize, count: u32) -> Vec<Self> {
        if count == 1 {
            return vec![self.clone()];
        }
        let [low, high] = halves(self.from, self.size, along);
        let halves = self.nets.map(|net| split_bicubic(&net, along));
        let half = |which: usize, (from, size): ([f64; 2], [f64; 2])| Self {
            nets: [0, 1, 2].map(|axis| halves[axis][which]),
            from,
            size,
            ..self.clone()
        };
        [half(0, low), half(1, high)].iter().flat_map(|half| half.halved(along, count / 2)).collect()
    }

    /// Computes the box around the control points, rounded outwards.
    #[allow(clippy::cast_possible_truncation, reason = "the padding is more than the rounding")]
    fn with_bounds(self) -> Self {
        let point =
            |i: usize| Vec3::new(self.nets[0][i] as f32, self.nets[1][i] as f32, self.nets[2][i] as f32);
        let bounds = Aabb::from_points((0..16).map(point));
        let padding = bounds.min.abs().max(bounds.max.abs()).max_element() * (4.0 * f32::EPSILON);
        Self { bounds: Aabb { min: bounds.min - padding, max: bounds.max + padding }, ..self }
    }

    /// Returns the control points in f32, relative to the middle of the box, and the range of the piece: corner and
    /// extent in the parameters of the patch.
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    pub(crate) fn relative(&self) -> (Vec3, [Vec3; 16], [[f32; 2]; 2]) {
        let center = self.bounds.center();
        let point = |i: usize| {
            let axis = |axis: usize| (self.nets[axis][i] - f64::from(center[axis])) as f32;
            Vec3::new(axis(0), axis(1), axis(2))
        };
        (center, std::array::from_fn(point), [self.from, self.size].map(|pair| pair.map(|x| x as f32)))
    }

    /// Returns the points at which the line of a ray crosses the piece, in ascending order of `t`.
    pub(crate) fn crossings(&self, ray: &ShapeRay) -> Crossings {
        let mut found = Crossings::default();
        let [first, second] = ray.planes();
        let Some(a) = self.distances(ray, first) else { return found };
        let Some(b) = self.distances(ray, second) else { return found };
        let cell = Cell { nets: [a, b], from: [0.0; 2], size: [1.0; 2] };
        let least = LEAST_CELL * (cell.extent(0) + cell.extent(1));
        self.search(&cell, least, ray, &mut found);
        found
    }

    /// Returns the distances of the control points from a plane through the ray, multiplied by the length of its
    /// normal; `None` if all are on one side.
    #[inline(always)]
    fn distances(&self, ray: &ShapeRay, normal: DVec3) -> Option<[f64; 16]> {
        let at_origin = ray.origin().dot(normal);
        let [x, y, z] = &self.nets;
        let net: [f64; 16] =
            std::array::from_fn(|i| (x[i] * normal.x + y[i] * normal.y) + (z[i] * normal.z - at_origin));
        contains_zero(&net).then_some(net)
    }

    /// Adds the crossings in a cell.
    fn search(&self, cell: &Cell, least: f64, ray: &ShapeRay, found: &mut Crossings) {
        found.cells += 1;
        if found.cells > MOST_CELLS || !cell.nets.iter().all(contains_zero) {
            return;
        }
        if let Some(normalized) = cell.normalized() {
            if !normalized.iter().all(contains_zero) {
                return;
            }
            if is_one_to_one(&normalized)
                && let Some(at) = newton(&normalized)
            {
                let margin = [0, 1].map(|k| MARGIN / cell.size[k]);
                let is_within =
                    |margin: [f64; 2]| (0..2).all(|k| at[k] >= -margin[k] && at[k] <= 1.0 + margin[k]);
                if is_within(margin) {
                    self.add(cell.in_piece(at), ray, found);
                    return;
                }
                // Far outside, where the plane patch may not be one-to-one, there may be a second zero.
                if is_within([NEARBY; 2]) {
                    return;
                }
            }
        }
        let extents = [cell.extent(0), cell.extent(1)];
        if extents[0] + extents[1] <= least {
            self.add(cell.in_piece([0.5; 2]), ray, found);
            return;
        }
        for half in cell.split(usize::from(extents[1] > extents[0])) {
            self.search(&half, least, ray, found);
        }
    }

    /// Adds the crossing at a point of the piece.
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    fn add(&self, at: [f64; 2], ray: &ShapeRay, found: &mut Crossings) {
        let at = at.map(|x| x.clamp(0.0, 1.0));
        let (point, _) = BicubicPoint::of(&self.nets, at);
        let location = [0, 1].map(|k| (self.from[k] + self.size[k] * at[k]) as f32);
        let normal = point.normal() * self.side;
        found.add(Crossing { t: ray.parameter_of(point.position), location, normal });
    }
}

/// Returns into how many pieces a patch is divided along u (0) or v (1): a power of two.
fn pieces_along(nets: &[[f64; 16]; 3], along: usize) -> u32 {
    let point = |line: usize, i: usize| {
        let index = if along == 0 { 4 * line + i } else { 4 * i + line };
        DVec3::new(nets[0][index], nets[1][index], nets[2][index])
    };
    let (mut bend, mut length) = (0f64, 0f64);
    for line in 0..4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| point(line, i));
        bend = bend.max((a - b * 2.0 + c).length()).max((b - c * 2.0 + d).length());
        length = length.max((b - a).length() + (c - b).length() + (d - c).length());
    }
    let mut count = 1;
    // Halves have a quarter of the second differences and half of the length.
    while count < MOST_PIECES && bend > FLATNESS * f64::from(count) * length {
        count *= 2;
    }
    count
}

/// Part of the unit square of a piece, with the control points of the plane patch over it.
struct Cell {
    nets: [[f64; 16]; 2],
    from: [f64; 2],
    size: [f64; 2],
}

impl Cell {
    /// Returns the plane patch transformed so that its mean derivative is the unit matrix; `None` if that is singular.
    #[inline(always)]
    fn normalized(&self) -> Option<[[f64; 16]; 2]> {
        // The mean of a derivative is that between opposite edges, whose Bernstein coefficients have equal weights.
        let along_u = |net: &[f64; 16]| {
            (net[3] - net[0]) + (net[7] - net[4]) + (net[11] - net[8]) + (net[15] - net[12])
        };
        let along_v = |net: &[f64; 16]| {
            (net[12] - net[0]) + (net[13] - net[1]) + (net[14] - net[2]) + (net[15] - net[3])
        };
        let [a, b] = &self.nets;
        let (au, av, bu, bv) = (along_u(a) * 0.25, along_v(a) * 0.25, along_u(b) * 0.25, along_v(b) * 0.25);
        let reciprocal = 1.0 / (au * bv - av * bu);
        if !reciprocal.is_finite() {
            return None;
        }
        let [p, q, r, s] = [bv, -av, -bu, au].map(|x| x * reciprocal);
        Some([std::array::from_fn(|i| p * a[i] + q * b[i]), std::array::from_fn(|i| r * a[i] + s * b[i])])
    }

    /// Returns the sum of the distances of neighbouring control points along u (0) or v (1).
    fn extent(&self, along: usize) -> f64 {
        let step = [1, 4][along];
        let has_next = |i: &usize| if along == 0 { i % 4 < 3 } else { *i < 12 };
        let of_net =
            |net: &[f64; 16]| (0..16).filter(has_next).map(|i| (net[i + step] - net[i]).abs()).sum::<f64>();
        of_net(&self.nets[0]) + of_net(&self.nets[1])
    }

    fn split(&self, along: usize) -> [Self; 2] {
        let [[a, b], [c, d]] = self.nets.map(|net| split_bicubic(&net, along));
        let [low, high] = halves(self.from, self.size, along);
        [Self { nets: [a, c], from: low.0, size: low.1 }, Self { nets: [b, d], from: high.0, size: high.1 }]
    }

    /// Returns a point of the cell in the unit square of the piece.
    fn in_piece(&self, at: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| self.from[k] + self.size[k] * at[k])
    }
}

/// Returns corner and size of both halves of a rectangle.
fn halves(from: [f64; 2], size: [f64; 2], along: usize) -> [([f64; 2], [f64; 2]); 2] {
    let (mut half, mut middle) = (size, from);
    half[along] *= 0.5;
    middle[along] += half[along];
    [(from, half), (middle, half)]
}

/// Returns whether the control points are on both sides of zero, or on it.
#[inline(always)]
fn contains_zero(net: &[f64; 16]) -> bool {
    let (least, most) = net.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &x| {
        (if x < least { x } else { least }, if x > most { x } else { most })
    });
    // Enlarged by rounding errors, so that no crossing at the edge is lost
    let rounding = 1e-12 * (most - least);
    least <= rounding && most >= -rounding
}

/// Returns whether a plane patch is known to be one-to-one on the unit square: by the mean value theorem it is, if no
/// matrix whose rows are derivatives of its two coordinates, at any two points, is singular.
#[inline(always)]
fn is_one_to_one([a, b]: &[[f64; 16]; 2]) -> bool {
    let range = |net: &[f64; 16], step: usize, starts: [usize; 12]| {
        starts.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), i| {
            let x = net[i + step] - net[i];
            (if x < least { x } else { least }, if x > most { x } else { most })
        })
    };
    const ALONG_U: [usize; 12] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];
    const ALONG_V: [usize; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let (au, av) = (range(a, 1, ALONG_U), range(a, 4, ALONG_V));
    let (bu, bv) = (range(b, 1, ALONG_U), range(b, 4, ALONG_V));
    let largest = |(least, most): (f64, f64)| if -least > most { -least } else { most };
    au.0 > 0.0 && bv.0 > 0.0 && au.0 * bv.0 > 1.01 * largest(av) * largest(bu)
}

/// Returns the zero of a plane patch whose mean derivative is the unit matrix, by Newton's method; it may be outside of
/// the unit square. `None` if the method does not converge.
#[inline(always)]
fn newton([a, b]: &[[f64; 16]; 2]) -> Option<[f64; 2]> {
    let mut at = [0.5f64; 2];
    for _ in 0..12 {
        let (f, g) = (bicubic(a, at), bicubic(b, at));
        let reciprocal = 1.0 / (f.u * g.v - f.v * g.u);
        let step =
            [(f.value * g.v - g.value * f.v) * reciprocal, (g.value * f.u - f.value * g.u) * reciprocal];
        at = [at[0] - step[0], at[1] - step[1]];
        let length = step[0].abs() + step[1].abs();
        // The next step would be about as long as the square of this one
        if length < 1e-8 {
            return Some(at);
        }
        if length >= 2.0 || length.is_nan() {
            return None;
        }
    }
    None
}

/// Crossings of a ray with a piece.
#[derive(Clone, Copy, Default)]
pub(crate) struct Crossings {
    found: [Option<Crossing>; MOST_CROSSINGS],
    count: usize,
    /// Number of cells that were visited.
    cells: u32,
}

impl Crossings {
    /// Adds a crossing in the order of `t`, unless another cell has it, too, within rounding.
    fn add(&mut self, crossing: Crossing) {
        let apart = |other: &Crossing, k: usize| (other.location[k] - crossing.location[k]).abs();
        let is_same = |other: &Crossing| (0..2).all(|k| apart(other, k) <= SAME_CROSSING);
        if self.count == MOST_CROSSINGS || self.found.iter().flatten().any(is_same) {
            return;
        }
        let is_before = |other: &Option<Crossing>| other.is_some_and(|other| other.t <= crossing.t);
        let at = self.found.iter().take_while(|other| is_before(other)).count();
        self.found[at..=self.count].rotate_right(1);
        self.found[at] = Some(crossing);
        self.count += 1;
    }
}

impl IntoIterator for Crossings {
    type Item = Crossing;
    type IntoIter = std::iter::Flatten<std::array::IntoIter<Option<Crossing>, MOST_CROSSINGS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Ray, UnitShape, vec2};
    use sunfleck_testkit::Random;
    use sunfleck_testkit::shapes::patches;

    use super::super::SlabRay;
    use super::*;

    /// Rays to corners of cells, and to silhouettes, along which neighbouring cells find the same crossing.
    #[test]
    fn each_crossing_is_found_once() {
        let (mut random, mut count, mut several) = (Random::new(3), 0, 0);
        for shape in patches() {
            let UnitShape::Patch(patch) = &shape.unit else { continue };
            let mut pieces = Vec::new();
            PatchPiece::divide(0, &shape, patch, &mut pieces);
            for i in 0..4000 {
                let mut number = || random.next_f32();
                let place = vec2((number() * 64.0).round(), (number() * 64.0).round()) / 64.0;
                let target = patch.at(place);
                let [a, b] = [number() - 0.5, number() - 0.5];
                let tangent = target.along_u.0 * a + target.along_v.0 * b;
                let direction = if i % 2 == 0 { tangent } else { tangent + target.normal * number() };
                let ray = Ray::new(target.position - direction * 2.0, direction);
                let ray = ShapeRay::new(&ray, SlabRay::new(ray.origin, direction, 0, [0.0; 3]));
                for piece in &pieces {
                    let found: Vec<Crossing> = piece.crossings(&ray).into_iter().collect();
                    count += found.len();
                    several += usize::from(found.len() > 1);
                    for (k, one) in found.iter().enumerate() {
                        for other in &found[..k] {
                            let apart = vec2(
                                one.location[0] - other.location[0],
                                one.location[1] - other.location[1],
                            );
                            let case = format!("piece from {:?}: {} and {}", piece.from, one.t, other.t);
                            assert!(apart.abs().max_element() > 4e-7, "{case}");
                        }
                    }
                }
            }
        }
        assert!(count > 10_000 && several > 10, "{count} crossings, {several} times several in a piece");
    }
}
