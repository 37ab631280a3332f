use super::*;
use crate::testing::{Corner, bits, levels, mean_squared_error};

fn guided<'a>(corner: &'a Corner, radiance: &'a [Vec3]) -> NoisyImage<'a> {
    let image = NoisyImage::new(corner.width, corner.height, radiance).unwrap();
    let image = image.with_albedo(&corner.albedo).unwrap().with_normal(&corner.normal).unwrap();
    image.with_depth(&corner.depth).unwrap()
}

#[test]
fn noise_is_removed_and_edges_stay() {
    let corner = Corner::new(150, 70);
    let noisy = corner.noisy(1.0, 1);
    let before = mean_squared_error(&noisy, &corner.truth);
    let after = mean_squared_error(&denoise(&guided(&corner, &noisy)), &corner.truth);
    assert!(after < 0.02 * before, "{after} of {before}");

    // Textures are blurred if nothing tells them from noise
    let plain = denoise(&NoisyImage::new(corner.width, corner.height, &noisy).unwrap());
    let blurred = mean_squared_error(&plain, &corner.truth);
    assert!(blurred < 0.5 * before && blurred > after, "{blurred} of {before}");
}

#[test]
fn known_variance_that_is_small_protects_details() {
    let corner = Corner::new(64, 64);
    let detailed = corner.noisy(0.5, 2);
    let variance = vec![1e-10; detailed.len()];
    let image = guided(&corner, &detailed).with_variance(&variance).unwrap();
    let change = mean_squared_error(&denoise(&image), &detailed);
    assert!(change < 1e-6, "{change}");
}

#[test]
fn a_constant_image_stays() {
    let radiance = vec![Vec3::new(3.0, 2.0, 1.0); 33 * 17];
    let image = NoisyImage::new(33, 17, &radiance).unwrap();
    assert!(denoise(&image).iter().all(|p| p.abs_diff_eq(radiance[0], 1e-5)), "all the same");
}

#[test]
fn a_firefly_vanishes_unless_its_variance_is_small() {
    let (width, height) = (40, 30);
    let most = |pixels: &[Vec3]| pixels.iter().map(|p| p.max_element()).fold(0.0, f32::max);
    // In the middle, at each edge, in two corners, and beside an edge
    for at in [15 * 40 + 20, 20, 29 * 40 + 20, 15 * 40, 15 * 40 + 39, 0, 1199, 40 + 20] {
        let mut radiance = vec![Vec3::ONE; width * height];
        radiance[at] = Vec3::splat(1e4);
        let image = NoisyImage::new(40, 30, &radiance).unwrap();
        assert!(most(&denoise(&image)) < 1.1, "{at}: {}", most(&denoise(&image)));

        let variance = vec![1e-8; radiance.len()];
        let kept = denoise(&image.with_variance(&variance).unwrap());
        assert!(kept[at].x > 9.9e3, "{at}: {}", kept[at]);
    }
}

#[test]
fn every_level_and_number_of_threads_gives_the_same_bits() {
    let corner = Corner::new(77, 41);
    let noisy = corner.noisy(1.0, 3);
    let mut variance = vec![0.3; noisy.len()];
    variance[..1000].fill(0.0);
    let image = guided(&corner, &noisy).with_variance(&variance).unwrap();
    let expected = bits(&denoise(&image));
    for level in levels() {
        assert!(bits(&denoise_at(level, &image)) == expected, "{level:?}");
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(bits(&one.install(|| denoise(&image))) == expected, "one thread");
}

#[test]
fn results_are_finite_whatever_the_input() {
    let corner = Corner::new(32, 20);
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -1.0, 0.0, f32::MIN_POSITIVE];
    let values: Vec<Vec3> =
        (0..corner.truth.len()).map(|i| Vec3::new(bad[i % 8], bad[i / 8 % 8], bad[i / 64 % 8])).collect();
    let scalars: Vec<f32> = values.iter().map(|v| v.y).collect();
    for (radiance, features) in [(&values, &corner.albedo), (&corner.truth, &values), (&values, &values)] {
        let image = NoisyImage::new(corner.width, corner.height, radiance).unwrap();
        let image = image.with_albedo(features).unwrap().with_normal(features).unwrap();
        let image = image.with_depth(&scalars).unwrap().with_variance(&scalars).unwrap();
        assert!(denoise(&image).iter().all(|p| p.is_finite()), "finite");
    }
    let pixel = [Vec3::ONE];
    assert_eq!(denoise(&NoisyImage::new(1, 1, &pixel).unwrap()), pixel);
}
