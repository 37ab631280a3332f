//! Blocks of four triangles, the items of leaves.

use sunfleck_math::{Aabb, DVec3, Vec3};

/// Triangles per block.
pub(crate) const LANES: usize = 4;

/// Vector with one number of each triangle of a block.
pub(crate) type Lanes<S> = fearless_simd::f32x4<S>;

/// Block of up to four triangles as structure of arrays. 160 bytes.
///
/// Unused lanes hold an edge of lane 0 as a triangle without area, which no ray hits.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct TriangleBlock {
    /// Vertex coordinates: `vertices[vertex][axis][lane]`.
    pub(crate) vertices: [[[f32; LANES]; 3]; 3],
    /// Index of each triangle in its mesh; [`UNUSED`] in unused lanes.
    pub(crate) prim_ids: [u32; LANES],
}

/// Triangle index of unused lanes.
pub(crate) const UNUSED: u32 = u32::MAX;

impl TriangleBlock {
    /// Creates a block of 1 to [`LANES`] triangles.
    pub(crate) fn new(prims: &[u32], corners: impl Fn(u32) -> [Vec3; 3]) -> Self {
        let mut block = Self { vertices: [[[0.0; LANES]; 3]; 3], prim_ids: [UNUSED; LANES] };
        let [a, b, _] = corners(prims[0]);
        for lane in 0..LANES {
            let triangle = prims.get(lane).map_or([a, a, b], |&prim| corners(prim));
            block.prim_ids[lane] = prims.get(lane).copied().unwrap_or(UNUSED);
            for (vertex, corner) in triangle.iter().enumerate() {
                for axis in 0..3 {
                    block.vertices[vertex][axis][lane] = corner[axis];
                }
            }
        }
        block
    }

    /// Returns the used lanes and their triangle indices.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.prim_ids.iter().copied().enumerate().filter(|&(_, prim)| prim != UNUSED)
    }

    /// Returns one coordinate of one vertex of each triangle.
    ///
    /// * `row` — identifies the axis, as returned by [`Bvh8Node::entered_rows`](crate::layout::Bvh8Node::entered_rows).
    #[inline(always)]
    pub(crate) fn row(&self, vertex: usize, row: u32) -> &[f32; LANES] {
        &self.vertices[vertex][(row as usize >> 4).min(2)]
    }

    /// Estimates the probability that a ray that hits `bounds` hits one of the triangles inside it.
    ///
    /// The mean projected area of a flat surface of area A is A / 2, that of a box of surface area S is S / 4.
    pub(crate) fn hit_probability(&self, bounds: &Aabb) -> f32 {
        let doubled_area = |(lane, _)| {
            let corners = self.corners(lane).map(Vec3::from_array);
            let own = triangle_bounds(&corners);
            let shared = Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) };
            let inside = shared.half_area() / own.half_area().max(f32::MIN_POSITIVE);
            (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() * inside.min(1.0)
        };
        let hit_probability =
            self.triangles().map(doubled_area).sum::<f32>() / bounds.half_area().max(f32::MIN_POSITIVE);
        // 1 also replaces NaN, where f32 overflows.
        if hit_probability < 1.0 { hit_probability } else { 1.0 }
    }

    /// Returns the vertices of one lane as `[vertex][axis]`.
    #[inline(always)]
    pub(crate) fn corners(&self, lane: usize) -> [[f32; 3]; 3] {
        let corner = |v: &[[f32; LANES]; 3]| [v[0][lane], v[1][lane], v[2][lane]];
        [corner(&self.vertices[0]), corner(&self.vertices[1]), corner(&self.vertices[2])]
    }
}

/// Returns the box around a triangle. Coordinates of -0 become +0, so that unions have the same bits in any order.
pub(crate) fn triangle_bounds(corners: &[Vec3; 3]) -> Aabb {
    Aabb::from_points(corners.map(|c| c + Vec3::ZERO))
}

/// Returns the normal `e1 × e2`, whose length is twice the area; it is zero if and only if the triangle has no area.
///
/// It is computed in f64, where differences of f32 and their products neither overflow nor underflow.
pub(crate) fn doubled_area_normal(corners: &[[f32; 3]; 3]) -> DVec3 {
    let f64s = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let (a, b, c) = (f64s(corners[0]), f64s(corners[1]), f64s(corners[2]));
    (b - a).cross(c - a)
}
