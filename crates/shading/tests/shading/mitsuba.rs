//! Conductors, rough glass, plastic and the principled model against values of Mitsuba 3 (`scripts/mitsuba_bsdfs.py`,
//! `scripts/mitsuba_principled.py`).

use crate::common::{RADIANCE, conductor, frosted, plastic, principled};
use sunfleck_math::{Vec3, vec3};
use sunfleck_shading::{Bsdf, Conductor, Microfacets, PrincipledParameters, RoughDielectric};

const SPECULAR: Vec3 = vec3(1.0, 0.9, 0.5);

/// Calls `check` with bsdf, directions to the viewer and the light, and Mitsuba's `f cos`, for the rows of a model.
fn rows(model: &str, expected: usize, bsdf: impl Fn(&[f32]) -> Bsdf, check: impl Fn(Vec3, Vec3, &str)) {
    let table = include_str!("data/mitsuba_bsdfs.txt");
    let mut count = 0;
    for row in table.lines().filter(|row| row.split(' ').next() == Some(model)) {
        let numbers: Vec<f32> = row.split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
        let (parameters, rest) = numbers.split_at(numbers.len() - 9);
        let [wo, wi, expected] = [0, 3, 6].map(|i| Vec3::from_slice(&rest[i..]));
        check(bsdf(parameters).eval(RADIANCE, wo, wi), expected, row);
        count += 1;
    }
    assert_eq!(count, expected, "rows of {model}");
}

fn assert_near(found: Vec3, expected: Vec3, tolerance: f32, row: &str) {
    let error = (found - expected).abs();
    let allowed = expected * tolerance + 1e-6;
    assert!(error.cmple(allowed).all(), "{found}, not {expected}: {row}");
}

#[test]
fn metals_are_those_of_mitsuba() {
    let bsdf = |numbers: &[f32]| {
        let Bsdf::Conductor(gold) = conductor(numbers[0], numbers[1] > 0.0) else { panic!() };
        Bsdf::Conductor(Conductor { reflectance: SPECULAR, ..gold })
    };
    rows("conductor", 60, bsdf, |found, expected, row| assert_near(found, expected, 1e-3, row));
}

#[test]
fn rough_glass_is_that_of_mitsuba() {
    let bsdf = |numbers: &[f32]| {
        let Bsdf::RoughDielectric(glass) = frosted(numbers[2], numbers[0], numbers[1] > 0.0) else {
            panic!()
        };
        Bsdf::RoughDielectric(RoughDielectric { tint: vec3(0.9, 1.0, 0.4), ..glass })
    };
    rows("glass", 230, bsdf, |found, expected, row| assert_near(found, expected, 2e-3, row));
}

/// Mitsuba approximates the diffuse reflectance inside a smooth coating by fits. That inside a rough one is the mean of 64
/// cosines from 0 to 1 inclusive, which is up to 1.5 % below the integral, so that its base is up to 5 % darker.
#[test]
fn plastic_is_that_of_mitsuba() {
    let bsdf = |numbers: &[f32]| {
        let microfacets = Microfacets::new(numbers[0], numbers[1] > 0.0);
        plastic(vec3(0.8, 0.4, 0.1), SPECULAR, numbers[2], microfacets, numbers[3] > 0.0)
    };
    rows("plastic", 72, bsdf, |found, expected, row| {
        let tolerance = if row.starts_with("plastic 0 0") { 0.005 } else { 0.05 };
        assert_near(found, expected, tolerance, row);
    });
}

/// Returns microfacets with an α along each axis.
fn stretched(numbers: &[f32]) -> Microfacets {
    let (u, v) = (numbers[0], numbers[1]);
    Microfacets::anisotropic((u * v).sqrt().sqrt(), (u - v) / (u + v), numbers[2] > 0.0)
}

#[test]
fn anisotropic_metals_are_those_of_mitsuba() {
    let bsdf = |numbers: &[f32]| {
        let Bsdf::Conductor(gold) = conductor(0.5, false) else { panic!() };
        Bsdf::Conductor(Conductor { reflectance: SPECULAR, microfacets: stretched(numbers), ..gold })
    };
    rows("stretched-conductor", 48, bsdf, |found, expected, row| assert_near(found, expected, 1e-3, row));
}

#[test]
fn anisotropic_rough_glass_is_that_of_mitsuba() {
    let bsdf = |numbers: &[f32]| {
        let Bsdf::RoughDielectric(glass) = frosted(1.5, 0.5, false) else { panic!() };
        let microfacets = stretched(numbers);
        Bsdf::RoughDielectric(RoughDielectric { tint: vec3(0.9, 1.0, 0.4), microfacets, ..glass })
    };
    rows("stretched-glass", 84, bsdf, |found, expected, row| assert_near(found, expected, 2e-3, row));
}

/// Values and densities of `scripts/mitsuba_principled.py`.
#[test]
fn the_principled_model_is_that_of_mitsuba() {
    let table = include_str!("data/mitsuba_principled.txt");
    assert!(table.lines().count() > 250);
    for row in table.lines() {
        let numbers: Vec<f32> = row.split(' ').map(|number| number.parse().unwrap()).collect();
        let bsdf = principled(&PrincipledParameters {
            metallic: numbers[3],
            roughness: numbers[4],
            anisotropy: numbers[5],
            transmission: numbers[6],
            ior: numbers[7],
            specular_tint: numbers[8],
            sheen: numbers[9],
            sheen_tint: numbers[10],
            flatness: numbers[11],
            clearcoat: numbers[12],
            clearcoat_gloss: numbers[13],
        });
        let [wo, wi, expected] = [14, 17, 20].map(|i| Vec3::from_slice(&numbers[i..]));
        assert_near(bsdf.eval(RADIANCE, wo, wi), expected, 1e-3, row);
        let pdf = bsdf.pdf_solid_angle(RADIANCE, wo, wi);
        assert_near(Vec3::splat(pdf), Vec3::splat(numbers[23]), 1e-3, row);
    }
}
