//! Light stored on surfaces: the GPU counterpart of the solvers of `sunfleck-surface`.

mod matrix;
mod stochastic;
mod texels;

pub use matrix::MatrixRadiosity;
pub use stochastic::StochasticRadiosity;
pub use texels::PackedSurfaces;
