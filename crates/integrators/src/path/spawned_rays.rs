//! Rays that a loop over hits spawns.

use sunfleck_kernel::{RayBuffer, RayStream};
use sunfleck_math::Vec3;
use sunfleck_shading::{BATCH_SIZE, BatchRow, set_batch_row};

/// Up to [`BATCH_SIZE`] rays, which are appended to a stream together: that costs less than growing its arrays ray by
/// ray.
#[derive(Debug)]
pub(super) struct SpawnedRays {
    origin: [BatchRow; 3],
    direction: [BatchRow; 3],
    /// Always 0.
    t_near: BatchRow,
    t_far: BatchRow,
    count: usize,
}

impl Default for SpawnedRays {
    fn default() -> Self {
        let (row, axes) = ([0.0; BATCH_SIZE], [[0.0; BATCH_SIZE]; 3]);
        Self { origin: axes, direction: axes, t_near: row, t_far: row, count: 0 }
    }
}

impl SpawnedRays {
    /// Adds a ray; rays beyond [`BATCH_SIZE`] are ignored.
    #[inline(always)]
    pub(super) fn push(&mut self, origin: Vec3, direction: Vec3, t_far: f32) {
        let i = self.count;
        if i < BATCH_SIZE {
            set_batch_row(&mut self.origin, i, origin);
            set_batch_row(&mut self.direction, i, direction);
            self.t_far[i] = t_far;
            self.count = i + 1;
        }
    }

    /// Moves the rays to the end of a stream.
    #[inline(always)]
    pub(super) fn append_to(&mut self, rays: &mut RayBuffer) {
        let n = self.count;
        rays.extend(&RayStream {
            origin: self.origin.each_ref().map(|row| &row[..n]),
            t_near: &self.t_near[..n],
            direction: self.direction.each_ref().map(|row| &row[..n]),
            t_far: &self.t_far[..n],
        });
        self.count = 0;
    }
}
