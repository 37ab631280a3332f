//! Dipoles: a point source of light below the surface, and a virtual sink above it.

use std::f32::consts::{FRAC_1_PI, TAU};

use sunfleck_math::{exp, log};

use super::DiffuseBoundary;

/// Distance in mean free paths up to which the density is evaluated; beyond, d³ would overflow.
const FARTHEST: f32 = 1e12;

/// Which diffusion theory a dipole uses, and what leaves the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theory {
    /// Classical diffusion; the flux through the surface [Jensen01, Eq. 4].
    Classical,
    /// Grosjean's diffusion; the radiance that the boundary transmits, from fluence and flux [dEon12, dipole].
    Grosjean,
}

/// Profile of a dipole, normalised: its integral over the plane is 1.
///
/// The light is taken to be scattered first at the depth of one reduced mean free path, straight below the point of
/// entry. Lengths inside are in mean free paths `1 / σt'`: d and v are the distances to the real source at the depth 1
/// and to the virtual source at the height `z = 1 + 2 z_b`, where `z_b = 2 A D`, and x is `σ_tr / σt'`.
///
/// Since `r dr = d dd = v dv`, the light that leaves beyond a radius has a closed form, too:
///
/// ```text
/// density    C_E/4π ((1 + x d) e^(-x d) / d³ + z (1 + x v) e^(-x v) / v³) + C_φ/(4π D) (e^(-x d) / d - e^(-x v) / v)
/// beyond r   C_E/2  (e^(-x d) / d + z e^(-x v) / v)                       + C_φ/(2 D)  (e^(-x d) - e^(-x v)) / x
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dipole {
    /// Length of a reduced mean free path `1 / σt'`, m.
    mean_free_path: f32,
    /// Effective transport coefficient x, per mean free path.
    transport: f32,
    /// Height z of the virtual source, in mean free paths.
    height: f32,
    /// `C_E`, divided by the integral of the profile.
    flux: f32,
    /// `C_φ / D`, divided by the integral of the profile.
    fluence: f32,
    /// Diffuse reflectance: the integral of the profile before it was normalised, with the albedo of scattering.
    reflectance: f32,
}

impl Dipole {
    /// Returns the dipole of a medium.
    ///
    /// * `absorbed` — `σa / σt'`, in [0, 1].
    /// * `mean_free_path` — `1 / σt'` in m, positive and finite.
    pub(super) fn new(theory: Theory, absorbed: f32, mean_free_path: f32, boundary: DiffuseBoundary) -> Self {
        let (albedo, reflected) = (1.0 - absorbed, boundary.reflectance());
        // A is the ratio of -2 D to the distance at which the fluence is extrapolated to 0
        let (diffusion, extrapolation, flux, fluence, power) = match theory {
            Theory::Classical => (1.0 / 3.0, (1.0 + reflected) / (1.0 - reflected), 1.0, 0.0, albedo),
            Theory::Grosjean => {
                let second = 3.0 * boundary.second_moment;
                (
                    (1.0 + absorbed) / 3.0,
                    (1.0 + second) / (1.0 - reflected),
                    0.5 * (1.0 - second),
                    0.25 * (1.0 - reflected),
                    albedo * albedo,
                )
            }
        };
        let dipole = Self {
            mean_free_path,
            transport: transport(theory, absorbed),
            height: 1.0 + 4.0 * extrapolation * diffusion,
            flux,
            fluence: fluence / diffusion,
            reflectance: 1.0,
        };
        let integral = dipole.at(1.0).beyond;
        Self {
            flux: dipole.flux / integral,
            fluence: dipole.fluence / integral,
            reflectance: (power * integral).clamp(0.0, 1.0),
            ..dipole
        }
    }

    /// Returns the diffuse reflectance, in [0, 1].
    pub(super) fn reflectance(&self) -> f32 {
        self.reflectance
    }

    /// Returns the normalised profile at a distance in m, in 1/m².
    pub(super) fn density(&self, r: f32) -> f32 {
        let r = (r / self.mean_free_path).min(FARTHEST);
        self.at(r.mul_add(r, 1.0).sqrt()).density / (self.mean_free_path * self.mean_free_path)
    }

    /// Returns the distance in m within which the given fraction of the light leaves. Fractions above `1 - 2⁻²⁴` are
    /// taken for that.
    pub(super) fn radius_containing(&self, fraction: f32) -> f32 {
        const STEPS: u32 = 48;
        /// Relative error of the light beyond the radius at which the iteration ends; its rounding error.
        const CONVERGED: f32 = 3e-7;
        // All the light is 1 but for rounding
        let beyond = (1.0 - fraction).clamp(0.5 * f32::EPSILON, 1.0) * self.at(1.0).beyond;
        // Newton's method on the logarithm, which is nearly linear far away, in the distance from the real source less
        // 1; the root stays between `low` and `high`
        let (mut low, mut high, mut depth) = (0.0, f32::INFINITY, 0.0f32);
        for _ in 0..STEPS {
            let d = 1.0 + depth;
            let found = self.at(d);
            let error = found.beyond - beyond;
            if error.abs() <= CONVERGED * beyond {
                break;
            }
            if error > 0.0 {
                low = depth;
            } else {
                high = depth;
            }
            // The derivative of `beyond` is -2π d times the density
            let newton = depth + found.beyond * log(found.beyond / beyond) / (TAU * d * found.density);
            depth = if newton >= low && newton <= high {
                newton
            } else if high < f32::INFINITY {
                0.5 * (low + high)
            } else {
                2.0 * d
            };
        }
        // r² = d² - 1
        (depth * (depth + 2.0)).sqrt() * self.mean_free_path
    }

    /// Evaluates the profile at the distance d from the real source.
    fn at(&self, d: f32) -> Light {
        // Distance to the virtual source, and how much farther it is than the real one
        let difference = (self.height - 1.0) * (self.height + 1.0);
        let v = d.mul_add(d, difference).sqrt();
        let farther = difference / (v + d);

        let x = self.transport;
        let (real, decay) = (exp(-x * d), exp(-x * farther));
        let virtual_source = real * decay;
        let mean = mean_of_exp(x * farther, decay);
        let sources = real / d + self.height * virtual_source / v;
        let beyond = 0.5 * self.flux.mul_add(sources, self.fluence * real * farther * mean);

        let flux = |attenuation: f32, d: f32| x.mul_add(d, 1.0) * attenuation / (d * d * d);
        let flux = flux(real, d) + self.height * flux(virtual_source, v);
        // e^(-x d) / d - e^(-x v) / v without cancellation
        let fluence = real * farther * (x * d).mul_add(mean, 1.0) / (d * v);
        Light { beyond, density: 0.25 * FRAC_1_PI * self.flux.mul_add(flux, self.fluence * fluence) }
    }
}

/// Light of a normalised profile at a distance.
struct Light {
    /// Fraction that leaves farther away.
    beyond: f32,
    /// Density per area of a mean free path squared.
    density: f32,
}

/// Returns the effective transport coefficient `σ_tr` per mean free path: the reciprocal of the distance over which
/// diffuse light is attenuated by e.
///
/// * `absorbed` — `σa / σt'`, in [0, 1].
pub(super) fn transport(theory: Theory, absorbed: f32) -> f32 {
    match theory {
        Theory::Classical => (3.0 * absorbed).sqrt(),
        Theory::Grosjean => (3.0 * absorbed / (1.0 + absorbed)).sqrt(),
    }
}

/// Returns the mean of `e^-s` over s between 0 and `t` ≥ 0, `(1 - e^-t) / t`.
///
/// * `exp` — `e^-t`.
fn mean_of_exp(t: f32, exp: f32) -> f32 {
    if t < 0.1 {
        t.mul_add(t.mul_add(t.mul_add(t.mul_add(1.0 / 120.0, -1.0 / 24.0), 1.0 / 6.0), -0.5), 1.0)
    } else {
        (1.0 - exp) / t
    }
}

/// Inverts the diffuse reflectance of a dipole: returns `σa / σt'` in [0, 1].
pub(super) fn absorbed_of_reflectance(theory: Theory, reflectance: f32, boundary: DiffuseBoundary) -> f32 {
    const STEPS: u32 = 30;
    if reflectance >= 1.0 {
        return 0.0;
    }
    // The reflectance falls monotonically, like 1 - const · √absorbed at first: bisect the root
    let (mut low, mut high) = (0.0f32, 1.0f32);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if Dipole::new(theory, middle * middle, 1.0, boundary).reflectance() > reflectance {
            low = middle;
        } else {
            high = middle;
        }
    }
    high * high
}
