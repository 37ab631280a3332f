//! The squares of all levels of the pyramid, whose two sides are the nodes of the hierarchy.

use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3};

use super::extent::Extent;
use super::pieces::outline;
use crate::atlas::{Atlas, Pyramid};

/// Square of 2ˡ × 2ˡ texels; `x` and `y` count such squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Square {
    pub(super) level: u32,
    pub(super) x: u32,
    pub(super) y: u32,
}

/// Surface of a square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) square: Square,
    pub(super) extent: Extent,
    /// Centre of the bounding box.
    pub(super) center: Vec3,
    /// Radius of the sphere around the bounding box, m.
    pub(super) radius: f32,
    /// Points in whose convex hull the surface is, if it is planar.
    outline: [Vec3; 6],
}

/// One side of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    pub(super) cell: &'a Cell,
    pub(super) is_front: bool,
    /// Mean direction of the normals.
    pub(super) axis: Vec3,
}

impl Node<'_> {
    pub(super) fn area(&self) -> f32 {
        self.cell.extent.area
    }

    /// Returns the largest product of a point and a direction.
    pub(super) fn farthest(&self, direction: Vec3) -> f32 {
        if self.cell.extent.is_planar() {
            return self.cell.outline.iter().map(|p| p.dot(direction)).fold(f32::NEG_INFINITY, f32::max);
        }
        let half = self.cell.extent.bounds.size() * 0.5;
        self.cell.center.dot(direction) + half.dot(direction.abs())
    }
}

/// The cells of all levels, texels first, in rows. Node `i` of `n` cells is the front of cell `i`, node `n + i` its back.
#[derive(Debug)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// First cell and width of each level.
    levels: Vec<(usize, u32)>,
}

impl Cells {
    /// Returns the cells of a meshed atlas; `None` for another one.
    pub(super) fn new(atlas: &Atlas) -> Option<Self> {
        if atlas.nodes().is_empty() && !atlas.surfaces().triangles().is_empty() {
            return None;
        }
        let side = atlas.resolution();
        let of_texel = |index: u32| {
            let triangle = atlas.texels()[index as usize].triangle;
            let normal = atlas.surfaces().normal(triangle);
            let area = atlas.areas()[index as usize];
            let square = Square { level: 0, x: index % side, y: index / side };
            let outline = if area > 0.0 { outline(atlas, square, triangle) } else { [Vec3::ZERO; 6] };
            Extent::planar(area, &outline, normal, triangle)
        };
        let pyramid = Pyramid::new((0..side * side).into_par_iter().map(of_texel).collect())?;
        let (mut cells, mut levels) = (Vec::new(), Vec::new());
        for (extents, level) in pyramid.levels().iter().zip(0u32..) {
            let width = side >> level;
            levels.push((cells.len(), width));
            let cell = |(extent, index): (&Extent, u32)| {
                let square = Square { level, x: index % width, y: index / width };
                let is_planar = extent.is_planar() && extent.area > 0.0;
                Cell {
                    square,
                    extent: *extent,
                    center: if extent.area > 0.0 { extent.bounds.center() } else { Vec3::ZERO },
                    radius: 0.5 * extent.bounds.size().length(),
                    outline: if is_planar {
                        outline(atlas, square, extent.triangle)
                    } else {
                        [Vec3::ZERO; 6]
                    },
                }
            };
            cells.par_extend(extents.par_iter().zip(0..width * width).map(cell));
        }
        Some(Self { cells, levels })
    }

    /// Returns the number of nodes, two for each cell.
    pub(super) fn node_count(&self) -> usize {
        2 * self.cells.len()
    }

    /// Returns the number of texels.
    pub(super) fn texels(&self) -> usize {
        self.levels.get(1).map_or(self.cells.len(), |(first, _)| *first)
    }

    /// Returns the front and the back of all surfaces.
    pub(super) fn roots(&self) -> [u32; 2] {
        [self.cells.len() - 1, self.node_count() - 1].map(index)
    }

    pub(super) fn node(&self, node: u32) -> Node<'_> {
        let (cell, is_front) = self.cell_of(node);
        let axis = cell.extent.axis();
        Node { cell, is_front, axis: if is_front { axis } else { -axis } }
    }

    fn cell_of(&self, node: u32) -> (&Cell, bool) {
        let (node, count) = (node as usize, self.cells.len());
        if node < count { (&self.cells[node], true) } else { (&self.cells[node - count], false) }
    }

    /// Returns the four nodes of the next finer level; `None` for a texel.
    pub(super) fn children(&self, node: u32) -> Option<[u32; 4]> {
        let (&Cell { square: Square { level, x, y }, .. }, is_front) = self.cell_of(node);
        let (first, width) = self.levels[level.checked_sub(1)? as usize];
        let base = index(first) + if is_front { 0 } else { index(self.cells.len()) };
        Some([[0, 0], [1, 0], [0, 1], [1, 1]].map(|[i, j]| base + (2 * y + j) * width + 2 * x + i))
    }

    /// Returns the nodes of all levels in an order in which the children of a node come before it.
    pub(super) fn finest_first(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let count = index(self.cells.len());
        (0..count).flat_map(move |cell| [cell, count + cell])
    }

    /// Returns the node of an element, see [`Elements`](crate::stochastic::Elements).
    pub(super) fn node_of_element(&self, element: usize) -> usize {
        let texels = self.texels();
        if element < texels { element } else { element - texels + self.cells.len() }
    }

    /// Returns a texel of a node and a position in it; uniform `u` give uniform points of its surface. The unit square is
    /// divided in proportion to the areas of the children, so that stratified points stay stratified.
    pub(super) fn sample(&self, node: &Node<'_>, mut u: Vec2) -> (u32, Vec2) {
        let Square { mut level, mut x, mut y } = node.cell.square;
        while level > 0 {
            level -= 1;
            let (first, width) = self.levels[level as usize];
            (x, y) = (2 * x, 2 * y);
            let area = |i: u32, j: u32| self.cells[first + ((y + j) * width + x + i) as usize].extent.area;
            let rows = [area(0, 0) + area(1, 0), area(0, 1) + area(1, 1)];
            let j = choose(&mut u.y, rows);
            let i = choose(&mut u.x, [area(0, j), area(1, j)]);
            (x, y) = (x + i, y + j);
        }
        (y * self.levels[0].1 + x, u)
    }
}

/// Chooses one of two by their weights, not both zero, and stretches the chosen part of the interval.
fn choose(u: &mut f32, [first, second]: [f32; 2]) -> u32 {
    let split = first / (first + second);
    let is_first = *u < split || second <= 0.0;
    let stretched = if is_first { *u / split } else { (*u - split) / (1.0 - split) };
    *u = stretched.clamp(0.0, sunfleck_math::float::ONE_MINUS_EPSILON);
    u32::from(!is_first)
}

/// Converts an index; atlases have at most 2³⁰ texels.
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
