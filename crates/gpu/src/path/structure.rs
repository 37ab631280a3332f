use sunfleck_shaders::Pass;

/// An acceleration structure of another room, in which the rays of pictures are traced in place of the trees of a [`Mirror`](crate::Mirror).
///
/// It says which passes find the closest hits of paths and which test their shadow rays, and what these read. Everything else of a picture stays as it is; rays of ambient
/// occlusion are traced in the trees. [`PathRenderer::in_structure`](crate::PathRenderer::in_structure) and
/// [`WhittedRenderer::in_structure`](crate::WhittedRenderer::in_structure) take one.
#[derive(Clone, Debug)]
pub struct RayStructure {
    /// Finds the closest hit of each path, as [`INTERSECT`](sunfleck_shaders::passes::path::INTERSECT) does in trees.
    pub intersect: &'static Pass,
    /// Tests the shadow rays, as [`SHADOW`](sunfleck_shaders::passes::path::SHADOW) does in trees.
    pub shadow: &'static Pass,
    /// What both read beside, by the names that they have for it.
    pub arrays: Vec<(&'static str, wgpu::Buffer)>,
}
