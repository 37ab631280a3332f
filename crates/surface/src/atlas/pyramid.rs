//! MIP pyramids: sums over squares of 2ˡ × 2ˡ texels.

use std::ops::Add;

use rayon::prelude::*;

/// Sums over the squares of texels of each level, in a fixed order; level 0 has the texels themselves, the last one
/// the sum of all. Each square is a cluster of the atlas, or a part of a triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid<T> {
    levels: Vec<Vec<T>>,
}

impl<T: Copy + Add<Output = T> + Send + Sync> Pyramid<T> {
    /// Makes the pyramid of a square map, row by row, whose side is a power of two. Returns `None` for other maps.
    pub fn new(texels: Vec<T>) -> Option<Self> {
        let mut side = texels.len().isqrt();
        if side * side != texels.len() || !side.is_power_of_two() {
            return None;
        }
        let mut levels = vec![texels];
        while side > 1 {
            let below = &levels[levels.len() - 1];
            let half = side / 2;
            let sum = |i: usize| {
                let first = (i / half) * 2 * side + (i % half) * 2;
                (below[first] + below[first + 1]) + (below[first + side] + below[first + side + 1])
            };
            let level = (0..half * half).into_par_iter().map(sum).collect();
            levels.push(level);
            side = half;
        }
        Some(Self { levels })
    }

    /// Returns the levels, the texels first; each is a square map, row by row.
    pub fn levels(&self) -> &[Vec<T>] {
        &self.levels
    }

    /// Returns the sum of all texels.
    pub fn sum(&self) -> T {
        self.levels[self.levels.len() - 1][0]
    }
}

impl Pyramid<f32> {
    /// Selects a texel with a probability proportional to its value, in log₂ steps [Stochastic04, §3.1]. Returns its
    /// index, and the position of `u` in the interval of the texel, in [0, 1]; `None` if the sum is not positive.
    ///
    /// The values must not be negative. * `u` — in [0, 1).
    #[inline]
    pub fn select(&self, u: f32) -> Option<(u32, f32)> {
        let total = self.sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        // Squares are halved, so that each decision needs one comparison and divides `u` once
        let (mut u, mut x, mut y, mut side) = (u, 0, 0, 1);
        for level in self.levels.iter().rev().skip(1) {
            (x, y, side) = (2 * x, 2 * y, 2 * side);
            let at = |x: usize, y: usize| level[y * side + x];
            let rows = [at(x, y) + at(x + 1, y), at(x, y + 1) + at(x + 1, y + 1)];
            y += choose(&mut u, rows);
            x += choose(&mut u, [at(x, y), at(x + 1, y)]);
        }
        Some((u32::try_from(y * side + x).unwrap_or(u32::MAX), u))
    }
}

/// Chooses one of two by their weights, not both zero, and stretches the chosen part of the interval.
#[inline]
fn choose(u: &mut f32, [first, second]: [f32; 2]) -> usize {
    let split = first / (first + second);
    if *u < split || second <= 0.0 {
        *u = (*u / split).min(1.0);
        0
    } else {
        *u = ((*u - split) / (1.0 - split)).min(sunfleck_math::float::ONE_MINUS_EPSILON);
        1
    }
}
