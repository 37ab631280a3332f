//! Bandwidth with which all threads read memory, to compare with that of multiplying a matrix.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};
use rayon::prelude::*;

use crate::clock::{ClockScope, Stopwatch};

/// Size of the array, floats: more than caches hold.
const FLOATS: usize = 1 << 27;
/// Floats that a thread takes at once.
const BLOCK: usize = 1 << 16;

/// Returns the rate at which an array is read, bytes per second of wall time, the best of several rounds.
pub(super) fn measure(level: Level, rounds: usize) -> f64 {
    let array = vec![1.0f32; FLOATS];
    let read = |_: usize| {
        let watch = Stopwatch::start(ClockScope::Process);
        let sum: f32 = array.par_chunks(BLOCK).map(|block| dispatch!(level, simd => sum(simd, block))).sum();
        let seconds = watch.stop().wall_secs;
        // The sum is used, so that it is computed
        if sum > 0.0 { size_of_val(array.as_slice()) as f64 / seconds } else { 0.0 }
    };
    (0..rounds.max(1)).map(read).fold(0.0, f64::max)
}

#[inline(always)]
fn sum<S: Simd>(simd: S, block: &[f32]) -> f32 {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut sums = [f32x16::splat(simd, 0.0); 4];
            for chunk in block.chunks_exact(64) {
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum += f32x16::from_slice(simd, &chunk[16 * k..16 * k + 16]);
                }
            }
            let lanes: [f32; 16] = (sums[0] + sums[1] + (sums[2] + sums[3])).into();
            lanes.into_iter().sum()
        },
    )
}
