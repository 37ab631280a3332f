//! Creation of references to triangles: checks vertex indices and skips triangles that cannot be hit.

use bytemuck::Zeroable;
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f32x4};
use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use super::{CHUNK, Monitor, PrimRef};
use crate::error::BuildError;
use crate::primitive::{doubled_area_normal, triangle_bounds};
use crate::stats::SkippedPrimitives;

/// References to build a tree over.
pub(crate) struct Prepared {
    /// One reference for each triangle that can be hit, in order, followed by capacity for duplicates.
    pub(crate) refs: Vec<PrimRef>,
    /// Number of references, without the capacity.
    pub(crate) live: usize,
    pub(crate) skipped: SkippedPrimitives,
}

/// Result for a chunk of triangles: the number of references and the skipped triangles, or the first triangle with a
/// vertex index that is out of range, and that index.
type Chunk = Result<(usize, SkippedPrimitives), (usize, u32)>;

/// Creates references to all triangles that can be hit, and capacity for `room` duplicates.
///
/// # Errors
/// [`BuildError::VertexOutOfRange`].
pub(crate) fn prepare(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    room: usize,
    parallel: bool,
    monitor: &Monitor<'_>,
) -> Result<Prepared, BuildError> {
    let mut refs = vec![PrimRef::zeroed(); triangles.len() + room];
    let level = Level::new();
    let work = |(number, (out, triangles)): (usize, (&mut [PrimRef], &[[u32; 3]]))| {
        monitor.advance(triangles.len());
        dispatch!(level, simd => prepare_chunk(simd, positions, triangles, number * CHUNK, out))
    };
    let live = &mut refs[..triangles.len()];
    let chunks: Vec<Chunk> = if parallel {
        live.par_chunks_mut(CHUNK).zip(triangles.par_chunks(CHUNK)).enumerate().map(work).collect()
    } else {
        live.chunks_mut(CHUNK).zip(triangles.chunks(CHUNK)).enumerate().map(work).collect()
    };

    // Close the gaps between the references of chunks.
    let (mut live, mut skipped) = (0, SkippedPrimitives::default());
    for (number, chunk) in chunks.into_iter().enumerate() {
        let (kept, out) = chunk.map_err(|(triangle, index)| {
            let vertex_count = positions.len();
            BuildError::VertexOutOfRange { triangle, index, vertex_count }
        })?;
        if live != number * CHUNK {
            refs.copy_within(number * CHUNK..number * CHUNK + kept, live);
        }
        live += kept;
        skipped.non_finite += out.non_finite;
        skipped.degenerate += out.degenerate;
    }
    refs.truncate(live + room);
    Ok(Prepared { refs, live, skipped })
}

#[inline(always)]
fn prepare_chunk<S: Simd>(
    simd: S,
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    first: usize,
    out: &mut [PrimRef],
) -> Chunk {
    let (mut kept, mut skipped) = (0, SkippedPrimitives::default());
    for (triangle, indices) in (first..).zip(triangles) {
        let [i, j, k] = *indices;
        let a = *positions.get(i as usize).ok_or((triangle, i))?;
        let b = *positions.get(j as usize).ok_or((triangle, j))?;
        let c = *positions.get(k as usize).ok_or((triangle, k))?;
        let corners = [a, b, c];
        let bounds = match ordinary_bounds(simd, &corners) {
            Some(bounds) => bounds,
            None if !corners.iter().all(|c| c.is_finite()) => {
                skipped.non_finite += 1;
                continue;
            }
            None if is_degenerate(&corners) => {
                skipped.degenerate += 1;
                continue;
            }
            None => triangle_bounds(&corners),
        };
        #[allow(clippy::cast_possible_truncation, reason = "callers limit the triangles to 2^28")]
        let prim = triangle as u32;
        out[kept] = PrimRef::new(&bounds, prim);
        kept += 1;
    }
    Ok((kept, skipped))
}

/// Returns the box around a triangle if a few instructions show that it is finite and has an area; `None` if the
/// triangle needs exact tests.
#[inline(always)]
fn ordinary_bounds<S: Simd>(simd: S, corners: &[Vec3; 3]) -> Option<Aabb> {
    // With x repeated after z, sliding by one lane rotates the axes.
    let load = |[x, y, z]: [f32; 3]| f32x4::load_array(simd, [x, y, z, x]);
    let slid = |v: f32x4<S>| v.slide::<1>(v);
    let [a, b, c] = [load(corners[0].to_array()), load(corners[1].to_array()), load(corners[2].to_array())];
    let zero = f32x4::splat(simd, 0.0);
    let lower = a.min(b).min(c) + zero;
    let upper = a.max(b).max(c) + zero;
    // As in `is_degenerate`, with an upper bound of the edge lengths.
    let (ab, ac) = (b - a, c - a);
    let cross = (ab * slid(ac) - slid(ab) * ac).abs();
    let [x, y, z, _] = (upper - lower).to_array();
    let size = x.max(y).max(z);
    let size = size * size;
    let has_area = cross.simd_gt(f32x4::splat(simd, size * 1e-5)).any_true();
    // Zero times a non-finite number is NaN.
    let finite = (a * zero + b * zero + c * zero).simd_eq(zero).all_true();
    let ([l, m, n, _], [u, v, w, _]) = (lower.to_array(), upper.to_array());
    (finite && has_area && (1e-25..1e30).contains(&size))
        .then(|| Aabb { min: Vec3::new(l, m, n), max: Vec3::new(u, v, w) })
}

/// Returns whether a triangle with finite vertices has zero area; the result is exact.
#[inline(always)]
pub(crate) fn is_degenerate(corners: &[Vec3; 3]) -> bool {
    let [a, b, c] = *corners;
    let (ab, ac) = (b - a, c - a);
    let cross = ab.cross(ac).abs().max_element();
    let size = ab.abs().max_element() * ac.abs().max_element();
    // The error of components of the cross product is at most 8 ε of `size`.
    let certainly_has_area = cross > size * 1e-5 && (1e-25..1e30).contains(&size);
    !certainly_has_area && doubled_area_normal(&corners.map(|c| c.to_array())).length_squared() == 0.0
}
