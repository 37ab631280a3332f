use sunfleck_math::{Aabb, DVec3, Vec3};

/// Triangles per block.
pub(crate) const LANES: usize = 4;

/// One number of each triangle in a block.
pub(crate) type Lanes<S> = fearless_simd::f32x4<S>;

/// Some triangles as structure of arrays: what a leaf refers to. 160 bytes.
///
/// Unused lanes repeat an edge of lane 0 as a triangle without area, which the test never hits.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct TriangleBlock {
    /// `vertices[vertex][axis][lane]`.
    pub(crate) vertices: [[[f32; LANES]; 3]; 3],
    /// Index of each triangle in its mesh, [`UNUSED`] in unused lanes.
    pub(crate) prim_ids: [u32; LANES],
}

/// Marks unused lanes.
pub(crate) const UNUSED: u32 = u32::MAX;

impl TriangleBlock {
    /// Packs 1 to [`LANES`] triangles.
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

    /// The used lanes and their triangles.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.prim_ids.iter().copied().enumerate().filter(|&(_, prim)| prim != UNUSED)
    }

    /// One coordinate of one vertex of each triangle.
    ///
    /// * `row` — along which axis, as [`Bvh8Node::entered_rows`](crate::layout::Bvh8Node::entered_rows) tells.
    #[inline(always)]
    pub(crate) fn row(&self, vertex: usize, row: u32) -> &[f32; LANES] {
        &self.vertices[vertex][(row as usize >> 4).min(2)]
    }

    /// Which part of the rays that meet a box around parts of the triangles is stopped by them, about: a flat piece of
    /// area A is seen with A / 2 on average, a box of surface S with S / 4.
    pub(crate) fn stops(&self, bounds: &Aabb) -> f32 {
        let doubled_area = |(lane, _)| {
            let corners = self.corners(lane).map(Vec3::from_array);
            let own = triangle_bounds(&corners);
            let shared = Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) };
            let inside = shared.half_area() / own.half_area().max(f32::MIN_POSITIVE);
            (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() * inside.min(1.0)
        };
        let stops =
            self.triangles().map(doubled_area).sum::<f32>() / bounds.half_area().max(f32::MIN_POSITIVE);
        // Where f32 overflows, no order is better than another.
        if stops < 1.0 { stops } else { 1.0 }
    }

    /// `[vertex][axis]` of one lane.
    #[inline(always)]
    pub(crate) fn corners(&self, lane: usize) -> [[f32; 3]; 3] {
        let corner = |v: &[[f32; LANES]; 3]| [v[0][lane], v[1][lane], v[2][lane]];
        [corner(&self.vertices[0]), corner(&self.vertices[1]), corner(&self.vertices[2])]
    }
}

/// The box around a triangle; -0 becomes 0, so that unions have the same bits in any order.
pub(crate) fn triangle_bounds(corners: &[Vec3; 3]) -> Aabb {
    Aabb::from_points(corners.map(|c| c + Vec3::ZERO))
}

/// `e1 × e2` in f64, where f32 differences and their products neither overflow nor underflow: zero exactly when the
/// triangle has no area.
pub(crate) fn doubled_area_normal(corners: &[[f32; 3]; 3]) -> DVec3 {
    let f64s = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let (a, b, c) = (f64s(corners[0]), f64s(corners[1]), f64s(corners[2]));
    (b - a).cross(c - a)
}
