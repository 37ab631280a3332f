//! Light stored on surfaces: the GPU counterpart of the solvers of `sunfleck-surface`.

mod matrix;
mod stochastic;

pub use matrix::MatrixRadiosity;
pub use stochastic::{Average, StochasticRadiosity};
