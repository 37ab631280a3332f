//! k-d tree over the corners of a polygon, which finds a reflex corner inside a triangle.

use glam::DVec2;

/// k-d tree over points, of which some are marked. The node of a range of `order` is its middle element; the nodes of
/// both halves are its children.
#[derive(Debug)]
pub(super) struct PointTree<'a> {
    points: &'a [DVec2],
    order: Vec<u32>,
    /// Index of each point in `order`.
    place: Vec<u32>,
    /// Whether each point is marked.
    marked: Vec<bool>,
    /// Number of marked points in the subtree of each element of `order`.
    marked_below: Vec<u32>,
    bounds: Rect,
}

/// Axis-aligned rectangle.
#[derive(Clone, Copy, Debug)]
struct Rect {
    min: DVec2,
    max: DVec2,
}

impl<'a> PointTree<'a> {
    /// Builds the tree, without marks.
    pub(super) fn new(points: &'a [DVec2]) -> Self {
        let mut order: Vec<u32> = (0u32..).take(points.len()).collect();
        sort(&mut order, points, 0);
        let mut place = vec![0; order.len()];
        for (at, &point) in (0u32..).zip(&order) {
            place[point as usize] = at;
        }
        let infinite = DVec2::splat(f64::INFINITY);
        let empty = Rect { min: infinite, max: -infinite };
        let extend = |r: Rect, p: &DVec2| Rect { min: r.min.min(*p), max: r.max.max(*p) };
        let bounds = points.iter().fold(empty, extend);
        let (marked, marked_below) = (vec![false; points.len()], vec![0; points.len()]);
        Self { points, order, place, marked, marked_below, bounds }
    }

    /// Sets or removes the mark of a point; returns whether this is a change.
    pub(super) fn mark(&mut self, point: u32, mark: bool) -> bool {
        if self.marked[point as usize] == mark {
            return false;
        }
        self.marked[point as usize] = mark;
        let place = self.place[point as usize] as usize;
        let (mut begin, mut end) = (0, self.order.len());
        loop {
            let middle = (begin + end) / 2;
            let count = &mut self.marked_below[middle];
            *count = if mark { *count + 1 } else { *count - 1 };
            match place.cmp(&middle) {
                std::cmp::Ordering::Less => end = middle,
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Greater => begin = middle + 1,
            }
        }
    }

    /// Returns a marked point inside or on the border of a counter-clockwise triangle. Points at the corners of the
    /// triangle do not count.
    pub(super) fn marked_inside(&self, triangle: [DVec2; 3]) -> Option<u32> {
        self.find(0, self.order.len(), 0, self.bounds, triangle)
    }

    fn find(&self, begin: usize, end: usize, axis: usize, rect: Rect, triangle: [DVec2; 3]) -> Option<u32> {
        let middle = (begin + end) / 2;
        if begin == end || self.marked_below[middle] == 0 || rect.is_outside(triangle) {
            return None;
        }
        let point = self.order[middle];
        let position = self.points[point as usize];
        if self.marked[point as usize] && !triangle.contains(&position) && is_inside(position, triangle) {
            return Some(point);
        }
        let (mut lower, mut upper) = (rect, rect);
        lower.max[axis] = position[axis];
        upper.min[axis] = position[axis];
        let found = self.find(begin, middle, 1 - axis, lower, triangle);
        found.or_else(|| self.find(middle + 1, end, 1 - axis, upper, triangle))
    }
}

/// Orders points so that each node separates the points of its halves.
fn sort(order: &mut [u32], points: &[DVec2], axis: usize) {
    if order.len() > 1 {
        let middle = order.len() / 2;
        let by_axis = |a: &u32, b: &u32| points[*a as usize][axis].total_cmp(&points[*b as usize][axis]);
        order.select_nth_unstable_by(middle, by_axis);
        let (lower, upper) = order.split_at_mut(middle);
        sort(lower, points, 1 - axis);
        sort(&mut upper[1..], points, 1 - axis);
    }
}

/// Returns twice the signed area of a triangle; positive if it is counter-clockwise.
pub(super) fn signed_area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

fn is_inside(p: DVec2, [a, b, c]: [DVec2; 3]) -> bool {
    signed_area(a, b, p) >= 0.0 && signed_area(b, c, p) >= 0.0 && signed_area(c, a, p) >= 0.0
}

impl Rect {
    /// Returns whether the rectangle lies outside the triangle's bounds or of one of its edges; some other rectangles
    /// that do not touch the triangle are not recognised.
    fn is_outside(self, [a, b, c]: [DVec2; 3]) -> bool {
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let apart = self.min.cmpgt(max) | self.max.cmplt(min);
        let outside_edge = |p: DVec2, q: DVec2| {
            // The corner that is farthest to the left of the edge
            let edge = q - p;
            let x = if edge.y < 0.0 { self.max.x } else { self.min.x };
            let y = if edge.x > 0.0 { self.max.y } else { self.min.y };
            signed_area(p, q, DVec2::new(x, y)) < 0.0
        };
        apart.any() || outside_edge(a, b) || outside_edge(b, c) || outside_edge(c, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_search_of_all_points_finds() {
        // A scattered but repeatable set
        let hashed = |i: u32| i.wrapping_mul(2_654_435_761);
        let mixed = |h: u32| (h ^ h >> 15).wrapping_mul(2_246_822_519);
        let coordinate = |i: u32| f64::from((mixed(hashed(i)) ^ mixed(hashed(i)) >> 13) >> 22);
        let points: Vec<DVec2> =
            (0..200).map(|i| DVec2::new(coordinate(2 * i), coordinate(2 * i + 1))).collect();
        let mut tree = PointTree::new(&points);
        for i in (0..200).step_by(3) {
            assert!(tree.mark(i, true) && !tree.mark(i, true));
        }
        assert!(tree.mark(3, false));
        let mut found = 0;
        for i in 0..198 {
            let [a, b, c] = [0, 1, 2].map(|k| points[i + k]);
            let triangle = if signed_area(a, b, c) > 0.0 { [a, b, c] } else { [a, c, b] };
            let inside =
                |p: u32| is_inside(points[p as usize], triangle) && !triangle.contains(&points[p as usize]);
            let any = (0..200).step_by(3).any(|p| p != 3 && inside(p));
            let by_tree = tree.marked_inside(triangle);
            assert_eq!(by_tree.is_some(), any, "triangle {i}");
            assert!(by_tree.is_none_or(|p| p % 3 == 0 && p != 3 && inside(p)));
            found += usize::from(any);
        }
        assert!(found > 20 && found < 198, "the triangles are of both kinds");
    }
}
