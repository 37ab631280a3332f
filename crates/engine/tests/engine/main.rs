//! Worlds that follow edits, animations, tiles that travel.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod editing;
#[path = "../edits/mod.rs"]
mod edits;
mod playing;
mod tiles;
