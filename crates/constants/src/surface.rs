//! Constants of meshes and surface interactions.

/// Offset that stands for an array that a mesh does not have.
pub const NO_ARRAY: u32 = 0xffff_ffff;

/// Smallest cosine between the shading normal and the direction to the viewer.
pub const LEAST_FACING: f32 = 1e-3;

/// Smallest cosine between the geometric normal and the reflection of the direction to the viewer, to which the shading
/// normals of normal maps and reliefs are bent.
pub const LEAST_REFLECTED: f32 = 0.01;
