//! Light stored on surfaces: the GPU counterpart of the solvers of `sunfleck-surface`, and of `integrators::radiosity`.

mod kept;
mod light;
mod matrix;
mod renderer;
mod stochastic;
mod texels;

pub use matrix::MatrixRadiosity;
pub(crate) use renderer::RadiosityRenderer;
pub use stochastic::StochasticRadiosity;
pub use texels::PackedSurfaces;
