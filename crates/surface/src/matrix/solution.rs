use super::Channels;

/// Size of a residual `E + ρ F B − B`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Largest absolute value of any patch and channel, W/m².
    pub largest: f32,
    /// Mean square over patches and channels, the error that [Radiosity03, Fig. 3] shows.
    pub mean_square: f64,
}

impl Residual {
    /// Returns the size of a residual.
    pub fn of(residual: &Channels) -> Self {
        let values = residual.planes().into_iter().flatten();
        let sum: f64 = values.map(|value| f64::from(*value) * f64::from(*value)).sum();
        Self { largest: residual.largest(), mean_square: sum / (3 * residual.len()).max(1) as f64 }
    }
}

/// Solution of the radiosity system.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Radiosity of each patch, W/m².
    pub radiosity: Channels,
    /// Residual of the start and after each iteration.
    pub history: Vec<Residual>,
    /// Residual of the result, computed anew.
    pub residual: Residual,
    /// Bound of the error of any radiosity as a solution of the system, `‖r‖∞ / (1 − ρ_max)`; infinite if a
    /// reflectance is 1.
    pub error_bound: f32,
    /// Whether the residual is as small as requested.
    pub is_converged: bool,
}

impl Solution {
    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.history.len().saturating_sub(1)
    }
}
