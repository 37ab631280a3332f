//! Conversions between coefficients and the appearance of a material.

use super::*;
use crate::subsurface::DiffuseBoundary;
use sunfleck_scene::Medium;

#[track_caller]
fn assert_near(found: Vec3, expected: Vec3, relative: f32, name: &str) {
    assert!(
        (found - expected).abs().cmple(expected.abs() * relative).all(),
        "{name}: {found}, not {expected}"
    );
}

#[test]
fn reflectance_and_mean_free_path_round_trip() {
    for model in ProfileModel::ALL {
        for eta in [1.0, 1.3, 1.5, 0.8] {
            for step in 0..=20u8 {
                let reflectance = Vec3::new(0.05 * f32::from(step), 0.01, 0.999);
                let lengths = Vec3::new(1e-3, 2.0, 1e-6);
                let medium = DiffusionMedium::of_reflectance(model, reflectance, lengths, eta);
                let name = format!("{model:?}, η = {eta}, {reflectance}");
                assert!(medium.reflectance(model).abs_diff_eq(reflectance, 2e-6), "{name}: {medium:?}");
                assert_near(medium.mean_free_path(), lengths, 1e-6, &name);
                // The profile integrates to it
                let profile = DiffusionProfile::new(model, &medium);
                assert!(profile.reflectance().abs_diff_eq(reflectance, 2e-6), "{name}");
            }
        }
    }
}

#[test]
fn diffuse_mean_free_path_round_trips() {
    for model in ProfileModel::ALL {
        for a in [0.0, 0.1, 0.5, 0.9, 0.98] {
            let (reflectance, lengths) = (Vec3::new(a, 0.3, 0.7), Vec3::new(0.01, 3.0, 1e-4));
            let medium = DiffusionMedium::of_diffuse_mean_free_path(model, reflectance, lengths, 1.3);
            assert!(medium.reflectance(model).abs_diff_eq(reflectance, 2e-6), "{model:?}, {a}: {medium:?}");
            assert_near(medium.diffuse_mean_free_path(model), lengths, 1e-3, &format!("{model:?}, {a}"));
        }
    }
    // The definition 1/√(3 σa σt') of classical diffusion
    let medium = DiffusionMedium::new(Vec3::splat(90.0), Vec3::splat(10.0), 1.3);
    let classical = medium.diffuse_mean_free_path(ProfileModel::Dipole).x;
    assert!((f64::from(classical) - 1.0 / 3000.0f64.sqrt()).abs() < 1e-7, "{classical}");
    // Far from the source the profile falls by e over that distance, but for a power of r
    let profile = DiffusionProfile::new(ProfileModel::Dipole, &medium).channels()[0];
    let (near, far) = (20.0 * classical, 21.0 * classical);
    let fall = profile.eval(far) / profile.eval(near) * (far / near).powi(2);
    assert!((fall * std::f32::consts::E - 1.0).abs() < 5e-3, "falls by {fall}");
}

#[test]
fn reflectance_grows_with_the_albedo() {
    for model in ProfileModel::ALL {
        for eta in [1.0, 1.5] {
            let boundary = DiffuseBoundary::new(eta);
            let mut last = 2.0;
            for step in 0..=1000u16 {
                let reflectance = model.reflectance(f32::from(step) / 1000.0, boundary);
                assert!((0.0..=1.0).contains(&reflectance), "{model:?}, {step}: {reflectance}");
                assert!(reflectance < last, "{model:?}, η = {eta}, {step}: {reflectance} after {last}");
                last = reflectance;
            }
            let [white, black] = [0.0, 1.0].map(|absorbed| model.reflectance(absorbed, boundary));
            assert!((white - 1.0).abs() < 1e-6 && black == 0.0, "{model:?}: {white}, {black}");
        }
    }
}

#[test]
fn white_black_and_invalid_media() {
    let invalid = Vec3::new(f32::NAN, -1.0, f32::INFINITY);
    for model in ProfileModel::ALL {
        for reflectance in [Vec3::ZERO, Vec3::ONE, Vec3::splat(2.0), invalid] {
            for lengths in [Vec3::ZERO, Vec3::ONE, Vec3::splat(f32::INFINITY), invalid] {
                for medium in [
                    DiffusionMedium::of_reflectance(model, reflectance, lengths, 1.3),
                    DiffusionMedium::of_diffuse_mean_free_path(model, reflectance, lengths, f32::NAN),
                    DiffusionMedium::new(reflectance, lengths, 0.0),
                ] {
                    let profile = DiffusionProfile::new(model, &medium);
                    let numbers = [profile.reflectance(), profile.eval(0.0), profile.eval(1.0)];
                    assert!(
                        numbers.iter().all(|n| n.is_finite() && n.min_element() >= 0.0),
                        "{medium:?}: {numbers:?}"
                    );
                    for u in [0.0, 0.5, 1.0 - 1e-7] {
                        let r = profile.sample_radius(u);
                        assert!(r >= 0.0 && r.is_finite(), "{medium:?}: r({u}) = {r}");
                        assert!(profile.pdf_area(r).is_finite(), "{medium:?}: pdf({r})");
                    }
                }
            }
        }
    }
    let empty = DiffusionMedium::new(Vec3::ZERO, Vec3::ZERO, 1.3);
    assert_eq!(empty.reflectance(ProfileModel::Dipole), Vec3::ZERO, "empty space returns nothing");
}

#[test]
fn forward_scattering_is_reduced() {
    let medium = Medium { absorption: Vec3::ONE, scattering: Vec3::splat(100.0), asymmetry: 0.75 };
    let found = DiffusionMedium::of_medium(&medium, 1.3);
    assert_eq!(found, DiffusionMedium::new(Vec3::splat(25.0), Vec3::ONE, 1.3));
}

#[test]
fn names() {
    for model in ProfileModel::ALL {
        assert_eq!(ProfileModel::from_name(model.name()), Some(model));
    }
    assert_eq!(ProfileModel::from_name("tripole"), None);
}
