//! Numbers that the processor's code and the shaders share, each written here only: one module a subject.
//!
//! Rust reads a module as `sunfleck_constants::sampling`, WESL as `package::constants::sampling`: `crates/shaders/build/constants.rs` translates it, line by line, when
//! shaders are linked. So a module has nothing but comments and lines `pub const NAME: TYPE = VALUE;`, where
//!
//! * the type is `u32`, `i32`, `f32` or `bool`;
//! * the value is a literal without a suffix, another constant of the same module, or, of integers only, what `+ - * / % << >> & | ^` and brackets make of these. Floats are
//!   literals because Rust rounds after each operation to f32, and WGSL at last.
//!
//! Everything else is an error when shaders are linked. What one side alone has, and what Rust takes from its standard library, is not here.

pub mod bsdf;
pub mod camera;
pub mod dimension;
pub mod film;
pub mod group;
pub mod igi;
pub mod light;
pub mod material;
pub mod math;
pub mod path;
pub mod sampling;
pub mod surface;
pub mod tree;
pub mod vpl;
