//! Simple shading of a stream of hits, whose cost [Wald03, Table 1] reports beside that of ray casting.
//!
//! There is one point light without shadows, diffuse surfaces, and one bilinear texture lookup: no recursion, no random
//! numbers. It is written for this benchmark, as a preview integrator would shade: hits are taken as the kernel writes
//! them, as structure of arrays, sixteen at a time, without splitting packets into single rays.
//!
//! The data for a hit is in one record of 64 bytes per triangle of the world ([`TriangleRecord`]) and one record per
//! material ([`MaterialRecord`]), which stays in the cache. Records are gathered with scalar code; all else is SIMD
//! code. Additions and multiplications are not fused, so that all SIMD levels and the scalar reference implementation
//! of the tests give the same bits.

mod film;
#[allow(
    clippy::needless_range_loop,
    reason = "lanes index several arrays at once, and closures may not be inlined"
)]
mod gather;
mod records;
mod stage;
#[cfg(test)]
mod tests;
mod texture;

pub use film::TiledFilm;
pub use records::{MaterialRecord, ShadingTables, TriangleRecord};
pub use stage::{PointLight, shade};
