//! Averages of iterates.

use rayon::prelude::*;
use sunfleck_math::Vec3;

/// Mean of functions of elements, and the means of every other one, whose difference is that of independent estimates.
#[derive(Clone, Debug)]
pub(super) struct Mean {
    pub(super) count: u32,
    pub(super) mean: Vec<Vec3>,
    /// Mean of those that were added with an odd count.
    odd: Vec<Vec3>,
}

impl Mean {
    pub(super) fn zero(len: usize) -> Self {
        Self { count: 0, mean: vec![Vec3::ZERO; len], odd: vec![Vec3::ZERO; len] }
    }

    pub(super) fn add(&mut self, values: &[Vec3]) {
        self.count += 1;
        add(&mut self.mean, values, self.count);
        if self.count % 2 == 1 {
            add(&mut self.odd, values, self.count.div_ceil(2));
        }
    }

    /// Returns an estimate of the error of the mean for each element: half of the difference of the means of odd and of
    /// even values, which is as large as the error if values are independent.
    pub(super) fn differences(&self) -> Vec<Vec3> {
        let odd = f64::from(self.count.div_ceil(2)) / f64::from(self.count);
        #[allow(clippy::cast_possible_truncation, reason = "a ratio of small numbers")]
        let odd = odd as f32;
        // even = (mean - w odd) / (1 - w), so (odd - even) / 2 = (odd - mean) / (2 (1 - w))
        let scale = 0.5 / (1.0 - odd);
        self.odd.par_iter().zip(&self.mean).map(|(odd, mean)| (*odd - *mean) * scale).collect()
    }
}

fn add(mean: &mut [Vec3], values: &[Vec3], count: u32) {
    let share = 1.0 / count as f32;
    mean.par_iter_mut().zip(values).for_each(|(mean, value)| *mean += (*value - *mean) * share);
}
