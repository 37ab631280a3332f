//! Ray tracing for host programs, on CPU cores, a GPU or both; and the GPU ray tracers of 2002 and 2003, with their
//! published figures.
//!
//! * [`RayEngine`] takes batches of rays from a host program and returns the answers on request [RayEngine02, §5.2].
//! * [`Classic`] is the organisation of that paper: an octree whose cells go to the GPU, and a 5-D tree of rays
//!   [RayEngine02, §5.3, §6.2].
//! * [`Crossbar`] tests all pairs of rays and triangles [RayEngine02, §3].
//! * [`UniformGrid`] is the acceleration structure of the streaming ray tracer [Wald03, §3.3], for streams of rays
//!   and for images.
//! * [`tables`] has the published figures.
//!
//! The shaders are in `sunfleck_shaders`. They run through `sunfleck_gpu::compute`; images are rendered in a grid
//! through [`RayStructure`](sunfleck_gpu::RayStructure). The crate `sunfleck-gpu` does not depend on this one.
//!
//! ```
//! use std::sync::Arc;
//! use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
//! use sunfleck_math::{Affine3, Ray, vec3};
//! use sunfleck_ray_engine::{Answers, RayBackend, RayEngine, RayEngineSettings, RayQuery};
//!
//! let positions = [vec3(0.0, 0.0, 5.0), vec3(1.0, 0.0, 5.0), vec3(0.0, 1.0, 5.0)];
//! let options = BuildOptions::default();
//! let blas = Arc::new(Blas::build(&positions, &[[0, 1, 2]], &options)?);
//! let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
//! let world = Arc::new(Tlas::build(vec![blas], vec![instance], &options)?);
//!
//! let engine = RayEngine::new(&world, RayBackend::Cpu, &RayEngineSettings::default())?;
//! let ticket = engine.submit(RayQuery::Any, vec![Ray::new(vec3(0.2, 0.2, 0.0), vec3(0.0, 0.0, 1.0))])?;
//! // … other work …
//! assert_eq!(ticket.wait()?, Answers::Any(vec![true]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answers;
mod classic;
mod crossbar;
mod engine;
mod grid;
mod staging;
pub mod tables;
mod world_triangles;

pub use answers::Answers;
pub use classic::{Classic, ClassicSettings, ClassicStats, ReadBack};
pub use crossbar::Crossbar;
pub use engine::{Cost, Costs, RayBackend, RayEngine, RayEngineError, RayEngineSettings, Ticket, Traced};
pub use grid::UniformGrid;
pub use sunfleck_gpu::RayQuery;
