use sunfleck_kernel::PairTriangle;
use sunfleck_shaders::layout::Leaf;

/// What a leaf of a binary tree becomes.
///
/// * `triangles` — of the tree. * `first`, `count` — those of the leaf. * `inst_id` — whose they are, if that stands in the world as it is.
pub(crate) fn leaf_of(triangles: &[PairTriangle], first: u32, count: u32, inst_id: u32) -> Leaf {
    let triangle = |i: u32| {
        let PairTriangle { corners, prim_id } = triangles[i as usize];
        (corners, prim_id)
    };
    Leaf::new(triangle(first), (count > 1).then(|| triangle(first + 1)), inst_id)
}
