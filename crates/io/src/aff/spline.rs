//! Translations and scales as curves: a spline of Kochanek and Bartels is one of Hermite, with other tangents.

use std::ops::Range;

use sunfleck_math::DVec3;
use sunfleck_scene::{Curve, Interpolation};

use super::keys::{Factors, Key, Piece, pieces};

/// Returns the curve of keyframes within a time range, with times from its start on; the curve is that of the file but
/// for rounding. `None` if there are no keyframes.
pub(super) fn curve(keys: &[Key<DVec3>], range: &Range<f64>) -> Option<Curve> {
    let mut curve = HermiteCurve::default();
    for piece in pieces(keys, range) {
        let cubic = Cubic::of(keys, piece.segment);
        let duration = keys[piece.segment + 1].time_secs - keys[piece.segment].time_secs;
        let Piece { times_secs, fractions, .. } = piece;
        let [begin, end] = [0, 1].map(|i| HermiteKey {
            time_secs: times_secs[i] - range.start,
            value: cubic.value(fractions[i]),
            tangent: cubic.derivative(fractions[i]) / duration,
        });
        curve.begin(begin);
        curve.end(end);
    }
    if curve.keys.is_empty() {
        let value = still(keys, range)?;
        curve.begin(HermiteKey { time_secs: 0.0, value, tangent: DVec3::ZERO });
    }
    Some(curve.finish())
}

/// Returns the value of a spline that does not change within a time range: the first one before its first segment, the
/// last one after its last.
pub(super) fn still<T: Copy>(keys: &[Key<T>], range: &Range<f64>) -> Option<T> {
    let last = keys.len().checked_sub(2)?;
    let key = if keys.get(1)?.time_secs >= range.end { 1 } else { last };
    keys.get(key).map(|key| key.value)
}

/// Segment of a spline in its parameter u from 0 to 1: c₀ + c₁ u + c₂ u² + c₃ u³.
struct Cubic {
    coefficients: [DVec3; 4],
    /// Value at u = 1, without the rounding of the sum.
    end: DVec3,
}

impl Cubic {
    /// Returns the segment that begins at a keyframe, which has neighbours.
    fn of(keys: &[Key<DVec3>], segment: usize) -> Self {
        let [k0, k1, k2, k3] = [0, 1, 2, 3].map(|i| &keys[segment - 1 + i]);
        let difference = k2.value - k1.value;
        let Factors { before, after } = k1.outgoing(k0.time_secs, k2.time_secs);
        let out_tangent = (k1.value - k0.value) * before + difference * after;
        let Factors { before, after } = k2.incoming(k1.time_secs, k3.time_secs);
        let in_tangent = difference * before + (k3.value - k2.value) * after;
        let coefficients = [
            k1.value,
            out_tangent,
            difference * 3.0 - out_tangent * 2.0 - in_tangent,
            out_tangent + in_tangent - difference * 2.0,
        ];
        Self { coefficients, end: k2.value }
    }

    fn value(&self, u: f64) -> DVec3 {
        let [c0, c1, c2, c3] = self.coefficients;
        if u >= 1.0 {
            return self.end;
        }
        c0 + (c1 + (c2 + c3 * u) * u) * u
    }

    fn derivative(&self, u: f64) -> DVec3 {
        let [_, c1, c2, c3] = self.coefficients;
        c1 + (c2 * 2.0 + c3 * (3.0 * u)) * u
    }
}

/// End of a piece.
#[derive(Clone, Copy)]
struct HermiteKey {
    time_secs: f64,
    value: DVec3,
    /// Change per second.
    tangent: DVec3,
}

/// Curve that is being made of pieces.
#[derive(Default)]
struct HermiteCurve {
    /// Ends of pieces; where two meet, the second one has the tangent after it.
    keys: Vec<(HermiteKey, DVec3)>,
}

impl HermiteCurve {
    fn begin(&mut self, key: HermiteKey) {
        match self.keys.last_mut() {
            Some((last, out)) if last.time_secs == key.time_secs && last.value == key.value => {
                *out = key.tangent;
            }
            _ => self.keys.push((key, key.tangent)),
        }
    }

    fn end(&mut self, key: HermiteKey) {
        self.keys.push((key, key.tangent));
    }

    #[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
    fn finish(self) -> Curve {
        let times_secs = ascending(self.keys.iter().map(|(key, _)| key.time_secs as f32));
        let values = self.keys.iter().flat_map(|(key, out)| [key.tangent, key.value, *out]);
        let values = values.flat_map(|vector| vector.as_vec3().to_array()).collect();
        Curve { interpolation: Interpolation::CubicSpline, times_secs, values }
    }
}

/// Returns times of which each is later than the one before, as glTF requires [glTF2, §3.11]: where two are equal, the
/// curve jumps within the smallest step of time.
pub(super) fn ascending(times: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut last = f32::NEG_INFINITY;
    times
        .map(|time| {
            last = if time > last { time } else { last.next_up() };
            last
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time_secs: f64, x: f64, tcb: [f64; 3]) -> Key<DVec3> {
        let [tension, continuity, bias] = tcb;
        Key { time_secs, value: DVec3::new(x, 0.0, 1.0), tension, continuity, bias }
    }

    fn at(curve: &Curve, time: f32) -> f32 {
        let [x, y, z] = curve.vector::<3>(time);
        assert_eq!((y, z), (0.0, 1.0), "the other coordinates stay");
        x
    }

    /// With equal steps, a spline of Catmull and Rom follows a parabola exactly.
    #[test]
    fn a_parabola_is_followed_and_the_ends_are_held() {
        let keys: Vec<_> = (-1..=5).map(|i| key(f64::from(i), f64::from(i * i), [0.0; 3])).collect();
        let curve = curve(&keys, &(1.5..9.0)).unwrap();
        for time in [1.5f32, 1.75, 2.0, 2.9, 3.3, 4.0] {
            let x = at(&curve, time - 1.5);
            assert!((x - time * time).abs() < 1e-5, "{x} at {time}");
        }
        assert_eq!((at(&curve, 90.0), curve.times_secs[0], curve.end_secs()), (16.0, 0.0, 2.5));
    }

    #[test]
    fn a_corner_has_two_tangents_and_a_jump_two_keys() {
        let corner = [0.0, -1.0, 0.0];
        let keys = [
            key(0.0, 0.0, [0.0; 3]),
            key(1.0, 0.0, corner),
            key(2.0, 4.0, corner),
            key(2.0, 8.0, corner),
            key(4.0, 6.0, corner),
            key(5.0, 0.0, corner),
        ];
        let curve = curve(&keys, &(0.0..9.0)).unwrap();
        // Before the jump from 0 to 4 with the tangents 4 and 8, after it from 8 to 6 with −4 and −8/3
        for (time, expected) in [(0.0, 0.0), (1.5, 1.5), (1.75, 2.4375), (3.0, 7.0 - 1.0 / 6.0), (9.0, 6.0)] {
            assert!((at(&curve, time) - expected).abs() < 1e-5, "{} at {time}", at(&curve, time));
        }
        assert_eq!(curve.times_secs, [1.0, 2.0, 2.0f32.next_up(), 4.0]);
    }

    /// The end of a piece is the begin of the next one to the last bit: neither key is there twice.
    #[test]
    fn pieces_share_their_keys() {
        let keys: Vec<_> =
            (0..40).map(|i| key(f64::from(i) * 0.1, f64::from(i * i) * 2.3 / 7.0, [0.3, 0.1, 0.2])).collect();
        assert_eq!(curve(&keys, &(0.0..9.0)).unwrap().times_secs.len(), 38);
    }

    #[test]
    fn outside_of_the_range_the_value_is_held() {
        let keys: Vec<_> = (0..4).map(|i| key(f64::from(i), f64::from(i), [0.0; 3])).collect();
        let value = |range| at(&curve(&keys, &range).unwrap(), 0.0);
        assert_eq!((value(-9.0..0.5), value(7.0..9.0)), (1.0, 2.0));
        assert!(curve(&[], &(0.0..1.0)).is_none());
    }
}
