//! Octree over triangles [RayEngine02, §5.3, §6.2], and traversal of its cells.

use std::ops::Range;

use sunfleck_math::{Aabb, Ray, Vec3, vec3};

use crate::world_triangles::WorldTriangle;

/// Returns the maximum depth: one more level for four times as many triangles, since they form surfaces, plus two
/// levels for dense regions.
fn max_depth(triangles: usize) -> u32 {
    triangles.max(1).ilog2() / 2 + 2
}

/// Enlargement of cells, as a fraction of the diagonal of the octree, so that no ray passes between two cells.
const PADDING: f32 = 1e-5;

/// Index that stands for no cell.
pub(super) const NO_CELL: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Octree {
    cells: Vec<Cell>,
    /// Indices of triangles, leaf after leaf; a triangle is in all leaves that it overlaps.
    pub(super) items: Vec<u32>,
}

#[derive(Debug)]
struct Cell {
    bounds: Aabb,
    parent: u32,
    /// Index among the children of its parent: bits 0, 1, 2 for the upper half in x, y, z.
    octant_index: u32,
    /// Index of the first of eight consecutive children; 0 for leaves.
    first_child: u32,
    items: Range<u32>,
}

impl Octree {
    /// Builds the octree: splits cells with more than `most` triangles as long as that separates triangles.
    pub(super) fn new(triangles: &[WorldTriangle], most: usize) -> Self {
        let bounds = Aabb::from_points(triangles.iter().flat_map(|triangle| triangle.corners));
        let pad = Vec3::splat(PADDING * bounds.diagonal().max(f32::MIN_POSITIVE));
        let bounds = Aabb { min: bounds.min - pad, max: bounds.max + pad };
        let root = Cell { bounds, parent: NO_CELL, octant_index: 0, first_child: 0, items: 0..0 };
        let mut tree = Self { cells: vec![root], items: Vec::new() };
        let all = (0u32..).zip(triangles).map(|(i, _)| i).collect();
        tree.grow(0, all, triangles, most, pad, max_depth(triangles.len()));
        tree
    }

    fn grow(
        &mut self,
        cell: u32,
        own: Vec<u32>,
        triangles: &[WorldTriangle],
        most: usize,
        pad: Vec3,
        levels_left: u32,
    ) {
        let bounds = self.cells[cell as usize].bounds;
        let parts = (0..8).map(|octant_index| {
            let bounds = octant(&bounds, octant_index, pad);
            let inside = |i: &&u32| overlaps(&triangles[**i as usize], &bounds);
            (bounds, own.iter().filter(inside).copied().collect::<Vec<u32>>())
        });
        let parts: Vec<_> = if own.len() > most && levels_left > 0 { parts.collect() } else { Vec::new() };
        // Triangles that share a point cannot be separated by smaller cells
        if parts.iter().all(|(_, part)| part.is_empty() || part.len() == own.len()) {
            let start = index(self.items.len());
            self.items.extend(own);
            self.cells[cell as usize].items = start..index(self.items.len());
            return;
        }
        let first = index(self.cells.len());
        self.cells[cell as usize].first_child = first;
        let (bounds, parts): (Vec<Aabb>, Vec<Vec<u32>>) = parts.into_iter().unzip();
        self.cells.extend((0u32..).zip(bounds).map(|(octant_index, bounds)| Cell {
            bounds,
            parent: cell,
            octant_index,
            first_child: 0,
            items: 0..0,
        }));
        for (child, part) in (first..).zip(parts) {
            self.grow(child, part, triangles, most, pad, levels_left - 1);
        }
    }

    /// Returns the range of a leaf in the array `items`.
    pub(super) fn items(&self, leaf: u32) -> Range<usize> {
        let items = &self.cells[leaf as usize].items;
        items.start as usize..items.end as usize
    }

    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns the next non-empty leaf on a ray.
    ///
    /// * `after` — the previous leaf; [`NO_CELL`] for the first one.
    /// * `t_far` — end of the interval.
    ///
    /// Children are visited in the order of their indices, after flipping the bits of the axes along which the
    /// direction is negative: this order is front to back for all rays with the same signs. The current leaf determines
    /// the remaining ones, so that no traversal stack is needed.
    pub(super) fn next(&self, ray: &CellRay, after: u32, t_far: f32) -> Option<u32> {
        let root = &self.cells[0];
        let (mut cell, mut step) = match after {
            NO_CELL if !ray.hits_box(&root.bounds, t_far) => return None,
            NO_CELL if root.first_child == 0 => return (!root.items.is_empty()).then_some(0),
            NO_CELL => (0, 0),
            leaf => {
                let leaf = &self.cells[leaf as usize];
                (leaf.parent, (leaf.octant_index ^ ray.down) + 1)
            }
        };
        while cell != NO_CELL {
            let here = &self.cells[cell as usize];
            if step == 8 {
                (cell, step) = (here.parent, (here.octant_index ^ ray.down) + 1);
                continue;
            }
            let child = here.first_child + (step ^ ray.down);
            let Cell { bounds, first_child, items, .. } = &self.cells[child as usize];
            step += 1;
            if (*first_child == 0 && items.is_empty()) || !ray.hits_box(bounds, t_far) {
                continue;
            }
            if *first_child == 0 {
                return Some(child);
            }
            (cell, step) = (child, 0);
        }
        None
    }
}

/// Ray prepared for the box tests of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellRay {
    origin: Vec3,
    inverse: Vec3,
    t_near: f32,
    /// Bits of the axes along which the direction is negative.
    down: u32,
}

impl CellRay {
    pub(super) fn new(ray: &Ray) -> Self {
        let inverse = |d: f32| if d.abs() < 1e-30 { 1e30f32.copysign(d) } else { d.recip() };
        let [x, y, z] = ray.direction.to_array().map(inverse);
        let down = [x, y, z].map(|inverse| u32::from(inverse < 0.0));
        Self {
            origin: ray.origin,
            inverse: vec3(x, y, z),
            t_near: ray.t_near,
            down: down[0] | down[1] << 1 | down[2] << 2,
        }
    }

    /// Returns whether the ray hits a box between its start and `t_far`.
    fn hits_box(&self, bounds: &Aabb, t_far: f32) -> bool {
        let (a, b) = ((bounds.min - self.origin) * self.inverse, (bounds.max - self.origin) * self.inverse);
        let (near, far) = (a.min(b).max_element(), a.max(b).min_element());
        near.max(self.t_near) <= far.min(t_far)
    }
}

fn octant(bounds: &Aabb, octant_index: u32, pad: Vec3) -> Aabb {
    let middle = bounds.center();
    let upper = |axis: u32| octant_index >> axis & 1 == 1;
    let pick = |axis: usize| match upper(u32::try_from(axis).unwrap_or(0)) {
        true => (middle[axis] - pad[axis], bounds.max[axis]),
        false => (bounds.min[axis], middle[axis] + pad[axis]),
    };
    let [x, y, z] = [pick(0), pick(1), pick(2)];
    Aabb { min: vec3(x.0, y.0, z.0), max: vec3(x.1, y.1, z.1) }
}

/// Returns whether the box and the plane of a triangle both overlap a box.
fn overlaps(triangle: &WorldTriangle, bounds: &Aabb) -> bool {
    let [a, b, c] = triangle.corners;
    let own = Aabb::from_points([a, b, c]);
    if own.min.cmpgt(bounds.max).any() || own.max.cmplt(bounds.min).any() {
        return false;
    }
    let n = (b - a).cross(c - a);
    let reach = n.abs().dot(bounds.size() * 0.5);
    let distance = n.dot(bounds.center() - a).abs();
    distance <= reach * (1.0 + 1e-4)
}

fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
