use sunfleck_shading::packed_lights::LightNode;

/// The light tree with links from the leaves to the root.
pub(super) struct LightParents {
    /// Parent of each node and, after all nodes, of each light at infinity, or [`NONE`](Self::NONE); then, for each
    /// light, its index among these.
    pub(super) words: Vec<u32>,
    /// Number of nodes and of lights at infinity.
    pub(super) count: u32,
}

impl LightParents {
    /// Index that stands for no parent.
    const NONE: u32 = sunfleck_constants::igi::NO_LIGHT;

    /// Computes the parents.
    ///
    /// * `nodes` — nodes of the light tree, over the first `near` of all `lights`.
    pub(super) fn new((nodes, near): (&[LightNode], u32), lights: usize) -> Self {
        let near = near as usize;
        let distant = lights.saturating_sub(near);
        let count = nodes.len() + distant;
        let mut words = vec![Self::NONE; count];
        let mut leaves = vec![Self::NONE; near];
        for (at, node) in (0u32..).zip(nodes) {
            if node.is_leaf == 1 {
                leaves[node.next as usize] = at;
            } else {
                words[at as usize + 1] = at;
                words[node.next as usize] = at;
            }
        }
        words.extend(leaves);
        words.extend((0u32..).skip(nodes.len()).take(distant));
        Self { words, count: u32::try_from(count).unwrap_or(u32::MAX) }
    }
}
