//! JPEGs of the pictures that are shown, kept as long as nothing about them changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_image::{Picture, ToneCurve};

use super::strips::{self, Detail};
use super::{Mode, display};

/// While things move, bytes count more.
const MOVING_QUALITY: u8 = 80;
const REST_QUALITY: u8 = 92;

/// How a picture becomes bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recipe {
    pub(super) stops: f32,
    pub(super) curve: ToneCurve,
    pub(super) mode: Mode,
}

/// The newest of both sides.
#[derive(Debug, Default)]
pub(super) struct Jpegs {
    sides: [Option<Side>; 2],
    /// Counts JPEGs.
    numbers: u64,
}

#[derive(Debug)]
struct Side {
    picture: Arc<Picture>,
    recipe: Recipe,
    number: u64,
    jpeg: Vec<u8>,
}

impl Jpegs {
    /// Makes a side show a picture; how long tone curve and encoding took. `None` if a JPEG cannot be so large.
    pub(super) fn update(
        &mut self,
        side: usize,
        picture: &Arc<Picture>,
        recipe: Recipe,
    ) -> Option<[Duration; 2]> {
        let same = |old: &&Side| Arc::ptr_eq(&old.picture, picture) && old.recipe == recipe;
        if self.sides[side].as_ref().filter(same).is_some() {
            return Some([Duration::ZERO; 2]);
        }
        let start = Instant::now();
        let rgb = display::bytes(picture, recipe.curve, recipe.stops);
        let shaded = Instant::now();
        let jpeg = encode(&rgb, [picture.width(), picture.height()], recipe.mode)?;
        self.numbers += 1;
        self.sides[side] = Some(Side { picture: picture.clone(), recipe, number: self.numbers, jpeg });
        Some([shaded - start, shaded.elapsed()])
    }

    /// Number and bytes of a side.
    pub(super) fn get(&self, side: usize) -> Option<(u64, &[u8])> {
        self.sides[side].as_ref().map(|side| (side.number, &side.jpeg[..]))
    }
}

fn encode(rgb: &[u8], [width, height]: [u32; 2], mode: Mode) -> Option<Vec<u8>> {
    let detail = match mode {
        Mode::Moving => Detail { quality: MOVING_QUALITY, full_color: false },
        Mode::Rest => Detail { quality: REST_QUALITY, full_color: true },
    };
    strips::encode(rgb, [width as usize, height as usize], detail)
}
