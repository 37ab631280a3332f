//! `sunfleck view`: a scene in the browser, live, with global illumination, and everything in it can be changed.
//!
//! A session is a thread that owns an engine's world and turns what browsers ask for into frames: quick ones while something changes, better
//! and better ones at rest. An HTTP server around it serves the page, whose files are part of the program, and a WebSocket for each browser.
//! Everything that reaches a browser is the newest of its kind: who is slow gets fewer frames, never older ones.
//! `docs/viewer-protocol.md` describes the messages.
//!
//! ```no_run
//! use sunfleck_web::{Stage, Viewer, ViewerOptions};
//!
//! let scene = sunfleck_models::build("cornell")?;
//! let stage = Stage::new("cornell", scene, Default::default(), Vec::new())?;
//! let options = ViewerOptions {
//!     bind: std::net::Ipv4Addr::LOCALHOST.into(),
//!     port: 7700,
//!     token: None,
//!     engine: Default::default(),
//! };
//! let viewer = Viewer::start(stage, &options)?;
//! println!("{}", viewer.url());
//! std::thread::park();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod encode;
mod memory;
mod protocol;
mod server;
mod session;
mod stage;

/// Files that can be the light from outside.
const MAP_EXTENSIONS: &[&str] = &["hdr", "exr", "png", "jpg", "jpeg"];

pub use server::{Viewer, ViewerError, ViewerOptions};
pub use stage::ViewerScene;
