//! Cuts of faces where others touch them. Light and shadow of the two sides of such a line differ without a transition;
//! a patch across it would carry light below a block that stands on it [Heckbert92, discontinuities of order 0].

use sunfleck_math::Vec3;

/// Distance from the plane of a face at which an edge touches it, and length of the shortest cuts, as fractions of the
/// size of the face.
const TOUCHING: f32 = 1e-4;

/// Planar polygon with its unit normal.
pub(super) struct Plane<'a> {
    pub(super) corners: &'a [Vec3],
    pub(super) normal: Vec3,
}

impl Plane<'_> {
    fn bounds(&self) -> [Vec3; 2] {
        let corners = || self.corners.iter().copied();
        [corners().fold(Vec3::INFINITY, Vec3::min), corners().fold(Vec3::NEG_INFINITY, Vec3::max)]
    }

    fn size(&self) -> f32 {
        let [low, high] = self.bounds();
        low.distance(high)
    }
}

/// Returns the parts of each polygon: convex, of three or four corners. A polygon that nothing touches is its only part.
pub(super) fn parts(planes: &[Plane<'_>]) -> Vec<Vec<Vec<Vec3>>> {
    let bounds: Vec<[Vec3; 2]> = planes.iter().map(Plane::bounds).collect();
    let mut by_x: Vec<usize> = (0..planes.len()).collect();
    by_x.sort_by(|&a, &b| bounds[a][0].x.total_cmp(&bounds[b][0].x));
    let largest = bounds.iter().map(|[low, high]| high.x - low.x).fold(0.0, f32::max);
    let of_plane = |index: usize| {
        let plane = &planes[index];
        let margin = TOUCHING * plane.size();
        let [low, high] = bounds[index];
        let mut polygons = vec![plane.corners.to_vec()];
        // Polygons that begin before `high.x`, and not so early that even the widest one ends before `low.x`
        let first = by_x.partition_point(|&other| bounds[other][0].x < low.x - largest - margin);
        for &other in by_x[first..].iter().take_while(|&&other| bounds[other][0].x <= high.x + margin) {
            let [other_low, other_high] = bounds[other];
            let overlaps = other_low.cmple(high + margin).all() && other_high.cmpge(low - margin).all();
            if other != index && overlaps {
                cut_by(plane, planes[other].corners, margin, &mut polygons);
            }
        }
        if polygons.len() == 1 { polygons } else { polygons.into_iter().flat_map(small).collect() }
    };
    (0..planes.len()).map(of_plane).collect()
}

/// Cuts polygons of a plane along the edges of another polygon that lie in the plane.
fn cut_by(plane: &Plane<'_>, other: &[Vec3], margin: f32, polygons: &mut Vec<Vec<Vec3>>) {
    let touches = |p: Vec3| (p - plane.corners[0]).dot(plane.normal).abs() <= margin;
    for (&a, &b) in other.iter().zip(other.iter().cycle().skip(1)) {
        if !touches(a) || !touches(b) {
            continue;
        }
        let across = plane.normal.cross(b - a).normalize_or(Vec3::ZERO);
        let before = std::mem::take(polygons);
        for polygon in before {
            if crosses(&polygon, a, b, plane.normal, margin) {
                let [left, right] = [across, -across].map(|side| in_front(&polygon, a, side, margin));
                polygons.extend([left, right]);
            } else {
                polygons.push(polygon);
            }
        }
    }
}

/// Returns whether a segment runs through the inside of a polygon.
fn crosses(polygon: &[Vec3], a: Vec3, b: Vec3, normal: Vec3, margin: f32) -> bool {
    let length = a.distance(b);
    let (mut start, mut end) = (0.0f32, 1.0f32);
    let orientation = (polygon[1] - polygon[0]).cross(polygon[2] - polygon[0]).dot(normal).signum();
    for (&p, &q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        // Inside is where the heights above an edge are positive
        let inward = normal.cross(q - p).normalize_or(Vec3::ZERO) * orientation;
        let (from, to) = ((a - p).dot(inward) - margin, (b - p).dot(inward) - margin);
        match (from > 0.0, to > 0.0) {
            (false, false) => return false,
            (true, true) => {}
            (true, false) => end = end.min(from / (from - to)),
            (false, true) => start = start.max(from / (from - to)),
        }
    }
    (end - start) * length > margin
}

/// Returns the part of a polygon in front of a line in its plane.
fn in_front(polygon: &[Vec3], point: Vec3, side: Vec3, margin: f32) -> Vec<Vec3> {
    let height = |p: Vec3| {
        let height = (p - point).dot(side);
        if height.abs() < 0.5 * margin { 0.0 } else { height }
    };
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (&p, &q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        let (from, to) = (height(p), height(q));
        if from >= 0.0 {
            part.push(p);
        }
        if from * to < 0.0 {
            part.push(p + (q - p) * (from / (from - to)));
        }
    }
    part
}

/// Divides a convex polygon into quadrilaterals and at most one triangle.
fn small(polygon: Vec<Vec3>) -> Vec<Vec<Vec3>> {
    let polygon = without_straight_corners(polygon);
    let mut parts = Vec::new();
    let mut rest = polygon.as_slice();
    // A fan around the first corner
    while rest.len() > 4 {
        parts.push(vec![polygon[0], rest[1], rest[2], rest[3]]);
        rest = &rest[2..];
    }
    if rest.len() >= 3 {
        let mut last = rest.to_vec();
        last[0] = polygon[0];
        parts.push(last);
    }
    parts
}

/// Removes corners at which a polygon goes straight on: its quadrilaterals would be triangles.
fn without_straight_corners(polygon: Vec<Vec3>) -> Vec<Vec3> {
    let count = polygon.len();
    let is_bent = |&k: &usize| {
        let (a, b) = (polygon[k] - polygon[(k + count - 1) % count], polygon[(k + 1) % count] - polygon[k]);
        a.cross(b).length() > 1e-4 * a.length() * b.length()
    };
    (0..count).filter(is_bent).map(|k| polygon[k]).collect()
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    fn square(low: f32, high: f32, y: f32) -> [Vec3; 4] {
        [vec3(low, y, low), vec3(low, y, high), vec3(high, y, high), vec3(high, y, low)]
    }

    fn area(corners: &[Vec3]) -> f32 {
        let fan = corners.windows(2).skip(1);
        fan.map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0]).length() * 0.5).sum()
    }

    /// Sides of a block that stands on the floor, without its top.
    fn sides(low: f32, high: f32) -> Vec<[Vec3; 4]> {
        let base = square(low, high, 0.0);
        (0..4).map(|k| [base[k], base[(k + 1) % 4], base[(k + 1) % 4] + Vec3::Y, base[k] + Vec3::Y]).collect()
    }

    #[test]
    fn a_block_cuts_the_floor_around_its_base() {
        let floor = square(0.0, 1.0, 0.0);
        let sides = sides(0.3, 0.6);
        let mut planes = vec![Plane { corners: &floor, normal: Vec3::Y }];
        planes.extend(sides.iter().map(|side| {
            let normal = (side[1] - side[0]).cross(side[2] - side[0]).normalize_or(Vec3::X);
            Plane { corners: side, normal }
        }));
        let parts = parts(&planes);
        let floor = &parts[0];
        assert!(
            (floor.iter().map(|part| area(part)).sum::<f32>() - 1.0).abs() < 1e-5,
            "the parts are the floor"
        );
        let is_below = |p: Vec3| p.x > 0.3 && p.x < 0.6 && p.z > 0.3 && p.z < 0.6;
        let center = |part: &[Vec3]| part.iter().sum::<Vec3>() / part.len() as f32;
        let below: f32 = floor.iter().filter(|part| is_below(center(part))).map(|part| area(part)).sum();
        assert!((below - 0.09).abs() < 1e-5, "no part is partly below the block: {below}");
        assert!(parts[1..].iter().all(|part| part.len() == 1), "sides touch each other at corners only");
    }

    #[test]
    fn edges_outside_and_along_the_border_cut_nothing() {
        let floor = square(0.0, 1.0, 0.0);
        for (low, high) in [(2.0, 3.0), (0.0, 1.0), (1.0, 2.0)] {
            let sides = sides(low, high);
            let mut polygons = vec![floor.to_vec()];
            for side in &sides {
                cut_by(&Plane { corners: &floor, normal: Vec3::Y }, side, 1e-4, &mut polygons);
            }
            assert_eq!(polygons.len(), 1, "{low} {high}");
        }
    }

    #[test]
    fn polygons_of_many_corners_become_quadrilaterals() {
        let hexagon: Vec<Vec3> = [(1.0, 0.0), (2.0, 0.0), (3.0, 1.0), (2.0, 2.0), (1.0, 2.0), (0.0, 1.0)]
            .map(|(x, z)| vec3(x, 0.0, z))
            .to_vec();
        let parts = small(hexagon.clone());
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
        assert!((parts.iter().map(|part| area(part)).sum::<f32>() - area(&hexagon)).abs() < 1e-5);
        assert_eq!(small(hexagon[..5].to_vec()).iter().map(Vec::len).collect::<Vec<_>>(), [4, 3]);
    }
}
