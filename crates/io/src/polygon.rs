//! Triangulation of polygons.

use sunfleck_math::{DVec3, Vec3};

/// Polygons with more corners are triangulated as a fan, since ear clipping takes cubic time in the worst case.
const MAX_CORNERS_TO_CLIP: usize = 256;

/// Triangulates a simple, roughly planar polygon. Returns `corners.len() − 2` triangles of indices into `corners`, with
/// the winding of the polygon.
///
/// A convex polygon becomes a fan around its first corner; a concave one is triangulated by ear clipping [Meisters75].
pub(crate) fn triangulate(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let corners: Vec<DVec3> = corners.iter().map(|c| c.as_dvec3()).collect();
    let normal = newell_normal(&corners);
    if corners.len() <= 3 || corners.len() > MAX_CORNERS_TO_CLIP || is_convex(&corners, normal) {
        return fan(&(0..corners.len()).collect::<Vec<_>>());
    }
    clip_ears(&corners, normal)
}

fn fan(ring: &[usize]) -> Vec<[usize; 3]> {
    ring.windows(2).skip(1).map(|pair| [ring[0], pair[0], pair[1]]).collect()
}

/// Returns the normal by Newell's method, whose length is twice the area; it is defined for non-planar polygons, too.
fn newell_normal(corners: &[DVec3]) -> DVec3 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum()
}

/// Returns twice the signed area of a triangle projected along `normal`, times the length of `normal`; positive if the
/// triangle is counter-clockwise seen from its tip.
fn signed_area(normal: DVec3, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    (b - a).cross(c - a).dot(normal)
}

fn is_convex(corners: &[DVec3], normal: DVec3) -> bool {
    let n = corners.len();
    (0..n).all(|i| signed_area(normal, corners[i], corners[(i + 1) % n], corners[(i + 2) % n]) >= 0.0)
}

fn clip_ears(corners: &[DVec3], normal: DVec3) -> Vec<[usize; 3]> {
    let mut ring: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    while ring.len() > 3 {
        let n = ring.len();
        let ear = (0..n).find(|&i| {
            let [a, b, c] = [ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]];
            let area = |p, q, r| signed_area(normal, p, q, r);
            let (pa, pb, pc) = (corners[a], corners[b], corners[c]);
            let inside = |p| area(pa, pb, p) >= 0.0 && area(pb, pc, p) >= 0.0 && area(pc, pa, p) >= 0.0;
            let others = ring.iter().filter(|&&v| ![pa, pb, pc].contains(&corners[v]));
            area(pa, pb, pc) > 0.0 && !others.into_iter().any(|&v| inside(corners[v]))
        });
        // A self-intersecting polygon may have no ear; the rest becomes a fan.
        let Some(i) = ear else { break };
        triangles.push([ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]]);
        ring.remove(i);
    }
    triangles.extend(fan(&ring));
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    fn area(corners: &[Vec3], triangles: &[[usize; 3]]) -> f32 {
        let cross = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|i| corners[i]);
            (b - a).cross(c - a).z
        };
        assert!(triangles.iter().all(|t| cross(t) >= 0.0), "{triangles:?}");
        triangles.iter().map(cross).sum::<f32>() * 0.5
    }

    #[test]
    fn convex_becomes_a_fan() {
        let square = [vec3(0., 0., 1.), vec3(1., 0., 1.), vec3(1., 1., 1.), vec3(0., 1., 1.)];
        assert_eq!(triangulate(&square), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn concave_keeps_its_area_from_every_start() {
        // An L of area 3 and an arrow head of area 1; for most first corners a fan would overlap itself.
        let ell = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
        let arrow = [(0., 0.), (2., 1.), (0., 2.), (1., 1.)];
        for (shape, expected) in [(&ell[..], 3.0), (&arrow[..], 1.0)] {
            let mut corners: Vec<Vec3> = shape.iter().map(|&(x, y)| vec3(x, y, 0.0)).collect();
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
            let bow: Vec<Vec3> = (0..n).map(|i| vec3((i * 7 % 5) as f32, (i * 3 % 4) as f32, 0.0)).collect();
            assert_eq!(triangulate(&bow).len(), n - 2);
            assert_eq!(triangulate(&vec![Vec3::ZERO; n]).len(), n - 2);
        }
        assert!(triangulate(&[Vec3::ZERO; 2]).is_empty());
        assert!(triangulate(&[]).is_empty());
    }
}
