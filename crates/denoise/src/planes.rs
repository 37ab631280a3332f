//! Images of several floats per pixel, as planes.

use fearless_simd::prelude::*;
use rayon::prelude::*;

/// Pixels to the left and the right of each row, so that the widest filter reads inside the row.
pub(crate) const BORDER: usize = 32;
/// Rows are padded to a multiple of this number of pixels, the width of the widest vectors.
const LANES: usize = 16;

/// `N` images of one float per pixel. The rows of all of them with the same y are adjacent, each between borders.
pub(crate) struct Planes<const N: usize> {
    width: usize,
    height: usize,
    /// Distance of the rows of two planes with the same y.
    stride: usize,
    data: Vec<f32>,
}

impl<const N: usize> Planes<N> {
    /// Makes planes whose values, borders included, are 0.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let stride = width.next_multiple_of(LANES) + 2 * BORDER;
        Self { width, height, stride, data: vec![0.0; stride * N * height] }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Returns row `y` of each plane; pixel x is at `BORDER + x`.
    #[inline(always)]
    pub(crate) fn row(&self, y: usize) -> [&[f32]; N] {
        let rows = &self.data[y * N * self.stride..(y + 1) * N * self.stride];
        std::array::from_fn(|plane| &rows[plane * self.stride..(plane + 1) * self.stride])
    }

    /// Calls `write` with each y and the row of each plane to write, in parallel.
    pub(crate) fn for_each_row(&mut self, write: impl Fn(usize, [&mut [f32]; N]) + Sync) {
        self.for_each_row_with(|| (), |(), y, rows| write(y, rows));
    }

    /// Calls `write` as [`Self::for_each_row`] does, with memory that many calls use one after the other.
    pub(crate) fn for_each_row_with<T>(
        &mut self,
        scratch: impl Fn() -> T + Sync + Send,
        write: impl Fn(&mut T, usize, [&mut [f32]; N]) + Sync,
    ) {
        let stride = self.stride;
        self.data.par_chunks_exact_mut(stride * N).enumerate().for_each_init(
            scratch,
            |scratch, (y, rows)| {
                let mut rows = rows.chunks_exact_mut(stride);
                write(scratch, y, std::array::from_fn(|_| rows.next().unwrap_or_default()));
            },
        );
    }
}

/// Sets the values of a row outside the image to `value`.
#[inline(always)]
pub(crate) fn fill_border(row: &mut [f32], width: usize, value: f32) {
    row[..BORDER].fill(value);
    row[BORDER + width..].fill(value);
}

/// Sets the values of a row outside the image to those of the nearest pixels.
#[inline(always)]
pub(crate) fn replicate_border(row: &mut [f32], width: usize) {
    let (first, last) = (row[BORDER], row[BORDER + width - 1]);
    row[..BORDER].fill(first);
    row[BORDER + width..].fill(last);
}

/// Returns the pixel that stands at `i` when a row of `count` pixels is continued by reflection about its last pixel,
/// and about its first one again. Repeated pixels would be noise of a kind that training does not show.
#[inline(always)]
pub(crate) fn reflected(i: usize, count: usize) -> usize {
    if i < count {
        return i;
    }
    let period = (2 * (count - 1)).max(1);
    let i = i % period;
    i.min(period - i)
}

/// Returns the vector that begins at `x` of a row.
#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, row: &[f32], x: usize) -> S::f32s {
    S::f32s::from_slice(simd, &row[x..x + S::f32s::LEN])
}

/// Writes a vector to a row, from `x` on.
#[inline(always)]
pub(crate) fn store<S: Simd>(row: &mut [f32], x: usize, value: S::f32s) {
    value.store_slice(&mut row[x..x + S::f32s::LEN]);
}
