//! Sunfleck: real-time ray tracing and interactive global illumination.
//!
//! This crate re-exports the interface of Sunfleck. It has three layers, each of which can be used without those that
//! follow:
//!
//! * **Rays against geometry**, as with Embree: [`kernel`] builds a BVH over a mesh and answers closest-hit and any-hit
//!   queries. Example `rays`.
//! * **Scenes**: [`Scene`](scene::Scene) is validated plain data; [`io`] reads files, [`models`] builds procedural
//!   scenes, and [`SceneEdit`](scene::SceneEdit) is the only way to change one.
//! * **Images**, as with `OSPRay`: an [`Engine`] renders a [`FrameRequest`] of an [`EditableWorld`] onto a [`Canvas`]
//!   in the background, on the CPU or a GPU, while the next edits are made. Examples `render` and `edit`.
//!
//! ```
//! use sunfleck::{Algorithm, Budget, Canvas, EditableWorld, Engine, FrameRequest};
//!
//! let engine = Engine::new(Default::default())?;
//! let world = EditableWorld::new(sunfleck::models::build("cornell")?)?;
//! let camera = world.cameras()[0].clone();
//! let algorithm: Algorithm = "path".parse()?;
//! let frame = FrameRequest { algorithm, budget: Budget::samples(4), ..FrameRequest::new(camera, 64, 64) };
//! let canvas = Canvas::new();
//! let result = engine.render(&world, &frame, &canvas).wait();
//! assert_eq!(result.samples, 4);
//! let picture = canvas.picture().ok_or("nothing was rendered")?;
//! assert_eq!((picture.width(), picture.height()), (64, 64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Speed in your own workspace
//!
//! Cargo takes `[profile]` sections and `rustflags` from the workspace that is built, never from a dependency. Two
//! settings of this repository affect the speed, but not the results:
//!
//! * `-align-all-functions=6` in `.cargo/config.toml`: the traversal loops are thousands of instructions long, and the
//!   speed of any-hit queries of incoherent rays varies by up to a quarter with the address at which such a function
//!   begins. On x86-64, put into your `.cargo/config.toml`:
//!
//!   ```toml
//!   [target.'cfg(target_arch = "x86_64")']
//!   rustflags = ["-C", "llvm-args=-align-all-functions=6"]
//!   ```
//! * `[profile.dev] opt-level = 2`: without optimisation a ray takes about fifty times as long. Put into your
//!   `Cargo.toml`:
//!
//!   ```toml
//!   [profile.dev.package."*"]
//!   opt-level = 2
//!   ```
//!
//! `target-cpu=native` is not needed: SIMD levels are chosen at run time.
#![forbid(unsafe_code)]

pub use fearless_simd::Level;
pub use sunfleck_engine::{
    AdapterChoice, AutoExposure, Budget, Canvas, Device, EditableWorld, Engine, EngineError, EngineOptions,
    ExposureSettings, FrameRequest, FrameResult, GpuError, Progress, RenderedBy, Ticket, UnknownDevice,
    WorldError,
};
pub use sunfleck_integrators::Algorithm;
pub use sunfleck_sampling::SamplerKind;

/// Images: film, filters, tone curves, metrics, reading and writing.
pub use sunfleck_image as image;
/// Algorithms and their parameters.
pub use sunfleck_integrators as integrators;
/// Import of scene files, and export of scenes as glTF.
pub use sunfleck_io as io;
/// Acceleration structures and ray queries.
pub use sunfleck_kernel as kernel;
/// Vectors, rays, boxes, transforms.
pub use sunfleck_math as math;
/// Procedural scenes by name.
pub use sunfleck_models as models;
/// Scenes as plain data, and the edits that change them.
pub use sunfleck_scene as scene;
