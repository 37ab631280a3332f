//! The GPU against the processor. Any adapter will do: without a GPU, Mesa's lavapipe.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod ao;
mod beams;
mod bsdf;
mod compute;
mod footprint;
mod harness;
mod igi;
mod light;
mod material;
mod mirror;
mod order;
mod path;
mod pierced;
mod quick;
mod sequence;
mod traversal;
mod whitted;
