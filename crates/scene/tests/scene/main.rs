//! Edits, motion, tables of parameters.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod edits;
mod motion;
mod tables;
