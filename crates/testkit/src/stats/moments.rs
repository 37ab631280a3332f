use crate::normal_two_sided;

/// Mean and variance of numbers that are added one at a time, without cancellation [Welford62, recurrence].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        let before = x - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (x - self.mean);
    }

    /// Adds the numbers of another accumulator [Chan83, pairwise algorithm].
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let apart = other.mean - self.mean;
        self.count += other.count;
        self.mean += apart * m / (n + m);
        self.squares += other.squares + apart * apart * n * m / (n + m);
    }

    /// Returns how many numbers were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; 0 if no numbers were added.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns an unbiased estimate of the variance of the distribution of the numbers; 0 for fewer than two.
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }

    /// Returns an estimate of the variance of the mean.
    pub fn variance_of_mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.variance() / self.count as f64 }
    }

    /// Returns by how many standard errors the mean is above `expected`. Zero if they are equal; infinite if they
    /// differ and the variance is zero.
    pub fn z_score(&self, expected: f64) -> f64 {
        let error = self.mean - expected;
        if error == 0.0 { 0.0 } else { error / self.variance_of_mean().sqrt() }
    }

    /// Asserts by a z-test that the mean is an estimate of `expected`: the mean of an unbiased estimator would be as
    /// far off with a probability of more than `significance`.
    ///
    /// The mean of many independent numbers is assumed to be normally distributed.
    ///
    /// # Panics
    /// If the test rejects the mean.
    #[track_caller]
    pub fn assert_estimates(&self, expected: f64, significance: f64, name: &str) {
        let z = self.z_score(expected);
        let p_value = normal_two_sided(z);
        assert!(
            p_value > significance,
            "{name}: mean {} of {} is not {expected}: z = {z:.2}, p = {p_value:.2e}",
            self.mean,
            self.count
        );
    }
}

impl Extend<f64> for Moments {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|x| self.add(x));
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut moments = Self::default();
        moments.extend(numbers);
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn small_set_by_hand() {
        let moments: Moments = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect();
        assert_eq!(moments.count(), 8, "count");
        assert!((moments.mean() - 5.0).abs() < 1e-15, "mean");
        assert!((moments.variance() - 32.0 / 7.0).abs() < 1e-14, "variance");
        assert!((moments.z_score(4.0) - 1.0 / (4.0_f64 / 7.0).sqrt()).abs() < 1e-14, "z");
    }

    #[test]
    fn large_offset_does_not_cancel() {
        let moments: Moments = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0].into_iter().collect();
        assert!((moments.variance() - 30.0).abs() < 1e-9, "{}", moments.variance());
    }

    #[test]
    fn merging_equals_adding() {
        let mut random = Random::new(3);
        let numbers: Vec<f64> = (0..1000).map(|_| random.next_f64()).collect();
        let whole: Moments = numbers.iter().copied().collect();
        for cut in [0, 1, 300, 1000] {
            let mut left: Moments = numbers[..cut].iter().copied().collect();
            left.merge(&numbers[cut..].iter().copied().collect());
            assert_eq!(left.count(), whole.count(), "{cut}");
            assert!((left.mean() - whole.mean()).abs() < 1e-14, "{cut}");
            assert!((left.variance() - whole.variance()).abs() < 1e-14, "{cut}");
        }
    }

    #[test]
    fn few_numbers() {
        assert_eq!(Moments::default().z_score(0.0), 0.0, "an empty set estimates 0");
        let one: Moments = [3.0].into_iter().collect();
        assert_eq!((one.variance(), one.z_score(3.0)), (0.0, 0.0), "one number");
        assert_eq!(one.z_score(2.0), f64::INFINITY, "certain and wrong");
    }

    #[test]
    fn z_test_accepts_the_mean_and_rejects_another() {
        let mut random = Random::new(4);
        let moments: Moments = (0..100_000).map(|_| random.next_f64()).collect();
        moments.assert_estimates(0.5, 0.01, "mean of uniforms");
        assert!(normal_two_sided(moments.z_score(0.505)) < 1e-4, "1 % off");
    }

    #[test]
    #[should_panic(expected = "biased: mean")]
    fn z_test_panics() {
        let moments: Moments = (0..100).map(|i| f64::from(i % 2)).collect();
        moments.assert_estimates(0.7, 0.01, "biased");
    }
}
