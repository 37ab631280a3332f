//! Sums over windows of pixels.

use crate::planes::{BORDER, Planes};

/// Distance of the farthest pixel of a window.
const RADIUS: usize = 4;

/// Returns the sums over windows of 9×9 pixels, as far as they are inside the image.
pub(super) fn sums<const N: usize>(values: &Planes<N>) -> Planes<N> {
    let (width, height) = (values.width(), values.height());
    let mut out = Planes::new(width, height);
    out.for_each_row_with(
        || vec![0.0; width + 2 * BORDER],
        |columns, y, rows| {
            for (plane, out) in rows.into_iter().enumerate() {
                // The borders of the planes are 0
                columns.fill(0.0);
                for y in y.saturating_sub(RADIUS)..height.min(y + RADIUS + 1) {
                    for (column, &value) in columns.iter_mut().zip(values.row(y)[plane]) {
                        *column += value;
                    }
                }
                for (out, window) in out[BORDER..BORDER + width]
                    .iter_mut()
                    .zip(columns[BORDER - RADIUS..].windows(2 * RADIUS + 1))
                {
                    *out = window.iter().sum();
                }
            }
        },
    );
    out
}
