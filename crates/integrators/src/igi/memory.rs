//! What is known of lights from frames before: a view that moves sees nearly the same, so that its virtual point lights need not jump.

use std::sync::{Mutex, PoisonError};

/// Of what is remembered, so much is left after a frame: the last twenty count most.
const LEFT: f64 = 0.95;

/// Remembers from frame to frame what each light brought to the picture. Frames that are given one depend on those before; the same
/// frames in the same order give the same pictures.
#[derive(Debug, Default)]
pub struct Memory {
    found: Mutex<Vec<Found>>,
}

/// What paths found of a light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Luminance.
    pub(super) sum: f64,
    pub(super) times: f64,
}

impl Found {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of times")]
    pub(super) fn rounded(&self) -> (f64, u32) {
        (self.sum, self.times.round() as u32)
    }
}

impl Memory {
    /// Adds what is remembered to what was found, and remembers that. Of other lights than before nothing is known.
    pub(super) fn recall(&self, found: &mut [Found]) {
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == found.len() {
            for (found, known) in found.iter_mut().zip(&*known) {
                found.sum += LEFT * known.sum;
                found.times += LEFT * known.times;
            }
        }
        known.clear();
        known.extend_from_slice(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_averaged_and_what_has_ended_is_forgotten() {
        let memory = Memory::default();
        let mut frame = [Found::default(); 2];
        for _ in 0..60 {
            frame = [Found { sum: 2.0, times: 1.0 }, Found::default()];
            memory.recall(&mut frame);
        }
        assert!((frame[0].sum - 10.0).abs() < 1e-3 && (frame[0].times - 5.0).abs() < 1e-3, "{frame:?}");
        for _ in 0..60 {
            frame = [Found::default(); 2];
            memory.recall(&mut frame);
        }
        assert!(frame[0].sum < 1e-4, "{frame:?}");
        let mut others = [Found { sum: 1.0, times: 1.0 }];
        memory.recall(&mut others);
        assert_eq!(others[0].sum, 1.0, "other lights");
    }
}
