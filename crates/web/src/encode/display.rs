//! Conversion of radiance to sRGB bytes.

use std::sync::{LazyLock, Mutex, PoisonError};

use sunfleck_image::srgb::srgb_from_linear;
use sunfleck_image::{Picture, ToneCurve};
use sunfleck_math::{Vec3, exp2};

/// Size of the lookup table from linear to sRGB, uniform in the square root of the linear value. That is close to the
/// sRGB curve, so the steps are finer than a byte everywhere.
const STEPS: usize = 4096;

/// sRGB bytes, indexed by the square root of a linear component.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let byte = |step: usize| {
        let root = step as f32 / (STEPS - 1) as f32;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0..=255.5")]
        let byte = (srgb_from_linear(root * root) * 255.0 + 0.5) as u8;
        byte
    };
    (0..STEPS).map(byte).collect()
});

/// Number of pixels from which a further thread pays off.
const MIN_PIXELS: usize = 1 << 19;
/// Maximum number of threads.
const MAX_THREADS: usize = 8;

/// Returns the sRGB bytes of an image, row by row, without dithering, which would only make JPEGs larger.
pub(super) fn bytes(picture: &Picture, curve: ToneCurve, exposure_stops: f32) -> Vec<u8> {
    let pixels = picture.pixels();
    let mut bytes = vec![0; pixels.len() * 3];
    let exposure = exp2(exposure_stops);
    let convert = |bytes: &mut [u8], pixels: &[Vec3]| {
        for (rgb, &radiance) in bytes.chunks_exact_mut(3).zip(pixels) {
            rgb.copy_from_slice(&quantize(curve.apply_exposed(radiance * exposure)));
        }
    };
    let threads = (pixels.len() / MIN_PIXELS).clamp(1, MAX_THREADS);
    let share = pixels.len().div_ceil(threads).max(1);
    let parts = Mutex::new(bytes.chunks_mut(3 * share).zip(pixels.chunks(share)));
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((bytes, pixels)) = next() {
            convert(bytes, pixels);
        }
    };
    std::thread::scope(|scope| {
        // Separate threads, since those of the pool are rendering the next frame; without them this one does all
        for _ in 1..threads {
            drop(std::thread::Builder::new().spawn_scoped(scope, work));
        }
        work();
    });
    bytes
}

/// Quantises a linear colour in 0 … 1 to sRGB bytes.
#[inline]
fn quantize(linear: Vec3) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a root of 0 … 1")]
    let byte =
        |component: f32| BYTES[(component.max(0.0).sqrt() * (STEPS - 1) as f32 + 0.5) as usize % STEPS];
    linear.to_array().map(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_exact_curve() {
        for step in 0..=10_000 {
            let linear = step as f32 / 10_000.0;
            let exact = sunfleck_image::quantize(Vec3::splat(linear), None)[0];
            let found = quantize(Vec3::splat(linear))[0];
            assert!(found.abs_diff(exact) <= 1, "{linear}: {found} instead of {exact}");
        }
    }

    #[test]
    fn images_of_several_threads_are_those_of_one() {
        let [width, height] = [1201, 1000];
        let picture = Picture::from_fn(width, height, |x, y| Vec3::new(x as f32, y as f32, 500.0) / 1300.0);
        let picture = picture.unwrap();
        let found = bytes(&picture, ToneCurve::PbrNeutral, -0.5);
        for (i, &radiance) in picture.pixels().iter().enumerate() {
            let expected = quantize(ToneCurve::PbrNeutral.apply(radiance, -0.5));
            assert_eq!(found[3 * i..3 * i + 3], expected, "pixel {i}");
        }
    }

    #[test]
    fn rows_stay_in_order() {
        let picture = Picture::from_fn(5, 4, |x, y| Vec3::new(x as f32 / 4.0, y as f32 / 3.0, 0.0)).unwrap();
        let bytes = bytes(&picture, ToneCurve::Linear, 0.0);
        assert_eq!(bytes.len(), 60);
        assert_eq!(
            bytes[(5 + 4) * 3..][..3],
            [255, sunfleck_image::quantize(Vec3::splat(1.0 / 3.0), None)[0], 0]
        );
    }
}
