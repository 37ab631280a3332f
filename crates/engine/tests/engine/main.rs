//! Tests of edited and animated worlds, and of tiles rendered by another machine.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod editing;
#[path = "../edits/mod.rs"]
mod edits;
mod playing;
mod tiles;
