//! Every elementary function gives the same bits at every SIMD level and on every machine.
#![allow(
    clippy::cast_possible_truncation,
    reason = "arguments are made from bits and rounded to f32 intentionally"
)]

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_math::{acos, asin, atan, atan2, cos, exp, exp2, log, log2, pow, sin, tan, tanh};

/// Returns the SIMD levels that this machine supports, slowest first.
fn levels() -> Vec<Level> {
    #[allow(unused_mut, reason = "other architectures add no levels")]
    let mut levels = vec![Level::fallback(), Level::baseline()];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let best = Level::new();
        levels.extend(best.as_sse2().map(Level::Sse2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_avx512().map(Level::Avx512));
    }
    levels
}

/// Applies a function to pairs of numbers in a loop that is compiled for the SIMD level of `simd`.
#[inline(always)]
fn map<S: Simd>(simd: S, x: &[f32], y: &[f32], out: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    simd.vectorize(
        #[inline(always)]
        || {
            for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
                *out = f(x, y);
            }
        },
    );
}

/// Returns every `step`-th float by bit pattern, including zeros, subnormals, infinities and NaNs.
fn arguments(step: u32) -> Vec<f32> {
    (0..(1u64 << 32).div_ceil(u64::from(step)))
        .map(|i| f32::from_bits((i as u32).wrapping_mul(step)))
        .collect()
}

macro_rules! same_bits {
    ($($name:ident: $function:expr;)*) => {$(
        #[test]
        fn $name() {
            // The second arguments of binary functions are permuted.
            let x = arguments(16_001);
            let y: Vec<f32> = x.iter().map(|x| f32::from_bits(x.to_bits().wrapping_mul(0x9e37_79b1))).collect();
            let plain: Vec<f32> = x.iter().zip(&y).map(|(&x, &y)| std::hint::black_box($function)(x, y)).collect();
            for level in levels() {
                let mut out = vec![0.0; x.len()];
                dispatch!(level, simd => map(simd, &x, &y, &mut out, #[inline(always)] |x, y| $function(x, y)));
                for i in 0..x.len() {
                    let same = out[i].to_bits() == plain[i].to_bits() || (out[i].is_nan() && plain[i].is_nan());
                    assert!(same, "{level:?}, arguments {:e} and {:e}: {:e}, not {:e}", x[i], y[i], out[i], plain[i]);
                }
            }
        }
    )*};
}

same_bits! {
    bits_of_sin: |x, _| sin(x);
    bits_of_cos: |x, _| cos(x);
    bits_of_tan: |x, _| tan(x);
    bits_of_asin: |x, _| asin(x);
    bits_of_acos: |x, _| acos(x);
    bits_of_atan: |x, _| atan(x);
    bits_of_atan2: |x, y| atan2(y, x);
    bits_of_exp: |x, _| exp(x);
    bits_of_exp2: |x, _| exp2(x);
    bits_of_log: |x, _| log(x);
    bits_of_log2: |x, _| log2(x);
    bits_of_pow: pow;
    // Exponents of moderate size, for which the power neither under- nor overflows
    bits_of_moderate_pow: |x: f32, y: f32| pow(x, f32::from_bits(y.to_bits() & 0x83ff_ffff | 0x3c00_0000));
    bits_of_tanh: |x, _| tanh(x);
}

/// Returns the FNV-1a hash of the bits; all NaNs are treated as equal.
fn hash(values: impl Iterator<Item = f32>) -> u64 {
    let bytes = values.flat_map(|y| if y.is_nan() { [0xff; 4] } else { y.to_bits().to_le_bytes() });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Compares hashes of results with those computed by scalar code on x86-64.
#[test]
fn bits_equal_those_of_other_machines() {
    type Function = fn(f32) -> f32;
    let x = arguments(160_001);
    let unary: [(&str, Function, u64); 11] = [
        ("sin", sin, 0xaec4_c70e_795b_73ad),
        ("cos", cos, 0x2d4d_ec20_30ef_7f63),
        ("tan", tan, 0x3ced_a10b_1db9_ab89),
        ("asin", asin, 0x49b5_d028_3ca1_c858),
        ("acos", acos, 0xa602_3154_beed_2b18),
        ("atan", atan, 0xc67c_4710_b23b_bc8f),
        ("exp", exp, 0x61aa_044f_c44f_71a6),
        ("exp2", exp2, 0x3da5_c8e6_2a5d_8569),
        ("log", log, 0x564f_a48d_dcd5_9a9b),
        ("log2", log2, 0x2f62_afa7_f634_edad),
        ("tanh", tanh, 0x4cce_9c11_e34f_ba4b),
    ];
    let found = unary.map(|(name, function, _)| (name, hash(x.iter().map(|&x| function(x)))));
    let expected = unary.map(|(name, _, hash)| (name, hash));
    assert_eq!(found, expected, "{found:#018x?}");

    let with_second = |function: fn(f32, f32) -> f32| {
        hash(x.iter().map(|&x| function(x, f32::from_bits(x.to_bits().wrapping_mul(0x9e37_79b1)))))
    };
    let found = [atan2, pow].map(with_second);
    assert_eq!(found, [0x691c_caef_1e32_b0c3, 0xeca4_09a9_7429_245b], "{found:#018x?}");
}
