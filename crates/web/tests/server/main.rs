//! The server, tested through real HTTP and WebSocket connections.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod additions;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod copies;
mod denoising;
mod editing;
mod environment;
mod exposure;
mod fuzz;
mod keeping;
mod many;
mod measures;
mod playing;
mod security;
mod textures;
mod uploads;
mod view;
