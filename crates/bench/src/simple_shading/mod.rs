//! Simple shading of a stream of hits: the stage whose cost [Wald03, Table 1] reports beside that of casting.
//!
//! One point light without shadows, a diffuse surface, one bilinear texture lookup: no recursion, no random numbers. It is a
//! benchmark's twin of the stage that an integrator for previews would have, and shows what shading costs if it takes hits
//! as the kernel writes them: as structure of arrays, sixteen at a time, without splitting packets into single rays.
//!
//! What a hit needs lies in one record of 64 bytes for each triangle of the world ([`TriangleRecord`]), and one for each
//! material ([`MaterialRecord`]), which stay in the cache. Fetching them is scalar code; everything else is vectors.
//! Additions and multiplications are not fused, so that each level and the scalar twin of the tests give the same bits.

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
