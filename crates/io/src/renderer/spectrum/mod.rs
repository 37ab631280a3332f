//! Spectra and their conversion to linear Rec. 709 RGB: integration with the matching functions of the CIE 1931 standard
//! observer, as Mitsuba's RGB variants do it [Jakob22].

mod tables;

use sunfleck_image::color::rec709_from_xyz;
use sunfleck_math::{DVec3, Vec3, exp};

/// Spectral distribution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spectrum {
    /// The same value at all wavelengths.
    Uniform(f64),
    /// Values at wavelengths in nanometres, in ascending order, with lines between them and 0 outside.
    Samples(Vec<(f64, f64)>),
    /// Radiance of a black body, W/(m² sr nm), times a factor.
    BlackBody { kelvin: f64, scale: f64 },
}

/// What a spectrum is a property of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity {
    /// Fraction of light that is reflected or transmitted, seen under D65: 1 at all wavelengths is white.
    Reflectance,
    /// Any other property of a material, under D65.
    Index,
    /// Emitted light, divided by the integral of ȳ: 1 at all wavelengths has the luminance 1.
    Emission,
}

impl Spectrum {
    /// Creates a spectrum of samples in any order.
    pub(crate) fn samples(mut samples: Vec<(f64, f64)>) -> Self {
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self::Samples(samples)
    }

    /// Parses a file of lines with a wavelength in nanometres and a value; `#` and `;` begin comments. Returns `None`
    /// if there is anything else, or nothing.
    pub(crate) fn of_file(text: &str) -> Option<Self> {
        let lines = text.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default().trim());
        let pair = |line: &str| match crate::renderer::numbers::numbers(line)?[..] {
            [nm, value] => Some((nm, value)),
            _ => None,
        };
        let samples: Vec<_> = lines.filter(|line| !line.is_empty()).map(pair).collect::<Option<_>>()?;
        (!samples.is_empty()).then(|| Self::samples(samples))
    }

    fn at(&self, nm: f64) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::Samples(samples) => {
                let after = samples.partition_point(|&(wavelength, _)| wavelength < nm);
                match (after.checked_sub(1).and_then(|i| samples.get(i)), samples.get(after)) {
                    (_, Some(&(x, y))) if x == nm => y,
                    (Some(&(x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (nm - x0) / (x1 - x0),
                    _ => 0.0,
                }
            }
            Self::BlackBody { kelvin, scale } => scale * planck(nm, *kelvin),
        }
    }

    /// Returns the colour. Reflectances are within [0, 1], others ≥ 0.
    pub(crate) fn color(&self, quantity: Quantity) -> Vec3 {
        if let (Self::Uniform(value), Quantity::Reflectance | Quantity::Index) = (self, quantity) {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            let value = Vec3::splat(*value as f32);
            return if quantity == Quantity::Reflectance {
                value.clamp(Vec3::ZERO, Vec3::ONE)
            } else {
                value
            };
        }
        let under_d65 = quantity != Quantity::Emission;
        let integral = |value: &dyn Fn(f64) -> f64| -> DVec3 {
            let nanometres = (0..=470).map(|i| tables::FIRST_NM + f64::from(i));
            let weighted = |nm: f64| {
                let light = if under_d65 { interpolated(&tables::D65, nm, |v| v) } else { 1.0 };
                let matching = interpolated(&tables::MATCHING, nm, DVec3::from);
                matching * (value(nm) * light)
            };
            nanometres.map(weighted).sum()
        };
        let (color, white) = (integral(&|nm| self.at(nm)), integral(&|_| 1.0));
        let rgb = |xyz: DVec3| rec709_from_xyz((xyz / white.y).as_vec3());
        // Under D65, white is (1, 1, 1) exactly and not but for the rounding of the tables
        let color = if under_d65 { rgb(color) / rgb(white) } else { rgb(color) };
        let max = if quantity == Quantity::Reflectance { 1.0 } else { f32::MAX };
        color.clamp(Vec3::ZERO, Vec3::splat(max))
    }
}

/// Returns the value of a table at a wavelength, between its entries on a line.
fn interpolated<T: Copy, V>(table: &[T; 95], nm: f64, value: impl Fn(T) -> V) -> V
where
    V: std::ops::Mul<f64, Output = V> + std::ops::Add<Output = V>,
{
    let position = (nm - tables::FIRST_NM) / tables::STEP_NM;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wavelengths of the table")]
    let index = (position as usize).min(table.len() - 2);
    let fraction = position - index as f64;
    value(table[index]) * (1.0 - fraction) + value(table[index + 1]) * fraction
}

/// Radiance of a black body, W/(m² sr nm): 2 h c² / λ⁵ / (exp(h c / (λ k T)) − 1), Planck's law [PBRT4, §4.4.1].
fn planck(nm: f64, kelvin: f64) -> f64 {
    const PLANCK: f64 = 6.626_070_15e-34;
    const LIGHT: f64 = 299_792_458.0;
    const BOLTZMANN: f64 = 1.380_649e-23;
    let metres = nm * 1e-9;
    let exponent = PLANCK * LIGHT / (metres * BOLTZMANN * kelvin);
    #[allow(clippy::cast_possible_truncation, reason = "0 or infinity beyond single precision")]
    let power = f64::from(exp(exponent as f32)) - 1.0;
    let fifth = metres * metres * metres * metres * metres;
    // Per nanometre, not per metre
    2.0 * PLANCK * LIGHT * LIGHT / (fifth * power) * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    fn samples(text: &str) -> Spectrum {
        let number = |text: &str| text.trim().parse().unwrap();
        let pair = |(nm, value): (&str, &str)| (number(nm), number(value));
        Spectrum::samples(text.split(',').map(|words| pair(words.split_once(':').unwrap())).collect())
    }

    #[track_caller]
    fn assert_near(found: Vec3, expected: Vec3) {
        assert!((found / expected - 1.0).abs().max_element() < 2e-3, "{found}, expected {expected}");
    }

    /// Colours that `mitsuba` 3.9.1 computes in the variant `scalar_rgb`.
    #[test]
    fn colours_are_those_of_mitsuba() {
        let reflectance = samples("400:0.0, 500:.3, 600:.6, 700:.7").color(Quantity::Reflectance);
        assert_near(reflectance, vec3(0.68179, 0.431_973, 0.122_893));
        let light = samples("400:0, 500:8, 600:15.6, 700:18.4").color(Quantity::Emission);
        assert_near(light, vec3(20.7108, 10.8546, 2.77115));
        assert_near(Spectrum::Uniform(5.0).color(Quantity::Emission), vec3(6.02397, 4.74146, 4.54458));
        assert_near(samples("700:2, 400:1").color(Quantity::Index), vec3(1.79949, 1.47621, 1.13095));
        assert_eq!(Spectrum::Uniform(0.5).color(Quantity::Reflectance), Vec3::splat(0.5));
        assert_eq!(Spectrum::Uniform(3.0).color(Quantity::Index), Vec3::splat(3.0));
    }

    /// `BlackBodySpectrum` of the variant `scalar_spectral`.
    #[test]
    fn black_bodies_follow_planck() {
        assert!((planck(500.0, 5000.0) / 12107.2 - 1.0).abs() < 1e-4);
        let warm = Spectrum::BlackBody { kelvin: 3000.0, scale: 2.0 }.color(Quantity::Emission);
        assert!(warm.x > warm.y && warm.y > warm.z && warm.z > 0.0, "{warm}");
        let cold = Spectrum::BlackBody { kelvin: 1e-3, scale: 1.0 }.color(Quantity::Emission);
        assert_eq!(cold, Vec3::ZERO);
    }

    #[test]
    fn files_have_two_numbers_per_line() {
        let text = "# gold\n400 1.5 ; first\n\n300\t1\n";
        assert_eq!(Spectrum::of_file(text), Some(Spectrum::Samples(vec![(300.0, 1.0), (400.0, 1.5)])));
        assert_eq!(Spectrum::of_file("400 1 2"), None);
        assert_eq!(Spectrum::of_file("# nothing"), None);
        let step = samples("500:1, 500:3, 600:3");
        assert_eq!([step.at(499.0), step.at(550.0), step.at(600.0), step.at(601.0)], [0.0, 3.0, 3.0, 0.0]);
    }
}
