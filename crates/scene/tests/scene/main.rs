//! Tests of edits, animations and parameter tables.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod edits;
mod insertion;
mod motion;
mod tables;
