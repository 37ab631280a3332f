//! Triangles that stand for spheres and other shapes. Texels lie on the triangles, but their surface points are those of
//! the shape, so that rays meet them.

use std::sync::Arc;

use sunfleck_math::{Affine3, Shape, Vec2, Vec3};
use sunfleck_scene::Mesh;

/// Segments of a circle: texels interpolate the light between its corners.
const MOST_SEGMENTS: u16 = 32;
/// Triangles of a mesh beyond which circles have fewer segments.
const MOST_TRIANGLES: usize = 1 << 16;

/// The triangles of a mesh of shapes in object space, and where to find the triangle of a point.
#[derive(Clone, Debug)]
pub struct TessellatedShapes {
    mesh: Arc<Mesh>,
    /// Inverse transforms of the shapes.
    unit_from_object: Vec<Affine3>,
    pub(super) corners: Vec<[Vec3; 3]>,
    /// Index of the shape of each triangle.
    pub(super) shape: Vec<u32>,
    /// First cell of the grid of each shape, and its number of columns and rows.
    grids: Vec<(usize, usize)>,
    /// Triangles of each cell: `triangles[cells[i]..cells[i + 1]]`.
    cells: Vec<usize>,
    triangles: Vec<u32>,
}

/// Returns the cells along an axis that an interval of a texture coordinate meets.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "texture coordinates are in [0, 1]"
)]
fn cells(min: f32, max: f32, side: usize) -> std::ops::RangeInclusive<usize> {
    // A little more, since the coordinates of hits are rounded
    let cell = |x: f32| ((x.clamp(0.0, 1.0) * side as f32) as usize).min(side - 1);
    cell(min - 1e-4)..=cell(max + 1e-4)
}

/// Grid over the texture coordinates of a shape, [0, 1]².
#[derive(Clone, Copy, Debug)]
pub struct ShapeGrid<'a> {
    /// Number of columns and rows.
    pub side: usize,
    /// Begin of the triangles of each cell, row by row, and the end of the last one: indices into
    /// [`TessellatedShapes::triangles_of_cells`].
    pub cells: &'a [usize],
}

impl TessellatedShapes {
    /// Returns the corners of the triangles, in object space.
    pub fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }

    /// Returns the grid of each shape. A triangle is in all cells that its texture coordinates meet.
    pub fn grids(&self) -> impl ExactSizeIterator<Item = ShapeGrid<'_>> {
        let cells = |&(first, side): &(usize, usize)| &self.cells[first..=first + side * side];
        self.grids.iter().map(move |grid| ShapeGrid { side: grid.1, cells: cells(grid) })
    }

    /// Returns the triangles of all cells of all grids, by their index among [`corners`](Self::corners).
    pub fn triangles_of_cells(&self) -> &[u32] {
        &self.triangles
    }

    pub(super) fn new(mesh: &Arc<Mesh>) -> Self {
        let tessellation = mesh.tessellated_within(MOST_SEGMENTS, MOST_TRIANGLES);
        let (data, shape) = (tessellation.data, tessellation.shapes);
        let corners = data.triangles.iter().map(|t| t.map(|v| data.positions[v as usize])).collect();
        let mut counts = vec![0usize; mesh.shapes().len()];
        shape.iter().for_each(|&shape| counts[shape as usize] += 1);
        // The grid of a shape has about as many cells as the shape has triangles
        let (mut grids, mut total) = (Vec::with_capacity(counts.len()), 0);
        for count in counts {
            let side = count.isqrt().max(1);
            grids.push((total, side));
            total += side * side;
        }
        let mut entries: Vec<(usize, u32)> = Vec::new();
        for ((triangle, &shape), index) in data.triangles.iter().zip(&shape).zip(0u32..) {
            let uv = triangle.map(|v| data.uv0[v as usize]);
            let (min, max) = (uv[0].min(uv[1]).min(uv[2]), uv[0].max(uv[1]).max(uv[2]));
            let (first, side) = grids[shape as usize];
            for row in cells(min.y, max.y, side) {
                entries.extend(cells(min.x, max.x, side).map(|column| (first + row * side + column, index)));
            }
        }
        entries.sort_unstable();
        let mut offsets = vec![0usize; total + 1];
        entries.iter().for_each(|(cell, _)| offsets[cell + 1] += 1);
        (0..total).for_each(|i| offsets[i + 1] += offsets[i]);
        Self {
            mesh: mesh.clone(),
            unit_from_object: mesh.shapes().iter().map(|shape| shape.object_from_unit.inverse()).collect(),
            corners,
            shape,
            grids,
            cells: offsets,
            triangles: entries.into_iter().map(|(_, triangle)| triangle).collect(),
        }
    }

    fn shape_of(&self, triangle: usize) -> &Shape {
        &self.mesh.shapes()[self.shape[triangle] as usize]
    }

    /// Returns the location on the shape that is next to a point of a triangle.
    pub(super) fn location(&self, triangle: usize, b: Vec2) -> Vec2 {
        let [p, q, r] = self.corners[triangle];
        let point = p * (1.0 - b.x - b.y) + q * b.x + r * b.y;
        let unit = self.unit_from_object[self.shape[triangle] as usize].transform_point3(point);
        self.shape_of(triangle).unit.location_of(unit.as_dvec3())
    }

    /// Returns the unit normal of the front in object space, next to a point of a triangle.
    pub(super) fn normal(&self, triangle: usize, b: Vec2) -> Vec3 {
        self.shape_of(triangle).normal_at(self.location(triangle, b))
    }

    /// Returns the triangle that is nearest to a location on a shape, and the barycentric coordinates there.
    pub(super) fn find(&self, shape: u32, location: Vec2) -> Option<(u32, Vec2)> {
        let point = self.mesh.shapes().get(shape as usize)?.point_at(location);
        let (position, uv) = (point.corners[0], point.uv[0]);
        let (first, side) = self.grids[shape as usize];
        let cell = first + *cells(uv.y, uv.y, side).start() * side + *cells(uv.x, uv.x, side).start();
        let candidates = &self.triangles[self.cells[cell]..self.cells[cell + 1]];
        let nearest = candidates.iter().map(|&triangle| {
            let b = nearest(&self.corners[triangle as usize], position);
            let [p, q, r] = self.corners[triangle as usize];
            let at = p * (1.0 - b.x - b.y) + q * b.x + r * b.y;
            (at.distance_squared(position), triangle, b)
        });
        nearest.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, triangle, b)| (triangle, b))
    }
}

/// Returns the barycentric coordinates of the projection of a point to a triangle's plane, moved into the triangle.
fn nearest(&[p, q, r]: &[Vec3; 3], point: Vec3) -> Vec2 {
    let (e1, e2, offset) = (q - p, r - p, point - p);
    let (d11, d12, d22) = (e1.dot(e1), e1.dot(e2), e2.dot(e2));
    let (d1, d2) = (offset.dot(e1), offset.dot(e2));
    let scale = 1.0 / (d11 * d22 - d12 * d12);
    let b = Vec2::new(d22 * d1 - d12 * d2, d11 * d2 - d12 * d1) * scale;
    if !b.is_finite() {
        return Vec2::ZERO;
    }
    let b = b.max(Vec2::ZERO);
    if b.element_sum() > 1.0 { b / b.element_sum() } else { b }
}
