//! Procedural patterns: solid textures, whose colour and relief are functions of the position in object space
//! [Peachey85, solid textures].

mod bricks;
mod marble;
mod noise;
mod packed;
mod wood;

use sunfleck_math::{Affine3, Mat3, Vec3, pow};
use sunfleck_scene::{Pattern, Procedural};

pub use packed::PackedProcedural;

/// A pattern with its placement.
///
/// Methods are never inlined, so that a surface without a pattern costs only a branch and the code that evaluates it
/// stays small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProceduralRecord {
    pattern: Pattern,
    pattern_from_object: Affine3,
    /// Transforms gradients of heights from pattern space to object space.
    object_from_gradient: Mat3,
}

impl ProceduralRecord {
    pub(crate) fn new(procedural: &Procedural) -> Self {
        let Procedural { pattern, pattern_from_object } = *procedural;
        // Gradients transform by the transpose of the inverse
        let m = pattern_from_object.matrix3;
        Self { pattern, pattern_from_object, object_from_gradient: m.transpose() * steepness(&m) }
    }

    /// Returns the reflected fraction of the light, in [0, 1], at a position in object space.
    #[inline(never)]
    pub(crate) fn color(&self, position: Vec3) -> Vec3 {
        let p = self.pattern_from_object.transform_point3(position);
        match &self.pattern {
            Pattern::Wood(wood) => wood::color(wood, p),
            Pattern::Marble(marble) => marble::color(marble, p),
            Pattern::Bricks(bricks) => bricks::color(bricks, p),
        }
    }

    /// Returns the gradient of the height in object space; `None` without a relief.
    #[inline(never)]
    pub(crate) fn relief(&self, position: Vec3) -> Option<Vec3> {
        match &self.pattern {
            Pattern::Wood(_) | Pattern::Marble(_) => None,
            Pattern::Bricks(bricks) if bricks.depth == 0.0 => None,
            Pattern::Bricks(bricks) => {
                let p = self.pattern_from_object.transform_point3(position);
                Some(self.object_from_gradient * bricks::height(bricks, p).gradient)
            }
        }
    }
}

/// Returns the factor by which heights are multiplied so that the placement preserves slopes: length in object space
/// per length in pattern space, as the geometric mean over the three axes.
fn steepness(pattern_from_object: &Mat3) -> f32 {
    1.0 / pow(pattern_from_object.determinant().abs(), 1.0 / 3.0)
}

/// Clamps to [0, 1]; returns 0 for NaN, which results from positions beyond the precision of floats.
fn unit(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Returns 0 below `from`, 1 above `to`, and a cubic Hermite interpolation in between.
fn smooth_step(from: f32, to: f32, x: f32) -> f32 {
    let t = unit((x - from) / (to - from));
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::transform::rotation_about;
    use sunfleck_math::vec3;
    use sunfleck_sampling::rng::uniform;
    use sunfleck_scene::{Bricks, Marble, Wood};

    use super::*;

    const LOW: Vec3 = vec3(0.1, 0.3, 0.2);
    const HIGH: Vec3 = vec3(0.7, 0.4, 0.9);
    const BRICKS: Bricks = Bricks {
        clay: [LOW, HIGH],
        mortar: vec3(0.5, 0.35, 0.4),
        length: 0.24,
        height: 0.08,
        joint: 0.012,
        depth: 0.006,
    };

    fn patterns() -> [Pattern; 3] {
        [
            Pattern::Wood(Wood { early: HIGH, late: LOW, ring_width: 0.01 }),
            Pattern::Marble(Marble { stone: HIGH, vein: LOW, spacing: 0.3, turbulence: 1.2 }),
            Pattern::Bricks(BRICKS),
        ]
    }

    /// Returns a pseudorandom position within 2 metres of the origin.
    fn position(i: u32) -> Vec3 {
        let coordinate = |axis| uniform([i, axis, 0, 5]) * 4.0 - 2.0;
        vec3(coordinate(0), coordinate(1), coordinate(2))
    }

    #[test]
    fn colours_are_between_the_parameters() {
        for pattern in patterns() {
            let record = ProceduralRecord::new(&Procedural::new(pattern));
            let (mut least, mut most) = (Vec3::ONE, Vec3::ZERO);
            for color in (0..20_000).map(|i| record.color(position(i))) {
                let slack = Vec3::splat(1e-6);
                assert!(
                    color.cmpge(LOW - slack).all() && color.cmple(HIGH + slack).all(),
                    "{pattern:?}: {color}"
                );
                (least, most) = (least.min(color), most.max(color));
            }
            assert!(
                (most - least).cmpgt((HIGH - LOW) * 0.6).all(),
                "{pattern:?} uses most of the range: {least} to {most}"
            );
        }
    }

    #[test]
    fn colours_are_finite_everywhere() {
        for pattern in patterns() {
            let record = ProceduralRecord::new(&Procedural::new(pattern));
            for p in [Vec3::ZERO, vec3(1e9, -1e9, 1e9), vec3(-0.0, 1e-40, -1e38)] {
                assert!(record.color(p).is_finite(), "{pattern:?} at {p}");
            }
        }
    }

    #[test]
    fn the_relief_of_bricks_is_the_gradient_of_their_height() {
        let (mut flat, mut steep, mut compared) = (0, 0, 0);
        for i in 0..5000 {
            let p = position(i);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let h = 2e-5;
                let at = |p| bricks::height(&BRICKS, p).value;
                let (behind, here, ahead) = (at(p - axis * h), at(p), at(p + axis * h));
                // The gradient is discontinuous where the nearest edge changes, at corners and along diagonals.
                if ((ahead - here) - (here - behind)).abs() > 1e-6 {
                    continue;
                }
                compared += 1;
                let error = bricks::height(&BRICKS, p).gradient.dot(axis) - (ahead - behind) / (2.0 * h);
                assert!(error.abs() < 0.04, "{p} along {axis}: {error}");
            }
            let slope = bricks::height(&BRICKS, p).gradient.truncate().length();
            (flat, steep) = (flat + u32::from(slope < 0.2), steep + u32::from(slope > 0.5));
        }
        assert!(compared > 14_500, "compared nearly everywhere: {compared}");
        assert!(flat > 2500, "faces are flat: {flat}");
        assert!(steep > 500, "flanks are steep: {steep}");
    }

    #[test]
    fn mortar_lies_deeper_than_bricks() {
        let at = |x, y| bricks::height(&BRICKS, vec3(x, y, 0.3)).value;
        let (middle, bed, header) = (at(0.12, 0.04), at(0.12, 0.0), at(0.0, 0.04));
        assert!(middle > 0.85 * BRICKS.depth, "{middle}");
        assert!(bed < 0.3 * BRICKS.depth && header < 0.3 * BRICKS.depth, "{bed} {header}");
        assert!(at(0.12, 0.12) < 0.3 * BRICKS.depth, "the next course is shifted by half a brick");
    }

    /// On a rotated mesh in millimetres, with a placement that undoes the rotation and the scale, a pattern
    /// has the same slopes as on the unrotated mesh in metres.
    #[test]
    fn placements_keep_slopes() {
        let rotation = rotation_about(vec3(0.6, 0.0, 0.8), 1.0);
        let pattern_from_object = rotation * Affine3::from_scale(Vec3::splat(0.001));
        let record =
            ProceduralRecord::new(&Procedural::new(Pattern::Bricks(BRICKS)).placed(pattern_from_object));
        let plain = ProceduralRecord::new(&Procedural::new(Pattern::Bricks(BRICKS)));
        for p in (0..500).map(position) {
            let in_object = pattern_from_object.inverse().transform_point3(p);
            let (Some(placed), Some(expected)) = (record.relief(in_object), plain.relief(p)) else {
                panic!("bricks have a relief");
            };
            let found = rotation.transform_vector3(placed);
            assert!((found - expected).length() < 0.01 + 0.01 * expected.length(), "{p}: {found} {expected}");
        }
    }

    #[test]
    fn only_recessed_joints_have_a_relief() {
        let [wood, marble, _] = patterns();
        let flush = Pattern::Bricks(Bricks { depth: 0.0, ..BRICKS });
        for pattern in [wood, marble, flush] {
            assert!(ProceduralRecord::new(&Procedural::new(pattern)).relief(Vec3::ONE).is_none());
        }
    }
}
