//! Matrix radiosity [Radiosity03, §3]: patches, form factors, and solvers of the system `B = E + ρ F B`.
//!
//! ```
//! use std::sync::Arc;
//! use sunfleck_surface::matrix::{
//!     CastOptions, FormFactors, Interpolation, Matrix, PatchSize, PatchValues, Patches, RadiositySystem, Solver,
//!     StopRule, Subdivision,
//! };
//! use sunfleck_transport::World;
//!
//! let world = World::commit(&sunfleck_models::build("cornell")?)?;
//! let size = PatchSize::Number(300);
//! let patches = Arc::new(Patches::subdivide(&world, &Subdivision { size, ..Subdivision::default() })?);
//! let factors = FormFactors::cast(&world, &patches, &CastOptions { rays: 256, ..CastOptions::default() });
//! let system = RadiositySystem::new(&world, &patches, &factors, Matrix::dense(&factors));
//! let solution = system.solve(Solver::ConjugateGradients, &StopRule::default(), None)?;
//! assert!(solution.is_converged);
//! let radiosity = PatchValues::new(patches, &solution.radiosity, Interpolation::Smooth);
//! assert!(radiosity.at(0, 0, [0.3, 0.3], true).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapt;
mod balance;
mod cells;
mod channels;
mod closest_hits;
mod contacts;
mod dense;
mod edit;
mod error;
mod exact;
mod face;
mod form_factors;
mod light;
mod links;
mod material;
#[allow(clippy::module_inception, reason = "the matrix itself")]
mod matrix;
mod patch;
mod patches;
mod polygon;
mod ray_hits;
mod rays;
mod solution;
mod solver;
mod subdivision;
mod system;
mod triangles;

pub use adapt::AdaptOptions;
pub use balance::Balance;
pub use channels::Channels;
pub use closest_hits::ClosestHits;
pub use dense::DenseMatrix;
pub use error::RadiosityError;
pub use form_factors::{CastOptions, ExactPairs, FormFactors, UpdateWork};
pub use light::{Interpolation, PatchValues, RadiosityLight};
pub use links::Link;
pub use matrix::{Matrix, SparseMatrix, TracedMatrix};
pub use patch::Patch;
pub use patches::{PatchPoint, Patches};
pub use polygon::Polygon;
pub use solution::{Residual, Solution};
pub use solver::{Solver, StopRule};
pub use subdivision::{PatchSize, Subdivision};
pub use system::RadiositySystem;
pub use triangles::with_triangles_only;
