//! Sampled radii against the densities.

use super::*;
use sunfleck_testkit::{Random, chi2};

/// Fractions `σa / σt'`.
const FRACTIONS: [f32; 4] = [0.0, 1e-3, 0.2, 0.95];

#[test]
fn radii_have_their_density() {
    for model in ProfileModel::ALL {
        for absorbed in FRACTIONS {
            let length = 0.01;
            let profile = profile(model, absorbed, length, 1.3);
            // The number t = r / (r + l) is in [0, 1]
            let sample = |u: f32| {
                let r = profile.radius_containing(u);
                r / (r + length)
            };
            let density = |t: f32| {
                let r = length * t / (1.0 - t);
                let r_per_t = length / ((1.0 - t) * (1.0 - t));
                profile.pdf_area(r) * std::f32::consts::TAU * r * r_per_t
            };
            let tests = (ProfileModel::ALL.len() * FRACTIONS.len()) as u32;
            chi2::interval(0.0, 1.0, sample, density)
                .tests(tests)
                .samples(200_000)
                .check(&format!("{model:?}, {absorbed}"));
        }
    }
}

#[test]
fn weights_average_to_the_reflectance() {
    const SAMPLES: u32 = 200_000;
    for model in ProfileModel::ALL {
        for name in ["ketchup", "marble", "skin1"] {
            let medium = crate::subsurface::measured_medium(name).unwrap();
            let profile = DiffusionProfile::new(model, &medium);
            let mut random = Random::new(7);
            let mut sum = [0.0f64; 3];
            for _ in 0..SAMPLES {
                let r = profile.sample_radius(random.next_f32());
                let weight = profile.eval(r) / profile.pdf_area(r);
                for (sum, weight) in sum.iter_mut().zip(weight.to_array()) {
                    *sum += f64::from(weight) / f64::from(SAMPLES);
                }
            }
            for (mean, reflectance) in sum.into_iter().zip(profile.reflectance().to_array()) {
                let reflectance = f64::from(reflectance);
                assert!(
                    (mean / reflectance - 1.0).abs() < 0.01,
                    "{model:?}, {name}: {mean}, not {reflectance}"
                );
            }
        }
    }
}

#[test]
fn radius_contains_the_fraction() {
    for model in ProfileModel::ALL {
        for absorbed in ABSORBED {
            let profile = profile(model, absorbed, 1.0, 1.3);
            for fraction in [0.01, 0.5, 0.9, 0.99, 0.999] {
                let r = f64::from(profile.radius_containing(fraction));
                let inside = integral_over_plane(|r| profile.pdf_area(r), 1e-6 * r, r);
                assert!(
                    (inside - f64::from(fraction)).abs() < 1e-5,
                    "{model:?}, {absorbed}: {inside}, not {fraction}"
                );
            }
        }
    }
    // That of a material is the largest of its channels
    let medium = crate::subsurface::measured_medium("skin1").unwrap();
    let profile = DiffusionProfile::new(ProfileModel::Dipole, &medium);
    let red = profile.channels()[0].radius_containing(0.999);
    assert_eq!(profile.radius_containing(0.999), red, "red light gets farthest in skin");
}

#[test]
fn radii_grow_with_the_uniform() {
    for model in ProfileModel::ALL {
        for absorbed in ABSORBED {
            let profile = profile(model, absorbed, 0.001, 1.5);
            let radii: Vec<f32> =
                (0..=10_000u16).map(|i| profile.radius_containing(f32::from(i) / 10_000.0)).collect();
            assert_eq!(radii[0], 0.0, "{model:?}, {absorbed}");
            assert!(radii.is_sorted() && radii[10_000].is_finite(), "{model:?}, {absorbed}");
        }
    }
}
