//! Values and integrals of the profiles.

use super::*;
use crate::subsurface::DiffuseBoundary;

/// Evaluates the two dipoles as the papers write them, in f64 and in the units of the coefficients.
fn dipole(model: ProfileModel, [scattering, absorption, eta]: [f64; 3], r: f64) -> f64 {
    let boundary = DiffuseBoundary::new(eta as f32);
    let (c1, c2) = (f64::from(boundary.first_moment), f64::from(boundary.second_moment));
    let extinction = scattering + absorption;
    let albedo = scattering / extinction;
    let zr = 1.0 / extinction;
    if model == ProfileModel::Dipole {
        // [Jensen01, Eq. 4]
        let a = (1.0 + 2.0 * c1) / (1.0 - 2.0 * c1);
        let transport = (3.0 * absorption * extinction).sqrt();
        let zv = zr * (1.0 + 4.0 / 3.0 * a);
        let (dr, dv) = (r.hypot(zr), r.hypot(zv));
        return albedo / (4.0 * PI)
            * (zr * (transport * dr + 1.0) * (-transport * dr).exp() / dr.powi(3)
                + zv * (transport * dv + 1.0) * (-transport * dv).exp() / dv.powi(3));
    }
    // [dEon12, dipole]; the diffusion coefficient is Grosjean's
    let diffusion = (2.0 * absorption + scattering) / (3.0 * extinction * extinction);
    let transport = (absorption / diffusion).sqrt();
    let a = (1.0 + 3.0 * c2) / (1.0 - 2.0 * c1);
    let zv = zr + 4.0 * a * diffusion;
    let (dr, dv) = (r.hypot(zr), r.hypot(zv));
    let fluence = ((-transport * dr).exp() / dr - (-transport * dv).exp() / dv) / diffusion;
    let flux = zr * (1.0 + transport * dr) * (-transport * dr).exp() / dr.powi(3)
        + zv * (1.0 + transport * dv) * (-transport * dv).exp() / dv.powi(3);
    albedo * albedo / (4.0 * PI) * (0.25 * (1.0 - 2.0 * c1) * fluence + 0.5 * (1.0 - 3.0 * c2) * flux)
}

#[test]
fn dipoles_are_those_of_the_papers() {
    for model in [ProfileModel::Dipole, ProfileModel::BetterDipole] {
        for absorbed in ABSORBED {
            for eta in [0.8, 1.0, 1.3, 1.5] {
                let length = 0.02;
                let found = profile(model, absorbed, length, eta);
                let absorbed = f64::from(absorbed);
                let coefficients = [(1.0 - absorbed) * 50.0, absorbed * 50.0, f64::from(eta)];
                for r in [0.0f32, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3] {
                    let expected = dipole(model, coefficients, f64::from(r));
                    let value = f64::from(found.eval(r));
                    assert!(
                        (value - expected).abs() <= 1e-4 * expected,
                        "{model:?}, σa/σt' = {absorbed}, η = {eta}, r = {r}: {value}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn reflectance_is_the_integral() {
    for model in ProfileModel::ALL {
        for absorbed in ABSORBED {
            for eta in [1.0, 1.5] {
                for length in [1e-4, 1.0, 50.0] {
                    let found = profile(model, absorbed, length, eta);
                    // Without absorption the fraction ∝ 1/r leaves beyond the radius r
                    let (near, far) = (1e-7 * f64::from(length), 1e5 * f64::from(length));
                    let integral = integral_over_plane(|r| found.eval(r), near, far);
                    let reflectance = f64::from(found.reflectance());
                    assert!(
                        (integral - reflectance).abs() < 1e-3 * reflectance + 1e-7,
                        "{model:?}, σa/σt' = {absorbed}, η = {eta}, l = {length}: {integral}, not {reflectance}"
                    );
                }
            }
        }
    }
}

#[test]
fn profiles_scale_with_the_mean_free_path() {
    // R_d(r) l² is a function of r / l
    for model in ProfileModel::ALL {
        let [small, large] = [0.001, 1.0].map(|length| profile(model, 0.05, length, 1.3));
        for r in [0.0, 0.3, 1.0, 4.0] {
            let (a, b) = (small.eval(r * 0.001) * 1e-6, large.eval(r));
            assert!((a - b).abs() <= 1e-5 * b, "{model:?}, r = {r}: {a}, {b}");
        }
    }
}

#[test]
fn values_are_finite_and_fall_with_the_distance() {
    for model in ProfileModel::ALL {
        for absorbed in ABSORBED.into_iter().chain([1.0]) {
            for length in [1e-9, 1e-3, 1e5] {
                let found = profile(model, absorbed, length, 1.4);
                let mut last = f32::MAX;
                for r in [0.0, 1e-30, 1e-6, 0.1, 1.0, 10.0, 1e3, 1e6, f32::MAX] {
                    let value = found.eval((r * length).min(f32::MAX));
                    assert!((0.0..=last).contains(&value), "{model:?}, {absorbed}, {length}, {r}: {value}");
                    last = value;
                }
            }
        }
    }
}
