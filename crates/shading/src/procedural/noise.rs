//! Gradient noise: a smooth pseudorandom function of space that is 0 at integer coordinates, with features of about one
//! unit.

use sunfleck_math::{Vec3, vec3};
use sunfleck_sampling::rng::pcg4d;

/// A value of the noise with its gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// Value, within ±1.04.
    pub(super) value: f32,
    pub(super) gradient: Vec3,
}

/// Gradients: vectors to the midpoints of a cube's edges, four of them twice, to make 16 [Perlin02, gradients].
const GRADIENTS: [Vec3; 16] = [
    vec3(1.0, 1.0, 0.0),
    vec3(-1.0, 1.0, 0.0),
    vec3(1.0, -1.0, 0.0),
    vec3(-1.0, -1.0, 0.0),
    vec3(1.0, 0.0, 1.0),
    vec3(-1.0, 0.0, 1.0),
    vec3(1.0, 0.0, -1.0),
    vec3(-1.0, 0.0, -1.0),
    vec3(0.0, 1.0, 1.0),
    vec3(0.0, -1.0, 1.0),
    vec3(0.0, 1.0, -1.0),
    vec3(0.0, -1.0, -1.0),
    vec3(1.0, 1.0, 0.0),
    vec3(-1.0, 1.0, 0.0),
    vec3(0.0, -1.0, 1.0),
    vec3(0.0, -1.0, -1.0),
];

/// Returns the value without the gradient, in half the time.
#[inline(never)]
pub(super) fn value(p: Vec3) -> f32 {
    evaluate(p).value
}

/// Returns the value with its gradient.
#[inline(never)]
pub(super) fn noise(p: Vec3) -> Noise {
    evaluate(p)
}

/// Evaluates improved noise [Perlin02]. In contrast to the paper, lattice points are hashed by `pcg4d` instead of a
/// permutation table of 256 entries, so that the noise does not repeat every 256 units.
#[inline(always)]
fn evaluate(p: Vec3) -> Noise {
    let cell = p.floor();
    let within = p - cell;
    #[allow(clippy::cast_possible_truncation, reason = "an integer; it saturates beyond the range of i32")]
    let cell = cell.to_array().map(|c| (c as i32).cast_unsigned());
    // Weights of the far corners along each axis: 6t⁵ - 15t⁴ + 10t³ [Perlin02, interpolant], and their derivatives
    let t = within;
    let far = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let slope = t * t * (t * (t - 2.0) + 1.0) * 30.0;

    let mut sum = Noise { value: 0.0, gradient: Vec3::ZERO };
    for corner in 0..8u32 {
        let step = [corner & 1, corner >> 1 & 1, corner >> 2];
        let to = vec3(step[0] as f32, step[1] as f32, step[2] as f32);
        let counter = |axis: usize| cell[axis].wrapping_add(step[axis]);
        let [hash, ..] = pcg4d([counter(0), counter(1), counter(2), 0]);
        let gradient = GRADIENTS[(hash >> 28) as usize];
        let ramp = gradient.dot(within - to);
        let w = to * far + (Vec3::ONE - to) * (Vec3::ONE - far);
        let dw = (to * 2.0 - Vec3::ONE) * slope;
        let weight = w.x * w.y * w.z;
        sum.value += weight * ramp;
        sum.gradient += gradient * weight + vec3(dw.x * w.y * w.z, w.x * dw.y * w.z, w.x * w.y * dw.z) * ramp;
    }
    sum
}

/// Returns the sum of absolute octaves of noise, each of twice the frequency and half the amplitude of the previous one
/// [Perlin85, turbulence]; in [0, 2.08).
pub(super) fn turbulence(p: Vec3, octaves: u32) -> f32 {
    fold_octaves(p, octaves, f32::abs)
}

/// Returns the sum of octaves of noise, each of twice the frequency and half the amplitude of the previous one; in
/// (-2.08, 2.08).
pub(super) fn octaves(p: Vec3, octaves: u32) -> f32 {
    fold_octaves(p, octaves, |value| value)
}

/// Returns the sum of octaves, with `map` applied to the noise value of each.
fn fold_octaves(mut p: Vec3, octaves: u32, map: impl Fn(f32) -> f32) -> f32 {
    let (mut sum, mut amplitude) = (0.0, 1.0);
    for _ in 0..octaves {
        sum += amplitude * map(value(p));
        amplitude *= 0.5;
        // The shift keeps the lattices apart: otherwise all octaves would be 0 at the integer coordinates of the first
        p = p * 2.0 + vec3(0.37, 0.71, 0.53);
    }
    sum
}

#[cfg(test)]
mod tests {
    use sunfleck_sampling::rng::uniform;

    use super::*;

    /// Returns a pseudorandom position within 20 units of the origin.
    fn position(i: u32) -> Vec3 {
        let coordinate = |axis| uniform([i, axis, 0, 5]) * 40.0 - 20.0;
        vec3(coordinate(0), coordinate(1), coordinate(2))
    }

    #[test]
    fn zero_at_integer_coordinates() {
        for p in (0..500).map(|i| position(i).round()) {
            assert_eq!(noise(p).value, 0.0, "{p}");
            assert!(GRADIENTS.contains(&noise(p).gradient), "{p}: the gradient of the lattice point");
        }
    }

    /// The value is largest if the gradient of each corner is the one that is nearest to the direction to the point.
    #[test]
    fn the_range_is_as_documented() {
        let mut most = 0.0f32;
        for i in 0..32 * 32 * 32u32 {
            let t = vec3((i & 31) as f32, (i >> 5 & 31) as f32, (i >> 10) as f32) / 31.0;
            let far = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
            let steepest = |corner: u32| {
                let to = vec3((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32);
                let w = to * far + (Vec3::ONE - to) * (Vec3::ONE - far);
                let ramp = GRADIENTS.iter().fold(0.0f32, |most, g| most.max(g.dot(t - to)));
                w.x * w.y * w.z * ramp
            };
            most = most.max((0..8).map(steepest).sum());
        }
        assert!((1.0..1.04).contains(&most), "{most}");
    }

    #[test]
    fn varied_around_zero() {
        let values: Vec<f64> = (0..40_000).map(|i| noise(position(i)).value.into()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((0.04..0.12).contains(&variance), "variance {variance}");
        assert!(values.iter().all(|v| v.abs() < 1.04));
    }

    #[test]
    fn the_gradient_is_the_slope() {
        for i in 0..2000 {
            let p = position(i);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let h = 1.0 / 256.0;
                let difference = (noise(p + axis * h).value - noise(p - axis * h).value) / (2.0 * h);
                let error = noise(p).gradient.dot(axis) - difference;
                assert!(error.abs() < 2e-3, "{p} along {axis}: {error}");
            }
        }
    }

    #[test]
    fn continuous_across_the_lattice() {
        for i in 0..500 {
            let p = position(i);
            let face = vec3(p.x.round(), p.y, p.z);
            let across = noise(face + Vec3::X * 1e-5).value - noise(face - Vec3::X * 1e-5).value;
            assert!(across.abs() < 1e-4, "{face}: {across}");
        }
    }

    #[test]
    fn far_away_is_finite() {
        for scale in [1e6, 1e9, 1e30] {
            let p = vec3(0.3, -0.2, 0.9) * scale;
            assert!(noise(p).value.is_finite() && noise(-p).gradient.is_finite(), "{p}");
        }
    }

    /// Every CPU computes the same bits.
    #[test]
    fn the_same_bits_everywhere() {
        let hash = (0..1000).fold(0u32, |hash, i| {
            let Noise { value, gradient } = noise(position(i));
            let words = [value, gradient.x, gradient.y, gradient.z].map(f32::to_bits);
            words.iter().fold(hash, |hash, &word| pcg4d([hash, word, word >> 16, 0])[0])
        });
        assert_eq!(hash, 0x0888_d76e, "{hash:#010x}");
    }
}
