//! Exact reflectances and simulated light in a half-space.

use super::*;
use sunfleck_testkit::{HalfSpace, Random};

/// How light enters the medium.
#[derive(Clone, Copy)]
enum Entry {
    Perpendicular,
    /// With the same radiance in all directions inside.
    Diffuse,
}

/// Returns Fresnel's reflectance for light inside, in f64 and by the angles.
fn fresnel(cos: f64, eta: f64) -> f64 {
    let sin_outside = eta * (1.0 - cos * cos).sqrt();
    if eta == 1.0 || sin_outside >= 1.0 {
        return if eta == 1.0 { 0.0 } else { 1.0 };
    }
    let (a, b) = (cos.acos(), sin_outside.asin());
    if a < 1e-4 {
        return ((eta - 1.0) / (eta + 1.0)).powi(2);
    }
    0.5 * (((a - b).sin() / (a + b).sin()).powi(2) + ((a - b).tan() / (a + b).tan()).powi(2))
}

/// Traces particles through a half-space below z = 0 with isotropic scattering and the mean free path 1. Returns the
/// distances between entry and exit of those that leave.
fn exits(albedo: f64, eta: f64, entry: Entry, particles: u32) -> Vec<f64> {
    let mut random = Random::new(11);
    let mut exits = Vec::new();
    for _ in 0..particles {
        let cos = match entry {
            Entry::Perpendicular => 1.0,
            Entry::Diffuse => (1.0 - random.next_f64()).sqrt(),
        };
        let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
        // Direction: the azimuth of the first one does not matter
        let (mut dx, mut dy, mut dz) = ((1.0 - cos * cos).sqrt(), 0.0, -cos);
        'walk: loop {
            let mut path = -(1.0 - random.next_f64()).ln();
            loop {
                let to_surface = if dz > 0.0 { -z / dz } else { f64::INFINITY };
                let step = path.min(to_surface);
                (x, y, z) = (x + dx * step, y + dy * step, z + dz * step);
                if to_surface >= path {
                    break;
                }
                if random.next_f64() >= fresnel(dz, eta) {
                    exits.push(f64::hypot(x, y));
                    break 'walk;
                }
                (z, dz, path) = (0.0, -dz, path - to_surface);
            }
            if random.next_f64() >= albedo {
                break;
            }
            dz = 2.0 * random.next_f64() - 1.0;
            let (sin_phi, cos_phi) = (2.0 * PI * random.next_f64()).sin_cos();
            let sin = (1.0 - dz * dz).sqrt();
            (dx, dy) = (sin * cos_phi, sin * sin_phi);
        }
    }
    exits
}

#[test]
fn reflectance_of_normalized_diffusion_is_nearly_exact() {
    for absorbed in [0.999, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.03, 0.01, 1e-3, 1e-5, 0.0f32] {
        let exact = HalfSpace::new(1.0 - f64::from(absorbed)).diffuse_reflectance();
        let found = f64::from(profile(ProfileModel::Normalized, absorbed, 1.0, 1.0).reflectance());
        assert!((found - exact).abs() < 0.003, "σa/σt' = {absorbed}: {found}, not {exact}");
        if absorbed <= 0.3 {
            assert!((found - exact).abs() < 0.01 * exact, "σa/σt' = {absorbed}: {found}, not {exact}");
        }
    }
}

#[test]
fn dipole_is_exact_if_little_light_is_absorbed() {
    for absorbed in [0.01, 3e-3, 1e-3, 1e-4, 0.0f32] {
        let exact = HalfSpace::new(1.0 - f64::from(absorbed)).directional_reflectance(1.0);
        let found = f64::from(profile(ProfileModel::Dipole, absorbed, 1.0, 1.0).reflectance());
        assert!((found - exact).abs() < 0.01 * exact, "σa/σt' = {absorbed}: {found}, not {exact}");
    }
}

#[test]
fn better_dipole_is_between_multiple_and_all_scattering() {
    for absorbed in [0.9, 0.5, 0.2, 0.1, 0.01, 1e-3f32] {
        let albedo = 1.0 - f64::from(absorbed);
        let all = HalfSpace::new(albedo).directional_reflectance(1.0);
        // ϖ/2 ∫ ν / (1 + ν) dν
        let single = 0.5 * albedo * (1.0 - std::f64::consts::LN_2);
        let found = f64::from(profile(ProfileModel::BetterDipole, absorbed, 1.0, 1.0).reflectance());
        assert!(all - single < found && found < all, "σa/σt' = {absorbed}: {found}, {all}, single {single}");
    }
}

#[test]
fn simulation_agrees_with_the_exact_reflectance() {
    const PARTICLES: u32 = 100_000;
    for albedo in [0.5, 0.9] {
        let half_space = HalfSpace::new(albedo);
        for (entry, exact) in [
            (Entry::Perpendicular, half_space.directional_reflectance(1.0)),
            (Entry::Diffuse, half_space.diffuse_reflectance()),
        ] {
            let found = exits(albedo, 1.0, entry, PARTICLES).len() as f64 / f64::from(PARTICLES);
            let deviation = (exact * (1.0 - exact) / f64::from(PARTICLES)).sqrt();
            assert!((found - exact).abs() < 3.0 * deviation, "ϖ = {albedo}: {found}, not {exact}");
        }
    }
}

#[test]
fn boundary_returns_light_as_in_the_simulation() {
    const PARTICLES: u32 = 100_000;
    for (absorbed, eta) in [(0.2, 1.3), (0.02, 1.3), (0.002, 1.5f32)] {
        let albedo = 1.0 - f64::from(absorbed);
        for (model, entry) in
            [(ProfileModel::Normalized, Entry::Diffuse), (ProfileModel::Dipole, Entry::Perpendicular)]
        {
            let simulated =
                exits(albedo, f64::from(eta), entry, PARTICLES).len() as f64 / f64::from(PARTICLES);
            let found = f64::from(profile(model, absorbed, 1.0, eta).reflectance());
            assert!(
                (found - simulated).abs() < 0.03,
                "{model:?}, {absorbed}, η = {eta}: {found}, not {simulated}"
            );
        }
    }
}

#[test]
fn normalized_diffusion_is_near_simulated_profiles() {
    const PARTICLES: u32 = 200_000;
    // The fit is worse for bright media
    let errors = [(0.5, 0.03), (0.2, 0.03), (0.1, 0.03), (0.03, 0.03), (0.01, 0.03), (0.001, 0.08)];
    for (absorbed, largest) in errors {
        let mut radii = exits(1.0 - f64::from(absorbed), 1.0, Entry::Diffuse, PARTICLES);
        radii.sort_by(f64::total_cmp);
        let found = profile(ProfileModel::Normalized, absorbed, 1.0, 1.0);
        let mut worst: f64 = 0.0;
        for percent in (5..100u8).step_by(5) {
            let fraction = f32::from(percent) / 100.0;
            let radius = f64::from(found.radius_containing(fraction));
            let simulated = radii.partition_point(|&r| r < radius) as f64 / radii.len() as f64;
            worst = worst.max((simulated - f64::from(fraction)).abs());
        }
        assert!(worst < largest, "σa/σt' = {absorbed}: {worst}");
    }
}
