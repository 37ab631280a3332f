//! Tests of the GPU against the CPU. Any adapter will do: without a GPU, Mesa's lavapipe.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod ao;
mod beams;
mod bsdf;
mod compute;
mod denoise;
mod footprint;
mod harness;
mod igi;
mod leaf_any_hit;
mod light;
mod material;
mod mirror;
mod path;
mod radiosity;
mod ray_order;
mod reuse;
mod sequence;
mod shapes;
mod stored_light;
mod transparent;
mod traversal;
mod whitted;
