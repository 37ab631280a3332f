//! Pixels that believe those around: what a VPL's shadow rays find for some pixels of a set says what to expect of those between them.
//!
//! Of 8 × 8 pixels of a set sixteen are scouts: those where rows and columns 0, 2, 5 and 7 cross. Each other pixel lies between two of them, or four. Where
//! all of these see a VPL, or none does, the pixel expects the same, and asks by chance only: `Gather` corrects what is expected by what is found over
//! the chance of asking [Hammersley64, control variates], so that the mean is right whatever is between the scouts.

use super::Igi;
use crate::vectors::LANES;

/// Pixels of a row and of a column.
const EDGE: u32 = 8;

/// A byte for each row, a bit for each pixel of it.
pub(super) const SCOUTS: u64 =
    (EVERY_ROW * SCOUTS_OF_ROW) & (BYTE | (BYTE << 16) | (BYTE << 40) | (BYTE << 56));

const BYTE: u64 = 0xff;
const EVERY_ROW: u64 = 0x0101_0101_0101_0101;
const SCOUTS_OF_ROW: u64 = 0b1010_0101;

/// The pixels that are no scouts and all of whose scouts around are among some.
fn agreed(scouts: u64) -> u64 {
    let rows = between(scouts & SCOUTS, 1, [1, 3, 4, 6].map(|column| EVERY_ROW << column));
    between(rows, 8, [1, 3, 4, 6].map(|row| BYTE << (8 * row))) & !SCOUTS
}

/// Adds what lies between two lines of scouts if both have it.
///
/// * `step` — bits from one line to the next. * `lines` — the four lines without scouts.
fn between(known: u64, step: u32, [a, b, c, d]: [u64; 4]) -> u64 {
    let next = (known << step) & (known >> step) & (a | d);
    let first = (known << step) & (known >> (2 * step)) & b;
    let second = (known << (2 * step)) & (known >> step) & c;
    known | next | first | second
}

/// What lanes of a block expect of a VPL, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expecting {
    /// Those that expect to see it, as scouts around them do.
    pub(super) light: u32,
    /// Those that expect not to.
    pub(super) shadow: u32,
}

impl Expecting {
    /// Those that expect anything.
    pub(super) fn any(self) -> u32 {
        self.light | self.shadow
    }
}

/// What is known of a VPL in each group of pixels: who sees it, and who does not.
#[derive(Debug, Default)]
pub(super) struct Seats {
    groups: Vec<[u64; 2]>,
}

impl Seats {
    /// Nothing, for so many groups.
    pub(super) fn clear(&mut self, groups: usize) {
        self.groups.clear();
        self.groups.resize(groups, [0; 2]);
    }

    /// Of the lanes of a block `asked` have asked, of which `seen` see the VPL.
    pub(super) fn learn(&mut self, seats: &[u32; LANES], asked: u32, seen: u32) {
        for lane in set_bits(asked) {
            let of = usize::from(seen >> lane & 1 == 0);
            self.groups[(seats[lane] / u64::BITS) as usize][of] |= 1 << (seats[lane] % u64::BITS);
        }
    }

    /// Turns what scouts know into what others expect.
    pub(super) fn agree(&mut self) {
        self.groups.iter_mut().flatten().for_each(|scouts| *scouts = agreed(*scouts));
    }

    /// What some lanes of a block expect.
    pub(super) fn expecting(&self, seats: &[u32; LANES], lanes: u32) -> Expecting {
        let mut expecting = Expecting::default();
        for lane in set_bits(lanes) {
            let [seen, hidden] = self.groups[(seats[lane] / u64::BITS) as usize];
            let bit = |of: u64| u32::from(of >> (seats[lane] % u64::BITS) & 1 == 1) << lane;
            expecting.light |= bit(seen);
            expecting.shadow |= bit(hidden);
        }
        expecting
    }
}

/// The numbers of the bits that are set.
#[inline(always)]
fn set_bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// Where a pixel of a tile is among those of its set: which 8 × 8 of them, and which of these, as `64 · the former + the latter`.
///
/// * `x`, `y` — in the tile.
pub(super) fn seat(igi: &Igi, [x, y]: [u32; 2]) -> u32 {
    let [x, y] = [x, y].map(|at| at / igi.interleave);
    let group = y / EDGE * groups_per_edge(igi) + x / EDGE;
    group * (EDGE * EDGE) + y % EDGE * EDGE + x % EDGE
}

/// How many 8 × 8 pixels of a set a tile has.
pub(super) fn groups(igi: &Igi) -> usize {
    let edge = groups_per_edge(igi) as usize;
    edge * edge
}

fn groups_per_edge(igi: &Igi) -> u32 {
    igi.tile_size() / (EDGE * igi.interleave)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows or columns of the scouts next to one.
    fn around(line: u32) -> Vec<u32> {
        match line {
            0 | 2 | 5 | 7 => vec![line],
            1 => vec![0, 2],
            3 | 4 => vec![2, 5],
            _ => vec![5, 7],
        }
    }

    proptest! {
        #[test]
        fn a_pixel_agrees_with_all_scouts_around(known: u64) {
            for pixel in 0..64 {
                let of = |at: u32| around(at % 8).into_iter().flat_map(move |x| around(at / 8).into_iter().map(move |y| 8 * y + x));
                let is_scout = of(pixel).eq([pixel]);
                prop_assert_eq!(SCOUTS >> pixel & 1 == 1, is_scout);
                let expected = !is_scout && of(pixel).all(|scout| known >> scout & 1 == 1);
                prop_assert_eq!(agreed(known) >> pixel & 1 == 1, expected, "pixel {}", pixel);
            }
        }
    }

    #[test]
    fn each_pixel_of_a_set_has_a_seat_of_its_own() {
        for interleave in 1..=8 {
            let igi = Igi { interleave, ..Igi::DEFAULT };
            let size = igi.tile_size();
            let mut seats: Vec<_> = (0..size / interleave * (size / interleave))
                .map(|i| {
                    seat(&igi, [i % (size / interleave) * interleave, i / (size / interleave) * interleave])
                })
                .collect();
            seats.sort_unstable();
            assert_eq!(seats.len(), 64 * groups(&igi), "{interleave}");
            assert!(seats.iter().copied().eq(0..seats.len().try_into().unwrap()), "{interleave}");
        }
    }
}
