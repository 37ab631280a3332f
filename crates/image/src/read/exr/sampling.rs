//! Subsampled channels, which the `exr` crate decompresses but refuses to open.
//!
//! Their factors are set to 1 in a copy of the file, and restored in the header that is used to decompress blocks.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Beginning of the attribute that lists the channels of a part.
const CHANNELS: &[u8] = b"channels\0chlist\0";

/// Channel lists are sought in the first bytes only, where the headers of all parts are.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// Factors of subsampled channels by part and channel: every how many pixels there is a sample along x and y.
#[derive(Clone, Debug, Default)]
pub(super) struct Samplings(BTreeMap<(usize, usize), [usize; 2]>);

impl Samplings {
    pub(super) fn of(&self, part: usize, channel: usize) -> [usize; 2] {
        self.0.get(&(part, channel)).copied().unwrap_or([1, 1])
    }

    /// Returns whether a part has subsampled channels.
    pub(super) fn any(&self, part: usize) -> bool {
        self.0.keys().any(|&(other, _)| other == part)
    }
}

/// Returns the file with all factors set to 1, and the factors that were not.
pub(super) fn without_subsampling(bytes: &[u8]) -> (Cow<'_, [u8]>, Samplings) {
    let mut samplings = Samplings::default();
    let mut places = Vec::new();
    let header = bytes.get(..MAX_HEADER_BYTES).unwrap_or(bytes);
    let lists = header.windows(CHANNELS.len()).enumerate().filter(|(_, window)| *window == CHANNELS);
    for (part, (start, _)) in lists.enumerate() {
        // The name and type of the attribute, its size, and for each channel: name, type, linearity, factors
        let mut at = start + CHANNELS.len() + 4;
        for channel in 0.. {
            let rest = header.get(at..).unwrap_or_default();
            let Some(length) = rest.iter().take(256).position(|&byte| byte == 0).filter(|&n| n > 0) else {
                break;
            };
            let factors = at + length + 1 + 8;
            let Some(&[x0, x1, x2, x3, y0, y1, y2, y3]) = header.get(factors..).and_then(<[u8]>::first_chunk)
            else {
                break;
            };
            let [x, y] = [[x0, x1, x2, x3], [y0, y1, y2, y3]].map(u32::from_le_bytes);
            if (1..=8).contains(&x) && (1..=8).contains(&y) && [x, y] != [1, 1] {
                samplings.0.insert((part, channel), [x as usize, y as usize]);
                places.push(factors);
            }
            at = factors + 8;
        }
    }
    if places.is_empty() {
        return (Cow::Borrowed(bytes), samplings);
    }
    let mut bytes = bytes.to_vec();
    for place in places {
        bytes[place..place + 8].copy_from_slice(&[1, 0, 0, 0, 1, 0, 0, 0]);
    }
    (Cow::Owned(bytes), samplings)
}
