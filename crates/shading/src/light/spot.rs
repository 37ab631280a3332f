//! Profiles of spot lights: how the intensity falls from the axis to the edge of the cone.

use std::f32::consts::PI;

use sunfleck_constants::light as constants;
use sunfleck_math::{atan2, cos, sin};
use sunfleck_scene::SpotFalloff;

/// Factor of the intensity of a spot light at an angle to its axis: a function of δ = `scale · x + offset`, clamped to
/// [0, 1]. x is the cosine of the angle, or the angle itself for [`SpotFalloff::Linear`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotProfile {
    /// Function of δ.
    pub falloff: SpotFalloff,
    /// Factor of x.
    pub scale: f32,
    /// Constant term.
    pub offset: f32,
}

impl SpotProfile {
    /// Creates the profile of a light. In contrast to the sample code of `KHR_lights_punctual`, which clamps the
    /// difference of the cosines to 1e-3 and so dims narrow cones, we clamp it to 1e-6.
    pub(super) fn new(falloff: SpotFalloff, inner_radians: f32, outer_radians: f32) -> Self {
        if falloff == SpotFalloff::Linear {
            let scale = (outer_radians - inner_radians).max(1e-6).recip();
            return Self { falloff, scale: -scale, offset: outer_radians * scale };
        }
        let cos_outer = cos(outer_radians);
        let scale = (cos(inner_radians) - cos_outer).max(1e-6).recip();
        Self { falloff, scale, offset: -cos_outer * scale }
    }

    /// Returns the factor at the cosine of an angle to the axis.
    #[inline(always)]
    pub fn at(&self, cos: f32) -> f32 {
        let x = match self.falloff {
            SpotFalloff::Linear => angle(cos),
            _ => cos,
        };
        let delta = self.scale.mul_add(x, self.offset).clamp(0.0, 1.0);
        let square = delta * delta;
        match self.falloff {
            SpotFalloff::Quadratic => square,
            SpotFalloff::Smooth => square * (3.0 - 2.0 * delta),
            SpotFalloff::Quartic => square * square,
            SpotFalloff::Linear => delta,
        }
    }

    /// Returns 1 - cos of the angle of the cone outside of which there is no light.
    pub(super) fn one_minus_cos_outer(&self) -> f32 {
        let ratio = self.offset / self.scale;
        match self.falloff {
            SpotFalloff::Linear => one_minus_cos(-ratio),
            _ => 1.0 + ratio,
        }
        .clamp(1e-6, 2.0)
    }

    /// Returns the integral of the factor over the sphere, sr.
    pub(super) fn solid_angle(&self) -> f32 {
        if self.falloff == SpotFalloff::Linear {
            // ∫ (b − t)/(b − a) sin t dt = 1 − (sin b − sin a)/(b − a) = 1 − cos m · sin h / h, where m = (a + b)/2 and
            // h = (b − a)/2; without cancellation
            let (outer, half) = (-self.offset / self.scale, -0.5 / self.scale);
            let middle = outer - half;
            let square = half * half;
            let one_minus_sinc =
                square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)));
            let integral = one_minus_cos(middle) + cos(middle) * one_minus_sinc;
            return 2.0 * PI * integral;
        }
        // ∫ factor d cos = ∫ factor dδ / scale, from the edge of the cone to the axis: a polynomial over the edge, then
        // a constant. The clamp of `scale` may put the axis within the edge.
        let axis = self.scale + self.offset;
        let (delta, constant) = (axis.min(1.0), (axis - 1.0).max(0.0));
        let integral = match self.falloff {
            SpotFalloff::Quadratic => delta * delta * delta / 3.0,
            SpotFalloff::Smooth => delta * delta * delta * (1.0 - 0.5 * delta),
            SpotFalloff::Quartic | SpotFalloff::Linear => delta * delta * delta * delta * delta / 5.0,
        };
        2.0 * PI * (integral + constant) / self.scale
    }

    /// Returns the number of the falloff on the GPU.
    pub(super) fn packed_falloff(&self) -> u32 {
        match self.falloff {
            SpotFalloff::Quadratic => constants::QUADRATIC,
            SpotFalloff::Smooth => constants::SMOOTH,
            SpotFalloff::Quartic => constants::QUARTIC,
            SpotFalloff::Linear => constants::LINEAR,
        }
    }
}

/// Returns the angle of a cosine, radians.
#[inline(always)]
fn angle(cos: f32) -> f32 {
    atan2((1.0 - cos * cos).max(0.0).sqrt(), cos)
}

fn one_minus_cos(angle: f32) -> f32 {
    let half = sin(0.5 * angle);
    2.0 * half * half
}

#[cfg(test)]
mod tests {
    use sunfleck_math::sin_cos;

    use super::*;

    const ALL: [SpotFalloff; 4] =
        [SpotFalloff::Quadratic, SpotFalloff::Smooth, SpotFalloff::Quartic, SpotFalloff::Linear];

    /// Midpoint rule over the angle.
    #[test]
    fn the_solid_angle_is_the_integral_of_the_profile() {
        for falloff in ALL {
            for (inner, outer) in [(0.0, 0.02), (0.3, 0.6), (0.0, 1.5), (0.59, 0.6), (1.0, 1.55)] {
                let profile = SpotProfile::new(falloff, inner, outer);
                let steps = 20_000u32;
                let width = f64::from(outer) * 1.001 / f64::from(steps);
                let at = |i: u32| (f64::from(i) + 0.5) * width;
                #[allow(clippy::cast_possible_truncation, reason = "angles")]
                let integrand = |angle: f64| {
                    let (sin, cos) = sin_cos(angle as f32);
                    f64::from(profile.at(cos)) * f64::from(sin)
                };
                let sum: f64 = (0..steps).map(|i| integrand(at(i))).sum();
                let expected = 2.0 * std::f64::consts::PI * sum * width;
                let found = f64::from(profile.solid_angle());
                // Cosines near 1 have few digits
                let tolerance = if outer < 0.1 { 2e-3 } else { 1e-4 };
                assert!(
                    (found / expected - 1.0).abs() < tolerance,
                    "{falloff:?} {inner}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn profiles_between_their_angles() {
        let (inner, outer) = (0.3f32, 0.7f32);
        for (falloff, expected) in ALL.into_iter().zip([0.25, 0.5, 0.0625, 0.5]) {
            let profile = SpotProfile::new(falloff, inner, outer);
            assert!((profile.at(0.96) - 1.0).abs() < 1e-5 && profile.at(1.0) == 1.0, "{falloff:?}");
            assert_eq!(profile.at(0.76), 0.0, "{falloff:?}");
            assert!((profile.one_minus_cos_outer() - (1.0 - cos(outer))).abs() < 1e-5, "{falloff:?}");
            let halfway = match falloff {
                SpotFalloff::Linear => cos(0.5 * (inner + outer)),
                _ => 0.5 * (cos(inner) + cos(outer)),
            };
            assert!((profile.at(halfway) - expected).abs() < 1e-4, "{falloff:?}: {}", profile.at(halfway));
        }
    }
}
