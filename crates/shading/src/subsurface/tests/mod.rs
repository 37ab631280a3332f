//! Tests of the diffusion profiles against closed forms, quadrature, published numbers and simulated light.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "f64 functions are the reference"
)]

mod conversions;
mod profiles;
mod published;
mod sampling;
mod simulation;

use std::f64::consts::PI;

use sunfleck_math::Vec3;

use super::{ChannelProfile, DiffusionMedium, DiffusionProfile, ProfileModel};

/// Fractions `σa / σt'`: white, little absorption, black.
const ABSORBED: [f32; 9] = [0.0, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.999];

/// Returns the profile of a material of one colour with the mean free path `length` in m.
fn profile(model: ProfileModel, absorbed: f32, length: f32, eta: f32) -> ChannelProfile {
    let coefficient = |fraction: f32| Vec3::splat(fraction / length);
    let medium = DiffusionMedium::new(coefficient(1.0 - absorbed), coefficient(absorbed), eta);
    DiffusionProfile::new(model, &medium).channels()[0]
}

/// Integrates `2π r f(r)` between two radii by the trapezoidal rule in log r.
fn integral_over_plane(f: impl Fn(f32) -> f32, from: f64, to: f64) -> f64 {
    const STEPS: u32 = 20_000;
    let (low, high) = (from.ln(), to.ln());
    let width = (high - low) / f64::from(STEPS);
    let at = |i: u32| {
        let r = (low + width * f64::from(i)).exp();
        2.0 * PI * r * r * f64::from(f(r as f32)) * if i == 0 || i == STEPS { 0.5 } else { 1.0 }
    };
    (0..=STEPS).map(at).sum::<f64>() * width
}
