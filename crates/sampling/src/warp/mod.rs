//! Warps: mappings from uniforms in [0, 1)² to directions and points, each with its density `…_pdf`.
//!
//! Directions are in a local frame whose z axis is the pole. Densities of directions are per unit solid angle,
//! densities of points are per unit area. A density is 0 outside the range of the warp. All warps are continuous, so
//! that stratified uniforms give stratified samples; but for the sides of a cube.

mod concentric_disk;
mod cosine_hemisphere;
mod gaussian;
mod spherical_triangle;
mod tent;
mod uniform_cone;
mod uniform_hemisphere;
mod uniform_sphere;
mod uniform_triangle;
mod unit_shape;

pub use concentric_disk::{concentric_disk, concentric_disk_pdf};
pub use cosine_hemisphere::{cosine_hemisphere, cosine_hemisphere_pdf};
pub use gaussian::{gaussian, gaussian_pdf};
pub use spherical_triangle::{SphericalTriangle, SphericalTriangleSample};
pub use tent::{tent, tent_pdf};
pub use uniform_cone::{uniform_cone, uniform_cone_pdf};
pub use uniform_hemisphere::{uniform_hemisphere, uniform_hemisphere_pdf};
pub use uniform_sphere::{uniform_sphere, uniform_sphere_pdf};
pub use uniform_triangle::{uniform_triangle, uniform_triangle_pdf};
pub use unit_shape::{UnitShapeSample, unit_shape, unit_shape_pdf};
