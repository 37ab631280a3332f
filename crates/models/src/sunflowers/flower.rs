//! Mesh of a sunflower: stem with hairs, leaves on stalks, and the head.

use std::f32::consts::PI;

use sunfleck_math::transform::{rotation_about, rotation_y};
use sunfleck_math::{Affine3, Vec2, Vec3, cos, pow, sin, vec3};
use sunfleck_scene::MeshData;

use super::head::{self, Head};
use crate::random::{Random, floor_to_u32};
use crate::shape::Shape;

/// Golden angle, 360° / φ², in radians: the angle between successive leaves and florets [Vogel79].
pub(super) const GOLDEN_ANGLE: f32 = 2.399_963_2;

/// Material slot of stem, leaves, bracts and back of the head.
pub(super) const GREEN: u16 = 0;
/// Material slot of the petals.
pub(super) const PETAL: u16 = 1;
/// Material slot of the florets.
pub(super) const FLORET: u16 = 2;

const STEM_COLOR: Vec3 = vec3(0.24, 0.34, 0.10);

/// Returns a flower that stands on the origin, about 1.6 m high, with its head facing +z. Kinds 8 and 9 are young.
pub(super) fn grow(kind: u32, mut r: Random, detail: f32) -> MeshData {
    let mut shape = Shape::colored(format!("sunflower, kind {}", kind + 1));
    shape.slot(GREEN);
    let height = r.between(1.38, 1.74);
    let head = Head::new(kind >= 8, vec3(0.0, height, 0.06), r.between(-0.30, 0.32), &mut r);
    let stem = Stem::new(&head, &mut r);
    stem.build(&mut shape, detail);
    hairs(&mut shape, &stem, floor_to_u32(420.0 * detail), r.fork(1));
    leaves(&mut shape, &stem, height, detail, r.fork(2));
    head::build(&mut shape, &head, detail, r.fork(3));
    MeshData { uv0: Vec::new(), ..shape.finish() }
}

/// Axis and radius of a stem.
struct Stem {
    /// Control points of a cubic Bézier curve from below the ground to the back of the head.
    control: [Vec3; 4],
    radius: f32,
}

impl Stem {
    fn new(head: &Head, r: &mut Random) -> Self {
        let end = head.center - head.normal * (0.35 * head.radius);
        let sway = vec3(r.around_zero(0.07), 0.0, r.around_zero(0.05));
        let below = vec3(0.0, -0.12, 0.0);
        let control =
            [below, vec3(0.0, end.y * 0.45, 0.0) + sway, end - head.normal * 0.30 + Vec3::Y * 0.02, end];
        Self { control, radius: r.between(0.012, 0.016) }
    }

    /// Returns the point of the axis at parameter t.
    fn axis(&self, t: f32) -> Vec3 {
        let s = 1.0 - t;
        let [a, b, c, d] = self.control;
        a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)
    }

    /// Returns the radius at parameter t.
    fn radius_at(&self, t: f32) -> f32 {
        self.radius * (1.25 - 0.55 * t) * (1.0 + 0.3 * pow(t, 12.0))
    }

    fn build(&self, shape: &mut Shape, detail: f32) {
        let rings = divisions(44, detail);
        let at = |i: u32| i as f32 / rings as f32;
        let path: Vec<Vec3> = (0..=rings).map(|i| self.axis(at(i))).collect();
        let radii: Vec<f32> = (0..=rings).map(|i| self.radius_at(at(i))).collect();
        shape.color(STEM_COLOR).tube(&path, &radii, divisions(16, detail).max(3));
    }
}

/// Returns the number of segments of an edge when the number of triangles of a surface is scaled by `detail`.
pub(super) fn divisions(usual: u32, detail: f32) -> u32 {
    floor_to_u32((usual as f32 * detail.sqrt()).round()).max(2)
}

/// Adds hairs: slender triangles that stand off the stem.
fn hairs(shape: &mut Shape, stem: &Stem, count: u32, r: Random) {
    shape.color(vec3(0.55, 0.60, 0.38));
    for i in 0..count {
        let mut r = r.fork(i);
        let t = r.between(0.1, 0.97);
        let around = rotation_y(r.between(0.0, 2.0 * PI));
        let out = around.transform_vector3(Vec3::Z);
        let root = stem.axis(t) + out * stem.radius_at(t);
        let tip = root + (out + Vec3::Y * r.around_zero(0.5)) * r.between(0.004, 0.009);
        let side = out.cross(Vec3::Y) * 0.0006;
        let corners = [root - side, root + side, tip].map(|p| shape.vertex(p, out, Vec2::ZERO));
        shape.triangle(corners);
    }
}

/// Adds leaves with their stalks, smaller towards the top; each is rotated by the golden angle against the previous
/// one.
fn leaves(shape: &mut Shape, stem: &Stem, height: f32, detail: f32, r: Random) {
    const COUNT: u32 = 13;
    for i in 0..COUNT {
        let mut r = r.fork(i);
        let t = 0.20 + 0.68 * (i as f32 + r.unit() * 0.6) / COUNT as f32;
        let length = height * (0.19 - 0.11 * t) * r.between(0.85, 1.15);
        let yaw = rotation_y(GOLDEN_ANGLE * i as f32 + r.around_zero(0.3));
        let root = stem.axis(t);

        // Stalk
        let rise = r.between(0.35, 0.75);
        let stalk =
            |s: f32| root + yaw.transform_vector3(vec3(0.0, s * rise - 0.35 * s * s, s) * (0.55 * length));
        let path: Vec<Vec3> = (0..=6).map(|k| stalk(k as f32 / 6.0)).collect();
        let radii: Vec<f32> = (0..=6).map(|k| 0.006 - 0.0006 * k as f32).collect();
        shape.transform(Affine3::IDENTITY).color(STEM_COLOR).tube(&path, &radii, divisions(6, detail).max(3));

        // Blade
        let tilt =
            rotation_about(Vec3::X, r.between(-0.1, 0.5)) * rotation_about(Vec3::Z, r.around_zero(0.35));
        shape.transform(Affine3::from_translation(stalk(1.0)) * yaw * tilt);
        blade(shape, length, detail, &mut r);
    }
    shape.transform(Affine3::IDENTITY);
}

/// Adds the heart-shaped blade of a leaf, from its stalk at the origin along +z, with the upper side towards +y.
fn blade(shape: &mut Shape, length: f32, detail: f32, r: &mut Random) {
    let (droop, fold, wave) = (r.between(0.25, 0.6), r.between(0.08, 0.30), r.between(8.0, 13.0));
    let wide = 0.46 * length * r.between(0.9, 1.1);
    let green = vec3(0.155, 0.275, 0.042) * r.between(0.85, 1.25);
    let at = |u: f32, v: f32| {
        // u from left to right, v from the stalk to the tip
        let side = 2.0 * u - 1.0;
        let outline = pow(sin(PI * pow(v, 0.58)).max(0.0), 0.72);
        let half = wide * outline;
        let lobes = 0.20 * (1.0 - v) * (1.0 - v) * side * side;
        let along = length * (v - lobes);
        let ripple = 0.030 * length * side * side * sin(wave * v + 2.0 * side);
        let up = length * (0.10 * v - droop * v * v) + fold * side.abs() * half + ripple;
        vec3(side * half, up, along)
    };
    let color = |u: f32, v: f32| {
        let side = (2.0 * u - 1.0).abs();
        let rib = if side < 0.09 {
            0.9
        } else {
            0.25 * (cos((v * 7.0 - side * 1.4) * 2.0 * PI) - 0.75).max(0.0) * 4.0
        };
        green.lerp(vec3(0.34, 0.42, 0.16), rib * 0.6)
    };
    shape.colored_sheet(divisions(12, detail), divisions(16, detail), at, color);
}
