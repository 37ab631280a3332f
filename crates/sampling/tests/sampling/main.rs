//! Tests of samplers, distributions and warps.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod distributions;
mod samplers;
mod warps;
