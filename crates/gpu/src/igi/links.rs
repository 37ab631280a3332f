use sunfleck_shading::packed_lights::LightNode;

/// The tree of lights from its leaves to its root.
pub(super) struct Links {
    /// The parent of each node and, after all nodes, of each light infinitely far away, or [`NONE`](Self::NONE); then for each light which of these it
    /// is.
    pub(super) words: Vec<u32>,
    /// How many nodes and lights infinitely far away there are.
    pub(super) places: u32,
}

impl Links {
    /// There is no parent.
    const NONE: u32 = sunfleck_constants::igi::NO_LIGHT;

    /// * `nodes` — of the tree of the first `near` of all `lights`.
    pub(super) fn of((nodes, near): (&[LightNode], u32), lights: usize) -> Self {
        let near = near as usize;
        let distant = lights.saturating_sub(near);
        let places = nodes.len() + distant;
        let mut words = vec![Self::NONE; places];
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
        Self { words, places: u32::try_from(places).unwrap_or(u32::MAX) }
    }
}
