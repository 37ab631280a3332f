use sunfleck_shaders::Pass;

/// An acceleration structure of another crate in which an image's rays are traced, instead of the trees of a
/// [`Mirror`](crate::Mirror).
///
/// It provides the passes that find the closest hits of paths and that test shadow rays, and their resources. All other
/// stages are the same; rays of ambient occlusion are traced in the trees.
/// [`PathRenderer::with_structure`](crate::PathRenderer::with_structure) and
/// [`WhittedRenderer::with_structure`](crate::WhittedRenderer::with_structure) take one.
#[derive(Clone, Debug)]
pub struct RayStructure {
    /// Pass that finds the closest hit of each path, as [`INTERSECT`](sunfleck_shaders::passes::path::INTERSECT) does
    /// in trees.
    pub intersect: &'static Pass,
    /// Pass that tests the shadow rays, as [`SHADOW`](sunfleck_shaders::passes::path::SHADOW) does in trees.
    pub shadow: &'static Pass,
    /// Further resources of both passes, by the names of WESL variables.
    pub arrays: Vec<(&'static str, wgpu::Buffer)>,
}
