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
    /// * `threshold` — fraction of the sum of each row that small entries may have together. An entry is left out if it
    ///   is small in its row and in that of the other patch; a patch keeps the sum of those that its row lacks for
    ///   itself. Sums of rows and reciprocity stay as they are. 0 keeps all.
    pub fn sparse(factors: &FormFactors, threshold: f32) -> Self {
        let count = factors.patch_count();
        let least: Vec<f32> =
            (0..count).into_par_iter().map(|i| least_kept(factors.row(i), threshold)).collect();
        // Equal areas and rounding must not decide differently for the two directions: both test both entries
        let is_kept = |i: usize, link: &Link| {
            let j = link.patch as usize;
            let back = factors.get(j, u32::try_from(i).unwrap_or(u32::MAX));
            link.value >= least[i] || back >= least[j]
        };
        let row = |i: usize| {
            let (mut kept, removed): (Vec<Link>, Vec<Link>) =
                factors.row(i).iter().copied().partition(|link| is_kept(i, link));
            let sum = rounded(removed.iter().map(|link| f64::from(link.value)).sum());
            if sum > 0.0 {
                let own = Link { patch: u32::try_from(i).unwrap_or(u32::MAX), value: sum };
                match kept.binary_search_by_key(&own.patch, |link| link.patch) {
                    Ok(index) => kept[index].value += own.value,
                    Err(index) => kept.insert(index, own),
                }
            }
            kept
        };
        Self::Sparse(SparseMatrix { rows: (0..count).into_par_iter().map(row).collect() })
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

/// Returns the smallest value of a row that is not among the smallest ones, which together are at most a fraction of the
/// sum of the row.
fn least_kept(row: &[Link], threshold: f32) -> f32 {
    let mut values: Vec<f32> = row.iter().map(|link| link.value).collect();
    values.sort_by(f32::total_cmp);
    let most = f64::from(threshold) * values.iter().map(|&value| f64::from(value)).sum::<f64>();
    let mut removed = 0.0;
    let mut is_small = |value: &f32| {
        removed += f64::from(*value);
        removed <= most
    };
    values.iter().copied().find(|value| !is_small(value)).unwrap_or(f32::INFINITY)
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
            for (instance, prim_id, uv, direction) in
                TracedRays::trace(&self.world, &self.patches, &rays).all_hits()
            {
                if let Some(point) = self.patches.hit(instance, prim_id, uv, direction)
                    && point.patch != patch
                {
                    sum += channels.get(point.patch as usize);
                }
            }
            sum / self.rays.max(1) as f32
        };
        write((0..self.patches.count()).into_par_iter().map(product).collect(), out);
    }
}
