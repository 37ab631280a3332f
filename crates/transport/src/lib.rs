//! What every light transport algorithm shares, between the acceleration structures and materials below and the integrators above.
//!
//! [`World::commit`] makes a scene ready for rays. A ray meets the world by [`World::intersect`], a hit becomes a
//! [`SurfaceInteraction`], and from there an algorithm asks for
//!
//! * emitted and escaped radiance, weighted against light sampling: [`World::emitted`], [`World::escaped`],
//! * next-event estimation: [`World::sample_direct`],
//! * visibility, as RGB transmittance: [`World::transmittance`],
//! * the next ray: [`scatter`], or [`spawn`] where the direction is known; both test the side,
//! * Russian roulette: [`survives`], whose survival probability stays with the caller.
//!
//! Random numbers come from the caller, so that every decision has a sample dimension of its own.
//!
//! ```
//! use fearless_simd::{Level, dispatch};
//! use sunfleck_math::{Ray, vec3};
//! use sunfleck_transport::{AlphaSeed, World};
//!
//! let world = World::commit(&sunfleck_models::build("cornell")?)?;
//! let ray = Ray::new(world.bounds().center(), vec3(0.0, -1.0, 0.0));
//! let seed = AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 };
//! let hit = dispatch!(Level::new(), simd => world.intersect(simd, &ray, seed)).ok_or("nothing below")?;
//! let floor = world.surface_interaction(&hit, -ray.direction, 0.0);
//! assert!(floor.ng.y.abs() > 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod direct;
mod emission;
mod interaction;
mod roulette;
mod scatter;
pub mod vectors;
mod visibility;
mod world;

pub use direct::{DirectLight, Technique};
pub use emission::LastScattering;
pub use interaction::{InteractionBlock, SurfaceInteraction};
pub use roulette::survives;
pub use scatter::{Scattering, scatter, spawn};
pub use visibility::AlphaSeed;
pub use world::{
    BoundingSphere, CommitError, MeshArrays, PackedMesh, PackedPlaced, Picked, PlacedCamera, World,
};
