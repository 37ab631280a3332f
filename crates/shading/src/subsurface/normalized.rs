//! Burley's normalised diffusion: a sum of two exponentials that is fitted to simulated light.

use std::f32::consts::PI;

use sunfleck_math::{exp, log, pow};

use super::DiffuseBoundary;

/// Profile of normalised diffusion, whose integral over the plane is 1 [Christensen15, reflectance profile]:
/// `(e^(-r/d) + e^(-r/3d)) / (8π d r)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Normalized {
    /// Length d, m.
    length: f32,
}

impl Normalized {
    /// Returns the profile for a diffuse reflectance and a mean free path in m.
    pub(super) fn new(reflectance: f32, mean_free_path: f32) -> Self {
        Self { length: mean_free_path / scaling(reflectance) }
    }

    /// Returns the normalised profile at a distance in m, in 1/m².
    ///
    /// It grows like 1/r towards 0, and its integral is finite. Distances below 10⁻⁶ d, where a millionth of the light
    /// leaves, are taken for that.
    pub(super) fn density(&self, r: f32) -> f32 {
        let x = (r / self.length).max(1e-6);
        (exp(-x) + exp(-x / 3.0)) / (8.0 * PI * x * self.length * self.length)
    }

    /// Returns the distance in m within which the given fraction of the light leaves. Fractions above `1 - 2⁻²⁴` are
    /// taken for that.
    ///
    /// With `y = e^(-r/3d)` and the fraction q beyond r, `y³ + 3 y = 4 q`, which has the root
    /// `y = 4 q / (1 + g^⅓ + g^-⅓)`, where `g = 1 + 4 c (2 c + √(1 + 4 c²))` and c = q [Golubev19, exact inversion].
    pub(super) fn radius_containing(&self, fraction: f32) -> f32 {
        let beyond = (1.0 - fraction).clamp(0.5 * f32::EPSILON, 1.0);
        let root = (4.0 * beyond).mul_add(beyond, 1.0).sqrt();
        let g = (4.0 * beyond).mul_add(2.0f32.mul_add(beyond, root), 1.0);
        let n = pow(g, -1.0 / 3.0);
        let y = 4.0 * beyond / (1.0 + n + g * n * n);
        (-3.0 * log(y)).max(0.0) * self.length
    }
}

/// Returns the ratio s of the mean free path to the length d, for light that enters in all directions
/// [Christensen15, diffuse surface transmission].
///
/// The paper's other fit, for a beam perpendicular to the surface, is not used: where light leaves is sampled before the
/// directions are known in which it entered.
fn scaling(reflectance: f32) -> f32 {
    let a = reflectance - 0.8;
    (3.5 * a).mul_add(a, 1.9 - reflectance)
}

/// Returns the ratio of the diffuse mean free path to the mean free path; a fit relates the former to d
/// [Christensen15, diffuse mean free path].
pub(super) fn diffuse_mean_free_path(reflectance: f32) -> f32 {
    let a = reflectance - 0.33;
    let a2 = a * a;
    (100.0 * a2).mul_add(a2, 3.5) / scaling(reflectance)
}

/// Coefficients of the reflectance of a half-space without a boundary, `(1 - s)(1 - 0.139 s) / (1 + 1.17 s)`.
const NUMERATOR: f32 = 0.139;
const DENOMINATOR: f32 = 1.17;

/// Returns the diffuse reflectance of a half-space for light that enters in all directions.
///
/// Without a boundary it is van de Hulst's approximation with `s = √absorbed` [Hulst80, similarity parameter]
/// [Kulla17, albedo]; its error is at most 0.003. A boundary sends the fraction `F_dr` of the light back, taken to be
/// diffuse, any number of times.
///
/// * `absorbed` — `σa / σt'`, in [0, 1].
pub(super) fn reflectance_of_absorbed(absorbed: f32, boundary: DiffuseBoundary) -> f32 {
    let s = absorbed.sqrt();
    let bare = (1.0 - s) * (1.0 - NUMERATOR * s) / (1.0 + DENOMINATOR * s);
    let returned = boundary.reflectance();
    (bare * (1.0 - returned) / (1.0 - bare * returned)).clamp(0.0, 1.0)
}

/// Inverts [`reflectance_of_absorbed`].
pub(super) fn absorbed_of_reflectance(reflectance: f32, boundary: DiffuseBoundary) -> f32 {
    let returned = boundary.reflectance();
    let bare = reflectance / (1.0 - returned + reflectance * returned);
    // The smaller root of 0.139 s² - b s + (1 - bare) = 0
    let b = DENOMINATOR.mul_add(bare, 1.0 + NUMERATOR);
    let root = (b * b - 4.0 * NUMERATOR * (1.0 - bare)).max(0.0).sqrt();
    let s = (2.0 * (1.0 - bare) / (b + root)).clamp(0.0, 1.0);
    s * s
}
