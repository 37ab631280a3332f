//! Ear clipping [Meisters75] for polygons of any number of corners.
//!
//! An ear is a convex corner whose triangle contains no other corner; it suffices to look at the reflex ones. In
//! contrast to the paper, these are found by a k-d tree, and a corner that is no ear is tested again only when its
//! neighbours change or the reflex corner in its triangle is gone.

use std::collections::VecDeque;

use glam::DVec2;

use super::fan;
use super::point_tree::{PointTree, signed_area};

/// No corner.
const NONE: u32 = u32::MAX;

/// Number of times that a polygon without ears, because it intersects itself or by rounding, is searched for corners
/// without area; the rest then becomes a fan.
const MAX_SWEEPS: usize = 64;

/// Triangulates a counter-clockwise polygon of more than three corners. Returns `points.len() − 2` triangles.
pub(super) fn clip_ears(points: &[DVec2]) -> Vec<[usize; 3]> {
    let mut clipper = Clipper::new(points);
    for _ in 0..MAX_SWEEPS {
        clipper.clip_ears();
        if clipper.left <= 3 || !clipper.clip_flat_corners() {
            break;
        }
    }
    let rest = clipper.rest();
    clipper.triangles.extend(fan(&rest));
    clipper.triangles
}

struct Clipper<'a> {
    points: &'a [DVec2],
    triangles: Vec<[usize; 3]>,
    /// Neighbours of each corner that is left.
    before: Vec<u32>,
    after: Vec<u32>,
    /// Number of corners that are left, and one of them.
    left: usize,
    first: u32,
    /// Marks reflex and straight corners.
    reflex: PointTree<'a>,
    /// Corners to be tested; some may have been clipped already.
    queue: VecDeque<u32>,
    clipped: Vec<bool>,
    /// Corners whose triangles contain each reflex corner; some may wait for another one by now.
    waiting: Vec<Vec<u32>>,
    /// Reflex corner that each corner waits for.
    waits_for: Vec<u32>,
}

impl<'a> Clipper<'a> {
    fn new(points: &'a [DVec2]) -> Self {
        let n = points.len();
        let corners = || (0u32..).take(n);
        let last = u32::try_from(n).unwrap_or(NONE).saturating_sub(1);
        let mut clipper = Self {
            points,
            triangles: Vec::with_capacity(n),
            before: corners().map(|i| i.checked_sub(1).unwrap_or(last)).collect(),
            after: corners().map(|i| if i == last { 0 } else { i + 1 }).collect(),
            left: n,
            first: 0,
            reflex: PointTree::new(points),
            queue: corners().collect(),
            clipped: vec![false; n],
            waiting: vec![Vec::new(); n],
            waits_for: vec![NONE; n],
        };
        for corner in corners() {
            let is_reflex = clipper.area(corner) <= 0.0;
            clipper.reflex.mark(corner, is_reflex);
        }
        clipper
    }

    /// Returns a corner between its neighbours.
    fn triangle(&self, corner: u32) -> [u32; 3] {
        [self.before[corner as usize], corner, self.after[corner as usize]]
    }

    /// Returns twice the area of the triangle of a corner; it is positive if the corner is convex.
    fn area(&self, corner: u32) -> f64 {
        let [a, b, c] = self.triangle(corner).map(|i| self.points[i as usize]);
        signed_area(a, b, c)
    }

    fn clip_ears(&mut self) {
        while let Some(corner) = self.queue.pop_front().filter(|_| self.left > 3) {
            if self.clipped[corner as usize] || self.area(corner) <= 0.0 {
                continue;
            }
            let triangle = self.triangle(corner).map(|i| self.points[i as usize]);
            match self.reflex.marked_inside(triangle) {
                Some(inside) if self.waits_for[corner as usize] == inside => {}
                Some(inside) => {
                    self.waits_for[corner as usize] = inside;
                    self.waiting[inside as usize].push(corner);
                }
                None => self.clip(corner),
            }
        }
    }

    /// Clips corners without area, which are no ears, but do not change the shape, either. Returns whether there were
    /// such corners.
    fn clip_flat_corners(&mut self) -> bool {
        let before = self.left;
        let mut corner = self.first;
        for _ in 0..before {
            let next = self.after[corner as usize];
            if self.left > 3 && self.area(corner) == 0.0 {
                self.clip(corner);
            }
            corner = next;
        }
        self.left < before
    }

    fn clip(&mut self, corner: u32) {
        let [before, _, after] = self.triangle(corner);
        self.triangles.push([before, corner, after].map(|i| i as usize));
        self.after[before as usize] = after;
        self.before[after as usize] = before;
        self.clipped[corner as usize] = true;
        self.left -= 1;
        self.first = after;
        self.set_reflex(corner, false);
        for neighbour in [before, after] {
            let is_reflex = self.area(neighbour) <= 0.0;
            self.set_reflex(neighbour, is_reflex);
            self.queue.push_back(neighbour);
        }
    }

    /// Marks a corner, or removes its mark, which lets the corners that wait for it be tested again.
    fn set_reflex(&mut self, corner: u32, is_reflex: bool) {
        if self.reflex.mark(corner, is_reflex) && !is_reflex {
            for waiting in std::mem::take(&mut self.waiting[corner as usize]) {
                if self.waits_for[waiting as usize] == corner {
                    self.waits_for[waiting as usize] = NONE;
                    self.queue.push_back(waiting);
                }
            }
        }
    }

    /// Returns the corners that are left, in order.
    fn rest(&self) -> Vec<usize> {
        let mut corner = self.first;
        let mut rest = Vec::with_capacity(self.left);
        for _ in 0..self.left {
            rest.push(corner as usize);
            corner = self.after[corner as usize];
        }
        rest
    }
}
