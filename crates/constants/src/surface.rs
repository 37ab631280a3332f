//! Surfaces as rays meet them.

/// Where an array of a mesh begins that the mesh lacks.
pub const NO_ARRAY: u32 = 0xffff_ffff;

/// Viewers see shading normals at this cosine at least.
pub const LEAST_FACING: f32 = 1e-3;
