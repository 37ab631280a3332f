//! Tests of the kernel: hits on every SIMD level against brute force, and the trees of the builders.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod build;
mod builders;
mod common;
mod differential;
mod filter;
mod geometry;
mod patches;
mod rays;
mod refined;
mod same_bits;
mod shapes;
mod streams;
mod watertight;
