//! Division of a frame into bands, if the per-ray data of the whole frame do not fit into one binding.
//!
//! A band is a few rows of blocks of pixels. It is traced, illuminated and filtered before the next one. Since the
//! filter reads neighbouring pixels, a margin above and below is traced with the band. Tracing these rows twice does
//! not change the image.

use sunfleck_constants::igi::EDGE;
use sunfleck_integrators::ViewSpec;
use sunfleck_integrators::igi::Igi;

/// A band, as ranges of rows of pixels: the first row, and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    /// Rows whose rays are traced. They begin at a row of the first set.
    pub(super) traced: [u32; 2],
    /// Rows that are added to the film.
    pub(super) output: [u32; 2],
}

/// All bands of a film, from top to bottom. Their output rows cover the film once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bands {
    pub(super) bands: Vec<Band>,
    /// Rows of blocks of each band, at least one.
    pub(super) blocks: u32,
}

impl Bands {
    /// Divides a film into as few bands as possible, all of about the same size.
    ///
    /// * `margin` — whether the filter reads pixels above and below a band.
    /// * `bytes_per_pixel` — bytes per pixel in the largest array.
    /// * `limit` — largest size of an array, bytes; a band has at least one row of blocks.
    pub(super) fn new(spec: &ViewSpec, igi: &Igi, margin: bool, bytes_per_pixel: u64, limit: u64) -> Self {
        let edge = EDGE * igi.interleave;
        let row_bytes = u64::from(spec.width.div_ceil(edge) * edge * edge) * bytes_per_pixel;
        let all = spec.height.div_ceil(edge).max(1);
        // Half of the number of rows that are traced twice. It exceeds the filter's radius, so that bands begin at a
        // row of the first set
        let margin = if margin { igi.interleave } else { 0 };
        let most = u32::try_from(limit / row_bytes.max(1)).unwrap_or(u32::MAX).clamp(1, all);
        let cut = |blocks| cut(spec.height, edge * blocks, margin);
        let bands = cut(most).len();
        let blocks = (1..most).find(|&blocks| cut(blocks).len() == bands).unwrap_or(most);
        Self { bands: cut(blocks), blocks }
    }

    /// Maximum number of rows whose rays a band traces.
    pub(super) fn traced_rows(&self) -> u32 {
        self.bands.iter().map(|band| band.traced[1] - band.traced[0]).max().unwrap_or(0)
    }

    /// Maximum number of rows that a band adds to the film.
    pub(super) fn output_rows(&self) -> u32 {
        self.bands.iter().map(|band| band.output[1] - band.output[0]).max().unwrap_or(0)
    }
}

/// Divides a film into bands of `rows` traced rows.
fn cut(height: u32, rows: u32, margin: u32) -> Vec<Band> {
    let (mut bands, mut first) = (Vec::new(), 0);
    while first < height {
        let start = first - margin.min(first);
        let end = start.saturating_add(rows);
        let last = if end >= height { height } else { end - margin };
        bands.push(Band { traced: [start, end.min(height)], output: [first, last] });
        first = last;
    }
    bands
}

#[cfg(test)]
mod tests {
    use sunfleck_integrators::{ViewSpec, World};

    use super::*;

    fn spec(width: u32, height: u32) -> ViewSpec {
        let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
        ViewSpec::new(&world.cameras()[0].clone(), width, height)
    }

    #[test]
    fn bands_output_every_row_once_and_trace_the_margin_of_the_filter() {
        for (interleave, filter) in [(1, true), (2, true), (3, false), (5, true), (8, true)] {
            let igi = Igi { interleave, filter, ..Igi::DEFAULT };
            let margin = if igi.filters(0) { interleave / 2 } else { 0 };
            for (width, height, limit) in
                [(3840, 2160, 1 << 31), (640, 481, 1 << 20), (7, 3, 1), (33, 1000, 1 << 17)]
            {
                let found = Bands::new(&spec(width, height), &igi, igi.filters(0), 576, limit);
                let mut next = 0;
                for Band { traced, output } in &found.bands {
                    assert_eq!((output[0], traced[0] % interleave), (next, 0), "{found:?}");
                    assert!(traced[1] - traced[0] <= EDGE * interleave * found.blocks, "{found:?}");
                    assert!(traced[0] + margin <= output[0] || traced[0] == 0, "{found:?}");
                    assert!(output[1] + margin <= traced[1] || traced[1] == height, "{found:?}");
                    next = output[1];
                }
                assert_eq!(next, height, "{found:?}");
                let bytes = u64::from(width * found.traced_rows()) * 576;
                assert!(bytes <= limit || found.blocks == 1, "{found:?}");
            }
        }
    }

    #[test]
    fn a_film_that_fits_is_one_band() {
        let igi = Igi::DEFAULT;
        let whole = Bands::new(&spec(1920, 1080), &igi, true, 576, 1 << 31);
        assert_eq!(whole.bands, [Band { traced: [0, 1080], output: [0, 1080] }]);
        assert_eq!(whole.blocks, 27);
        assert_eq!(Bands::new(&spec(3840, 2160), &igi, true, 576, 1 << 31).bands.len(), 3);
    }
}
