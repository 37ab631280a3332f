//! Interactive viewer in the browser: a scene rendered with global illumination, which can be edited.
//!
//! A session is a thread that owns the world and renders frames as clients request: previews while something changes,
//! progressive refinement at rest. An HTTP server serves the page, whose files are compiled into the program, and a
//! WebSocket per browser. A slow browser skips frames, but the next one it gets is always the newest.
//! `docs/viewer-protocol.md` describes the messages.
//!
//! ```no_run
//! use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};
//!
//! let scene = sunfleck_models::build("cornell")?;
//! let viewer_scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new())?;
//! let options = ViewerOptions { port: 7700, ..ViewerOptions::default() };
//! let viewer = Viewer::start(viewer_scene, &options)?;
//! println!("{}", viewer.url());
//! viewer.wait_for_signal()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod encode;
mod memory;
mod priority;
mod protocol;
mod scene;
mod server;
mod session;
mod storage;

/// File name extensions of environment maps.
const MAP_EXTENSIONS: &[&str] = &["hdr", "exr", "png", "jpg", "jpeg", "tif", "tiff", "dds"];

/// Returns whether a text is a message that the page may send.
#[cfg(fuzzing)]
pub fn is_request(text: &str) -> bool {
    protocol::Request::parse(text).is_ok()
}

pub use scene::ViewerScene;
pub use server::{Viewer, ViewerError, ViewerOptions};
pub use storage::{BuiltInScene, BuiltInScenes, default_state_folder};
