//! Hierarchical radiosity [Hanrahan91, links] through the MIP pyramid of the meshed atlas [Radiosity03, §2.3].
//!
//! Radiosity is constant on a texel, as in stochastic radiosity, but light is exchanged between clusters: the squares of
//! all levels of the pyramid, which are texels, parts of triangles and clusters of triangles. Pairs of clusters are
//! divided until the light between them is nearly uniform, and then linked by one form factor. The system is solved by
//! Jacobi's iteration: radiosities are averaged upwards, gathered over the links, and irradiance is passed downwards.
//!
//! ```
//! use sunfleck_surface::atlas::Atlas;
//! use sunfleck_surface::hierarchy::{HierarchicalRadiosity, HierarchyOptions};
//! use sunfleck_surface::matrix::StopRule;
//! use sunfleck_transport::World;
//!
//! let world = World::commit(&sunfleck_models::build("cornell")?)?;
//! let atlas = Atlas::meshed(&world, 16)?;
//! let options = HierarchyOptions { tolerance: 1e-2, ..HierarchyOptions::default() };
//! let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options)?;
//! let solution = radiosity.solve(&StopRule::default());
//! assert!(solution.is_converged && !radiosity.links().is_empty());
//! let light = radiosity.map(&solution);
//! assert!(light.irradiance_at(0, 0, [0.3, 0.3], light.atlas().surfaces().normal(0)).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod exchange;
mod extent;
mod links;
mod options;
mod oracle;
mod pieces;
mod refine;
mod rows;
mod solver;
#[cfg(test)]
mod tests;

pub use links::NodeLink;
pub use options::{HierarchyError, HierarchyOptions};
pub use rows::RowSums;
pub use solver::HierarchicalRadiosity;
