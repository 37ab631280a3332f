use sunfleck_math::Aabb;

/// The canonical tree that every layout converts from: binary, one primitive list, boxes exact.
#[derive(Debug)]
pub(crate) struct Bvh2 {
    /// Node 0 is the root; empty when there are no primitives.
    pub(crate) nodes: Vec<Bvh2Node>,
    /// Primitive indices; leaves refer to ranges of it.
    pub(crate) prims: Vec<u32>,
}

/// 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Bvh2Node {
    /// The box around everything below.
    pub(crate) bounds: Aabb,
    /// Inner node: index of the left child, the right one follows it. Leaf: index of the first primitive.
    pub(crate) first: u32,
    /// Number of primitives; 0 in an inner node.
    pub(crate) count: u32,
}

impl Bvh2Node {
    pub(crate) fn is_leaf(&self) -> bool {
        self.count > 0
    }
}

/// Half of the surface area in f64, where the squares of all f32 lengths fit.
pub(crate) fn half_area(b: &Aabb) -> f64 {
    if b.is_empty() {
        return 0.0;
    }
    let [x, y, z] = [0, 1, 2].map(|axis| f64::from(b.max[axis]) - f64::from(b.min[axis]));
    x * y + y * z + z * x
}
