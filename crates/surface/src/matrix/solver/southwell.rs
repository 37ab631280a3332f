use sunfleck_math::Vec3;

use super::{Channels, RadiosityError, Run, Solution, Solver};

/// Each step takes the patch with the most unshot light, `A max r`, adds its residual to its radiosity, and shoots it:
/// `r_j += ρ_j F_ji r_i`. By reciprocity the column `F_ji` is a row: `A_i F_ij / A_j`.
pub(super) fn solve(mut run: Run<'_>, mut radiosity: Channels) -> Result<Solution, RadiosityError> {
    let system = run.system;
    let areas = &system.areas;
    let mut residual = system.residual(&radiosity);
    loop {
        if run.record(&residual) {
            return Ok(run.finish(radiosity));
        }
        for _ in 0..areas.len() {
            let unshot = residual.iter().zip(areas).map(|(r, area)| r.abs().max_element() * area);
            // The first of equal ones
            let most =
                unshot.enumerate().fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
            let shooter = most.0;
            let shot = residual.get(shooter);
            residual.set(shooter, Vec3::ZERO);
            radiosity.set(shooter, radiosity.get(shooter) + shot);
            let is_stored = system.matrix.for_each_in_row(shooter, |j, factor| {
                let received = system.reflectance.get(j) * shot * (areas[shooter] * factor / areas[j]);
                residual.set(j, residual.get(j) + received);
            });
            if !is_stored {
                return Err(RadiosityError::NotStored(Solver::Southwell.name()));
            }
        }
    }
}
