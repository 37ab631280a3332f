//! Head of a sunflower: florets in Vogel's spiral [Vogel79], two rings of petals, bracts, and the green back.

use std::f32::consts::{PI, TAU};

use sunfleck_math::transform::{rotation_x, rotation_z};
use sunfleck_math::{Affine3, Vec2, Vec3, cos, pow, sin, sin_cos, vec2, vec3};

use super::flower::{FLORET, GOLDEN_ANGLE, GREEN, PETAL, divisions};
use crate::random::{Random, floor_to_u32};
use crate::shape::Shape;

/// Size, position and age of a head.
pub(super) struct Head {
    pub(super) center: Vec3,
    /// Unit direction that the head faces.
    pub(super) normal: Vec3,
    /// Radius of the disc of florets.
    pub(super) radius: f32,
    petal_length: f32,
    /// Angle of the petals to the disc, radians: 0 flat, π/2 closed.
    closed: f32,
    /// Numbers of petals in the front and the rear ring.
    petals: [u32; 2],
}

impl Head {
    /// * `young` — whether the head is small and half open.
    /// * `pitch` — elevation of the direction that the head faces, radians.
    pub(super) fn new(young: bool, center: Vec3, pitch: f32, r: &mut Random) -> Self {
        let (sin, cos) = sin_cos(pitch);
        let radius = if young { r.between(0.045, 0.060) } else { r.between(0.082, 0.108) };
        Self {
            center,
            normal: vec3(0.0, sin, cos),
            radius,
            petal_length: if young { 0.085 } else { r.between(0.095, 0.125) },
            closed: if young { 0.75 } else { r.between(-0.05, 0.28) },
            petals: [21 + r.below(6), 19 + r.below(5)],
        }
    }

    /// Returns the height of the disc above its rim at a fraction of its radius: convex, with a dimple in the centre.
    fn dome(&self, fraction: f32) -> f32 {
        let f2 = fraction * fraction;
        self.radius * (0.26 * (1.0 - f2) - 0.12 * (1.0 - f2) * (1.0 - f2) * (1.0 - f2))
    }
}

/// Adds the head at the end of its stem.
pub(super) fn build(shape: &mut Shape, head: &Head, detail: f32, r: Random) {
    let up = head.normal.cross(Vec3::X);
    // The head faces +z of its frame.
    let object_from_head = Affine3::from_cols(Vec3::X, up, head.normal, head.center);
    back(shape, head, object_from_head, detail);
    bracts(shape, head, object_from_head, detail, r.fork(0));
    for ring in 0..2 {
        petals(shape, head, ring, object_from_head, detail, r.fork(1 + ring));
    }
    florets(shape, head, object_from_head, detail, r.fork(3));
    shape.transform(Affine3::IDENTITY);
}

/// Adds the receptacle, which carries the florets; its front lies just below them.
fn back(shape: &mut Shape, head: &Head, object_from_head: Affine3, detail: f32) {
    let radius = head.radius;
    let front = (0..=4).map(|i| {
        let f = i as f32 / 4.0;
        vec2(f * radius, head.dome(f) - 0.02 * radius)
    });
    let rear = (1..=5).map(|i| {
        let (sin, cos) = sin_cos(i as f32 / 5.0 * 0.5 * PI);
        vec2(radius * 1.04 * cos, -0.40 * radius * sin)
    });
    let mut profile: Vec<Vec2> = front.chain(rear).collect();
    if let Some(last) = profile.last_mut() {
        last.x = 0.0;
    }
    // The axis of the lathe is y.
    shape.transform(object_from_head * rotation_x(0.5 * PI));
    shape.slot(GREEN).color(vec3(0.16, 0.22, 0.07)).lathe(&profile, divisions(40, detail).max(3));
}

/// Adds bracts: pointed green leaves behind the petals.
fn bracts(shape: &mut Shape, head: &Head, object_from_head: Affine3, detail: f32, r: Random) {
    let count = 26;
    for i in 0..count {
        let mut r = r.fork(i);
        let rotation = rotation_z(TAU * (i as f32 + r.around_zero(0.3)) / count as f32);
        let (length, width, lift) =
            (head.radius * r.between(0.55, 0.85), head.radius * 0.17, r.around_zero(0.3));
        let root = vec3(0.0, head.radius * 0.92, -0.16 * head.radius);
        shape.transform(object_from_head * rotation * Affine3::from_translation(root));
        shape.slot(GREEN).color(vec3(0.20, 0.32, 0.09) * r.between(0.8, 1.1));
        shape.sheet(divisions(2, detail), divisions(5, detail), |u, v| {
            let half = width * pow(1.0 - v, 0.7);
            vec3((2.0 * u - 1.0) * half, v * length, length * (lift * v - 0.5 * v * v))
        });
    }
}

/// Adds a ring of petals (ray florets); the second one lies behind the gaps of the first.
fn petals(shape: &mut Shape, head: &Head, ring: u32, object_from_head: Affine3, detail: f32, r: Random) {
    let count = head.petals[ring as usize];
    for i in 0..count {
        let mut r = r.fork(i);
        let rotation = rotation_z(TAU * (i as f32 + 0.5 * ring as f32 + r.around_zero(0.22)) / count as f32);
        let root = vec3(0.0, head.radius * 0.95, -0.02 * head.radius * (1.0 + 3.0 * ring as f32));
        let open = head.closed * (1.0 - 0.4 * ring as f32) + r.around_zero(0.16);
        shape.transform(object_from_head * rotation * Affine3::from_translation(root) * rotation_x(open));
        petal(shape.slot(PETAL), head.petal_length * r.between(0.85, 1.12), detail, &mut r);
    }
}

/// Adds a petal along +y with its upper side towards +z.
fn petal(shape: &mut Shape, length: f32, detail: f32, r: &mut Random) {
    let half_width = length * r.between(0.145, 0.19);
    let (curl, twist, trough) = (r.between(-0.30, 0.16), r.around_zero(0.45), r.between(0.10, 0.35));
    let tone = r.between(0.92, 1.06);
    let at = |u: f32, v: f32| {
        let side = 2.0 * u - 1.0;
        let half = half_width * pow(sin(PI * (0.10 + 0.90 * v)).max(0.0), 0.75);
        let (s, c) = sin_cos(twist * v);
        let across = side * half;
        // Two shallow grooves along the petal
        let groove = trough * half * (side * side - 0.35 * cos(side * 2.0 * PI));
        vec3(across * c - groove * s, length * v, across * s + groove * c + length * curl * v * v)
    };
    let color = |_: f32, v: f32| {
        let base = vec3(0.80, 0.36, 0.015);
        let middle = vec3(0.84, 0.56, 0.02);
        let tip = vec3(0.85, 0.62, 0.04);
        (if v < 0.35 { base.lerp(middle, v / 0.35) } else { middle.lerp(tip, (v - 0.35) / 0.65) } * tone)
            .min(Vec3::splat(0.85))
    };
    shape.colored_sheet(divisions(6, detail), divisions(14, detail), at, color);
}

/// Adds the florets of the disc; the n-th one is at radius c √n and angle n · 137.5° [Vogel79].
fn florets(shape: &mut Shape, head: &Head, object_from_head: Affine3, detail: f32, r: Random) {
    let count = floor_to_u32(1330.0 * detail).max(8);
    let size = head.radius / (count as f32).sqrt();
    shape.slot(FLORET);
    for n in 0..count {
        let mut r = r.fork(n);
        let fraction = ((n as f32 + 0.5) / count as f32).sqrt();
        let (sin, cos) = sin_cos(n as f32 * GOLDEN_ANGLE);
        let foot = vec3(head.radius * fraction * cos, head.radius * fraction * sin, head.dome(fraction));
        // Florets lean outwards near the rim and bloom in a ring, which moves inwards with age.
        let lean = vec3(cos, sin, 0.0) * (0.9 * fraction * fraction);
        let axis = (Vec3::Z + lean).normalize_or(Vec3::Z);
        let bloom = 1.0 - ((fraction - 0.72) / 0.16).abs().min(1.0);
        let center = (1.0 - fraction / 0.42).max(0.0);
        let tall = size * (1.3 + 1.5 * bloom + 0.6 * fraction) * r.between(0.85, 1.15);
        let foot_color = vec3(0.07, 0.035, 0.015).lerp(vec3(0.20, 0.24, 0.05), center);
        let tip_color = vec3(0.24, 0.11, 0.03)
            .lerp(vec3(0.80, 0.42, 0.04), bloom * r.between(0.6, 1.0))
            .lerp(vec3(0.42, 0.46, 0.12), center);
        shape.transform(object_from_head);
        floret(shape, foot, axis, [size * 0.82, tall], [foot_color, tip_color]);
    }
}

/// Adds a five-sided floret with foot, waist and tip.
fn floret(shape: &mut Shape, foot: Vec3, axis: Vec3, [width, tall]: [f32; 2], [dark, light]: [Vec3; 2]) {
    const SIDES: u32 = 5;
    let frame = sunfleck_math::Frame::from_normal(axis);
    let mut ring = |radius: f32, height: f32, color: Vec3| {
        shape.color(color);
        let mut first = None;
        for s in 0..SIDES {
            let (sin, cos) = sin_cos(s as f32 / SIDES as f32 * TAU);
            let out = frame.tangent * cos + frame.bitangent * sin;
            let vertex = shape.vertex(foot + out * radius + axis * height, out + axis * 0.5, Vec2::ZERO);
            first = first.or(Some(vertex));
        }
        first.unwrap_or(0)
    };
    let low = ring(width * 0.75, -0.3 * tall, dark);
    let waist = ring(width, 0.55 * tall, dark.lerp(light, 0.6));
    let tip = shape.color(light).vertex(foot + axis * tall, axis, Vec2::ZERO);
    for s in 0..SIDES {
        let next = (s + 1) % SIDES;
        shape.triangle([low + s, low + next, waist + next]);
        shape.triangle([low + s, waist + next, waist + s]);
        shape.triangle([waist + s, waist + next, tip]);
    }
}
