//! Rays, boxes, frames, transforms, elementary functions and float error bounds: the words every other room speaks.
//!
//! Everything here gives the same bits on every machine: vectors are glam's with `scalar-math` (plain IEEE operations
//! in one order), and the elementary functions are ours, built from IEEE operations and explicit fused multiply-adds.

#![forbid(unsafe_code)]

mod aabb;
mod elementary;
pub mod float;
mod frame;
mod ray;

pub use aabb::Aabb;
pub use elementary::*;
pub use frame::Frame;
pub use glam::{Affine3, DVec3, Mat3, Mat4, UVec2, Vec2, Vec3, Vec4, vec2, vec3, vec4};
pub use ray::Ray;
