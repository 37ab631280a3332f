//! Interactive rendering: edit a world, commit it, render frames onto canvases in the background.
//!
//! An [`EditableWorld`] is a scene that can be edited; [`EditableWorld::commit`] makes the edits visible, at a cost
//! that depends on what they change. A [`FrameRequest`] has camera, algorithm, film and budget. [`Engine::render`]
//! returns a [`Ticket`] at once: the frame is rendered in the background, from the world that was last committed, so
//! that the next edits can be made in the meantime. Frames are rendered onto a [`Canvas`], which accumulates those of
//! the same view. [`AutoExposure`] computes the exposure with which they are displayed.
//!
//! A [`Denoiser`] removes the noise of a film.
//!
//! A [`Presentation`] opens scenes whose files have no camera or no light.
//!
//! [`EngineOptions::device`] selects the CPU, a GPU, or both; the CPU renders what a GPU cannot. The rest of a program
//! does not depend on this choice.
//!
//! ```
//! use sunfleck_engine::{Budget, Canvas, EditableWorld, Engine, FrameRequest};
//! use sunfleck_scene::SceneEdit;
//!
//! let engine = Engine::new(Default::default())?;
//! let mut world = EditableWorld::new(sunfleck_models::build("cornell")?)?;
//! let camera = world.cameras()[0].clone();
//! let frame = FrameRequest { budget: Budget::samples(1), ..FrameRequest::new(camera, 32, 32) };
//! let canvas = Canvas::new();
//! let first = engine.render(&world, &frame, &canvas);
//!
//! // While it is rendered: hide something
//! let id = world.scene().nodes().last().map(|(id, _)| id).ok_or("no node")?;
//! world.edit(SceneEdit::Visible { id, visible: false })?;
//! world.commit()?;
//!
//! assert_eq!(first.wait().samples, 1);
//! let second = engine.render(&world, &frame, &canvas).wait();
//! assert_eq!(second.samples, 1, "another world: accumulation starts again");
//! assert!(canvas.picture().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod backend;
mod canvas;
mod denoising;
mod engine;
mod exposure;
mod frame;
mod job;
mod pace;
mod presentation;
mod ticket;
mod world;

pub use backend::{Device, UnknownDevice};
pub use canvas::Canvas;
pub use denoising::{DenoiseGuide, DenoiseMethod, Denoised, Denoiser, UnknownDenoiseMethod};
pub use engine::{Engine, EngineError, EngineOptions};
pub use exposure::{AutoExposure, ExposureSettings};
pub use frame::{Budget, FrameRequest, Upsampling};
pub use presentation::{
    FreeSpace, InitialCamera, Presentation, SkySun, Stage, StageChoice, UnknownStage, VisibleContent,
    distance_at_centre, is_stage_ground, sees_surfaces, set_stage, set_sun_elevation, sky_sun, stage_of,
};
pub use sunfleck_denoise::oidn::OidnError;
pub use sunfleck_gpu::{AdapterChoice, GpuError};
pub use ticket::{FrameResult, Progress, RenderedBy, Ticket};
pub use world::{EditableWorld, WorldError};
