//! What the kernel promises: hits against brute force, on every SIMD level, and what builders make.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod build;
mod builders;
mod common;
mod differential;
mod filter;
mod geometry;
mod rays;
mod same_bits;
mod streams;
mod watertight;
