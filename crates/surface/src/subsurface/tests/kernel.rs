//! The table of smoothed profiles.

use super::*;
use crate::subsurface::kernel::ScatteringKernel;

#[test]
fn the_table_is_the_profile() {
    for model in ProfileModel::ALL {
        let profile = profile(model, vec3(0.1, 0.03, 0.01));
        let kernel = ScatteringKernel::new(&profile);
        for (c, channel) in profile.channels().iter().enumerate() {
            for fraction in [0.02, 0.1, 0.3, 0.5, 0.8, 0.95, 0.99] {
                let r = channel.radius_containing(fraction);
                let (found, expected) = (kernel.profile(r * r)[c], channel.eval(r));
                // Few of the radii that the mixture is fitted to are far away
                let tolerance = if fraction > 0.9 { 0.03 } else { 0.01 };
                assert!(
                    (found / expected - 1.0).abs() < tolerance,
                    "{model:?} {c} {fraction}: {found} {expected}"
                );
            }
        }
    }
}

/// Numerical convolution with a Gaussian in polar coordinates around the point.
#[test]
fn extents_smooth_the_profile() {
    for model in ProfileModel::ALL {
        let profile = profile(model, Vec3::splat(0.1));
        let kernel = ScatteringKernel::new(&profile);
        for (distance, variance) in [(0.0, 0.01), (0.05, 0.01), (0.3, 0.02), (0.1, 0.2), (1.0, 0.3)] {
            let (rings, spokes) = (4000u16, 64u16);
            let mut expected = 0.0;
            for i in 0..rings {
                // Rings around the peak of the profile, which is not smooth there
                let s = (f64::from(i) + 0.5) / f64::from(rings) * 2.5;
                let r = s * s;
                let ring = 2.0 * s * 2.5 / f64::from(rings) * r * f64::from(profile.eval(r as f32).x);
                for k in 0..spokes {
                    let phi = 2.0 * PI * (f64::from(k) + 0.5) / f64::from(spokes);
                    let squared = r * r + distance * distance - 2.0 * r * distance * libm::cos(phi);
                    let gaussian = libm::exp(-squared / variance) / (PI * variance);
                    expected += gaussian * ring * 2.0 * PI / f64::from(spokes);
                }
            }
            let found = f64::from(kernel.eval((distance * distance) as f32, variance as f32).x);
            assert!(
                (found / expected - 1.0).abs() < 0.02,
                "{model:?} at {distance}, {variance}: {found} for {expected}"
            );
        }
    }
}
