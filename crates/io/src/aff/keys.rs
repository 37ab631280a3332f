//! Keyframes of AFF, whose tension, continuity and bias make them splines [Kochanek84], and the pieces of a spline that
//! an animation shows.

use std::ops::Range;

/// Keyframe of a translation, scale or rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<T> {
    pub(super) time_secs: f64,
    pub(super) value: T,
    pub(super) tension: f64,
    pub(super) continuity: f64,
    pub(super) bias: f64,
}

/// Factors of the differences before and after a keyframe in its tangent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    pub(super) before: f64,
    pub(super) after: f64,
}

impl<T> Key<T> {
    /// Returns the factors of the tangent of a segment that begins here [Kochanek84, destination derivative],
    /// multiplied by 2 Δtᵢ / (Δtᵢ₋₁ + Δtᵢ) for keyframes that are not equally far apart [Kochanek84, speed control].
    ///
    /// * `before`, `after` — times of the neighbours.
    pub(super) fn outgoing(&self, before: f64, after: f64) -> Factors {
        let share = share(after - self.time_secs, after - before) * (1.0 - self.tension);
        Factors {
            before: share * (1.0 + self.continuity) * (1.0 + self.bias),
            after: share * (1.0 - self.continuity) * (1.0 - self.bias),
        }
    }

    /// Returns the factors of the tangent of a segment that ends here [Kochanek84, source derivative],
    /// as [`outgoing`](Self::outgoing) does.
    pub(super) fn incoming(&self, before: f64, after: f64) -> Factors {
        let share = share(self.time_secs - before, after - before) * (1.0 - self.tension);
        Factors {
            before: share * (1.0 - self.continuity) * (1.0 + self.bias),
            after: share * (1.0 + self.continuity) * (1.0 - self.bias),
        }
    }
}

/// Returns the share of a segment in the time between the neighbours of a keyframe; one half where times go back.
fn share(segment_secs: f64, both_secs: f64) -> f64 {
    if both_secs > 0.0 { segment_secs / both_secs } else { 0.5 }
}

/// Piece of a segment of a spline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// Index of the keyframe at which the segment begins.
    pub(super) segment: usize,
    /// Times at which the piece begins and ends.
    pub(super) times_secs: [f64; 2],
    /// The same as fractions of the segment.
    pub(super) fractions: [f64; 2],
}

/// Returns the pieces of a spline within a time range, in ascending order. The first and the last keyframe determine
/// tangents only. A segment is shown from the latest time so far on: where the times of keyframes go back, those that
/// have passed are not shown again.
pub(super) fn pieces<T>(keys: &[Key<T>], range: &Range<f64>) -> Vec<Piece> {
    let mut now = range.start;
    let mut pieces = Vec::new();
    for segment in 1..keys.len().saturating_sub(2) {
        let [begin, end] = [segment, segment + 1].map(|key| keys[key].time_secs);
        let from = now.max(begin);
        let to = end.min(range.end);
        if to > from {
            let fraction = |time: f64| (time - begin) / (end - begin);
            let fractions = [fraction(from), fraction(to)];
            pieces.push(Piece { segment, times_secs: [from, to], fractions });
        }
        now = now.max(end);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(times: &[f64]) -> Vec<Key<()>> {
        let key = |&time_secs: &f64| Key { time_secs, value: (), tension: 0.0, continuity: 0.0, bias: 0.0 };
        times.iter().map(key).collect()
    }

    #[test]
    fn times_outside_of_the_range_and_times_that_go_back_are_not_shown() {
        let piece = |segment, times_secs, fractions| Piece { segment, times_secs, fractions };
        let found = pieces(&keys(&[-9.0, -1.0, 3.0, 3.0, 5.0, 4.0, 6.0, 9.0]), &(0.0..5.5));
        let expected = [
            piece(1, [0.0, 3.0], [0.25, 1.0]),
            piece(3, [3.0, 5.0], [0.0, 1.0]),
            piece(5, [5.0, 5.5], [0.5, 0.75]),
        ];
        assert_eq!(found, expected);
        assert!(pieces(&keys(&[0.0, 1.0, 1.0, 2.0]), &(0.0..5.0)).is_empty());
        assert!(pieces(&keys(&[0.0]), &(0.0..5.0)).is_empty());
    }

    /// Without tension, continuity and bias, the spline is that of Catmull and Rom: half of each difference.
    #[test]
    fn factors_of_known_splines() {
        let mut key = keys(&[2.0])[0];
        let both = |key: &Key<()>, before, after| {
            let (i, o) = (key.incoming(before, after), key.outgoing(before, after));
            [i.before, i.after, o.before, o.after]
        };
        assert_eq!(both(&key, 1.0, 3.0), [0.5; 4]);
        // Three times as long after the keyframe as before it
        assert_eq!(both(&key, 1.0, 5.0), [0.25, 0.25, 0.75, 0.75]);
        key.continuity = -1.0;
        assert_eq!(both(&key, 1.0, 3.0), [1.0, 0.0, 0.0, 1.0], "polygon");
        key.continuity = 0.0;
        key.tension = 1.0;
        assert_eq!(both(&key, 1.0, 3.0), [0.0; 4], "stop");
        (key.tension, key.bias) = (0.0, 1.0);
        assert_eq!(both(&key, 1.0, 3.0), [1.0, 0.0, 1.0, 0.0], "overshoot");
    }
}
