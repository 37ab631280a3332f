//! Two-dimensional noise functions, for hills, soil and wood.

use sunfleck_math::Vec2;

use crate::random::mix;

/// Value noise in (-1, 1): random values at integer coordinates, with smoothstep interpolation in between.
pub(crate) fn noise(seed: u32, p: Vec2) -> f32 {
    let cell = p.floor();
    let t = p - cell;
    let t = t * t * (3.0 - 2.0 * t);
    let corner = |dx: f32, dy: f32| lattice(seed, cell.x + dx, cell.y + dy);
    let row = |dy: f32| corner(0.0, dy) + (corner(1.0, dy) - corner(0.0, dy)) * t.x;
    row(0.0) + (row(1.0) - row(0.0)) * t.y
}

/// Sum of octaves of [`noise`], in (-2, 2); each has twice the frequency and half the amplitude of the previous one.
pub(crate) fn turbulence(seed: u32, p: Vec2, octaves: u32) -> f32 {
    let (mut sum, mut strength, mut p) = (0.0, 1.0, p);
    for octave in 0..octaves {
        sum += strength * noise(seed.wrapping_add(octave), p);
        strength *= 0.5;
        // The offset avoids that the lattice points of all octaves coincide at the origin.
        p = p * 2.0 + 17.3;
    }
    sum
}

/// Random value of an integer coordinate, in [-1, 1).
fn lattice(seed: u32, x: f32, y: f32) -> f32 {
    #[allow(clippy::cast_possible_truncation, reason = "an integer; saturates a million periods away")]
    let coordinate = |v: f32| u64::from((v as i32).cast_unsigned());
    let bits = mix(mix(coordinate(x) << 32 | coordinate(y)) ^ u64::from(seed));
    (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec2;

    #[test]
    fn smooth_and_varied() {
        let mut extremes = (0.0f32, 0.0f32);
        for i in 0..4000 {
            let p = vec2(i as f32 * 0.013 - 20.0, i as f32 * 0.007 - 9.0);
            let (here, near) = (noise(5, p), noise(5, p + 1e-3));
            // The slope of the smoothstep is at most 1.5; it interpolates values at most 2 apart, along two axes.
            assert!((here - near).abs() < 6.1e-3, "a jump at {p}");
            extremes = (extremes.0.min(here), extremes.1.max(here));
        }
        assert!(
            extremes.0 < -0.7 && extremes.1 > 0.7 && extremes.0 > -1.0 && extremes.1 < 1.0,
            "{extremes:?}"
        );
    }
}
