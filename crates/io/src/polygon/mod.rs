//! Triangulation of polygons.

mod ears;
mod point_tree;

use glam::DVec2;
use sunfleck_math::DVec3;

/// Returns the largest number of corners of a polygon over `vertices` vertices; one with holes passes the vertices on
/// its cuts twice.
pub(crate) fn max_corners(vertices: usize) -> usize {
    vertices.saturating_mul(2)
}

/// Triangulates a simple, roughly planar polygon. Returns `corners.len() − 2` triangles of indices into `corners`, with
/// the winding of the polygon.
///
/// A convex polygon becomes a fan around its first corner; a concave one is triangulated by ear clipping [Meisters75].
pub(crate) fn triangulate(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let normal = newell_normal(corners);
    if corners.len() <= 3 || u32::try_from(corners.len()).is_err() || is_convex(corners, normal) {
        return fan(&(0..corners.len()).collect::<Vec<_>>());
    }
    ears::clip_ears(&projected(corners, normal))
}

fn fan(ring: &[usize]) -> Vec<[usize; 3]> {
    ring.windows(2).skip(1).map(|pair| [ring[0], pair[0], pair[1]]).collect()
}

/// Returns the normal by Newell's method, whose length is twice the area; it is defined for non-planar polygons, too.
fn newell_normal(corners: &[DVec3]) -> DVec3 {
    // Relative to a corner, coordinates far from zero keep their precision.
    let origin = corners.first().copied().unwrap_or(DVec3::ZERO);
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| (*a - origin).cross(*b - origin)).sum()
}

/// Returns whether a polygon turns to one side only. Corners that repeat the one before have no turn of their own.
fn is_convex(corners: &[DVec3], normal: DVec3) -> bool {
    let ends = corners.iter().cycle().skip(1);
    let edges = || corners.iter().zip(ends.clone()).map(|(a, b)| *b - *a).filter(|edge| *edge != DVec3::ZERO);
    let Some(mut before) = edges().last() else { return true };
    edges().all(|edge| {
        let turn = before.cross(edge).dot(normal);
        before = edge;
        turn >= 0.0
    })
}

/// Projects a polygon along its normal, so that it is counter-clockwise.
fn projected(corners: &[DVec3], normal: DVec3) -> Vec<DVec2> {
    let normal = normal.normalize_or(DVec3::Z);
    // The axis that is farthest from the normal; coordinates of polygons in an axis plane stay exact.
    let axis = if normal.x.abs() <= normal.y.abs().min(normal.z.abs()) {
        DVec3::X
    } else if normal.y.abs() <= normal.z.abs() {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let v = normal.cross(axis).normalize_or(DVec3::Y);
    let u = v.cross(normal);
    let origin = corners.first().copied().unwrap_or(DVec3::ZERO);
    corners.iter().map(|&corner| DVec2::new((corner - origin).dot(u), (corner - origin).dot(v))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
        let cross = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|i| corners[i]);
            (b - a).cross(c - a).z
        };
        assert!(triangles.iter().all(|t| cross(t) >= -1e-12), "the winding is that of the polygon");
        triangles.iter().map(cross).sum::<f64>() * 0.5
    }

    #[test]
    fn convex_becomes_a_fan() {
        let square =
            [DVec3::new(0., 0., 1.), DVec3::new(1., 0., 1.), DVec3::new(1., 1., 1.), DVec3::new(0., 1., 1.)];
        assert_eq!(triangulate(&square), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn concave_keeps_its_area_from_every_start() {
        // An L of area 3 and an arrow head of area 1; for most first corners a fan would overlap itself.
        let ell = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
        let arrow = [(0., 0.), (2., 1.), (0., 2.), (1., 1.)];
        for (shape, expected) in [(&ell[..], 3.0), (&arrow[..], 1.0)] {
            let mut corners: Vec<DVec3> = shape.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).collect();
            for _ in 0..corners.len() {
                corners.rotate_left(1);
                let triangles = triangulate(&corners);
                assert_eq!(triangles.len(), corners.len() - 2);
                assert!((area(&corners, &triangles) - expected).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn degenerate_polygons_have_the_right_number_of_triangles() {
        for n in 3..40 {
            let bow: Vec<DVec3> =
                (0..n).map(|i| DVec3::new((i * 7 % 5) as f64, (i * 3 % 4) as f64, 0.0)).collect();
            assert_eq!(triangulate(&bow).len(), n - 2);
            assert_eq!(triangulate(&vec![DVec3::ZERO; n]).len(), n - 2);
        }
        assert!(triangulate(&[DVec3::ZERO; 2]).is_empty());
        assert!(triangulate(&[]).is_empty());
    }

    /// Star of `n` corners around the origin, whose every second corner is reflex; its area is n r R sin(2π/n) / 2.
    #[allow(clippy::disallowed_methods, reason = "any rounding of the shape will do")]
    fn star(n: u32) -> (Vec<DVec3>, f64) {
        let angle = std::f64::consts::TAU / f64::from(n);
        let corner = |i: u32| {
            let radius = if i.is_multiple_of(2) { 1.0 } else { 0.5 };
            let (sin, cos) = (f64::from(i) * angle).sin_cos();
            DVec3::new(radius * cos, radius * sin, 7.0)
        };
        ((0..n).map(corner).collect(), f64::from(n) * 0.25 * angle.sin())
    }

    /// Comb whose teeth are trapezoids of ever larger height over a bar of height 1, with its area.
    fn comb(teeth: u32) -> (Vec<DVec3>, f64) {
        let mut corners = vec![DVec3::new(f64::from(teeth), -1.0, 0.0)];
        for tooth in (0..teeth).rev().map(f64::from) {
            let tip = [(1.0, 0.0), (0.75, 1.0), (0.25, 1.0), (0.0, 0.0)];
            corners.extend(tip.map(|(x, y)| DVec3::new(tooth + x, y * (2.0 + tooth), 0.0)));
        }
        corners.push(DVec3::new(0.0, -1.0, 0.0));
        let heights: f64 = (0..teeth).map(|tooth| 0.75 * (2.0 + f64::from(tooth))).sum();
        (corners, f64::from(teeth) + heights)
    }

    /// A quadratic algorithm would take minutes.
    #[test]
    fn any_number_of_corners() {
        for (corners, expected) in [star(600), star(100_000), comb(100), comb(25_000)] {
            let triangles = triangulate(&corners);
            assert_eq!(triangles.len(), corners.len() - 2);
            let found = area(&corners, &triangles);
            assert!((found / expected - 1.0).abs() < 1e-9, "{} corners: {found} {expected}", corners.len());
        }
    }

    #[test]
    fn spirals_and_holes_keep_their_area() {
        // A corridor of width 1 that winds inwards: the outer wall of ever smaller squares, then back along the inner
        // one. Its area is that of its pieces, which are rectangles.
        let mut outer = Vec::new();
        let (mut x, mut y, mut dx, mut dy) = (0.0, 0.0, 1.0, 0.0);
        for side in (0..200).rev() {
            let length = f64::from(side / 2) * 2.0 + 2.0;
            outer.push(DVec3::new(x, y, 0.0));
            (x, y) = (x + dx * length, y + dy * length);
            (dx, dy) = (-dy, dx);
        }
        let inner: Vec<DVec3> = outer
            .windows(3)
            .map(|w| {
                let inward = ((w[0] - w[1]).normalize_or_zero() + (w[2] - w[1]).normalize_or_zero()) * 0.5;
                w[1] + inward
            })
            .collect();
        let ring: Vec<DVec3> =
            outer[1..outer.len() - 1].iter().copied().chain(inner.into_iter().rev()).collect();
        let shoelace = newell_normal(&ring).z * 0.5;
        assert!((area(&ring, &triangulate(&ring)) - shoelace).abs() < 1e-6 * shoelace);

        // A square of 4 × 4 with a hole of 2 × 2, cut open along a diagonal.
        let square = [
            (0., 0.),
            (4., 0.),
            (4., 4.),
            (0., 4.),
            (0., 0.),
            (1., 1.),
            (1., 3.),
            (3., 3.),
            (3., 1.),
            (1., 1.),
        ];
        let ring: Vec<DVec3> = square.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
        assert_eq!(area(&ring, &triangulate(&ring)), 12.0);
    }

    #[test]
    fn map_coordinates_do_not_matter() {
        let (near, expected) = star(60);
        let far: Vec<DVec3> = near.iter().map(|&p| p + DVec3::new(691_607.0, 5_335_942.0, 120.0)).collect();
        let found = area(&near, &triangulate(&far));
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}
