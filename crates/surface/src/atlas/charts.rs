//! A conventional atlas: charts of many triangles, unwrapped and packed by the crate `uvunwrap`.
//!
//! Charts have fewer borders than the meshed atlas, so that light is interpolated across the edges of their triangles,
//! but they leave texels unused, and the squares of a MIP pyramid mix charts. A texel may be shared by several triangles
//! of a chart, and be partly empty.

use sunfleck_math::{Vec2, vec2};
use sunfleck_sampling::warp;

use super::build::{AtlasError, Texel};
use super::lookup::SurfacePoint;
use super::surfaces::Surfaces;

/// Corners lie on a grid of this many steps a texel, so that rounding makes no slivers along the borders of texels.
const STEPS: f32 = 256.0;

/// Part of a triangle in a texel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    triangle: u32,
    /// Area of the surface, m².
    area: f32,
}

/// Texture coordinates of triangles, and the parts of triangles in each texel.
#[derive(Clone, Debug)]
pub(super) struct Charts {
    resolution: u32,
    /// Corners of each triangle in units of texels.
    corners: Vec<[Vec2; 3]>,
    /// Pieces of each texel: `pieces[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    pieces: Vec<Piece>,
}

impl Charts {
    /// Unwraps surfaces and packs their charts into one page.
    pub(super) fn unwrap(surfaces: &Surfaces, resolution: u32) -> Result<Self, AtlasError> {
        let triangles = surfaces.triangles();
        let positions: Vec<[f32; 3]> =
            triangles.iter().flat_map(|triangle| triangle.corners.map(|corner| corner.to_array())).collect();
        let indices: Vec<u32> = (0u32..).take(positions.len()).collect();
        let density = uvunwrap::Density::Auto { page_size: resolution };
        let options = uvunwrap::Options { density, ..uvunwrap::Options::default() };
        let failed = |error: uvunwrap::Error| AtlasError::Unwrap(error.to_string());
        let unwrapped = uvunwrap::generate(&[uvunwrap::MeshInput::new(&positions, &indices)], &options)
            .map_err(failed)?;
        let size = vec2(unwrapped.width as f32, unwrapped.height as f32);
        if unwrapped.page_count > 1 || size.max_element() > resolution as f32 {
            return Err(AtlasError::TooSmall { resolution, triangles: triangles.len() });
        }
        let corner = |mesh: &uvunwrap::OutputMesh, i: &u32| {
            let at = Vec2::from(mesh.vertices[*i as usize].uv) * size;
            (at * STEPS).round() / STEPS
        };
        let corners = unwrapped.meshes.iter().flat_map(|mesh| {
            mesh.indices.chunks_exact(3).map(move |t| [&t[0], &t[1], &t[2]].map(|i| corner(mesh, i)))
        });
        let mut charts =
            Self { resolution, corners: corners.collect(), first: Vec::new(), pieces: Vec::new() };
        charts.divide(surfaces);
        Ok(charts)
    }

    /// Divides all triangles among the texels.
    fn divide(&mut self, surfaces: &Surfaces) {
        let mut found: Vec<(u32, Piece)> = Vec::new();
        for ((corners, surface), triangle) in self.corners.iter().zip(surfaces.triangles()).zip(0u32..) {
            let in_map = area(corners);
            if in_map <= 0.0 {
                continue;
            }
            let scale = surface.area() / in_map;
            let [low, high] = self.bounds(corners);
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let area = area(&clipped(corners, [x, y])) * scale;
                    if area > 0.0 {
                        found.push((y * self.resolution + x, Piece { triangle, area }));
                    }
                }
            }
        }
        found.sort_by_key(|(texel, piece)| (*texel, piece.triangle));
        self.first = vec![0; self.resolution as usize * self.resolution as usize + 1];
        found.iter().for_each(|(texel, _)| self.first[*texel as usize + 1] += 1);
        (1..self.first.len()).for_each(|i| self.first[i] += self.first[i - 1]);
        self.pieces = found.into_iter().map(|(_, piece)| piece).collect();
    }

    /// Returns the first and the last column and row that a triangle may meet.
    fn bounds(&self, corners: &[Vec2; 3]) -> [[u32; 2]; 2] {
        let [a, b, c] = *corners;
        let last = (self.resolution - 1) as f32;
        [a.min(b).min(c), a.max(b).max(c)].map(|p| texel_of(p.clamp(Vec2::ZERO, Vec2::splat(last))))
    }

    fn pieces_of(&self, texel: u32) -> &[Piece] {
        &self.pieces[self.first[texel as usize] as usize..self.first[texel as usize + 1] as usize]
    }

    fn at(&self, texel: u32) -> [u32; 2] {
        [texel % self.resolution, texel / self.resolution]
    }

    /// Returns the area of each texel, m².
    pub(super) fn areas(&self) -> Vec<f32> {
        let texels = 0..self.resolution * self.resolution;
        texels.map(|texel| self.pieces_of(texel).iter().map(|piece| piece.area).sum()).collect()
    }

    /// Returns the surface point of each texel: the centroid of its largest piece.
    pub(super) fn texels(&self) -> Vec<Texel> {
        let texel = |texel: u32| {
            let pieces = self.pieces_of(texel).iter().rev();
            pieces.max_by(|a, b| a.area.total_cmp(&b.area)).map_or(Texel::EMPTY, |piece| {
                let corners = &self.corners[piece.triangle as usize];
                let polygon = clipped(corners, self.at(texel));
                let (mut sum, mut total) = (Vec2::ZERO, 0.0);
                for fan in fans(&polygon) {
                    let area = area(&fan);
                    (sum, total) = (sum + (fan[0] + fan[1] + fan[2]) * (area / 3.0), total + area);
                }
                Texel { triangle: piece.triangle, barycentrics: barycentrics(corners, sum / total) }
            })
        };
        (0..self.resolution * self.resolution).map(texel).collect()
    }

    /// Returns the texel of a surface point.
    pub(super) fn texel_at(&self, point: SurfacePoint) -> u32 {
        let last = Vec2::splat((self.resolution - 1) as f32);
        let [x, y] = texel_of(self.position(point).clamp(Vec2::ZERO, last));
        y * self.resolution + x
    }

    /// Returns the position of a surface point in the map, in units of texels.
    pub(super) fn position(&self, SurfacePoint { triangle, barycentrics: b }: SurfacePoint) -> Vec2 {
        self.corners.get(triangle as usize).map_or(Vec2::ZERO, |[p, q, r]| *p + (q - p) * b.x + (r - p) * b.y)
    }

    /// Returns a surface point of a texel; a uniform `u` gives a uniform point.
    pub(super) fn point_in(&self, texel: u32, u: Vec2) -> Option<SurfacePoint> {
        let pieces = self.pieces_of(texel);
        // The first number chooses the piece and the part of its fan, and is stretched to be used again
        let mut left = u.x * pieces.iter().map(|piece| piece.area).sum::<f32>();
        let piece = pieces.iter().find(|piece| take(&mut left, piece.area)).or(pieces.last())?;
        let corners = &self.corners[piece.triangle as usize];
        let polygon = clipped(corners, self.at(texel));
        let mut left = left.min(piece.area) / piece.area * area(&polygon);
        let fan = fans(&polygon).find(|fan| take(&mut left, area(fan))).or(fans(&polygon).last())?;
        let b = warp::uniform_triangle(vec2((left / area(&fan)).clamp(0.0, 1.0), u.y));
        let position = fan[0] + (fan[1] - fan[0]) * b.x + (fan[2] - fan[0]) * b.y;
        Some(SurfacePoint { triangle: piece.triangle, barycentrics: barycentrics(corners, position) })
    }
}

/// Returns whether a number is in an interval that begins at 0, and subtracts its length if not.
fn take(left: &mut f32, length: f32) -> bool {
    let is_here = *left < length;
    if !is_here {
        *left -= length;
    }
    is_here
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positions are in the map")]
fn texel_of(p: Vec2) -> [u32; 2] {
    [p.x as u32, p.y as u32]
}

fn fans(polygon: &[Vec2]) -> impl Iterator<Item = [Vec2; 3]> + '_ {
    polygon.windows(2).skip(1).map(|edge| [polygon[0], edge[0], edge[1]])
}

/// Returns the area of a convex polygon.
fn area(polygon: &[Vec2]) -> f32 {
    0.5 * fans(polygon).map(|[a, b, c]| (b - a).perp_dot(c - a).abs()).sum::<f32>()
}

/// Returns the barycentric coordinates of vertices 1 and 2, moved into the triangle.
fn barycentrics(&[p, q, r]: &[Vec2; 3], at: Vec2) -> Vec2 {
    let (e1, e2, offset) = (q - p, r - p, at - p);
    let b = vec2(offset.perp_dot(e2), e1.perp_dot(offset)) / e1.perp_dot(e2);
    let b = if b.is_finite() { b.max(Vec2::ZERO) } else { Vec2::ZERO };
    if b.element_sum() > 1.0 { b / b.element_sum() } else { b }
}

/// Returns the part of a triangle in a texel [Sutherland74], at most seven corners.
fn clipped(corners: &[Vec2; 3], [x, y]: [u32; 2]) -> Vec<Vec2> {
    let mut polygon = corners.to_vec();
    let low = vec2(x as f32, y as f32);
    for (axis, sign, bound) in
        [(0, 1.0, low.x), (0, -1.0, low.x + 1.0), (1, 1.0, low.y), (1, -1.0, low.y + 1.0)]
    {
        let inside = |p: Vec2| (p[axis] - bound) * sign;
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, &p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            let (at_p, at_q) = (inside(p), inside(q));
            if at_p >= 0.0 {
                kept.push(p);
            }
            if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
                let mut cut = p + (q - p) * (at_p / (at_p - at_q));
                cut[axis] = bound;
                kept.push(cut);
            }
        }
        polygon = kept;
    }
    polygon
}
