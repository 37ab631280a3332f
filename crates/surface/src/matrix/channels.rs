use sunfleck_math::Vec3;

/// RGB value of every patch as structure of arrays: one matrix of form factors is applied to three channels at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channels([Vec<f32>; 3]);

impl Channels {
    /// Returns black for `len` patches.
    pub fn black(len: usize) -> Self {
        Self([vec![0.0; len], vec![0.0; len], vec![0.0; len]])
    }

    /// Returns the number of patches.
    pub fn len(&self) -> usize {
        self.0[0].len()
    }

    /// Returns whether there are no patches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a patch. Panics if it is out of range.
    #[inline]
    pub fn get(&self, patch: usize) -> Vec3 {
        Vec3::new(self.0[0][patch], self.0[1][patch], self.0[2][patch])
    }

    /// Sets the value of a patch. Panics if it is out of range.
    #[inline]
    pub fn set(&mut self, patch: usize, value: Vec3) {
        for (channel, value) in self.0.iter_mut().zip(value.to_array()) {
            channel[patch] = value;
        }
    }

    /// Returns red, green and blue of all patches.
    #[inline]
    pub fn planes(&self) -> [&[f32]; 3] {
        self.0.each_ref().map(Vec::as_slice)
    }

    /// Returns red, green and blue of all patches, to change them.
    #[inline]
    pub fn planes_mut(&mut self) -> [&mut [f32]; 3] {
        self.0.each_mut().map(Vec::as_mut_slice)
    }

    /// Returns the values in the order of the patches.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec3> {
        (0..self.len()).map(|patch| self.get(patch))
    }

    /// Returns the largest absolute value of any channel; NaN if there is one.
    pub fn largest(&self) -> f32 {
        let larger = |value: f32, largest: f32| value.is_nan() || value.abs() > largest;
        let values = self.0.iter().flatten();
        values.fold(0.0, |largest, &value| if larger(value, largest) { value.abs() } else { largest })
    }
}

impl FromIterator<Vec3> for Channels {
    fn from_iter<I: IntoIterator<Item = Vec3>>(values: I) -> Self {
        let mut channels = Self::default();
        for value in values {
            for (channel, value) in channels.0.iter_mut().zip(value.to_array()) {
                channel.push(value);
            }
        }
        channels
    }
}

/// Rounds a result in f64 to the type that is stored.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "sums in f64 are stored in f32")]
pub(super) fn rounded(value: f64) -> f32 {
    value as f32
}
