//! Division of a face into cells: a grid whose cells are quadtrees. Cells of quadrilaterals are quadrilaterals, those
//! of triangles are triangles.

use sunfleck_math::{Vec2, vec2};

/// Cell in the coordinates of its face: four corners, or three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    corners: [Vec2; 4],
    is_quad: bool,
}

impl Cell {
    /// Returns the corners: those at the local coordinates (0, 0), (1, 0), (1, 1), (0, 1) of a quadrilateral, and those
    /// with barycentric coordinate 1 of a triangle.
    pub(super) fn corners(&self) -> &[Vec2] {
        if self.is_quad { &self.corners } else { &self.corners[..3] }
    }

    /// Returns the four parts, in the order of [`child_at`].
    fn children(&self) -> [Self; 4] {
        let [a, b, c, d] = self.corners;
        let middle = |p: Vec2, q: Vec2| (p + q) * 0.5;
        let cell = |corners| Self { corners, ..*self };
        if self.is_quad {
            let (ab, bc, cd, da) = (middle(a, b), middle(b, c), middle(c, d), middle(d, a));
            let center = middle(ab, cd);
            [[a, ab, center, da], [ab, b, bc, center], [da, center, cd, d], [center, bc, c, cd]].map(cell)
        } else {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca, ca], [ab, b, bc, bc], [ca, bc, c, c], [bc, ca, ab, ab]].map(cell)
        }
    }
}

/// Returns the part of a cell at local coordinates, and the local coordinates there.
fn child_at(is_quad: bool, at: Vec2) -> (usize, Vec2) {
    if is_quad {
        let right = usize::from(at.x >= 0.5);
        let upper = usize::from(at.y >= 0.5);
        return (right + 2 * upper, at * 2.0 - vec2(right as f32, upper as f32));
    }
    let b = [1.0 - at.x - at.y, at.x, at.y];
    match (0..3).find(|&k| b[k] >= 0.5) {
        Some(0) => (0, at * 2.0),
        Some(1) => (1, vec2(2.0 * at.x - 1.0, 2.0 * at.y)),
        Some(_) => (2, vec2(2.0 * at.x, 2.0 * at.y - 1.0)),
        None => (3, Vec2::ONE - at * 2.0),
    }
}

/// Node of a quadtree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// Cell that is a patch.
    Leaf { patch: u32 },
    /// Cell whose four parts are consecutive nodes.
    Inner { first_child: u32 },
}

/// Cells of one side of a face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    is_quad: bool,
    /// Columns and rows of a quadrilateral; a triangle has as many rows as columns.
    size: [u32; 2],
    /// First the cells of the grid.
    nodes: Vec<Node>,
}

impl Cells {
    /// Returns a grid without finer cells. Its cells are patches from `first_patch` on.
    pub(super) fn grid(is_quad: bool, size: [u32; 2], first_patch: u32) -> Self {
        let nodes =
            (0..cell_count(is_quad, size)).map(|cell| Node::Leaf { patch: first_patch + cell }).collect();
        Self { is_quad, size, nodes }
    }

    /// Returns the patch and the local coordinates in its cell at a point.
    pub(super) fn patch_at(&self, at: Vec2) -> (u32, Vec2) {
        let (mut node, mut local) = self.root_at(at);
        loop {
            match self.nodes[node] {
                Node::Leaf { patch } => return (patch, local),
                Node::Inner { first_child } => {
                    let (child, inside) = child_at(self.is_quad, local);
                    (node, local) = (first_child as usize + child, inside);
                }
            }
        }
    }

    /// Returns the patches with their cells, in the order of the patches.
    pub(super) fn patches(&self) -> Vec<(u32, Cell)> {
        let mut ahead: Vec<(usize, Cell)> =
            self.roots().enumerate().collect::<Vec<_>>().into_iter().rev().collect();
        let mut patches = Vec::new();
        while let Some((node, cell)) = ahead.pop() {
            match self.nodes[node] {
                Node::Leaf { patch } => patches.push((patch, cell)),
                Node::Inner { first_child } => {
                    let children = cell.children().into_iter().enumerate().rev();
                    ahead.extend(children.map(|(child, cell)| (first_child as usize + child, cell)));
                }
            }
        }
        patches
    }

    /// Divides the cells of some patches into four, and numbers all patches from `first_patch` on. Returns the former
    /// patch of each new one.
    pub(super) fn refine(&mut self, divided: impl Fn(u32) -> bool, first_patch: u32) -> Vec<u32> {
        let mut ahead: Vec<usize> = (0..cell_count(self.is_quad, self.size) as usize).rev().collect();
        let mut former = Vec::new();
        while let Some(node) = ahead.pop() {
            match self.nodes[node] {
                Node::Leaf { patch } if divided(patch) => {
                    let first_child = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                    self.nodes[node] = Node::Inner { first_child };
                    for _ in 0..4 {
                        self.nodes.push(Node::Leaf { patch: next(first_patch, &former) });
                        former.push(patch);
                    }
                }
                Node::Leaf { patch } => {
                    self.nodes[node] = Node::Leaf { patch: next(first_patch, &former) };
                    former.push(patch);
                }
                Node::Inner { first_child } => {
                    ahead.extend((0..4).rev().map(|child| first_child as usize + child));
                }
            }
        }
        former
    }

    /// Returns the cell of the grid at a point, and the local coordinates in it.
    fn root_at(&self, at: Vec2) -> (usize, Vec2) {
        let [columns, rows] = self.size;
        let split = |x: f32, count: u32| {
            let x = x.max(0.0) * count as f32;
            #[allow(clippy::cast_possible_truncation, reason = "a number of cells")]
            let cell = (x as u32).min(count - 1);
            (cell, (x - cell as f32).min(1.0))
        };
        let ((i, x), (j, y)) = (split(at.x, columns), split(at.y, rows));
        if self.is_quad {
            return ((j * columns + i) as usize, vec2(x, y));
        }
        // Row j has n - j triangles like the face, and between them n - j - 1 that are turned
        let row = j * (2 * columns - j);
        let is_turned = x + y > 1.0 && i + j + 1 < columns;
        let local = if is_turned { vec2(1.0 - x, 1.0 - y) } else { vec2(x, y) };
        let i = i.min(columns - 1 - j);
        ((row + 2 * i + u32::from(is_turned)) as usize, local)
    }

    /// Returns the cells of the grid, in the order of their nodes.
    fn roots(&self) -> impl Iterator<Item = Cell> {
        let [columns, rows] = self.size;
        let is_quad = self.is_quad;
        let cell = move |corners: [[u32; 2]; 4]| {
            let corners = corners.map(|[x, y]| vec2(x as f32 / columns as f32, y as f32 / rows as f32));
            Cell { corners, is_quad }
        };
        (0..rows).flat_map(move |j| {
            let quads = (0..columns).map(move |i| [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]);
            let triangles = (0..2 * columns.saturating_sub(j)).take_while(move |k| k + 1 < 2 * (columns - j));
            let triangles = triangles.map(move |k| {
                let i = k / 2;
                match k % 2 {
                    0 => [[i, j], [i + 1, j], [i, j + 1], [i, j + 1]],
                    _ => [[i + 1, j + 1], [i, j + 1], [i + 1, j], [i + 1, j]],
                }
            });
            let corners: Vec<_> = if is_quad { quads.collect() } else { triangles.collect() };
            corners.into_iter().map(cell)
        })
    }
}

fn next(first_patch: u32, former: &[u32]) -> u32 {
    first_patch + u32::try_from(former.len()).unwrap_or(u32::MAX)
}

/// Returns the number of cells of a grid.
pub(super) fn cell_count(is_quad: bool, [columns, rows]: [u32; 2]) -> u32 {
    columns * if is_quad { rows } else { columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Point of a cell at local coordinates.
    fn point(cell: &Cell, local: Vec2) -> Vec2 {
        let Vec2 { x, y } = local;
        match cell.corners() {
            [a, b, c, d] => (*a * (1.0 - x) + *b * x) * (1.0 - y) + (*d * (1.0 - x) + *c * x) * y,
            [a, b, c] => *a * (1.0 - x - y) + *b * x + *c * y,
            _ => unreachable!("three or four corners"),
        }
    }

    #[test]
    fn points_are_found_in_the_cells_that_contain_them() {
        for (is_quad, size) in [(true, [3, 2]), (false, [1, 1]), (false, [4, 4])] {
            let mut cells = Cells::grid(is_quad, size, 10);
            cells.refine(|patch| patch % 3 == 0, 20);
            cells.refine(|patch| patch % 2 == 0, 5);
            let patches = cells.patches();
            for (number, (patch, cell)) in (5..).zip(&patches) {
                assert_eq!(*patch, number, "patches are numbered in their order");
                for local in [vec2(0.3, 0.3), vec2(0.1, 0.8), vec2(0.7, 0.2)] {
                    let (found, at) = cells.patch_at(point(cell, local));
                    assert_eq!(found, *patch, "{is_quad} {size:?} {local}");
                    assert!(at.abs_diff_eq(local, 1e-4), "{at} {local}");
                }
            }
            let area = |c: &[Vec2]| {
                let triangle = (c[1] - c[0]).perp_dot(c[2] - c[0]) * 0.5;
                triangle + if c.len() == 4 { (c[2] - c[0]).perp_dot(c[3] - c[0]) * 0.5 } else { 0.0 }
            };
            let sum: f32 = patches.iter().map(|(_, cell)| area(cell.corners())).sum();
            assert!((sum - if is_quad { 1.0 } else { 0.5 }).abs() < 1e-5, "cells cover the face: {sum}");
        }
    }

    #[test]
    fn refinement_returns_former_patches() {
        let mut cells = Cells::grid(true, [2, 1], 0);
        assert_eq!(cells.refine(|patch| patch == 1, 0), [0, 1, 1, 1, 1]);
    }
}
