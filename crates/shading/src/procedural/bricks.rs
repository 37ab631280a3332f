use sunfleck_constants::material::FLANK;
use sunfleck_math::{Vec3, vec3};
use sunfleck_sampling::rng::{pcg4d, unit_f32};
use sunfleck_scene::Bricks;

use super::noise::{Noise, noise, value};
use super::{smooth_step, unit};

/// Position of a point relative to its brick.
struct BrickCell {
    /// Distance to the edge of the brick, in joint widths; positive inside the brick, negative in the mortar.
    inside: Noise,
    /// Index of the brick in its course.
    column: f32,
    /// Index of the course.
    course: f32,
}

/// Locates a point in the pattern. Every second course is shifted by half a brick. Edges are displaced by noise, so
/// that they look worn.
fn cell(bricks: &Bricks, p: Vec3) -> BrickCell {
    let course = (p.y / bricks.height).floor();
    let odd = course - 2.0 * (course * 0.5).floor();
    let x = p.x / bricks.length + 0.5 * odd;
    let column = x.floor();
    let (along, up) = ((x - column) * bricks.length, p.y - course * bricks.height);
    let to_edge = |from_low: f32, size: f32, axis: Vec3| match from_low < 0.5 * size {
        true => (from_low, axis),
        false => (size - from_low, -axis),
    };
    let (x_edge, y_edge) = (to_edge(along, bricks.length, Vec3::X), to_edge(up, bricks.height, Vec3::Y));
    let (edge, normal) = if x_edge.0 < y_edge.0 { x_edge } else { y_edge };
    let worn = noise(p / (1.5 * bricks.joint));
    let inside = Noise {
        value: edge / bricks.joint - 0.5 + 0.18 * worn.value,
        gradient: (normal + worn.gradient * (0.18 / 1.5)) / bricks.joint,
    };
    BrickCell { inside, column, course }
}

/// Returns the colour at a point: mortar, or a pseudorandom mix of the two clay colours for each brick.
pub(super) fn color(bricks: &Bricks, p: Vec3) -> Vec3 {
    let BrickCell { inside, column, course } = cell(bricks, p);
    #[allow(clippy::cast_possible_truncation, reason = "integers; they saturate beyond the range of i32")]
    let [hash, ..] = pcg4d([(column as i32).cast_unsigned(), (course as i32).cast_unsigned(), 0, 1]);
    let mottle = value(p / (2.5 * bricks.joint));
    let clay = unit_f32(hash) + 0.35 * mottle;
    let brick = bricks.clay[0].lerp(bricks.clay[1], unit(clay));
    bricks.mortar.lerp(brick, smooth_step(-0.15, 0.05, inside.value))
}

/// Returns the height above the bottom of the joints. The flank of a joint is a smooth step; noise with an
/// amplitude of a tenth of the depth roughens faces and mortar.
pub(super) fn height(bricks: &Bricks, p: Vec3) -> Noise {
    let BrickCell { inside, .. } = cell(bricks, p);
    let t = unit(inside.value / FLANK + 0.5);
    let flank =
        Noise { value: t * t * (3.0 - 2.0 * t), gradient: inside.gradient * (6.0 * t * (1.0 - t) / FLANK) };
    let scale = 0.8 * bricks.joint;
    let rough = noise(p / scale + vec3(0.0, 0.0, 0.5));
    Noise {
        value: bricks.depth * (flank.value + 0.1 * rough.value),
        gradient: (flank.gradient + rough.gradient * (0.1 / scale)) * bricks.depth,
    }
}
