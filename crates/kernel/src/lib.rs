//! Ray tracing kernel: two-level BVHs and their SIMD traversal; usable alone, like Embree.
//!
//! A [`Blas`] holds the triangles of one mesh, [`Shapes`] and [`UserGeometry`] hold other primitives. A [`Tlas`]
//! places instances of these in the world, and instances of other [`Tlas`]es as groups. It answers two queries: the
//! closest hit of a ray ([`Tlas::intersect`]) and whether there is any hit ([`Tlas::occluded`]). A [`Query`] restricts
//! hits by masks and faces, a filter callback by anything else.
//!
//! Guarantees:
//!
//! * **Watertight by default**: no ray slips through a shared edge or vertex.
//! * **The same bits everywhere**: trees do not depend on the number of threads, hits depend neither on the SIMD level
//!   nor on the tree. [`brute_force`] returns the same hits bit for bit.
//! * **Degenerate input is defined**: NaN vertices, empty meshes, triangles without area, singular transforms, zero
//!   directions and extreme scales (1e-20 to 1e20) have specified results. Nothing panics.
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
//! Modules: [`builder`] builds a canonical binary tree, [`layout`] collapses it into wide nodes for CPUs and GPUs,
//! [`traversal`] visits those nodes and calls a closure for each leaf, [`primitive`] intersects triangles and shapes,
//! [`geometry`] defines the leaves of each kind of geometry, and [`query`] combines them into queries.
#![deny(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the list of modules is for readers of the source, too")]

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
pub use geometry::{Geometry, Instance, Shapes, Tlas, UserGeometry, UserHit, UserPrimitives};
pub use hit::{Hit, InstPath, MAX_LEVELS};
pub use layout::{Bvh4, Bvh4Content, Bvh4Entry, Bvh4Slot, EntryPoints, HitProbabilities};
pub use paired::{
    Bvh4InstancePart, Bvh4Instances, PairTriangle, PairedPiece, PairedShape, PairedShapes, PairedTriangles,
};
pub use query::{Faces, Query};
pub use refit::Refit;
pub use stats::{BvhStats, SkippedPrimitives};
pub use stream::{Coherence, HitBuffer, HitPacket, HitStream, MISS, RayBuffer, RayPacket, RayStream};
