use half::f16;

use super::*;
use crate::testing::{Corner, bits, levels, randoms};

/// Returns the bytes of weights that are random, but keep activations in range.
fn random_weights(widths: [usize; LEVELS], convolutions: usize) -> Vec<u8> {
    let shapes = shapes(widths, convolutions);
    let mut random = randoms(5).map(|u| 2.0 * u - 1.0);
    let mut bytes = b"SFDN".to_vec();
    let mut push = |value: u32| bytes.extend(value.to_le_bytes());
    push(1);
    push(u32::try_from(shapes.len()).unwrap());
    for [outputs, inputs, size] in shapes {
        for n in [outputs, inputs, size] {
            bytes.extend(u32::try_from(n).unwrap().to_le_bytes());
        }
        let scale = 2.0 / ((inputs * size * size) as f32).sqrt();
        for i in 0..outputs + outputs * inputs * size * size {
            let scale = if i < outputs { 0.5 } else { scale };
            bytes.extend(f16::from_f32(scale * random.next().unwrap()).to_le_bytes());
        }
    }
    bytes
}

/// Calls a function with a noisy image that has all features.
fn with_image<T>(width: u32, height: u32, f: impl FnOnce(&NoisyImage) -> T) -> T {
    let mut corner = Corner::new(width, height);
    // Two pixels without a surface
    corner.depth[0] = f32::INFINITY;
    *corner.depth.last_mut().unwrap() = 0.0;
    let noisy = corner.noisy(1.0, 1);
    let variance: Vec<f32> = noisy.iter().map(|p| 0.1 * p.y * p.y).collect();
    let image = NoisyImage::new(width, height, &noisy).unwrap().with_albedo(&corner.albedo).unwrap();
    let image = image.with_normal(&corner.normal).unwrap().with_depth(&corner.depth).unwrap();
    f(&image.with_variance(&variance).unwrap())
}

#[test]
fn it_agrees_with_plain_loops() {
    for (widths, convolutions, width, height) in [
        ([32, 48, 64, 64], 1, 50, 37),
        ([16, 32, 48, 16], 2, 64, 32),
        ([64, 96, 128, 128], 2, 33, 20),
        ([16, 16, 16, 16], 1, 1, 1),
    ] {
        let bytes = random_weights(widths, convolutions);
        let network = Network::from_bytes(&bytes).unwrap();
        with_image(width, height, |image| {
            let (fast, slow) = (network.denoise(image), reference::denoise(&bytes, image));
            for (i, (fast, slow)) in fast.iter().zip(&slow).enumerate() {
                let tolerance = 2e-4 * slow.abs().max_element() + 1e-6;
                assert!(fast.abs_diff_eq(*slow, tolerance), "{widths:?}, pixel {i}: {fast}, not {slow}");
            }
            // The filter does something
            let changed =
                fast.iter().zip(image.radiance()).filter(|(a, b)| a.distance(**b) > 0.01 * b.length());
            assert!(fast.len() == 1 || changed.count() > fast.len() / 2, "changed");
        });
    }
}

#[test]
fn every_level_and_number_of_threads_gives_the_same_bits() {
    let network = Network::from_bytes(&random_weights([16, 32, 16, 48], 1)).unwrap();
    with_image(45, 23, |image| {
        let expected = bits(&network.denoise(image));
        for level in levels() {
            assert!(bits(&network.denoise_at(level, image)) == expected, "{level:?}");
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(bits(&one.install(|| network.denoise(image))) == expected, "one thread");
    });
}

#[test]
fn unknown_features_and_extreme_values_are_allowed() {
    let network = Network::from_bytes(&random_weights([16, 16, 16, 16], 1)).unwrap();
    let mut radiance = vec![Vec3::ONE; 40 * 9];
    radiance[7] = Vec3::new(f32::NAN, f32::INFINITY, -1.0);
    radiance[99] = Vec3::splat(f32::MAX);
    let image = NoisyImage::new(40, 9, &radiance).unwrap();
    assert!(network.denoise(&image).iter().all(|p| p.is_finite()), "finite");
    let black = vec![Vec3::ZERO; 40 * 9];
    let denoised = network.denoise(&image.with_radiance(&black).unwrap());
    assert!(denoised.iter().all(|p| p.abs_diff_eq(Vec3::ZERO, 1e-6)), "black stays black");
}

#[test]
fn malformed_weights_are_refused() {
    let bytes = random_weights([16, 32, 16, 16], 1);
    let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
    let with = |at: usize, value: u32| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    assert_eq!(error(b""), WeightsError::Magic);
    assert_eq!(error(b"PNG\0aaaa"), WeightsError::Magic);
    assert_eq!(error(&with(4, 2)), WeightsError::Version { found: 2 });
    assert_eq!(error(&with(8, 1000)), WeightsError::Layers { found: 1000 });
    assert_eq!(error(&with(12, u32::MAX)), WeightsError::Truncated { length: bytes.len() });
    assert_eq!(error(&with(20, u32::MAX)), WeightsError::Truncated { length: bytes.len() });
    assert_eq!(error(&bytes[..bytes.len() - 1]), WeightsError::Truncated { length: bytes.len() - 1 });
    assert_eq!(error(&[&bytes[..], &[0; 3]].concat()), WeightsError::Extra { extra: 3 });
    assert_eq!(error(&with(24, 0x7c00_7c00)), WeightsError::NotFinite { layer: 0 });
    assert!(matches!(
        error(&random_weights([16, 32, 16, 24], 1)),
        WeightsError::Width { layer: 3, found: 24 }
    ));
    // Inputs and outputs exchanged, with as many weights
    let exchanged = [[16, 32, 3], [32, 16, 3]];
    assert!(matches!(error(&exchange(&bytes, exchanged)), WeightsError::Shape { layer: 1, .. }));
}

/// Replaces the shape of a layer by another one with the same number of weights and another number of biases.
fn exchange(bytes: &[u8], [to, from]: [[u32; 3]; 2]) -> Vec<u8> {
    let header = |shape: [u32; 3]| shape.map(u32::to_le_bytes).concat();
    let at = bytes.windows(12).position(|w| w == header(from)).unwrap();
    let mut bytes = bytes.to_vec();
    bytes[at..at + 12].copy_from_slice(&header(to));
    // Sixteen biases less
    bytes.drain(at + 12..at + 12 + 32);
    bytes[at + 12..at + 44].fill(0);
    bytes
}
