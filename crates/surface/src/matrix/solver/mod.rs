//! Solvers of the radiosity system.

mod conjugate_gradients;
mod gauss_seidel;
mod jacobi;
mod southwell;

use super::solution::{Residual, Solution};
use super::{Channels, RadiosityError, RadiositySystem};

/// Method of solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// All radiosities at once from those of the iteration before [Radiosity03, Eq. 4]; parallel.
    Jacobi,
    /// One radiosity after the other, from the newest ones. It takes about half as many iterations, but is serial.
    GaussSeidel,
    /// The patch with the most unshot light first [Cohen88, shooting]. An iteration is as many steps as there are patches.
    Southwell,
    /// Conjugate gradients on the system made symmetric by areas and reflectances; parallel.
    ConjugateGradients,
}

impl Solver {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Jacobi, Self::GaussSeidel, Self::Southwell, Self::ConjugateGradients];

    /// Returns the name for messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jacobi => "Jacobi",
            Self::GaussSeidel => "Gauss-Seidel",
            Self::Southwell => "Southwell",
            Self::ConjugateGradients => "conjugate gradients",
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Largest residual, as a fraction of the largest radiosity of a source.
    pub tolerance: f32,
    /// Largest number of iterations.
    pub most_iterations: u32,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { tolerance: 1e-5, most_iterations: 1000 }
    }
}

impl RadiositySystem {
    /// Solves the system. The result is the same on any number of threads.
    ///
    /// * `start` — radiosities to start from, such as those before a change of emission; `None`: the sources.
    ///
    /// # Errors
    /// [`RadiosityError::NotStored`] if the solver needs entries of a matrix that is traced, and
    /// [`RadiosityError::Length`] if `start` belongs to other patches.
    pub fn solve(
        &self,
        solver: Solver,
        stop: &StopRule,
        start: Option<&Channels>,
    ) -> Result<Solution, RadiosityError> {
        let source = self.source();
        let expected = self.patch_count();
        if let Some(found) = start.map(Channels::len).filter(|found| *found != expected) {
            return Err(RadiosityError::Length { found, expected });
        }
        let radiosity = start.unwrap_or(&source).clone();
        let run =
            Run { system: self, limit: stop.tolerance * source.largest(), stop, source, history: Vec::new() };
        match solver {
            Solver::Jacobi => Ok(jacobi::solve(run, radiosity)),
            Solver::GaussSeidel => gauss_seidel::solve(run, radiosity),
            Solver::Southwell => southwell::solve(run, radiosity),
            Solver::ConjugateGradients => conjugate_gradients::solve(run, radiosity),
        }
    }

    /// Returns the residual `E + ρ F B − B`.
    pub fn residual(&self, radiosity: &Channels) -> Channels {
        let mut residual = Channels::black(self.patch_count());
        self.gather(&self.source(), radiosity, &mut residual);
        subtract(&mut residual, radiosity);
        residual
    }
}

/// State that all solvers have in common.
struct Run<'a> {
    system: &'a RadiositySystem,
    stop: &'a StopRule,
    source: Channels,
    /// Residual at which to stop.
    limit: f32,
    history: Vec<Residual>,
}

impl Run<'_> {
    /// Records a residual, and returns whether to stop.
    fn record(&mut self, residual: &Channels) -> bool {
        let residual = Residual::of(residual);
        self.history.push(residual);
        residual.largest <= self.limit || self.history.len() > self.stop.most_iterations as usize
    }

    /// Returns the solution with its certificate. The history has one entry for the start and one per iteration.
    fn finish(self, radiosity: Channels) -> Solution {
        let residual = Residual::of(&self.system.residual(&radiosity));
        let is_converged = residual.largest <= self.limit.max(f32::MIN_POSITIVE) * 2.0;
        let rho = self.system.largest_reflectance();
        let error_bound = if rho < 1.0 { residual.largest / (1.0 - rho) } else { f32::INFINITY };
        Solution { radiosity, history: self.history, residual, error_bound, is_converged }
    }
}

fn subtract(from: &mut Channels, other: &Channels) {
    for (from, other) in from.planes_mut().into_iter().zip(other.planes()) {
        from.iter_mut().zip(other).for_each(|(from, other)| *from -= other);
    }
}
