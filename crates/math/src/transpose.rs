//! Transposition of a 16 × 16 matrix in SIMD registers.

use fearless_simd::{Simd, SimdBase, f32x16};

/// Transposes a 16 × 16 matrix, one vector per row. Elements keep their bits.
#[inline(always)]
pub fn transpose<S: Simd>(mut rows: [f32x16<S>; 16]) -> [f32x16<S>; 16] {
    // Each perfect shuffle moves one bit of the row index to the lane index; after four, the two are exchanged.
    for _ in 0..4 {
        let old = rows;
        for i in 0..8 {
            rows[2 * i] = old[i].zip_low(old[i + 8]);
            rows[2 * i + 1] = old[i].zip_high(old[i + 8]);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn rows_become_columns() {
        let number = |row: usize, lane: usize| (100 * row + lane) as f32;
        for level in [Level::fallback(), Level::new()] {
            let columns = dispatch!(level, simd => {
                let row = |r| f32x16::load_array(simd, std::array::from_fn(|lane| number(r, lane)));
                transpose(std::array::from_fn(row)).map(|column| column.to_array())
            });
            for (lane, column) in columns.iter().enumerate() {
                assert_eq!(*column, std::array::from_fn(|row| number(row, lane)), "{level:?}, column {lane}");
            }
        }
    }
}
