//! Building blocks of light transport algorithms, on top of acceleration structures, materials and lights.
//!
//! [`World::commit`] makes a scene ready for rays. [`World::intersect`] finds the closest hit of a ray, and
//! [`World::surface_interaction`] makes a [`SurfaceInteraction`] of it. From there an algorithm uses
//!
//! * emitted and escaped radiance, weighted against light sampling: [`World::emitted`], [`World::escaped`],
//! * next-event estimation: [`World::sample_direct`],
//! * visibility, as RGB transmittance: [`World::transmittance`],
//! * the next ray: [`scatter`], or [`spawn`] for a given direction; both refuse directions that geometric and shading
//!   normal disagree about,
//! * Russian roulette: [`survives`], with a survival probability that the caller chooses.
//!
//! The caller passes random numbers, so that every decision has a sample dimension of its own.
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
mod panes;
mod roulette;
mod scatter;
mod surface_light;
pub mod vectors;
mod visibility;
mod world;

pub use direct::{DirectLight, DirectSampling, reflected_radiance};
pub use emission::LastScattering;
pub use interaction::{InteractionBlock, SurfaceInteraction, shadow_ray_end};
pub use panes::Panes;
pub use roulette::survives;
pub use scatter::{Scattering, leaving_direction, passed, scatter, spawn};
pub use surface_light::SurfaceLight;
pub use visibility::AlphaSeed;
pub use world::{
    BoundingSphere, CommitError, InstanceMotion, MeshArrays, Motion, PackedInstance, PackedMesh, Picked,
    PlacedCamera, PreviousPoint, World, WorldIdentity,
};
