//! A broad-leaved tree: branches that branch three times, and leaves on the twigs.

use std::f32::consts::TAU;

use rayon::prelude::*;
use sunfleck_math::{Frame, Vec2, Vec3, pow, sin_cos, vec3};
use sunfleck_scene::MeshData;

use super::flower::GOLDEN_ANGLE;
use crate::random::{Random, whole};
use crate::shape::Shape;

/// What branches of one order look like; each order grows out of the one before.
struct Order {
    /// Children along each branch of the order before.
    count: u32,
    /// Length as a fraction of the parent's, least and most.
    length: [f32; 2],
    /// Angle to the parent, radians.
    angle: f32,
    /// How much it turns upwards along its way.
    lift: f32,
    segments: u32,
    sides: u32,
}

const ORDERS: [Order; 4] = [
    Order { count: 15, length: [0.62, 0.88], angle: 0.95, lift: 0.55, segments: 12, sides: 8 },
    Order { count: 10, length: [0.40, 0.62], angle: 0.80, lift: 0.25, segments: 8, sides: 6 },
    Order { count: 9, length: [0.34, 0.55], angle: 0.80, lift: 0.15, segments: 5, sides: 4 },
    Order { count: 7, length: [0.40, 0.70], angle: 0.75, lift: 0.05, segments: 3, sides: 3 },
];

/// Leaves on a twig.
const LEAVES: f32 = 21.0;

/// A tree that stands on the origin, about 13 m high. Slots: bark and three greens.
pub(super) fn grow(kind: u32, mut r: Random, detail: f32) -> MeshData {
    let mut tree = Shape::new(format!("tree, kind {}", kind + 1));
    let trunk = Branch {
        root: vec3(0.0, -0.3, 0.0),
        direction: vec3(r.around_zero(0.06), 1.0, r.around_zero(0.06)),
        length: r.between(8.0, 9.5),
        radius: r.between(0.30, 0.38),
    };
    let path = trunk.path(&Order { lift: 0.1, segments: 16, sides: 14, ..ORDERS[0] }, 0.035, &mut r);
    trunk.build(&mut tree, &path, 14);
    // Each limb by itself, put together in order
    let limbs: Vec<MeshData> = trunk
        .children(&path, &ORDERS[0], r.fork(0))
        .into_par_iter()
        .map(|(limb, r)| {
            let mut shape = Shape::new("limb");
            limb.grow(&mut shape, 0, detail, r);
            MeshData { uv0: Vec::new(), ..shape.finish() }
        })
        .collect();
    for limb in &limbs {
        tree.append(limb);
    }
    MeshData { uv0: Vec::new(), ..tree.finish() }
}

#[derive(Clone, Copy)]
struct Branch {
    root: Vec3,
    direction: Vec3,
    length: f32,
    radius: f32,
}

impl Branch {
    /// This branch of the given order and all that grows out of it.
    fn grow(&self, shape: &mut Shape, order: usize, detail: f32, mut r: Random) {
        let look = &ORDERS[order];
        let path = self.path(look, 0.10, &mut r);
        self.build(shape.slot(0), &path, look.sides);
        match ORDERS.get(order + 1) {
            Some(next) => {
                for (child, r) in self.children(&path, next, r.fork(1)) {
                    child.grow(shape, order + 1, detail, r);
                }
            }
            None => leaves(shape, &path, whole(LEAVES * detail).max(1), r.fork(2)),
        }
    }

    /// A random walk that turns upwards.
    fn path(&self, look: &Order, wander: f32, r: &mut Random) -> Vec<Vec3> {
        let step = self.length / look.segments as f32;
        let mut direction = self.direction.normalize_or(Vec3::Y);
        let mut path = vec![self.root];
        let mut at = self.root;
        for _ in 0..look.segments {
            at += direction * step;
            path.push(at);
            let turn = vec3(r.around_zero(1.0), r.around_zero(1.0), r.around_zero(1.0)) * wander;
            let lift = Vec3::Y * (look.lift / look.segments as f32);
            direction = (direction + turn + lift).normalize_or(Vec3::Y);
        }
        path
    }

    fn build(&self, shape: &mut Shape, path: &[Vec3], sides: u32) {
        let last = (path.len() - 1) as f32;
        let radii: Vec<f32> =
            (0..path.len()).map(|i| self.radius * (1.0 - 0.85 * pow(i as f32 / last, 0.8))).collect();
        shape.tube(path, &radii, sides);
    }

    /// Branches of the next order along a path, around it at the golden angle; those of the trunk begin at a third of it.
    fn children(&self, path: &[Vec3], next: &Order, r: Random) -> Vec<(Self, Random)> {
        let first = if next.sides == ORDERS[0].sides { 0.28 } else { 0.22 };
        let spin = r.fork(99).between(0.0, TAU);
        let child = |i: u32| {
            let mut r = r.fork(i);
            let t = first + (1.0 - first) * (i as f32 + r.unit()) / next.count as f32;
            let place = t * (path.len() - 1) as f32;
            let segment = (whole(place) as usize).min(path.len() - 2);
            let [from, to] = [path[segment], path[segment + 1]];
            let along = (to - from).normalize_or(Vec3::Y);
            let frame = Frame::from_normal(along);
            let (sin, cos) = sin_cos(spin + GOLDEN_ANGLE * i as f32 + r.around_zero(0.4));
            let (sin_angle, cos_angle) = sin_cos(next.angle * r.between(0.75, 1.2) * (1.15 - 0.45 * t));
            // Short near the root and the tip of a limb: round crowns
            let fullness = 0.55 + 0.45 * (1.0 - (2.0 * t - 0.95) * (2.0 * t - 0.95)).max(0.0);
            let length = self.length * r.between(next.length[0], next.length[1]) * fullness;
            let out = frame.tangent * cos + frame.bitangent * sin;
            let radius = self.radius * (1.0 - 0.85 * pow(t, 0.8)) * 0.62;
            let direction = along * cos_angle + out * sin_angle;
            (Self { root: from.lerp(to, place - segment as f32), direction, length, radius }, r.fork(1))
        };
        (0..next.count).map(child).collect()
    }
}

/// Leaves of four triangles, folded along the middle, around a twig.
fn leaves(shape: &mut Shape, twig: &[Vec3], count: u32, r: Random) {
    for i in 0..count {
        let mut r = r.fork(i);
        let place = r.between(0.15, 1.0) * (twig.len() - 1) as f32;
        let segment = (whole(place) as usize).min(twig.len() - 2);
        let root = twig[segment].lerp(twig[segment + 1], place - segment as f32);
        let along = (twig[segment + 1] - twig[segment]).normalize_or(Vec3::Y);
        let frame = Frame::from_normal(along);
        let (sin, cos) = sin_cos(GOLDEN_ANGLE * i as f32 + r.around_zero(0.5));
        let out = frame.tangent * cos + frame.bitangent * sin + along * r.between(0.2, 0.9);
        let out = (out + Vec3::Y * r.between(-0.5, 0.3)).normalize_or(Vec3::X);
        // Leaves turn their upper sides to the sky.
        let up = Vec3::Y + vec3(r.around_zero(0.6), 0.0, r.around_zero(0.6));
        let side = out.cross(up).normalize_or(Vec3::X);
        let normal = side.cross(out);
        let length = r.between(0.085, 0.14);
        shape.slot(r.pick(&[1, 2, 3]));
        leaf(shape, root, [out * length, side * (0.36 * length), normal], r.between(0.1, 0.35));
    }
}

/// * `axes` — to the tip, to the right edge, and up.
fn leaf(shape: &mut Shape, root: Vec3, [along, side, up]: [Vec3; 3], fold: f32) {
    let raised = up * (fold * side.length());
    let mut vertex = |p: Vec3, tilt: f32| shape.vertex(p, up + side * tilt, Vec2::ZERO);
    let base = vertex(root, 0.0);
    let tip = vertex(root + along - up * (0.15 * along.length()), 0.0);
    let left = [0.35, 0.7].map(|t| vertex(root + along * t - side * width(t) + raised, 1.0));
    let right = [0.35, 0.7].map(|t| vertex(root + along * t + side * width(t) + raised, -1.0));
    shape.triangle([base, right[0], left[0]]);
    shape.triangle([left[0], right[0], right[1]]);
    shape.triangle([left[0], right[1], left[1]]);
    shape.triangle([left[1], right[1], tip]);
}

/// Half the width of a leaf at a place along it, 1 at the widest.
fn width(t: f32) -> f32 {
    if t < 0.5 { 1.0 } else { 0.72 }
}
