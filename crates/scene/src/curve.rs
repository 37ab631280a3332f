use serde::{Deserialize, Serialize};
use sunfleck_math::{acos, sin};

/// Animation curve: keyframes with interpolation, as an animation sampler of glTF [glTF2, §3.11 and Appendix C].
///
/// The number of components of a keyframe depends on the animated property: 3 for a translation or scale, 4 for a
/// quaternion, one per morph target for weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Interpolation between keyframes.
    pub interpolation: Interpolation,
    /// Times of the keyframes in seconds, ascending; at least one.
    pub times_secs: Vec<f32>,
    /// Components of the keyframes, one keyframe after the other. With [`Interpolation::CubicSpline`], each keyframe
    /// consists of its in-tangent, value and out-tangent.
    pub values: Vec<f32>,
}

/// Interpolation of a [`Curve`] between two keyframes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Value of the previous keyframe.
    Step,
    /// Linear interpolation; along the shortest arc for rotations.
    #[default]
    Linear,
    /// Cubic Hermite spline with the tangents of both keyframes.
    CubicSpline,
}

/// Segment between two keyframes that contains a time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    /// Index of the previous keyframe.
    before: usize,
    /// Index of the next keyframe.
    after: usize,
    /// Position in the segment, from 0 at the previous to 1 at the next keyframe.
    fraction: f32,
    /// Time between the keyframes.
    duration_secs: f32,
}

/// Above this cosine of the angle between quaternions, they are interpolated linearly, since spherical interpolation
/// would be inaccurate.
const MAX_COSINE_FOR_SLERP: f32 = 0.9995;

impl Curve {
    /// Returns the time of the last keyframe.
    pub fn end_secs(&self) -> f32 {
        self.times_secs.last().copied().unwrap_or(0.0)
    }

    /// Evaluates the curve at a time. Before the first keyframe it has the value of the first one, after the last
    /// keyframe that of the last one.
    pub fn vector<const N: usize>(&self, time_secs: f32) -> [f32; N] {
        let segment = self.segment(time_secs);
        std::array::from_fn(|component| self.component(&segment, N, component))
    }

    /// Evaluates a curve of `width` components, as [`vector`](Self::vector) does.
    pub fn numbers(&self, time_secs: f32, width: usize) -> Vec<f32> {
        let segment = self.segment(time_secs);
        (0..width).map(|component| self.component(&segment, width, component)).collect()
    }

    /// Evaluates a curve of quaternions x, y, z, w at a time, and normalises the result. Linear interpolation follows
    /// the shortest arc.
    pub fn rotation(&self, time_secs: f32) -> [f32; 4] {
        let segment = self.segment(time_secs);
        if self.interpolation != Interpolation::Linear {
            return normalized(self.vector(time_secs));
        }
        let key = |key| std::array::from_fn(|component| self.value(key, 4, component));
        slerp(normalized(key(segment.before)), normalized(key(segment.after)), segment.fraction)
    }

    /// Returns the required length of [`values`](Self::values) for `width` components.
    pub(crate) fn expected_values(&self, width: usize) -> usize {
        let per_key = if self.interpolation == Interpolation::CubicSpline { 3 * width } else { width };
        self.times_secs.len().saturating_mul(per_key)
    }

    /// Returns the segment that contains a time; before the first and after the last keyframe, one of duration 0.
    fn segment(&self, time_secs: f32) -> Segment {
        let times = &self.times_secs;
        let next = times.partition_point(|&key| key <= time_secs);
        let last = times.len().saturating_sub(1);
        if next == 0 || next > last {
            let key = if next == 0 { 0 } else { last };
            return Segment { before: key, after: key, fraction: 0.0, duration_secs: 0.0 };
        }
        // The next keyframe is later than `time_secs`, the previous one is not, so their times differ
        let (start, end) = (times[next - 1], times[next]);
        let fraction = (time_secs - start) / (end - start);
        Segment { before: next - 1, after: next, fraction, duration_secs: end - start }
    }

    /// Interpolates one component of a segment.
    fn component(&self, segment: &Segment, width: usize, component: usize) -> f32 {
        let Segment { before, after, fraction: t, duration_secs } = *segment;
        let (a, b) = (self.value(before, width, component), self.value(after, width, component));
        match self.interpolation {
            Interpolation::Step => a,
            Interpolation::Linear => a + (b - a) * t,
            Interpolation::CubicSpline if before == after => a,
            Interpolation::CubicSpline => {
                let out_tangent = duration_secs * self.number((3 * before + 2) * width + component);
                let in_tangent = duration_secs * self.number(3 * after * width + component);
                let (t2, t3) = (t * t, t * t * t);
                (2.0 * t3 - 3.0 * t2 + 1.0) * a
                    + (t3 - 2.0 * t2 + t) * out_tangent
                    + (3.0 * t2 - 2.0 * t3) * b
                    + (t3 - t2) * in_tangent
            }
        }
    }

    /// Returns one component of the value of a keyframe.
    fn value(&self, key: usize, width: usize, component: usize) -> f32 {
        let key = if self.interpolation == Interpolation::CubicSpline { 3 * key + 1 } else { key };
        self.number(key * width + component)
    }

    /// Returns a number of `values`; 0 if it is out of range, which is possible only for curves that are not part of a
    /// scene.
    fn number(&self, index: usize) -> f32 {
        self.values.get(index).copied().unwrap_or(0.0)
    }
}

/// Normalises a quaternion; returns the identity if its length is 0 or not finite.
fn normalized(q: [f32; 4]) -> [f32; 4] {
    let length = dot(q, q).sqrt();
    if length > 0.0 && length.is_finite() { q.map(|c| c / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Interpolates between quaternions along the shorter arc with constant angular velocity [Shoemake85, spherical linear
/// interpolation].
fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let cosine = dot(a, b);
    // The negated quaternion is the same rotation and may be nearer
    let (b, cosine) = if cosine < 0.0 { (b.map(|c| -c), -cosine) } else { (b, cosine) };
    let (weight_a, weight_b) = if cosine > MAX_COSINE_FOR_SLERP {
        (1.0 - t, t)
    } else {
        let angle = acos(cosine);
        let sine = sin(angle);
        (sin(angle * (1.0 - t)) / sine, sin(angle * t) / sine)
    };
    normalized(std::array::from_fn(|i| a[i] * weight_a + b[i] * weight_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(interpolation: Interpolation, times: &[f32], values: &[f32]) -> Curve {
        Curve { interpolation, times_secs: times.to_vec(), values: values.to_vec() }
    }

    #[test]
    fn step_and_linear_curves_are_clamped_at_their_ends() {
        let (times, values) = ([1.0, 2.0, 4.0], [10.0, 1.0, 20.0, 2.0, 0.0, 3.0]);
        let linear = curve(Interpolation::Linear, &times, &values);
        for (time, expected) in [
            (-1.0, [10.0, 1.0]),
            (1.0, [10.0, 1.0]),
            (1.5, [15.0, 1.5]),
            (2.0, [20.0, 2.0]),
            (3.5, [5.0, 2.75]),
            (4.0, [0.0, 3.0]),
            (1e30, [0.0, 3.0]),
            (f32::NAN, [10.0, 1.0]),
        ] {
            assert_eq!(linear.vector::<2>(time), expected, "at {time}");
            assert_eq!(linear.numbers(time, 2), expected, "at {time}");
        }
        let step = curve(Interpolation::Step, &times, &values);
        assert_eq!(
            [0.0, 1.999, 2.0, 3.999, 4.0].map(|t| step.vector::<1>(t)[0]),
            [10.0, 10.0, 1.0, 1.0, 20.0]
        );
        assert_eq!(step.end_secs(), 4.0);
    }

    #[test]
    fn a_cubic_spline_reproduces_a_cubic_polynomial() {
        // x³ − 2x at 1 and 3, with the derivatives 3x² − 2
        let values = [9e9, -1.0, 1.0, 25.0, 21.0, -9e9];
        let spline = curve(Interpolation::CubicSpline, &[1.0, 3.0], &values);
        for x in [1.0f32, 1.25, 1.5, 2.0, 2.7, 3.0] {
            let [y] = spline.vector::<1>(x);
            assert!((y - (x * x * x - 2.0 * x)).abs() < 1e-5, "{y} at {x}");
        }
        assert_eq!(
            (spline.vector::<1>(0.0), spline.vector::<1>(9.0)),
            ([-1.0], [21.0]),
            "outside of its keys"
        );
    }

    #[test]
    fn rotations_have_constant_angular_velocity() {
        // From the identity to a rotation of 90° about z: 30° at a third of the time, for both signs of the
        // quaternion
        let half = 0.5f32.sqrt();
        for sign in [1.0, -1.0] {
            let values = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, sign * half, sign * half];
            let rotation = curve(Interpolation::Linear, &[0.0, 3.0], &values);
            let (sin15, cos15) = (0.258_819_05, 0.965_925_8);
            let expected = [0.0, 0.0, sin15, cos15];
            let found = rotation.rotation(1.0);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{found} is not {expected} with sign {sign}");
            }
        }
        // Nearly equal quaternions, and a quaternion of length 0
        let near = curve(Interpolation::Linear, &[0.0, 1.0], &[0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.003, 1.0]);
        assert!((near.rotation(0.5)[2] - 0.002).abs() < 1e-6, "{:?}", near.rotation(0.5));
        let zero = curve(Interpolation::Step, &[0.0], &[0.0; 4]);
        assert_eq!(zero.rotation(0.0), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn keyframes_at_the_same_time_are_a_discontinuity() {
        let jump = curve(Interpolation::Linear, &[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0]);
        assert_eq!([0.5, 1.0, 1.5].map(|t| jump.vector::<1>(t)[0]), [0.5, 5.0, 5.5]);
        let broken = curve(Interpolation::CubicSpline, &[0.0, 1.0], &[]);
        assert_eq!(broken.vector::<3>(0.5), [0.0; 3], "missing values are 0");
    }
}
