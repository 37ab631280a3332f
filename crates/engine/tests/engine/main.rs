//! Tests of edited and animated worlds, of what is added to scenes, and of tiles rendered by another machine.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod denoising;
mod editing;
#[path = "../edits/mod.rs"]
mod edits;
mod playing;
mod presentation;
mod tiles;
mod upsampling;
