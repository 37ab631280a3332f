//! Rotations as curves. They follow the spherical spline that the animation code of BART evaluates [Lext01]: the
//! tangents of [Kochanek84], of differences that are logarithms of quaternions, control `squad` [Shoemake87].

use std::ops::Range;

use glam::DQuat;
use sunfleck_math::{DVec3, atan2, sin_cos};
use sunfleck_scene::{Curve, Interpolation};

use super::keys::{Factors, Key, pieces};
use super::spline::{ascending, still};

/// Rotation about an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisAngle {
    /// Axis of any length; files of the benchmark have lengths from 0.97 to 1.08.
    pub(super) axis: DVec3,
    pub(super) degrees: f64,
}

/// Largest distance of the curve from the spline, where they are compared, in radians: 0.006°.
const MOST_RADIANS: f64 = 1e-4;
/// Halvings of a segment after which its distance does not matter any more.
const MOST_HALVINGS: u32 = 10;

/// Returns the curve of keyframes within a time range, with times from its start on. `None` if there are none.
pub(super) fn curve(keys: &[Key<AxisAngle>], range: &Range<f64>) -> Option<Curve> {
    let segments = segments(keys);
    let mut samples: Vec<(f64, DQuat)> = Vec::new();
    for piece in pieces(keys, range) {
        let squad = &segments[piece.segment - 1];
        let [from, to] = piece.fractions;
        let [begin, end] = piece.times_secs;
        let ends = [squad.at(from), squad.at(to)];
        if samples.last().is_none_or(|&(time, q)| time != begin || distance(q, ends[0]) > 1e-6) {
            samples.push((begin, ends[0]));
        }
        let mut fractions = Vec::new();
        squad.sample([from, to], ends, MOST_HALVINGS, &mut fractions);
        let time = |fraction: f64| begin + (end - begin) * (fraction - from) / (to - from);
        samples.extend(fractions.into_iter().map(|(fraction, q)| (time(fraction), q)));
    }
    if samples.is_empty() {
        samples.push((range.start, still(keys, range)?.quaternion()));
    }
    #[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
    let times_secs = ascending(samples.iter().map(|(time, _)| (time - range.start) as f32));
    let values = samples.iter().flat_map(|(_, q)| q.normalize().as_quat().to_array()).collect();
    Some(Curve { interpolation: Interpolation::Linear, times_secs, values })
}

impl AxisAngle {
    /// Returns the rotation as a quaternion, which tells apart rotations by 360° but not by 720°.
    pub(super) fn quaternion(self) -> DQuat {
        #[allow(clippy::cast_possible_truncation, reason = "elementary functions are in single precision")]
        let (sin, cos) = sin_cos((0.5 * (self.degrees % 720.0).to_radians()) as f32);
        let v = self.axis.normalize_or_zero() * f64::from(sin);
        let q = DQuat::from_xyzw(v.x, v.y, v.z, cos.into());
        if v == DVec3::ZERO && sin != 0.0 { DQuat::IDENTITY } else { q }
    }
}

/// Returns the segments between the keyframes but for the first and the last.
///
/// Quaternions are negated where that brings them nearer to the one before. As in the code of the benchmark, this is
/// done for the end of each segment, but not yet for the keyframe after it, which decides the tangent there.
fn segments(keys: &[Key<AxisAngle>]) -> Vec<Squad> {
    let given: Vec<DQuat> = keys.iter().map(|key| key.value.quaternion()).collect();
    let mut near = given.clone();
    let mut segments = Vec::new();
    for i in 1..keys.len().saturating_sub(2) {
        if near[i].dot(given[i + 1]) < 0.0 {
            near[i + 1] = -given[i + 1];
        }
        let (q0, q1, q2, q3) = (near[i - 1], near[i], near[i + 1], given[i + 2]);
        let difference = log(q1.conjugate() * q2);
        let Factors { before, after } = keys[i].outgoing(keys[i - 1].time_secs, keys[i + 1].time_secs);
        let out_tangent = difference * after + log(q0.conjugate() * q1) * before;
        let Factors { before, after } = keys[i + 1].incoming(keys[i].time_secs, keys[i + 2].time_secs);
        let in_tangent = difference * before + log(q2.conjugate() * q3) * after;
        segments.push(Squad {
            ends: [q1, q2],
            controls: [q1 * exp((out_tangent - difference) * 0.5), q2 * exp((difference - in_tangent) * 0.5)],
        });
    }
    segments
}

/// Spherical cubic between two rotations [Shoemake87].
struct Squad {
    ends: [DQuat; 2],
    controls: [DQuat; 2],
}

impl Squad {
    fn at(&self, u: f64) -> DQuat {
        let [p, q] = self.ends;
        let [a, b] = self.controls;
        slerp(slerp(p, q, u), slerp(a, b, u), 2.0 * u * (1.0 - u)).normalize()
    }

    /// Adds samples between which spherical interpolation is near enough, without the first one.
    fn sample(&self, [from, to]: [f64; 2], ends: [DQuat; 2], halvings: u32, samples: &mut Vec<(f64, DQuat)>) {
        let middle = 0.5 * (from + to);
        let at = |share: f64| from + (to - from) * share;
        let is_near = |share: f64| distance(self.at(at(share)), nearest_slerp(ends, share)) < MOST_RADIANS;
        if halvings == 0 || [0.25, 0.5, 0.75].into_iter().all(is_near) {
            samples.push((to, ends[1]));
            return;
        }
        let q = self.at(middle);
        self.sample([from, middle], [ends[0], q], halvings - 1, samples);
        self.sample([middle, to], [q, ends[1]], halvings - 1, samples);
    }
}

/// Interpolates as the curve does: along the shorter arc.
fn nearest_slerp([p, q]: [DQuat; 2], share: f64) -> DQuat {
    slerp(p, if p.dot(q) < 0.0 { -q } else { q }, share)
}

/// Interpolates along the arc from `p` to `q`, which may be more than half of a circle in rotations
/// [Shoemake85, spherical linear interpolation].
fn slerp(p: DQuat, q: DQuat, share: f64) -> DQuat {
    let angle = 2.0 * angle_of((q - p).length(), (q + p).length());
    let sine = f64::from(sin_cos(narrow(angle)).0);
    if sine.abs() < 1e-6 {
        return p * (1.0 - share) + q * share;
    }
    let weight = |share: f64| f64::from(sin_cos(narrow(share * angle)).0) / sine;
    p * weight(1.0 - share) + q * weight(share)
}

/// Angle between two rotations, in radians.
fn distance(p: DQuat, q: DQuat) -> f64 {
    2.0 * (p - q).length().min((p + q).length())
}

/// Half the axis times the angle of a rotation.
fn log(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine > 1e-9 { v * (angle_of(sine, q.w) / sine) } else { v }
}

fn exp(v: DVec3) -> DQuat {
    let angle = v.length();
    let (sin, cos) = sin_cos(narrow(angle));
    let v = if angle > 1e-9 { v * (f64::from(sin) / angle) } else { v };
    DQuat::from_xyzw(v.x, v.y, v.z, cos.into())
}

fn angle_of(sine: f64, cosine: f64) -> f64 {
    atan2(narrow(sine), narrow(cosine)).into()
}

#[allow(clippy::cast_possible_truncation, reason = "elementary functions are in single precision")]
fn narrow(x: f64) -> f32 {
    x as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time_secs: f64, axis: DVec3, degrees: f64) -> Key<AxisAngle> {
        let value = AxisAngle { axis, degrees };
        Key { time_secs, value, tension: 0.0, continuity: 0.0, bias: 0.0 }
    }

    /// Angle of a rotation about the z axis, in degrees.
    fn turn(curve: &Curve, time: f32) -> f32 {
        let [x, y, z, w] = curve.rotation(time);
        assert!(x.abs() < 1e-6 && y.abs() < 1e-6, "{x} {y}");
        (2.0 * atan2(z, w)).to_degrees()
    }

    #[test]
    fn a_steady_turn_is_exact_with_few_samples() {
        let keys: Vec<_> = (0..8).map(|i| key(f64::from(i), DVec3::Z * 1.07, 90.0 * f64::from(i))).collect();
        let curve = curve(&keys, &(0.0..9.0)).unwrap();
        assert_eq!(curve.times_secs, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        for (time, expected) in [(0.0, 90.0), (1.5, 135.0), (2.25, 202.5), (4.5, 405.0), (9.0, 540.0)] {
            let apart = (turn(&curve, time) - expected).rem_euclid(360.0);
            assert!(apart.min(360.0 - apart) < 2e-4, "{apart} at {time}");
        }
    }

    /// About one axis, the spline is that of the angle: 0, 0, 90, 90 has its tangents, of Catmull and Rom, 45 and 45.
    #[test]
    fn about_one_axis_the_angle_follows_a_spline() {
        let keys = [0.0, 0.0, 60.0, 60.0];
        let keys: Vec<_> = (0..4u8).map(|i| key(i.into(), DVec3::Z, keys[usize::from(i)])).collect();
        let curve = curve(&keys, &(0.0..3.0)).unwrap();
        for share in [0.0f32, 0.1, 0.25, 0.5, 0.8, 1.0] {
            // Squad: slerp of the ends and of controls at ∓15°, with weight 2u(1 − u)
            let (ends, controls) = (60.0 * share, -15.0 + 90.0 * share);
            let expected = ends + (controls - ends) * 2.0 * share * (1.0 - share);
            let found = turn(&curve, 1.0 + share);
            assert!((found - expected).abs() < 0.012, "{found}, not {expected}, at {share}");
        }
    }

    #[test]
    fn keys_half_a_turn_apart_in_sign_take_the_shorter_way() {
        let keys: Vec<_> =
            [(0.0, 0.0), (1.0, 10.0), (2.0, 380.0), (3.0, 390.0)].map(|(t, a)| key(t, DVec3::Z, a)).to_vec();
        let curve = curve(&keys, &(0.0..3.0)).unwrap();
        let degrees = [1.0, 2.0].map(|t| turn(&curve, t).rem_euclid(360.0));
        assert!((degrees[0] - 10.0).abs() < 1e-3 && (degrees[1] - 20.0).abs() < 1e-3, "{degrees:?}");
        let no_axis = AxisAngle { axis: DVec3::ZERO, degrees: 90.0 };
        assert_eq!(no_axis.quaternion(), DQuat::IDENTITY);
    }
}
