use sunfleck_shaders::Shader;

/// An acceleration structure of another room, in which the rays of pictures are traced in place of the trees of a [`Mirror`](crate::Mirror).
///
/// It says which kernels find the closest hits of paths and which test their shadow rays, and what these bind. Everything else of a picture stays as it is; rays of ambient
/// occlusion are traced in the trees. [`PathRenderer::in_structure`](crate::PathRenderer::in_structure) and
/// [`WhittedRenderer::in_structure`](crate::WhittedRenderer::in_structure) take one.
#[derive(Clone, Debug)]
pub struct RayStructure {
    /// Finds the closest hit of each path, as [`INTERSECT`](sunfleck_shaders::path::INTERSECT) does in trees; one of [`sunfleck_shaders::ALL`].
    pub intersect: Shader,
    /// Tests the shadow rays, as [`SHADOW`](sunfleck_shaders::path::SHADOW) does in trees; one of [`sunfleck_shaders::ALL`].
    pub shadow: Shader,
    /// What both bind in group 0, by numbers that the arrays of a [`SceneMirror`](crate::SceneMirror) do not have: 8 to 31.
    pub arrays: Vec<(u32, wgpu::Buffer)>,
}
