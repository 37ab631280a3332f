//! Forms of the matrix of form factors: dense, sparse, or not stored at all.

use std::fmt;
use std::sync::Arc;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use super::channels::rounded;
use super::dense::DenseMatrix;
use super::rays::{PatchRays, TracedRays};
use super::{Channels, FormFactors, Link, Patches};

/// Matrix of form factors.
#[derive(Debug)]
pub enum Matrix {
    /// All entries.
    Dense(DenseMatrix),
    /// Entries that are not 0.
    Sparse(SparseMatrix),
    /// No entries: rays are traced whenever the matrix is applied.
    Traced(TracedMatrix),
}

impl Matrix {
    /// Returns all entries.
    pub fn dense(factors: &FormFactors) -> Self {
        Self::Dense(DenseMatrix::new(factors))
    }

    /// Returns the entries that matter.
    ///
    /// * `threshold` — fraction of the sum of each row that small entries may have together. They are left out, and the
    ///   other entries of the row are scaled to the same sum. 0 keeps all.
    pub fn sparse(factors: &FormFactors, threshold: f32) -> Self {
        let rows = (0..factors.patch_count()).into_par_iter();
        Self::Sparse(SparseMatrix { rows: rows.map(|i| thresholded(factors.row(i), threshold)).collect() })
    }

    /// Returns a matrix without entries. Its form factors are those by rays alone: they are not reciprocal.
    ///
    /// * `rays` — per patch. * `seed` — of the rays.
    pub fn traced(world: Arc<World>, patches: Arc<Patches>, rays: u32, seed: u32) -> Self {
        Self::Traced(TracedMatrix { world, patches, rays, seed })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(dense) => dense.rows(),
            Self::Sparse(sparse) => sparse.rows.len(),
            Self::Traced(traced) => traced.patches.patches().len(),
        }
    }

    /// Returns the memory of the entries, bytes.
    pub fn byte_count(&self) -> usize {
        match self {
            Self::Dense(dense) => dense.byte_count(),
            Self::Sparse(sparse) => sparse.rows.iter().map(|row| size_of_val(row.as_slice())).sum(),
            Self::Traced(_) => 0,
        }
    }

    /// Multiplies with the channels: of radiosities, this is the irradiance of each patch, W/m². The result is the same
    /// on any number of threads.
    pub fn apply(&self, channels: &Channels, out: &mut Channels) {
        match self {
            Self::Dense(dense) => dense.apply(Level::new(), channels, out),
            Self::Sparse(sparse) => sparse.apply(channels, out),
            Self::Traced(traced) => traced.apply(channels, out),
        }
    }

    /// Calls `found` for the entries of a row that are not 0. Returns whether they are stored.
    pub(super) fn for_each_in_row(&self, row: usize, mut found: impl FnMut(usize, f32)) -> bool {
        match self {
            Self::Dense(dense) => {
                let entries = (0..dense.rows()).map(|column| (column, dense.get(row, column)));
                entries.filter(|(_, value)| *value != 0.0).for_each(|(column, value)| found(column, value));
            }
            Self::Sparse(sparse) => {
                sparse.rows[row].iter().for_each(|link| found(link.patch as usize, link.value));
            }
            Self::Traced(_) => return false,
        }
        true
    }
}

/// Removes the smallest links, which together are at most a fraction of all, and scales the others.
fn thresholded(row: &[Link], threshold: f32) -> Vec<Link> {
    let mut by_size = row.to_vec();
    by_size.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.patch.cmp(&b.patch)));
    let sum: f64 = by_size.iter().map(|link| f64::from(link.value)).sum();
    let mut removed = 0.0;
    let is_small = |link: &&Link| {
        let next = removed + f64::from(link.value);
        let small = next <= f64::from(threshold) * sum;
        removed = if small { next } else { removed };
        small
    };
    let small = by_size.iter().take_while(is_small).count();
    let scale = if sum > removed { rounded(sum / (sum - removed)) } else { 1.0 };
    let mut kept = by_size.split_off(small);
    kept.sort_by_key(|link| link.patch);
    kept.into_iter().map(|link| Link { value: link.value * scale, ..link }).collect()
}

/// Entries that are not 0.
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    pub(super) rows: Vec<Vec<Link>>,
}

impl SparseMatrix {
    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    fn apply(&self, channels: &Channels, out: &mut Channels) {
        // Interleaved, so that an entry reads one cache line
        let interleaved: Vec<Vec3> = channels.iter().collect();
        let product = |row: &Vec<Link>| -> Vec3 { row_product(row, |patch| interleaved[patch]) };
        write(self.rows.par_iter().map(product).collect(), out);
    }
}

/// Returns the product of a row with values.
pub(super) fn row_product(row: &[Link], value: impl Fn(usize) -> Vec3) -> Vec3 {
    row.iter().fold(Vec3::ZERO, |sum, link| sum + value(link.patch as usize) * link.value)
}

fn write(products: Vec<Vec3>, out: &mut Channels) {
    products.into_iter().enumerate().for_each(|(i, product)| out.set(i, product));
}

/// Matrix whose rows are traced whenever they are needed.
pub struct TracedMatrix {
    world: Arc<World>,
    patches: Arc<Patches>,
    rays: u32,
    seed: u32,
}

impl fmt::Debug for TracedMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TracedMatrix").field("rays", &self.rays).finish_non_exhaustive()
    }
}

impl TracedMatrix {
    fn apply(&self, channels: &Channels, out: &mut Channels) {
        let product = |patch: u32| {
            let rays = PatchRays { seed: self.seed, patch, samples: 0..self.rays };
            let mut sum = Vec3::ZERO;
            let traced = TracedRays::trace(&self.world, &self.patches, &rays, Level::new());
            traced.for_each_hit(|_, instance, prim_id, uv, direction| {
                if let Some(point) = self.patches.hit(instance, prim_id, uv, direction)
                    && point.patch != patch
                {
                    sum += channels.get(point.patch as usize);
                }
            });
            sum / self.rays.max(1) as f32
        };
        write((0..self.patches.count()).into_par_iter().map(product).collect(), out);
    }
}
