//! Open Image Denoise is found, and removes noise.
//!
//! Tests that need the library are ignored. They read its path from the environment variable `SUNFLECK_OIDN`.

use std::path::Path;

use sunfleck_denoise::NoisyImage;
use sunfleck_denoise::oidn::{Oidn, OidnError};
use sunfleck_math::Vec3;

const SIZE: (u32, u32) = (96, 64);

/// Returns the position of each pixel, and a number in [0, 1).
fn pixels() -> impl Iterator<Item = (u32, u32, f32)> {
    let (width, height) = SIZE;
    let mut state = 1u32;
    (0..width * height).map(move |i| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (i % width, i / width, (state >> 8) as f32 / 16_777_216.0)
    })
}

fn error(image: &[Vec3], truth: impl Fn(u32, u32) -> Vec3) -> f32 {
    let squares = pixels().zip(image).map(|((x, y, _), p)| (*p - truth(x, y)).length_squared());
    squares.sum::<f32>() / image.len() as f32
}

#[test]
fn a_missing_library_is_an_error() {
    let error = Oidn::open(Some(Path::new("/no/such/library.so"))).unwrap_err();
    assert!(matches!(&error, OidnError::Library { path, .. } if path.ends_with("library.so")), "{error}");
}

#[test]
#[ignore = "needs Open Image Denoise; its path is in SUNFLECK_OIDN"]
fn noise_is_removed() {
    let path = std::env::var_os("SUNFLECK_OIDN").expect("SUNFLECK_OIDN");
    let oidn = Oidn::open(Some(Path::new(&path))).unwrap();
    assert!(oidn.version().starts_with("2."), "{}", oidn.version());

    // Two surfaces in even light
    let albedo_at = |x: u32| if x < 40 { Vec3::new(0.8, 0.2, 0.2) } else { Vec3::new(0.2, 0.7, 0.9) };
    let truth = |x: u32, _: u32| albedo_at(x) * 2.0;
    let mut noisy: Vec<Vec3> = pixels().map(|(x, y, u)| truth(x, y) * 2.0 * u).collect();
    let before = error(&noisy, truth);
    noisy[7].y = f32::NAN;
    let albedo: Vec<Vec3> = pixels().map(|(x, ..)| albedo_at(x)).collect();
    let normal = vec![Vec3::Z; noisy.len()];

    let plain = NoisyImage::new(SIZE.0, SIZE.1, &noisy).unwrap();
    let guided = plain.with_albedo(&albedo).unwrap().with_normal(&normal).unwrap();
    for (image, prefilter) in
        [(plain, false), (guided, false), (guided, true), (plain.with_normal(&normal).unwrap(), true)]
    {
        let [clean_albedo, clean_normal] = oidn.prefilter(&image).unwrap();
        let image = match prefilter {
            true => plain.with_albedo(&clean_albedo).unwrap().with_normal(&clean_normal).unwrap(),
            false => image,
        };
        let denoised = oidn.denoise(&image, prefilter).unwrap();
        assert!(denoised.iter().all(|p| p.is_finite()), "finite");
        let after = error(&denoised, truth);
        assert!(after < 0.1 * before, "{after} of {before}, prefilter: {prefilter}");
    }
}
