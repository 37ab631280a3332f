//! Adjacency of triangles: those that share an edge, wherever the vertices are stored.

use rayon::prelude::*;
use sunfleck_math::Vec3;

use super::SurfaceTriangle;

/// Neighbours of each triangle: `neighbours[offsets[i]..offsets[i + 1]]`, without repetitions, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Adjacency {
    pub(super) offsets: Vec<u32>,
    pub(super) neighbours: Vec<u32>,
}

/// Position by its bits, with one zero.
fn key(p: Vec3) -> [u32; 3] {
    (p + Vec3::ZERO).to_array().map(f32::to_bits)
}

impl Adjacency {
    /// Finds the neighbours of triangles. If more than two share an edge, each is a neighbour of the next one.
    pub(super) fn of(triangles: &[SurfaceTriangle]) -> Self {
        // Equal positions get equal numbers
        let mut positions: Vec<([u32; 3], u32)> =
            triangles.iter().flat_map(|t| t.corners.map(key)).zip(0..).collect();
        positions.par_sort_unstable();
        let mut welded = vec![0u32; positions.len()];
        let mut number = 0;
        for (i, &(position, corner)) in positions.iter().enumerate() {
            if i > 0 && positions[i - 1].0 != position {
                number += 1;
            }
            welded[corner as usize] = number;
        }
        // Equal edges become neighbours in the sorted list
        let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(welded.len());
        for (corners, triangle) in welded.chunks_exact(3).zip(0..) {
            for (a, b) in [(corners[0], corners[1]), (corners[1], corners[2]), (corners[2], corners[0])] {
                if a != b {
                    edges.push(([a.min(b), a.max(b)], triangle));
                }
            }
        }
        edges.par_sort_unstable();
        let same = edges.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        let mut pairs: Vec<[u32; 2]> =
            same.flat_map(|pair| [[pair[0].1, pair[1].1], [pair[1].1, pair[0].1]]).collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        Self::from_sorted(triangles.len(), &pairs)
    }

    /// Makes the adjacency of `count` nodes from its edges in both directions, sorted.
    pub(super) fn from_sorted(count: usize, pairs: &[[u32; 2]]) -> Self {
        let mut offsets = vec![0u32; count + 1];
        for &[from, _] in pairs {
            offsets[from as usize + 1] += 1;
        }
        for i in 0..count {
            offsets[i + 1] += offsets[i];
        }
        Self { offsets, neighbours: pairs.iter().map(|&[_, to]| to).collect() }
    }

    pub(super) fn of_node(&self, node: u32) -> &[u32] {
        let i = node as usize;
        &self.neighbours[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }
}
