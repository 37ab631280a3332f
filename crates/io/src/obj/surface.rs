//! Free-form surfaces of OBJ files [Wavefront], as bicubic patches.

use sunfleck_math::{DVec3, Vec2, vec2};

use crate::FileLocation;
use crate::corners::{Corner, NO_INDEX};
use crate::error::ParseError;
use crate::text::{Word, Words};

/// Degree of patches.
const CUBIC: usize = 3;

/// Basis of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Basis {
    #[default]
    Bezier,
    BSpline,
}

/// Bicubic patch: four rows of four control points, and the texture coordinates of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patch {
    pub(super) points: [DVec3; 16],
    pub(super) uv: [Vec2; 4],
    /// Index into [`Obj::materials`](super::parse::Obj::materials), or [`NO_INDEX`].
    pub(super) material: u32,
}

/// State of the statements about free-form surfaces.
#[derive(Debug, Default)]
pub(super) struct FreeForm {
    /// Basis and whether it is rational; the name of a basis that is not supported.
    basis: Basis,
    rational: bool,
    unsupported: Option<String>,
    degrees: [usize; 2],
    open: Option<OpenSurface>,
}

/// Surface whose `end` has not come yet.
#[derive(Debug)]
pub(super) struct OpenSurface {
    pub(super) corners: Vec<Corner>,
    /// Values of `parm u` and `parm v`.
    parameters: [Vec<f64>; 2],
    /// First and last parameter along u, and along v.
    range: [[f64; 2]; 2],
    material: u32,
    location: FileLocation,
}

impl FreeForm {
    /// Reads `cstype [rat] type`.
    pub(super) fn curve_type(&mut self, mut words: Words<'_>) -> Result<(), ParseError> {
        let mut word = words.expect("a type of curves and surfaces")?;
        self.rational = word.text == b"rat";
        if self.rational {
            word = words.expect("a type of curves and surfaces")?;
        }
        self.unsupported = None;
        match word.text {
            b"bezier" => self.basis = Basis::Bezier,
            b"bspline" => self.basis = Basis::BSpline,
            _ => self.unsupported = Some(word.lossy().into_owned()),
        }
        Ok(())
    }

    /// Reads `deg u [v]`.
    pub(super) fn degree(&mut self, mut words: Words<'_>) -> Result<(), ParseError> {
        let u = words.expect("a degree")?.parse("a degree")?;
        self.degrees = [u, words.next().map_or(Ok(u), |word| word.parse("a degree"))?];
        Ok(())
    }

    /// Begins a surface.
    ///
    /// * `numbers` — words of the range: `s0 s1 t0 t1`.
    pub(super) fn begin(
        &mut self,
        numbers: [Word<'_>; 4],
        corners: Vec<Corner>,
        material: u32,
        location: FileLocation,
    ) -> Result<(), ParseError> {
        let [s0, s1, t0, t1] = numbers.map(|word| word.coordinate());
        let range = [[s0?, s1?], [t0?, t1?]];
        self.open = Some(OpenSurface { corners, parameters: Default::default(), range, material, location });
        Ok(())
    }

    /// Reads `parm u p0 p1 …` or `parm v p0 p1 …`.
    pub(super) fn parameters(&mut self, mut words: Words<'_>) -> Result<(), ParseError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let which = words.expect("u or v")?;
        let along = match which.text {
            b"u" => 0,
            b"v" => 1,
            _ => return Err(which.bad("u or v")),
        };
        for word in words {
            open.parameters[along].push(word.coordinate()?);
        }
        Ok(())
    }

    /// Ends a surface. Returns its patches, and whether its weights are ignored; nothing if no surface began.
    ///
    /// * `positions`, `uvs` — of the file.
    pub(super) fn end(
        &mut self,
        positions: &[DVec3],
        uvs: &[Vec2],
    ) -> Result<Option<(Vec<Patch>, Notes)>, ParseError> {
        let Some(open) = self.open.take() else { return Ok(None) };
        let fail = |message: String| ParseError::unsupported(open.location.clone(), message);
        if let Some(name) = &self.unsupported {
            return Err(fail(format!("surfaces of type {name:?} are not supported")));
        }
        if let Some(degree) = self.degrees.into_iter().find(|degree| !(1..=CUBIC).contains(degree)) {
            return Err(fail(format!("surfaces of degree {degree} are not supported, only 1 to 3")));
        }
        let [u, v] = [0, 1].map(|along| open.spans(along, self.basis, self.degrees[along]));
        let (u, v) = (u.map_err(fail)?, v.map_err(fail)?);
        if open.corners.len() != u.points * v.points {
            let message = format!(
                "a surface of degree {} × {} with these parameters has {} × {} control points, not {}",
                self.degrees[0],
                self.degrees[1],
                u.points,
                v.points,
                open.corners.len()
            );
            return Err(ParseError::malformed(open.location.clone(), message));
        }
        let has_uv = open.corners.iter().all(|corner| corner.uv != NO_INDEX);
        let grid: Vec<Point> = open
            .corners
            .iter()
            .map(|corner| {
                let p = positions[corner.position as usize];
                let uv = if has_uv { uvs[corner.uv as usize] } else { Vec2::ZERO };
                [p.x, p.y, p.z, uv.x.into(), uv.y.into()]
            })
            .collect();
        let is_part = |along: usize, spans: &Spans| open.range[along] != [spans.first(), spans.last()];
        let notes = Notes { weights: self.rational, range: is_part(0, &u) || is_part(1, &v) };

        // Rows of control points along u, then columns along v
        let rows: Vec<Vec<[Point; 4]>> = grid.chunks(u.points).map(|row| u.cubics(row)).collect();
        let mut patches = Vec::with_capacity(u.count() * v.count());
        for i in 0..u.count() {
            let columns: [Vec<[Point; 4]>; 4] = std::array::from_fn(|k| {
                let column: Vec<Point> = rows.iter().map(|row| row[i][k]).collect();
                v.cubics(&column)
            });
            let [first, second, third, fourth] = &columns;
            let along_v = first.iter().zip(second).zip(third).zip(fourth).enumerate();
            for (j, (((a, b), c), d)) in along_v {
                let point = |k: usize| [a, b, c, d][k % 4][k / 4];
                let of_parameters = |k: usize| vec2(u.fraction(i + k % 2), 1.0 - v.fraction(j + k / 2));
                let corner = |k: usize| {
                    let point = point([0, 3, 12, 15][k]);
                    #[allow(clippy::cast_possible_truncation, reason = "texture coordinates are in f32")]
                    let own = vec2(point[3] as f32, point[4] as f32);
                    if has_uv { own } else { of_parameters(k) }
                };
                patches.push(Patch {
                    points: std::array::from_fn(|k| DVec3::new(point(k)[0], point(k)[1], point(k)[2])),
                    uv: [0, 1, 2, 3].map(corner),
                    material: open.material,
                });
            }
        }
        Ok(Some((patches, notes)))
    }
}

/// What of a surface is not read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    /// The weights.
    pub(super) weights: bool,
    /// That its range is only a part of its parameters.
    pub(super) range: bool,
}

/// Control point with texture coordinates.
type Point = [f64; 5];

/// Polynomial spans of a surface along u or v.
struct Spans {
    basis: Basis,
    degree: usize,
    /// Knots of B-splines; boundaries of spans of Bézier curves.
    parameters: Vec<f64>,
    /// Number of control points.
    points: usize,
    /// Index of the first parameter of each span that is not empty.
    starts: Vec<usize>,
}

impl OpenSurface {
    fn spans(&self, along: usize, basis: Basis, degree: usize) -> Result<Spans, String> {
        let mut parameters = self.parameters[along].clone();
        if basis == Basis::Bezier && parameters.len() < 2 {
            parameters = self.range[along].to_vec();
        }
        if !parameters.is_sorted() {
            return Err("the parameters of a surface do not ascend".into());
        }
        let (points, starts) = match basis {
            Basis::Bezier => (degree * (parameters.len() - 1) + 1, (0..parameters.len() - 1).collect()),
            Basis::BSpline => {
                let points = parameters.len().saturating_sub(degree + 1);
                let is_open = |&i: &usize| parameters[i] < parameters[i + 1];
                (points, (degree..points).filter(is_open).collect::<Vec<_>>())
            }
        };
        if starts.is_empty() {
            return Err("a surface has no range of parameters".into());
        }
        Ok(Spans { basis, degree, parameters, points, starts })
    }
}

impl Spans {
    fn count(&self) -> usize {
        self.starts.len()
    }

    fn first(&self) -> f64 {
        self.parameters[self.starts[0]]
    }

    fn last(&self) -> f64 {
        self.starts.last().map_or(0.0, |&start| self.parameters[start + 1])
    }

    /// Returns the parameter at which a span begins, or the last one ends, as a fraction of the range.
    fn fraction(&self, span: usize) -> f32 {
        let at = self.starts.get(span).map_or(self.last(), |&start| self.parameters[start]);
        let fraction = (at - self.first()) / (self.last() - self.first());
        #[allow(clippy::cast_possible_truncation, reason = "texture coordinates are in f32")]
        let fraction = fraction as f32;
        if fraction.is_finite() { fraction } else { span as f32 / self.count() as f32 }
    }

    /// Returns the spans of a curve as cubic Bézier curves.
    fn cubics(&self, points: &[Point]) -> Vec<[Point; 4]> {
        let bezier = |(i, &start): (usize, &usize)| match self.basis {
            Basis::Bezier => points[self.degree * i..=self.degree * (i + 1)].to_vec(),
            Basis::BSpline => {
                let [a, b] = [self.parameters[start], self.parameters[start + 1]];
                let arguments = |j: usize| (0..self.degree).map(move |r| if r < j { b } else { a });
                (0..=self.degree).map(|j| self.blossom(points, start, arguments(j))).collect()
            }
        };
        self.starts.iter().enumerate().map(bezier).map(|curve| raised(&curve)).collect()
    }

    /// Returns the polar form of a span of a B-spline, whose values at its two ends are the control points of the
    /// Bézier curve [Farin02, B-spline blossoms].
    ///
    /// * `span` — index of the knot at which the span begins. * `arguments` — as many as the degree.
    fn blossom(&self, points: &[Point], span: usize, arguments: impl Iterator<Item = f64>) -> Point {
        let first = span - self.degree;
        let mut active = points[first..=span].to_vec();
        for (level, x) in arguments.enumerate() {
            for i in 0..self.degree - level {
                let (low, high) = (self.parameters[first + level + 1 + i], self.parameters[span + 1 + i]);
                active[i] = mix(&active[i], &active[i + 1], (x - low) / (high - low));
            }
        }
        active[0]
    }
}

/// Returns a Bézier curve of degree 1 to 3 as a cubic one, by exact degree elevation [Farin02, degree elevation].
fn raised(points: &[Point]) -> [Point; 4] {
    let mut points = points.to_vec();
    while points.len() < CUBIC + 1 {
        let n = points.len();
        let between = |i: usize| mix(&points[i], &points[i - 1], i as f64 / n as f64);
        points = std::iter::once(points[0]).chain((1..n).map(between)).chain([points[n - 1]]).collect();
    }
    [points[0], points[1], points[2], points[3]]
}

/// Returns the point at `t` on the line from `a` to `b`.
fn mix(a: &Point, b: &Point, t: f64) -> Point {
    std::array::from_fn(|k| a[k] * (1.0 - t) + b[k] * t)
}
