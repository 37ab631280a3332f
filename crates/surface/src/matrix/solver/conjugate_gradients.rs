use sunfleck_math::Vec3;

use super::{Channels, RadiosityError, Run, Solution, Solver};
use crate::matrix::Matrix;
use crate::matrix::channels::rounded;

/// Conjugate gradients [Hestenes52, conjugate gradients] on the unknown `z = √(ρ A) H`, where H is the irradiance and `B = E + ρ H`:
///
/// `(I − K) z = √(ρ A) F E`, `K_ij = √(ρ_i A_i) F_ij √(ρ_j / A_j)`
///
/// By reciprocity K is symmetric, and the matrix is positive definite, if all ρ < 1. Black patches have rows and
/// columns of zeros. Each channel is a system of its own; all three are multiplied with F at once.
pub(super) fn solve(mut run: Run<'_>, radiosity: Channels) -> Result<Solution, RadiosityError> {
    let system = run.system;
    if matches!(system.matrix, Matrix::Traced(_)) {
        return Err(RadiosityError::NotStored(Solver::ConjugateGradients.name()));
    }
    let areas = &system.areas;
    // √(ρ A) and √(ρ / A)
    let scales = |scale: fn(f32, f32) -> f32| -> Channels {
        let of_patch = |(rho, &area): (Vec3, &f32)| rho.map(|rho| scale(rho, area).sqrt());
        system.reflectance.iter().zip(areas).map(of_patch).collect()
    };
    let (to_z, from_z) = (scales(|rho, area| rho * area), scales(|rho, area| rho / area));
    let mut product = Channels::black(radiosity.len());

    // Black patches have the radiosity of their source
    let mut solution = radiosity;
    let planes = run.source.planes().into_iter().zip(system.reflectance.planes());
    for (solution, (source, reflectance)) in solution.planes_mut().into_iter().zip(planes) {
        for ((value, source), rho) in solution.iter_mut().zip(source).zip(reflectance) {
            if *rho == 0.0 {
                *value = *source;
            }
        }
    }
    // The residual in z is that in B divided by √(ρ / A)
    let in_z = |value: f32, scale: f32| if scale > 0.0 { value / scale } else { 0.0 };
    let mut r = system.residual(&solution);
    for (r, scale) in r.planes_mut().into_iter().zip(from_z.planes()) {
        r.iter_mut().zip(scale).for_each(|(r, scale)| *r = in_z(*r, *scale));
    }
    let mut p = r.clone();
    let mut squared = dots(&r, &r);
    loop {
        let in_radiosity: Channels = r.iter().zip(from_z.iter()).map(|(r, scale)| r * scale).collect();
        if run.record(&in_radiosity) {
            return Ok(run.finish(solution));
        }
        // q = (I − K) p
        let scaled: Channels = p.iter().zip(from_z.iter()).map(|(p, scale)| p * scale).collect();
        system.matrix.apply(&scaled, &mut product);
        let mut q: Channels =
            product.iter().zip(to_z.iter()).map(|(product, scale)| -product * scale).collect();
        add_scaled(&mut q, &p, [1.0; 3]);
        let curvature = dots(&p, &q);
        let alpha =
            [0, 1, 2].map(|c| if curvature[c] > 0.0 { rounded(squared[c] / curvature[c]) } else { 0.0 });
        add_scaled(&mut solution, &scaled, alpha);
        add_scaled(&mut r, &q, alpha.map(|alpha| -alpha));
        let next = dots(&r, &r);
        let beta = [0, 1, 2].map(|c| if squared[c] > 0.0 { rounded(next[c] / squared[c]) } else { 0.0 });
        squared = next;
        for ((p, r), beta) in p.planes_mut().into_iter().zip(r.planes()).zip(beta) {
            p.iter_mut().zip(r).for_each(|(p, r)| *p = r + beta * *p);
        }
    }
}

/// Returns the scalar product of each channel, summed in order.
fn dots(a: &Channels, b: &Channels) -> [f64; 3] {
    let (a, b) = (a.planes(), b.planes());
    [0, 1, 2].map(|c| a[c].iter().zip(b[c]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum())
}

fn add_scaled(to: &mut Channels, values: &Channels, scale: [f32; 3]) {
    for ((to, values), scale) in to.planes_mut().into_iter().zip(values.planes()).zip(scale) {
        to.iter_mut().zip(values).for_each(|(to, value)| *to += scale * value);
    }
}
