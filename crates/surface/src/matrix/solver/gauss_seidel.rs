use fearless_simd::{Level, Simd, dispatch};
use sunfleck_math::Vec3;

use super::super::dense::DenseMatrix;
use super::super::matrix::{Matrix, row_product};
use super::{Channels, RadiosityError, RadiositySystem, Run, Solution, Solver};

pub(super) fn solve(mut run: Run<'_>, mut radiosity: Channels) -> Result<Solution, RadiosityError> {
    loop {
        let residual = run.system.residual(&radiosity);
        if run.record(&residual) {
            return Ok(run.finish(radiosity));
        }
        run.system.relax(&run.source, &mut radiosity)?;
    }
}

impl RadiositySystem {
    /// Relaxes all radiosities once, in the order of the patches, each from the newest values: one iteration of
    /// Gauss-Seidel. Errors: the matrix is not stored.
    ///
    /// * `source` — see [`source`](Self::source).
    pub fn relax(&self, source: &Channels, radiosity: &mut Channels) -> Result<(), RadiosityError> {
        match self.matrix() {
            Matrix::Dense(dense) => {
                dispatch!(Level::new(), simd => self.relax_dense(simd, dense, source, radiosity));
            }
            Matrix::Sparse(sparse) => {
                let mut values: Vec<Vec3> = radiosity.iter().collect();
                for (i, row) in sparse.rows.iter().enumerate() {
                    let product = row_product(row, |patch| values[patch]);
                    values[i] = source.get(i) + self.reflectance.get(i) * product;
                }
                *radiosity = values.into_iter().collect();
            }
            Matrix::Traced(_) => return Err(RadiosityError::NotStored(Solver::GaussSeidel.name())),
        }
        Ok(())
    }

    #[inline(always)]
    fn relax_dense<S: Simd>(
        &self,
        simd: S,
        dense: &DenseMatrix,
        source: &Channels,
        radiosity: &mut Channels,
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                let mut input = dense.padded(radiosity);
                for i in 0..self.patch_count() {
                    let product = Vec3::from(dense.row_product(simd, i, &input));
                    let value = source.get(i) + self.reflectance.get(i) * product;
                    radiosity.set(i, value);
                    input.set(i, value.to_array());
                }
            },
        );
    }
}
