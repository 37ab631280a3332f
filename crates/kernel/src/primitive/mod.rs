//! Intersection of rays with primitives, above all the watertight ray–triangle test [Woop13].
//!
//! *Watertight*: vertices are translated and sheared so that the ray becomes the z axis. The result depends on the
//! vertex only, so triangles that share a vertex use the same point. Edge functions are differences of two products in
//! which the rounding error of the second product is compensated [Jeannerod13, §3], so that their relative error is at
//! most two roundings. Hence their sign is exact, including zeros, and a ray through a shared edge or vertex hits at
//! least one of the triangles around it, for any winding. (The paper falls back to f64 for zeros. Here f64 is for
//! values that may have underflowed, which include zeros, or overflowed.) Barycentric coordinates are equally accurate,
//! however thin the triangle, and the error of `t` is a few roundings of the distances involved.
//!
//! *Independent of the traversal order*: rounding can move the computed `t` of a sliver far along the ray. Therefore
//! `t` is clamped to the interval in which the ray is inside the triangle's own padded box, computed by the formula of
//! the slab test. That formula is monotone, so every box around the triangle is entered at or before `t` and exited at
//! or after it: no tree and no traversal order can cull a hit that a test of all triangles would find. (The clamp is
//! not in the paper. For ordinary triangles it changes nothing.)
//!
//! *The same bits everywhere*: plain operations in a fixed order; [`scalar`] and [`wide`] compute the same bits.

mod arithmetic;
mod block;
mod pairs;
mod patch;
mod ray_batch;
pub(crate) mod ray_numbers;
mod scalar;
mod shape;
mod shape_block;
mod slab_ray;
mod triangle_ray;
mod wide;

pub(crate) use block::{LANES, TriangleBlock, UNUSED, doubled_area_normal, triangle_bounds};
pub(crate) use pairs::{FourBlocks, FourTriangles, OneTriangle, PairHits, intersect_pairs};
pub(crate) use patch::PatchPiece;
pub(crate) use ray_batch::{BATCH, Padding, RawRays, RayBatch, corners};
pub(crate) use ray_numbers::RayNumbers;
pub(crate) use scalar::{Candidate, intersect_triangle};
pub(crate) use shape::ShapeRay;
pub(crate) use shape_block::{ShapeBlock, ShapeLists};
pub(crate) use slab_ray::SlabRay;
pub(crate) use triangle_ray::{TriangleRay, world_major_axis};
pub(crate) use wide::intersect_block;
