//! The ray engine, the crossbar and the uniform grid against the kernel and the CPU's images. Any adapter will do:
//! without a GPU, Mesa's lavapipe.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod crossbar;
mod engine;
mod grid;
mod pictures;
mod soup;
