//! The watertight ray–triangle test [Woop13].
//!
//! *Watertight*: vertices are translated and sheared so that the ray becomes the z axis; this depends on the vertex
//! alone, so triangles that share one see the same point. Edge functions are differences of two products with the error of
//! the second one made good [Jeannerod13, §3], so that they are correct to two roundings of themselves: their sign is exact, zeros
//! included, and a ray that passes through a shared edge or vertex hits at least one of the triangles around it, whatever
//! the winding. (The paper needs f64 for zeros. Here it is for what may have
//! underflowed, which a zero may, or overflowed.) Barycentric
//! coordinates are as accurate, however thin the triangle, and `t` is correct to some roundings of the distances involved.
//!
//! *The same answer in every order*: rounding can move the computed `t` of a sliver far along the ray. So `t` is
//! clamped to the interval in which the ray is inside the triangle's own padded box, computed by the very formula of
//! the slab test. That formula is monotone, therefore each box around the triangle is entered at or before `t` and
//! left at or after it: no tree and no order of visits can cull a hit that testing all triangles would find.
//! (Not in the paper. On ordinary triangles the clamp changes nothing.)
//!
//! *The same bits everywhere*: plain operations in a fixed order; [`scalar`] and [`wide`] mirror each other.

mod arithmetic;
mod block;
mod pairs;
mod ray_batch;
pub(crate) mod ray_numbers;
mod scalar;
mod slab_ray;
mod sphere;
mod triangle_ray;
mod wide;

pub(crate) use block::{LANES, TriangleBlock, UNUSED, doubled_area_normal, triangle_bounds};
pub(crate) use pairs::{FourBlocks, FourTriangles, OneTriangle, PairHits, intersect_pairs};
pub(crate) use ray_batch::{BATCH, Padding, RawRays, RayBatch, corners};
pub(crate) use ray_numbers::RayNumbers;
pub(crate) use scalar::{Candidate, intersect_triangle};
pub(crate) use slab_ray::SlabRay;
pub(crate) use sphere::SphereRay;
pub(crate) use triangle_ray::{TriangleRay, world_major_axis};
pub(crate) use wide::intersect_block;
