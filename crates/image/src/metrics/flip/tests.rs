use super::*;
use crate::srgb::linear_from_srgb8_table;

const WIDTH: u32 = 96;
const HEIGHT: u32 = 64;

/// Returns a pseudorandom byte; `scripts/flip_reference.py` has the same function.
fn noise(x: u32, y: u32, c: u32) -> u32 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77) ^ c.wrapping_mul(0xC2B2_AE3D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    ((h ^ (h >> 12)) >> 24) & 0xFF
}

/// Returns the bytes of the reference: gradients on the left, a checkerboard on the right.
fn reference_bytes(x: u32, y: u32) -> [u32; 3] {
    if x >= 48 && (x / 8 + y / 8).is_multiple_of(2) {
        return [200, 180, 160];
    }
    [x * 255 / 95, y * 255 / 63, (x + y) * 255 / 158]
}

/// Returns the bytes of the test image: in four quarters noise, a shift, swapped colours, and a bright dot.
fn test_bytes(x: u32, y: u32) -> [u32; 3] {
    let reference = reference_bytes(x, y);
    if x < 48 && y < 32 {
        let noisy = |c: u32, v: u32| (v + noise(x, y, c) % 33).clamp(16, 271) - 16;
        return [noisy(0, reference[0]), noisy(1, reference[1]), noisy(2, reference[2])];
    }
    if y < 32 {
        return reference_bytes((x + 1).min(95), y);
    }
    if x < 48 {
        return [reference[2], reference[1], reference[0]];
    }
    if (79..=81).contains(&x) && (47..=49).contains(&y) { [255, 250, 240] } else { reference }
}

fn picture(bytes: impl Fn(u32, u32) -> [u32; 3]) -> Picture {
    let table = linear_from_srgb8_table();
    Picture::from_fn(WIDTH, HEIGHT, |x, y| Vec3::from(bytes(x, y).map(|v| table[v as usize]))).unwrap()
}

/// Compares with results of the authors' implementation (`flip-evaluator` 1.7 on the Python Package Index), printed by
/// `scripts/flip_reference.py`.
fn agrees(pixels_per_degree: f32, mean: f64, probes: [(u32, u32, f32); 12]) {
    let map = flip(&picture(test_bytes), &picture(reference_bytes), pixels_per_degree).unwrap();
    assert!((map.mean() - mean).abs() < 1e-4, "mean {}, not {mean}", map.mean());
    for (x, y, want) in probes {
        let found = map.errors()[(y * WIDTH + x) as usize];
        assert!((found - want).abs() < 1e-3, "({x}, {y}): {found}, not {want}");
    }
}

#[test]
fn agrees_with_the_authors_at_67_pixels_per_degree() {
    agrees(
        DEFAULT_PIXELS_PER_DEGREE,
        0.186_740_4,
        [
            (3, 2, 0.051592),
            (20, 17, 0.047141),
            (44, 29, 0.086460),
            (50, 5, 0.030012),
            (71, 12, 0.495527),
            (93, 30, 0.023690),
            (2, 40, 0.380583),
            (25, 50, 0.526419),
            (47, 62, 0.384668),
            (60, 45, 0.000000),
            (80, 48, 0.627047),
            (95, 63, 0.000000),
        ],
    );
}

#[test]
fn agrees_with_the_authors_at_30_pixels_per_degree() {
    agrees(
        30.0,
        0.200_567_9,
        [
            (3, 2, 0.065380),
            (20, 17, 0.189185),
            (44, 29, 0.183616),
            (50, 5, 0.005201),
            (71, 12, 0.838750),
            (93, 30, 0.000000),
            (2, 40, 0.372917),
            (25, 50, 0.518996),
            (47, 62, 0.442422),
            (60, 45, 0.000000),
            (80, 48, 0.793279),
            (95, 63, 0.000000),
        ],
    );
}

#[test]
fn errors_of_equal_and_of_most_different_images() {
    let a = picture(reference_bytes);
    assert_eq!(flip(&a, &a, DEFAULT_PIXELS_PER_DEGREE).unwrap().mean(), 0.0);
    let whole = |v| Picture::new(32, 32, vec![v; 1024]).unwrap();
    let worst = flip(&whole(Vec3::Y), &whole(Vec3::Z), DEFAULT_PIXELS_PER_DEGREE).unwrap();
    assert!((worst.mean() - 1.0).abs() < 1e-3, "{}", worst.mean());
}

#[test]
fn images_of_one_pixel() {
    let dot = |v| Picture::new(1, 1, vec![Vec3::splat(v)]).unwrap();
    for ppd in [f32::NAN, 0.0, 1.0, 67.0] {
        let error = flip(&dot(0.0), &dot(1.0), ppd).unwrap().mean();
        assert!((0.9..=1.0).contains(&error), "{ppd}: {error}");
    }
    assert!(flip(&dot(0.0), &picture(reference_bytes), 67.0).is_err());
}
