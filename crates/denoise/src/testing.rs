//! What tests share.

use fearless_simd::Level;
use sunfleck_math::Vec3;
use sunfleck_testkit::Random;

/// Returns the SIMD levels that this machine supports, slowest first.
pub(crate) fn levels() -> Vec<Level> {
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

/// Returns an endless sequence of numbers in [0, 1).
pub(crate) fn randoms(seed: u64) -> impl Iterator<Item = f32> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || random.next_f32())
}

/// Returns the bits of all components.
pub(crate) fn bits(values: &[Vec3]) -> Vec<[u32; 3]> {
    values.iter().map(|v| v.to_array().map(f32::to_bits)).collect()
}

/// Returns the mean of the squared distances.
pub(crate) fn mean_squared_error(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f32>() / a.len() as f32
}

/// Two textured walls that meet in the middle, in light that falls off to the right, with what a renderer knows.
pub(crate) struct Corner {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) truth: Vec<Vec3>,
    pub(crate) albedo: Vec<Vec3>,
    pub(crate) normal: Vec<Vec3>,
    pub(crate) depth: Vec<f32>,
}

impl Corner {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let (mut truth, mut albedo, mut normal, mut depth) = (vec![], vec![], vec![], vec![]);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let right = x >= width / 2;
            let texture = if (x / 4 + y / 4) % 2 == 0 { Vec3::new(0.8, 0.5, 0.2) } else { Vec3::splat(0.3) };
            let irradiance = if right { 0.5 } else { 2.0 } * (1.0 - 0.5 * x as f32 / width as f32);
            truth.push(texture * irradiance);
            albedo.push(texture);
            normal.push(if right { Vec3::X } else { Vec3::Z });
            depth.push(10.0 - 0.01 * x.min(width - x) as f32);
        }
        Self { width, height, truth, albedo, normal, depth }
    }

    /// Returns the truth multiplied with random numbers of mean 1, uniform between 1 ± `amplitude`.
    pub(crate) fn noisy(&self, amplitude: f32, seed: u64) -> Vec<Vec3> {
        self.truth.iter().zip(randoms(seed)).map(|(t, u)| *t * (1.0 + amplitude * (2.0 * u - 1.0))).collect()
    }
}
