//! Mesh of a broad-leaved tree: a trunk, four levels of branches, and leaves on the last level, the twigs.

use std::f32::consts::TAU;

use rayon::prelude::*;
use sunfleck_math::{Frame, Vec2, Vec3, pow, sin_cos, vec3};
use sunfleck_scene::MeshData;

use super::flower::GOLDEN_ANGLE;
use crate::random::{Random, floor_to_u32};
use crate::shape::Shape;

/// Shape of the branches of one level; they grow out of those of the previous level.
struct BranchParameters {
    /// Number of branches along each parent.
    count: u32,
    /// Smallest and largest length, as a fraction of the length of the parent.
    length: [f32; 2],
    /// Angle to the parent, radians.
    angle: f32,
    /// Strength with which the branch bends upwards along its length.
    lift: f32,
    /// Number of segments along the branch.
    segments: u32,
    /// Number of sides of the cross-section.
    sides: u32,
}

const BRANCH_LEVELS: [BranchParameters; 4] = [
    BranchParameters { count: 15, length: [0.62, 0.88], angle: 0.95, lift: 0.55, segments: 12, sides: 8 },
    BranchParameters { count: 10, length: [0.40, 0.62], angle: 0.80, lift: 0.25, segments: 8, sides: 6 },
    BranchParameters { count: 9, length: [0.34, 0.55], angle: 0.80, lift: 0.15, segments: 5, sides: 4 },
    BranchParameters { count: 7, length: [0.40, 0.70], angle: 0.75, lift: 0.05, segments: 3, sides: 3 },
];

/// Number of leaves on a twig.
const LEAVES: f32 = 21.0;

/// Returns a tree that stands on the origin, about 13 m high. Slots: bark and three kinds of leaves.
pub(super) fn grow(kind: u32, mut r: Random, detail: f32) -> MeshData {
    let mut tree = Shape::new(format!("tree, kind {}", kind + 1));
    let trunk = Branch {
        root: vec3(0.0, -0.3, 0.0),
        direction: vec3(r.around_zero(0.06), 1.0, r.around_zero(0.06)),
        length: r.between(8.0, 9.5),
        radius: r.between(0.30, 0.38),
    };
    let path = trunk.path(
        &BranchParameters { lift: 0.1, segments: 16, sides: 14, ..BRANCH_LEVELS[0] },
        0.035,
        &mut r,
    );
    trunk.build(&mut tree, &path, 14);
    // The limbs are built in parallel and appended in order.
    let limbs: Vec<MeshData> = trunk
        .children(&path, &BRANCH_LEVELS[0], r.fork(0))
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
    /// Adds this branch, which belongs to the given level, with all its descendants and leaves.
    fn grow(&self, shape: &mut Shape, level: usize, detail: f32, mut r: Random) {
        let parameters = &BRANCH_LEVELS[level];
        let path = self.path(parameters, 0.10, &mut r);
        self.build(shape.slot(0), &path, parameters.sides);
        match BRANCH_LEVELS.get(level + 1) {
            Some(next) => {
                for (child, r) in self.children(&path, next, r.fork(1)) {
                    child.grow(shape, level + 1, detail, r);
                }
            }
            None => leaves(shape, &path, floor_to_u32(LEAVES * detail).max(1), r.fork(2)),
        }
    }

    /// Returns the path of the branch: a random walk that bends upwards.
    fn path(&self, parameters: &BranchParameters, wander: f32, r: &mut Random) -> Vec<Vec3> {
        let step = self.length / parameters.segments as f32;
        let mut direction = self.direction.normalize_or(Vec3::Y);
        let mut path = vec![self.root];
        let mut at = self.root;
        for _ in 0..parameters.segments {
            at += direction * step;
            path.push(at);
            let jitter = vec3(r.around_zero(1.0), r.around_zero(1.0), r.around_zero(1.0)) * wander;
            let lift = Vec3::Y * (parameters.lift / parameters.segments as f32);
            direction = (direction + jitter + lift).normalize_or(Vec3::Y);
        }
        path
    }

    /// Adds the tube of the branch.
    fn build(&self, shape: &mut Shape, path: &[Vec3], sides: u32) {
        let last = (path.len() - 1) as f32;
        let radii: Vec<f32> =
            (0..path.len()).map(|i| self.radius * (1.0 - 0.85 * pow(i as f32 / last, 0.8))).collect();
        shape.tube(path, &radii, sides);
    }

    /// Returns the branches of the next level along a path, at the golden angle around it. Those of the trunk begin
    /// at 28% of its length.
    fn children(&self, path: &[Vec3], next: &BranchParameters, r: Random) -> Vec<(Self, Random)> {
        let first = if next.sides == BRANCH_LEVELS[0].sides { 0.28 } else { 0.22 };
        let spin = r.fork(99).between(0.0, TAU);
        let child = |i: u32| {
            let mut r = r.fork(i);
            let t = first + (1.0 - first) * (i as f32 + r.unit()) / next.count as f32;
            let position = t * (path.len() - 1) as f32;
            let segment = (floor_to_u32(position) as usize).min(path.len() - 2);
            let [from, to] = [path[segment], path[segment + 1]];
            let along = (to - from).normalize_or(Vec3::Y);
            let frame = Frame::from_normal(along);
            let (sin, cos) = sin_cos(spin + GOLDEN_ANGLE * i as f32 + r.around_zero(0.4));
            let (sin_angle, cos_angle) = sin_cos(next.angle * r.between(0.75, 1.2) * (1.15 - 0.45 * t));
            // Branches near the root and the tip of a limb are short, which makes crowns round.
            let fullness = 0.55 + 0.45 * (1.0 - (2.0 * t - 0.95) * (2.0 * t - 0.95)).max(0.0);
            let length = self.length * r.between(next.length[0], next.length[1]) * fullness;
            let out = frame.tangent * cos + frame.bitangent * sin;
            let radius = self.radius * (1.0 - 0.85 * pow(t, 0.8)) * 0.62;
            let direction = along * cos_angle + out * sin_angle;
            (Self { root: from.lerp(to, position - segment as f32), direction, length, radius }, r.fork(1))
        };
        (0..next.count).map(child).collect()
    }
}

/// Adds the leaves around a twig.
fn leaves(shape: &mut Shape, twig: &[Vec3], count: u32, r: Random) {
    for i in 0..count {
        let mut r = r.fork(i);
        let position = r.between(0.15, 1.0) * (twig.len() - 1) as f32;
        let segment = (floor_to_u32(position) as usize).min(twig.len() - 2);
        let root = twig[segment].lerp(twig[segment + 1], position - segment as f32);
        let along = (twig[segment + 1] - twig[segment]).normalize_or(Vec3::Y);
        let frame = Frame::from_normal(along);
        let (sin, cos) = sin_cos(GOLDEN_ANGLE * i as f32 + r.around_zero(0.5));
        let out = frame.tangent * cos + frame.bitangent * sin + along * r.between(0.2, 0.9);
        let out = (out + Vec3::Y * r.between(-0.5, 0.3)).normalize_or(Vec3::X);
        // The upper sides of leaves face the sky.
        let up = Vec3::Y + vec3(r.around_zero(0.6), 0.0, r.around_zero(0.6));
        let side = out.cross(up).normalize_or(Vec3::X);
        let normal = side.cross(out);
        let length = r.between(0.085, 0.14);
        shape.slot(r.pick(&[1, 2, 3]));
        leaf(shape, root, [out * length, side * (0.36 * length), normal], r.between(0.1, 0.35));
    }
}

/// Adds a leaf of four triangles that is folded along its axis.
///
/// * `[along, side, up]` — vectors to the tip, to the right edge, and up.
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

/// Half the width of a leaf at parameter t along it, relative to the largest.
fn width(t: f32) -> f32 {
    if t < 0.5 { 1.0 } else { 0.72 }
}
