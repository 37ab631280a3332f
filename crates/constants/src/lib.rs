//! Constants that the CPU's code and the shaders share, each written only here, in one module per subject.
//!
//! Rust reads a module as `sunfleck_constants::sampling`, WESL as `package::constants::sampling`:
//! `crates/shaders/build/constants.rs` translates it line by line when shaders are linked. A module therefore contains
//! only comments and lines `pub const NAME: TYPE = VALUE;`, where
//!
//! * the type is `u32`, `i32`, `f32` or `bool`;
//! * the value is a literal without a suffix, another constant of the same module, or, for integers only, an expression
//!   of these with `+ - * / % << >> & | ^` and parentheses. Floats are literals because Rust rounds to f32 after each
//!   operation, and WGSL at the end.
//!
//! Everything else is an error when shaders are linked. Constants that only one side uses, and those of Rust's standard
//! library, are not here.

pub mod bsdf;
pub mod camera;
pub mod denoise;
pub mod dimension;
pub mod feature_filter;
pub mod film;
pub mod group;
pub mod igi;
pub mod light;
pub mod material;
pub mod math;
pub mod path;
pub mod radiosity;
pub mod reuse;
pub mod sampling;
pub mod shape;
pub mod surface;
pub mod tree;
pub mod vpl;
