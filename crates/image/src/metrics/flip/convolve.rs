//! Separable convolution.

/// Convolves with `kernel_x` along rows, then with `kernel_y` along columns. Kernels have odd lengths; outside, the
/// plane has the values of its border.
pub(super) fn separable(plane: &[f32], width: usize, kernel_x: &[f32], kernel_y: &[f32]) -> Vec<f32> {
    let along_rows: Vec<f32> = plane.chunks_exact(width).flat_map(|row| along_row(row, kernel_x)).collect();
    along_columns(&along_rows, width, kernel_y)
}

fn along_row(row: &[f32], kernel: &[f32]) -> Vec<f32> {
    let radius = kernel.len() / 2;
    let mut padded = vec![row[0]; radius];
    padded.extend(row);
    padded.extend(std::iter::repeat_n(row[row.len() - 1], radius));
    let mut sums = vec![0.0; row.len()];
    for (tap, &weight) in kernel.iter().enumerate() {
        add_scaled(&mut sums, &padded[tap..tap + row.len()], weight);
    }
    sums
}

fn along_columns(plane: &[f32], width: usize, kernel: &[f32]) -> Vec<f32> {
    let rows: Vec<&[f32]> = plane.chunks_exact(width).collect();
    let radius = kernel.len() / 2;
    let mut sums = vec![0.0; plane.len()];
    for (y, sums) in sums.chunks_exact_mut(width).enumerate() {
        for (tap, &weight) in kernel.iter().enumerate() {
            // Row y + tap - radius, clamped to the plane
            let source = (y + tap).saturating_sub(radius).min(rows.len() - 1);
            add_scaled(sums, rows[source], weight);
        }
    }
    sums
}

fn add_scaled(sums: &mut [f32], values: &[f32], weight: f32) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_definition() {
        let (width, height) = (5, 4);
        let plane: Vec<f32> = (0u16..20).map(|i| f32::from(i * i % 17)).collect();
        let (kernel_x, kernel_y) = ([0.5, -1.0, 2.0, 0.25, 0.0], [1.0, 3.0, -0.5]);
        let found = separable(&plane, width, &kernel_x, &kernel_y);
        for y in 0..height {
            for x in 0..width {
                let mut want = 0.0;
                for (j, ky) in kernel_y.iter().enumerate() {
                    for (i, kx) in kernel_x.iter().enumerate() {
                        let sx = (x + i).saturating_sub(2).min(width - 1);
                        let sy = (y + j).saturating_sub(1).min(height - 1);
                        want += kx * ky * plane[sy * width + sx];
                    }
                }
                assert!((found[y * width + x] - want).abs() < 1e-3, "({x}, {y})");
            }
        }
    }
}
