//! Built-in procedural scenes. They need no files and have the same bits on every machine and with any number of
//! threads.
//!
//! A scene is selected by a *spec*: its name, followed after a colon by the parameters that differ from their defaults.
//! [`models`] is the table of all scenes and parameters; the command-line help and the documents are generated from it.
//!
//! ```
//! let scene = sunfleck_models::build("teapot-room:divisions=4")?;
//! assert!(scene.cameras().next().is_some());
//! let error = sunfleck_models::build("teapotroom").unwrap_err();
//! assert!(error.to_string().contains("did you mean `teapot-room`?"));
//! # Ok::<(), sunfleck_models::ModelError>(())
//! ```
//!
//! Emission is chosen so that a well lit white wall has a radiance of about ½ W/(m² sr): exposure 0 suits every scene.
#![forbid(unsafe_code)]

mod building;
mod conference;
mod cornell;
mod error;
mod erw6;
mod model;
mod noise;
mod office;
mod pattern;
mod plant;
mod random;
mod scene_builder;
mod shape;
mod sky;
mod spec;
mod sunflowers;
mod teapot;
mod teapot_room;

pub use error::ModelError;
pub use model::{Model, models};
pub use spec::build;
pub use teapot::{teapot, teapot_patches};
