//! Triangles → references: indices checked, what cannot be hit left out.

use bytemuck::Zeroable;
use rayon::prelude::*;
use sunfleck_math::Vec3;

use super::{CHUNK, Monitor, PrimRef};
use crate::error::BuildError;
use crate::primitive::{doubled_area_normal, triangle_bounds};
use crate::stats::LeftOut;

/// What to build a tree over.
pub(crate) struct Prepared {
    /// One for each triangle that can be hit, in order, then room for duplicates.
    pub(crate) refs: Vec<PrimRef>,
    /// How many of them are references.
    pub(crate) live: usize,
    pub(crate) left_out: LeftOut,
}

/// What a chunk came to: kept and left out, or the first wrong triangle and its index.
type Chunk = Result<(usize, LeftOut), (usize, u32)>;

/// References to all triangles that can be hit, and `room` for duplicates.
pub(crate) fn prepare(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    room: usize,
    parallel: bool,
    monitor: &Monitor<'_>,
) -> Result<Prepared, BuildError> {
    let mut refs = vec![PrimRef::zeroed(); triangles.len() + room];
    let work = |(number, (out, triangles)): (usize, (&mut [PrimRef], &[[u32; 3]]))| {
        monitor.advance(triangles.len());
        prepare_chunk(positions, triangles, number * CHUNK, out)
    };
    let live = &mut refs[..triangles.len()];
    let chunks: Vec<Chunk> = if parallel {
        live.par_chunks_mut(CHUNK).zip(triangles.par_chunks(CHUNK)).enumerate().map(work).collect()
    } else {
        live.chunks_mut(CHUNK).zip(triangles.chunks(CHUNK)).enumerate().map(work).collect()
    };

    // Close the gaps
    let (mut live, mut left_out) = (0, LeftOut::default());
    for (number, chunk) in chunks.into_iter().enumerate() {
        let (kept, out) = chunk.map_err(|(triangle, index)| {
            let vertex_count = positions.len();
            BuildError::VertexOutOfRange { triangle, index, vertex_count }
        })?;
        if live != number * CHUNK {
            refs.copy_within(number * CHUNK..number * CHUNK + kept, live);
        }
        live += kept;
        left_out.non_finite += out.non_finite;
        left_out.degenerate += out.degenerate;
    }
    refs.truncate(live + room);
    Ok(Prepared { refs, live, left_out })
}

fn prepare_chunk(positions: &[Vec3], triangles: &[[u32; 3]], first: usize, out: &mut [PrimRef]) -> Chunk {
    let (mut kept, mut left_out) = (0, LeftOut::default());
    for (triangle, indices) in (first..).zip(triangles) {
        let mut corners = [Vec3::ZERO; 3];
        for (corner, &index) in corners.iter_mut().zip(indices) {
            *corner = *positions.get(index as usize).ok_or((triangle, index))?;
        }
        if !corners.iter().all(|c| c.is_finite()) {
            left_out.non_finite += 1;
        } else if is_degenerate(&corners) {
            left_out.degenerate += 1;
        } else {
            #[allow(clippy::cast_possible_truncation, reason = "callers limit the triangles to 2^28")]
            let prim = triangle as u32;
            out[kept] = PrimRef::new(&triangle_bounds(&corners), prim);
            kept += 1;
        }
    }
    Ok((kept, left_out))
}

/// Whether a triangle of finite vertices has no area, exactly.
#[inline(always)]
pub(crate) fn is_degenerate(corners: &[Vec3; 3]) -> bool {
    let [a, b, c] = *corners;
    let (ab, ac) = (b - a, c - a);
    let cross = ab.cross(ac).abs().max_element();
    let size = ab.abs().max_element() * ac.abs().max_element();
    // Components of the cross product are off by at most 8 ε of `size`.
    let surely = cross > size * 1e-5 && (1e-25..1e30).contains(&size);
    !surely && doubled_area_normal(&corners.map(|c| c.to_array())).length_squared() == 0.0
}
