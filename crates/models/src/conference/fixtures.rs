//! Floor, walls with panels, the door, whiteboard, clock, paintings, sideboard, projector and plants.

use std::f32::consts::{FRAC_PI_2, PI};

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, sin_cos, vec2, vec3};
use sunfleck_scene::MeshData;

use super::ROOM;
use super::materials::slot;
use super::window::{COUNT, HEAD, REVEAL, SILL, WIDTH, edge};
use crate::office::plant::plant;
use crate::random::Random;
use crate::shape::{BoxFace, Shape};

/// Range of the door along x, in the wall at z = 0.
const DOOR: [f32; 2] = [13.9, 14.85];
const DOOR_HEIGHT: f32 = 2.15;

pub(super) fn walls() -> MeshData {
    let mut shape = Shape::new("walls");
    let Vec3 { x, y, z } = ROOM;
    let at = |i: f32, j: f32, k: f32| vec3(i * x, j * (y + 0.35), k * z);
    shape.slot(slot::CARPET).quad([
        at(0.0, 0.0, 1.0),
        at(1.0, 0.0, 1.0),
        at(1.0, 0.0, 0.0),
        at(0.0, 0.0, 0.0),
    ]);
    shape.slot(slot::WALL);
    shape.quad([at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0), at(0.0, 1.0, 0.0)]);
    shape.quad([at(1.0, 0.0, 1.0), at(0.0, 0.0, 1.0), at(0.0, 1.0, 1.0), at(1.0, 1.0, 1.0)]);
    shape.quad([at(1.0, 0.0, 0.0), at(1.0, 0.0, 1.0), at(1.0, 1.0, 1.0), at(1.0, 1.0, 0.0)]);
    window_wall(&mut shape);
    // Panels on the three other walls, in frames with x along the wall and z out of it
    let long = x;
    panels(shape.transform(Affine3::IDENTITY), long, Some(DOOR));
    shape.transform(Affine3::from_translation(vec3(x, 0.0, z)) * rotation_y(PI));
    panels(&mut shape, long, None);
    shape.transform(Affine3::from_translation(vec3(x, 0.0, 0.0)) * rotation_y(-FRAC_PI_2));
    panels(&mut shape, z, None);
    shape.transform(Affine3::IDENTITY);
    door(&mut shape);
    shape.finish()
}

fn window_wall(shape: &mut Shape) {
    let mut strip = |y: [f32; 2], z: [f32; 2]| {
        let at = |y: f32, z: f32| vec3(0.0, y, z);
        shape.quad([at(y[0], z[1]), at(y[0], z[0]), at(y[1], z[0]), at(y[1], z[1])]);
    };
    let top = ROOM.y + 0.35;
    strip([0.0, SILL], [0.0, ROOM.z]);
    strip([HEAD, top], [0.0, ROOM.z]);
    let mut from = 0.0;
    for window in 0..COUNT {
        strip([SILL, HEAD], [from, edge(window)]);
        from = edge(window) + WIDTH;
    }
    strip([SILL, HEAD], [from, ROOM.z]);
    for window in 0..COUNT {
        let (a, b) = (edge(window), edge(window) + WIDTH);
        let at = |y: f32, z: f32| vec3(0.0, y, z);
        let hole = [at(SILL, a), at(SILL, b), at(HEAD, b), at(HEAD, a)];
        for side in 0..4 {
            let (p, q) = (hole[side], hole[(side + 1) % 4]);
            let out = Vec3::NEG_X * REVEAL;
            shape.quad([p, q, q + out, p + out]);
        }
    }
}

/// Adds panels of cherry with gaps between them: low and high ones, separated by a rail, and a skirting. There are none
/// at the door.
fn panels(shape: &mut Shape, length: f32, door: Option<[f32; 2]>) {
    let count = crate::random::floor_to_u32(length / 1.2 + 0.5);
    let width = length / count as f32;
    let overlaps = |a: f32, b: f32| door.is_some_and(|[from, to]| a < to + 0.05 && b > from - 0.05);
    shape.slot(slot::PANEL);
    for i in 0..count {
        let (from, to) = (i as f32 * width + 0.008, (i + 1) as f32 * width - 0.008);
        if overlaps(from, to) {
            continue;
        }
        shape.chamfered(vec3(from, 0.11, 0.0), vec3(to, 0.90, 0.022), 0.006);
        shape.chamfered(vec3(from, 0.98, 0.0), vec3(to, 2.42, 0.022), 0.006);
        // A raised field in the lower panel
        shape.chamfered(vec3(from + 0.10, 0.20, 0.018), vec3(to - 0.10, 0.81, 0.030), 0.010);
        shape.slot(slot::BLACK).chamfered(
            vec3(from - 0.0075, 0.0, 0.0),
            vec3(to + 0.0075, 0.10, 0.018),
            0.004,
        );
        shape.slot(slot::PANEL).chamfered(
            vec3(from - 0.0075, 0.905, 0.0),
            vec3(to + 0.0075, 0.975, 0.040),
            0.008,
        );
        shape.chamfered(vec3(from - 0.0075, 2.43, 0.0), vec3(to + 0.0075, 2.50, 0.045), 0.010);
    }
}

fn door(shape: &mut Shape) {
    let [from, to] = DOOR;
    shape.slot(slot::WHITE);
    for x in [from - 0.08, to] {
        shape.chamfered(vec3(x, 0.0, 0.0), vec3(x + 0.08, DOOR_HEIGHT, 0.05), 0.006);
    }
    shape.chamfered(vec3(from - 0.08, DOOR_HEIGHT, 0.0), vec3(to + 0.08, DOOR_HEIGHT + 0.08, 0.05), 0.006);
    shape.slot(slot::TABLE).chamfered(vec3(from, 0.008, 0.001), vec3(to, DOOR_HEIGHT, 0.03), 0.003);
    for (low, high) in [(0.25, 0.95), (1.15, 1.95)] {
        shape.chamfered(vec3(from + 0.14, low, 0.028), vec3(to - 0.14, high, 0.038), 0.009);
    }
    let at = |x: f32, z: f32| vec3(from + 0.075 + x, 1.04, z);
    shape.slot(slot::STEEL).tube(
        &[at(0.0, 0.03), at(0.0, 0.085), at(0.03, 0.09), at(0.13, 0.09)],
        &[0.010; 4],
        12,
    );
    shape.tube(&[at(0.0, 0.028), at(0.0, 0.036)], &[0.026; 2], 24);
}

/// Returns whiteboard, clock, paintings, sideboard and projector.
pub(super) fn furniture(random: Random) -> MeshData {
    let mut shape = Shape::new("board, sideboard, pictures");
    whiteboard(&mut shape, random);
    clock(&mut shape);
    sideboard(&mut shape);
    projector(&mut shape);
    // Paintings on the panels of the walls at the largest x and at z = 0
    for (i, (transform, size)) in [
        (Affine3::from_translation(vec3(ROOM.x - 0.024, 1.7, 2.6)) * rotation_y(-FRAC_PI_2), [0.45, 0.6]),
        (Affine3::from_translation(vec3(ROOM.x - 0.024, 1.7, 7.0)) * rotation_y(-FRAC_PI_2), [0.45, 0.6]),
        (Affine3::from_translation(vec3(1.8, 1.7, 0.024)), [0.42, 0.56]),
        (Affine3::from_translation(vec3(3.0, 1.7, 0.024)), [0.42, 0.56]),
    ]
    .into_iter()
    .enumerate()
    {
        let [w, h] = size;
        shape.transform(transform).slot(slot::BLACK);
        shape.chamfered(vec3(-w - 0.03, -h - 0.03, 0.0), vec3(w + 0.03, h + 0.03, 0.03), 0.008);
        let at = |x: f32, y: f32| vec3(x * w, y * h, 0.031);
        shape.slot(slot::PICTURES[i % 2]);
        shape.image_quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }
    shape.finish()
}

/// Adds the whiteboard with a tray, pens and a drawing of two curves.
fn whiteboard(shape: &mut Shape, random: Random) {
    let (from, to, low, high) = (8.4, 12.4, 1.02, 2.32);
    shape.slot(slot::STEEL);
    shape.chamfered(vec3(from, low, 0.022), vec3(to, high, 0.045), 0.006);
    shape.slot(slot::BOARD);
    let at = |x: f32, y: f32| vec3(x, y, 0.0465);
    shape.quad([
        at(from + 0.03, low + 0.03),
        at(to - 0.03, low + 0.03),
        at(to - 0.03, high - 0.03),
        at(from + 0.03, high - 0.03),
    ]);
    shape.slot(slot::STEEL).chamfered(
        vec3(from + 0.4, low - 0.03, 0.045),
        vec3(to - 0.4, low - 0.012, 0.12),
        0.004,
    );
    for (i, ink) in [slot::BLUE, slot::RED, slot::GREEN, slot::BLACK].into_iter().enumerate() {
        let x = from + 0.6 + 0.3 * i as f32 + random.fork(90).around_zero(0.05);
        let y = low - 0.003;
        shape.slot(ink).tube(
            &[vec3(x, y, 0.085), vec3(x + 0.11, y, 0.09), vec3(x + 0.13, y, 0.09)],
            &[0.009, 0.009, 0.005],
            10,
        );
    }
    // Axes and two curves, drawn with round strokes
    let mut stroke = |ink: u16, points: &[Vec3]| {
        let radii = vec![0.0035; points.len()];
        shape.slot(ink).tube(points, &radii, 5);
    };
    let o = at(from + 0.5, low + 0.25);
    stroke(slot::BLACK, &[o, o + Vec3::X * 1.5]);
    stroke(slot::BLACK, &[o, o + Vec3::Y * 0.85]);
    let curve = |f: &dyn Fn(f32) -> f32| -> Vec<Vec3> {
        (0..=40).map(|i| i as f32 / 40.0).map(|t| o + vec3(1.4 * t, 0.02 + 0.75 * f(t), 0.0)).collect()
    };
    stroke(slot::BLUE, &curve(&|t| t * t));
    stroke(slot::RED, &curve(&|t| 0.5 + 0.35 * sin_cos(7.0 * t).0));
    let mut r = random.fork(91);
    for line in 0..7 {
        let y = high - 0.2 - 0.13 * line as f32;
        let mut x = from + 2.3;
        while x < to - 0.35 - 0.5 * r.unit() {
            let length = r.between(0.06, 0.24);
            let points: Vec<Vec3> =
                (0..=6).map(|i| at(x + length * i as f32 / 6.0, y + r.around_zero(0.022))).collect();
            stroke(slot::BLUE, &points);
            x += length + 0.06;
        }
    }
}

fn clock(shape: &mut Shape) {
    let at = vec3(13.0, 2.75, 0.004);
    shape.slot(slot::STEEL).tube(&[at, at + Vec3::Z * 0.035], &[0.17; 2], 48);
    shape.slot(slot::WHITE).tube(&[at + Vec3::Z * 0.02, at + Vec3::Z * 0.037], &[0.155; 2], 48);
    shape.slot(slot::BLACK);
    let face = at + Vec3::Z * 0.0385;
    for hour in 0..12 {
        let (sin, cos) = crate::shape::circle_sin_cos(hour, 12);
        let out = vec3(sin, cos, 0.0);
        shape.tube(&[face + out * 0.125, face + out * 0.145], &[0.003; 2], 6);
    }
    for (angle, length) in [(0.9, 0.085), (4.4, 0.12)] {
        let (sin, cos) = sin_cos(angle);
        let hand = vec3(sin, cos, 0.0) * length;
        shape.tube(
            &[face + Vec3::Z * 0.003 - hand * 0.15, face + Vec3::Z * 0.003 + hand],
            &[0.004, 0.003],
            6,
        );
    }
}

/// Adds the sideboard along the wall at x = 15.6, with doors, cups and coffee pots.
fn sideboard(shape: &mut Shape) {
    let (back, depth, from, to) = (ROOM.x - 0.045, 0.48, 3.6, 6.6);
    shape.slot(slot::TABLE);
    shape.chamfered(vec3(back - depth, 0.08, from), vec3(back, 0.82, to), 0.004);
    shape.chamfered(vec3(back - depth - 0.02, 0.82, from - 0.02), vec3(back, 0.855, to + 0.02), 0.008);
    for door in 0..5 {
        let z = from + 0.6 * door as f32;
        let face = back - depth;
        shape.slot(slot::PANEL).chamfered(
            vec3(face - 0.016, 0.10, z + 0.006),
            vec3(face, 0.81, z + 0.594),
            0.005,
        );
        let knob = vec3(face - 0.03, 0.5, z + if door % 2 == 0 { 0.53 } else { 0.07 });
        shape.slot(slot::STEEL).sphere(knob, 0.014, 12);
    }
    shape.slot(slot::BLACK);
    shape.block_without(
        vec3(back - depth + 0.04, 0.0, from + 0.04),
        vec3(back - 0.02, 0.08, to - 0.04),
        &[BoxFace::Top, BoxFace::Bottom],
    );
    // A tray with cups, and coffee pots
    shape.slot(slot::STEEL).chamfered(vec3(back - 0.42, 0.855, 4.2), vec3(back - 0.08, 0.868, 4.95), 0.004);
    let cup = [[0.0, 0.005], [0.030, 0.007], [0.038, 0.066], [0.041, 0.066], [0.034, 0.0], [0.0, 0.0]];
    for i in 0..8 {
        let at = vec3(back - 0.34 + 0.17 * (i % 2) as f32, 0.868, 4.32 + 0.16 * (i / 2) as f32);
        shape.transform(Affine3::from_translation(at)).slot(slot::WHITE);
        shape.lathe(&cup.map(|[r, y]| vec2(r, y)), 24);
    }
    let pot =
        [[0.0, 0.27], [0.03, 0.27], [0.035, 0.25], [0.065, 0.235], [0.085, 0.12], [0.08, 0.0], [0.0, 0.0]];
    for z in [5.3, 5.6] {
        shape.transform(Affine3::from_translation(vec3(back - 0.25, 0.856, z))).slot(slot::CHROME);
        shape.lathe(&pot.map(|[r, y]| vec2(r, y)), 32);
        let handle: Vec<Vec3> = (0..=10)
            .map(|i| sin_cos(i as f32 / 10.0 * PI))
            .map(|(sin, cos)| vec3(-0.074 - 0.05 * sin, 0.13 + 0.085 * cos, 0.0))
            .collect();
        shape.slot(slot::BLACK).tube(&handle, &[0.008; 11], 10);
    }
    shape.transform(Affine3::IDENTITY);
}

/// Adds the projector under the ceiling.
fn projector(shape: &mut Shape) {
    let at = vec3(10.2, ROOM.y - 0.42, 4.5);
    shape.slot(slot::WHITE).tube(&[at + Vec3::Y * 0.1, at + Vec3::Y * 0.43], &[0.022; 2], 16);
    shape.chamfered(at - vec3(0.21, 0.07, 0.16), at + vec3(0.21, 0.07, 0.16), 0.02);
    shape.slot(slot::BLACK).tube(&[at - Vec3::Z * 0.15, at - Vec3::Z * 0.185], &[0.05, 0.045], 32);
    for slit in 0..9 {
        let y = -0.045 + 0.011 * slit as f32;
        shape.block(at + vec3(0.205, y, -0.1), at + vec3(0.212, y + 0.005, 0.1));
    }
}

pub(super) fn plants(random: Random) -> MeshData {
    let mut shape = Shape::new("plants");
    let positions = [(0.6, 0.6, 1.9), (0.6, 9.0, 1.8), (15.0, 0.55, 1.7), (15.05, 7.9, 1.5)];
    for (i, (x, z, size)) in (0u32..).zip(positions) {
        let at = vec3(x, 0.0, z);
        shape.transform(Affine3::from_translation(at) * rotation_y(i as f32));
        let slots = [slot::POT, slot::SOIL, slot::LEAF, slot::YOUNG_LEAF];
        shape.append_with_slots(&plant(size, 46, random.fork(i)), &slots);
    }
    shape.finish()
}
