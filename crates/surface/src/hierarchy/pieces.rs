//! Squares of texels that belong to one triangle, as polygons.

use sunfleck_math::{DVec3, Vec2, Vec3, vec2};

use super::cells::Square;
use crate::atlas::{Atlas, barycentrics_of};
use crate::matrix::Polygon;

/// Returns the corners in the unit square of the rectangle that a square of texels takes of that of its triangle.
fn corners(atlas: &Atlas, square: Square, triangle: u32) -> [Vec2; 4] {
    let rect = atlas.rect(triangle);
    let size = vec2(rect.width as f32, rect.height as f32);
    let at = |[x, y]: [u32; 2]| {
        let [x, y] = [(square.x + x) << square.level, (square.y + y) << square.level];
        // Rectangles have powers of two as sides, so that all of this is exact
        vec2(x as f32 - rect.x as f32, y as f32 - rect.y as f32) / size
    };
    [[0, 0], [1, 0], [1, 1], [0, 1]].map(at)
}

/// Returns points in whose convex hull the square is: its corners, and those at the fold along the diagonal.
pub(super) fn outline(atlas: &Atlas, square: Square, triangle: u32) -> [Vec3; 6] {
    let [a, b, c, d] = corners(atlas, square, triangle);
    let (start, end) = (a.max_element(), c.min_element());
    let on_fold = |t: f32| if start < end { Vec2::splat(t) } else { a };
    let position = |at: Vec2| position(atlas, triangle, at).as_vec3();
    [a, b, c, d, on_fold(start), on_fold(end)].map(position)
}

/// Returns the convex polygons of which the square consists, one on each side of the fold.
///
/// * `normal` — that of the side.
pub(super) fn pieces(atlas: &Atlas, square: Square, triangle: u32, normal: Vec3) -> Vec<Polygon> {
    let corners = corners(atlas, square, triangle);
    let piece = |side: f32| {
        let height = |p: Vec2| side * (p.x - p.y);
        let mut piece: Vec<DVec3> = Vec::with_capacity(5);
        for (i, &p) in corners.iter().enumerate() {
            let q = corners[(i + 1) % 4];
            let (above, next) = (height(p), height(q));
            if above >= 0.0 {
                piece.push(position(atlas, triangle, p));
            }
            if above * next < 0.0 {
                piece.push(position(atlas, triangle, p + (q - p) * (above / (above - next))));
            }
        }
        let fan = piece.windows(2).skip(1).map(|edge| (edge[0] - piece[0]).cross(edge[1] - piece[0]));
        let cross: DVec3 = fan.sum();
        if cross.dot(normal.as_dvec3()) < 0.0 {
            piece.reverse();
        }
        (cross != DVec3::ZERO).then(|| Polygon::new(piece))
    };
    [1.0, -1.0].into_iter().filter_map(piece).collect()
}

fn position(atlas: &Atlas, triangle: u32, at: Vec2) -> DVec3 {
    let b = barycentrics_of(at).as_dvec2();
    let [p, q, r] = atlas.surfaces().triangles()[triangle as usize].corners.map(Vec3::as_dvec3);
    p * (1.0 - b.x - b.y) + q * b.x + r * b.y
}
