//! The ray kernel: geometry → trees → SIMD traversal, in two levels; usable alone, like Embree.
//!
//! A [`Blas`] holds the triangles of one mesh, [`Spheres`] and [`UserGeometry`] other primitives. A [`Tlas`] places
//! instances of them in the world — and of other [`Tlas`]es, as groups — and answers two questions about a ray: what does it
//! hit first ([`Tlas::intersect`]), and does it hit anything ([`Tlas::occluded`]). A [`Query`] narrows down what counts by
//! masks and faces, a filter by anything else.
//!
//! What it promises, and others do not:
//!
//! * **Watertight by default**: no ray slips through a shared edge or vertex.
//! * **The same bits everywhere**: trees do not depend on the number of threads, hits not on the SIMD level or the tree.
//!   [`brute_force`] gives the same answers bit for bit.
//! * **No surprises**: NaN vertices, empty meshes, triangles without area, singular transforms, zero directions and
//!   endless scales (1e-20 to 1e20) are inputs with defined answers. Nothing panics.
//!
//! Queries are generic over the SIMD level. Choose it once per job, never per ray:
//!
//! ```
//! use std::sync::Arc;
//! use fearless_simd::{Level, dispatch};
//! use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
//! use sunfleck_math::{Affine3, Ray, vec3};
//!
//! let positions = [vec3(0.0, 0.0, 5.0), vec3(1.0, 0.0, 5.0), vec3(0.0, 1.0, 5.0)];
//! let options = BuildOptions::default();
//! let blas = Arc::new(Blas::build(&positions, &[[0, 1, 2]], &options)?);
//! let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
//! let tlas = Tlas::build(vec![blas], vec![instance], &options)?;
//!
//! let ray = Ray::new(vec3(0.25, 0.5, 0.0), vec3(0.0, 0.0, 1.0));
//! let hit = dispatch!(Level::new(), simd => tlas.intersect(simd, &ray)).unwrap();
//! assert_eq!((hit.t, hit.u, hit.v), (5.0, 0.25, 0.5));
//! # Ok::<(), sunfleck_kernel::BuildError>(())
//! ```
//!
//! Inside: [`builder`] makes one canonical binary tree, [`layout`] converts it to wide nodes for processors and GPUs, [`traversal`] walks those
//! and asks a closure about leaves, [`primitive`] tests triangles and spheres, [`geometry`] knows what leaves of each kind
//! hold, and [`query`] puts them together.
#![deny(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the tour of the rooms is for readers of the source too")]

mod blas;
pub mod brute_force;
mod builder;
mod error;
mod geometry;
mod hit;
mod layout;
mod memory;
mod paired;
mod primitive;
mod query;
mod refit;
mod simd;
mod stats;
mod stream;
mod traversal;

pub use blas::Blas;
pub use builder::{BuildOptions, Progress, Quality};
pub use error::{BuildError, ValidateError};
pub use geometry::{Geometry, Instance, Sphere, Spheres, Tlas, UserGeometry, UserHit, UserPrimitives};
pub use hit::{Hit, InstPath, MAX_LEVELS};
pub use layout::{Bvh4, Bvh4Content, Bvh4Entry, Bvh4Slot, EntryPoints, HitProbabilities};
pub use paired::{PairTriangle, PairedInstances, PairedPart, PairedTriangles};
pub use query::{Faces, Query};
pub use refit::Refit;
pub use stats::{BvhStats, SkippedPrimitives};
pub use stream::{Coherence, HitBuffer, HitPacket, HitStream, MISS, RayBuffer, RayPacket, RayStream};
