//! Colours: RGB, spectra, and spectra with a name.

use std::f64::consts::E;

use sunfleck_image::color::{luminance, rec709_from_xyz};
use sunfleck_math::{DVec3, Vec3, vec3};

use super::Importer;
use super::parameter::{Directive, Kind, Parameter, Values};
use crate::FileKind;
use crate::renderer::metals;
use crate::renderer::spectrum::{Quantity, Spectrum};

/// Chromaticities x and y of illuminants for the CIE 1931 standard observer [CIE15, table T.8].
const ILLUMINANTS: [(&str, [f64; 2]); 16] = [
    ("stdillum-A", [0.447_58, 0.407_45]),
    ("stdillum-D50", [0.345_67, 0.358_51]),
    ("stdillum-D65", [0.312_72, 0.329_03]),
    ("stdillum-F1", [0.313_10, 0.337_27]),
    ("stdillum-F2", [0.372_08, 0.375_29]),
    ("stdillum-F3", [0.409_10, 0.394_30]),
    ("stdillum-F4", [0.440_18, 0.403_29]),
    ("stdillum-F5", [0.313_79, 0.345_31]),
    ("stdillum-F6", [0.377_90, 0.388_35]),
    ("stdillum-F7", [0.312_92, 0.329_33]),
    ("stdillum-F8", [0.345_88, 0.358_75]),
    ("stdillum-F9", [0.374_17, 0.372_81]),
    ("stdillum-F10", [0.346_09, 0.359_86]),
    ("stdillum-F11", [0.380_52, 0.377_13]),
    ("stdillum-F12", [0.436_95, 0.404_41]),
    ("illum-acesD60", [0.321_68, 0.337_67]),
];

/// Indices of refraction of glasses at 587.6 nm, by their names in pbrt.
const GLASSES: [(&str, f32); 7] = [
    ("glass-BK7", 1.5168),
    ("glass-BAF10", 1.6700),
    ("glass-FK51A", 1.4866),
    ("glass-LASF9", 1.8503),
    ("glass-F5", 1.6727),
    ("glass-F10", 1.7283),
    ("glass-F11", 1.7847),
];

/// η and k of brass for red, green and blue light.
const BRASS: (Vec3, Vec3) = (vec3(0.444, 0.527, 1.094), vec3(3.695, 2.765, 1.829));

impl Importer<'_, '_> {
    /// Returns a colour; `None` if the directive does not have it, or has something else.
    pub(super) fn color(&mut self, directive: &Directive, name: &str, quantity: Quantity) -> Option<Vec3> {
        let parameter = directive.get(name)?;
        let color = self.color_of(parameter, quantity);
        if color.is_none() {
            let message = format!("{name:?} of {} is not a colour: its default is used", directive.title());
            self.omissions.warn(&parameter.place, message);
        }
        color
    }

    /// Returns the colour of a parameter. The radiance of lights of version 4 whose spectrum is not RGB has the
    /// luminance 1 [PBRT4, light scaling].
    fn color_of(&mut self, parameter: &Parameter, quantity: Quantity) -> Option<Vec3> {
        let is_light = quantity == Quantity::Emission;
        let has_luminance_1 = is_light && !self.description.is_version_3;
        let of_spectrum = |spectrum: &Spectrum| {
            let color = spectrum.color(quantity);
            if has_luminance_1 { with_luminance_1(color) } else { color }
        };
        let color = match (parameter.kind, &parameter.values) {
            (Kind::Rgb, Values::Numbers(list)) => match list[..] {
                [r, g, b] => vec3(r, g, b),
                [grey] => Vec3::splat(grey),
                _ => return None,
            },
            (Kind::Xyz, Values::Numbers(list)) => match list[..] {
                [x, y, z] => rec709_from_xyz(vec3(x, y, z)),
                _ => return None,
            },
            (Kind::Float, Values::Numbers(list)) => Vec3::splat(*list.first()?),
            (Kind::BlackBody, Values::Numbers(list)) => {
                let kelvin = f64::from(*list.first()?);
                let scale = f64::from(list.get(1).copied().unwrap_or(1.0)) / peak_of_black_body(kelvin);
                of_spectrum(&Spectrum::BlackBody { kelvin, scale })
            }
            (Kind::Spectrum, Values::Numbers(list)) => match list[..] {
                [value] => of_spectrum(&Spectrum::Uniform(value.into())),
                _ if list.len() % 2 == 0 && !list.is_empty() => {
                    let pairs =
                        list.as_chunks().0.iter().map(|&[nm, value]: &[f32; 2]| (nm.into(), value.into()));
                    of_spectrum(&Spectrum::samples(pairs.collect()))
                }
                _ => return None,
            },
            (Kind::Spectrum, Values::Texts(list)) => {
                let name = list.first()?;
                match named(name) {
                    Some(color) => color,
                    None => of_spectrum(&self.spectrum_file(name, parameter)?),
                }
            }
            _ => return None,
        };
        color.is_finite().then(|| color.max(Vec3::ZERO))
    }

    fn spectrum_file(&mut self, name: &str, parameter: &Parameter) -> Option<Spectrum> {
        let read = self.files.read(name, FileKind::Spectrum);
        let spectrum = read.and_then(|bytes| {
            let spectrum = Spectrum::of_file(&String::from_utf8_lossy(&bytes));
            spectrum.ok_or_else(|| format!("{name:?} is not a file of wavelengths and values"))
        });
        spectrum.map_err(|message| self.omissions.warn(&parameter.place, message)).ok()
    }
}

/// Returns the colour of a spectrum that pbrt has a name for: of an illuminant with the luminance 1, of a glass its
/// index of refraction, of a metal its η or k.
fn named(name: &str) -> Option<Vec3> {
    if let Some((_, [x, y])) = ILLUMINANTS.iter().find(|(known, _)| *known == name) {
        let xyz = DVec3::new(x / y, 1.0, (1.0 - x - y) / y);
        return Some(rec709_from_xyz(xyz.as_vec3()));
    }
    if let Some(&(_, index)) = GLASSES.iter().find(|(known, _)| *known == name) {
        return Some(Vec3::splat(index));
    }
    let (metal, is_real) = match name.strip_prefix("metal-")?.rsplit_once('-')? {
        (metal, "eta") => (metal, true),
        (metal, "k") => (metal, false),
        _ => return None,
    };
    let (eta, k) = if metal == "CuZn" { BRASS } else { metals::of_name(metal)? };
    Some(if is_real { eta } else { k })
}

/// Greatest radiance of a black body, W/(m² sr nm), by which pbrt divides its spectrum: Planck's law at the wavelength
/// λ = b/T of Wien's displacement law [PBRT4, §4.4.1].
fn peak_of_black_body(kelvin: f64) -> f64 {
    // 2 h c² / (λ⁵ (exp(h c / (λ k T)) − 1)) per nanometre, with h c / (λ k T) = 4.965 114
    const C1: f64 = 1.191_042_972e-16;
    const WIEN: f64 = 2.897_771_955e-3;
    let exponential = E.powi(5) * 0.965_715_6;
    let ratio = kelvin / WIEN;
    C1 * ratio * ratio * ratio * ratio * ratio / (exponential - 1.0) * 1e-9
}

fn with_luminance_1(color: Vec3) -> Vec3 {
    let luminance = luminance(color);
    if luminance > 0.0 { color / luminance } else { color }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pbrt() {
        assert!(named("stdillum-D65").unwrap().abs_diff_eq(Vec3::ONE, 2e-3));
        let incandescent = named("stdillum-A").unwrap();
        assert!(incandescent.x > 1.5 && incandescent.z < 0.4, "{incandescent}");
        assert_eq!(named("glass-BK7"), Some(Vec3::splat(1.5168)));
        assert_eq!(named("metal-Au-k"), metals::of_name("Au").map(|(_, k)| k));
        assert_eq!([named("metal-Xx-k"), named("metal-Au-x"), named("file.spd")], [None; 3]);
    }

    /// The radiance of a black body of 5000 K, relative to its greatest one, at 579.55 nm is 1.
    #[test]
    fn black_bodies_are_divided_by_their_peak() {
        // Planck's law of 5000 K at 500 nm is 12107.2 W/(m² sr nm), and at the peak 12798.9
        assert!((peak_of_black_body(5000.0) / 12_798.9 - 1.0).abs() < 1e-3, "{}", peak_of_black_body(5000.0));
    }
}
