//! The conference table and the objects on it.

use std::f32::consts::{PI, TAU};

use sunfleck_math::transform::{rotation_x, rotation_y};
use sunfleck_math::{Affine3, Vec3, pow, sin_cos, vec2, vec3};
use sunfleck_scene::MeshData;

use super::CENTER;
use super::materials::slot;
use crate::office::lounge;
use crate::random::Random;
use crate::shape::Shape;

pub(super) const HALF_LENGTH: f32 = 4.75;
const HALF_WIDTH: f32 = 1.08;
const HEIGHT: f32 = 0.745;
/// Exponent of the outline, a superellipse: 2 is an ellipse, larger exponents are closer to a rectangle.
const POWER: f32 = 5.0;

/// Returns the distance of the edge from the long axis, at `x` from the centre.
pub(super) fn half_width(x: f32) -> f32 {
    let t = (x / HALF_LENGTH).abs().min(1.0);
    HALF_WIDTH * pow(1.0 - pow(t, POWER), 1.0 / POWER)
}

/// Returns a point of the outline of the table, reduced by `inset`.
fn outline(angle: f32, inset: f32) -> Vec3 {
    let (sin, cos) = sin_cos(angle);
    let soften = |v: f32| if v == 0.0 { 0.0 } else { pow(v.abs(), 2.0 / POWER).copysign(v) };
    vec3((HALF_LENGTH - inset) * soften(cos), 0.0, -(HALF_WIDTH - inset) * soften(sin))
}

pub(super) fn table() -> MeshData {
    let mut table = Shape::new("table");
    table.transform(Affine3::from_translation(CENTER)).slot(slot::TABLE);
    const AROUND: u32 = 192;
    // Rounded edge
    let edge = |u: f32, v: f32| {
        let (sin, cos) = sin_cos(PI * v - 0.5 * PI);
        // The end has exactly the positions of the beginning.
        let angle = if u >= 1.0 { 0.0 } else { u * TAU };
        outline(angle, 0.028 * (1.0 - cos)) + Vec3::Y * (HEIGHT - 0.028 + 0.028 * sin)
    };
    table.sheet(AROUND, 10, edge);
    // Top and underside in strips across the table, with veneer along it
    for (y, up) in [(HEIGHT, 1.0), (HEIGHT - 0.056, -1.0)] {
        let columns = 96;
        for i in 0..columns {
            let at = |i: u32| outline(PI - PI * i as f32 / columns as f32, 0.028);
            let (a, b) = (at(i), at(i + 1));
            let mut strip = [vec3(a.x, y, -a.z), vec3(b.x, y, -b.z), vec3(b.x, y, b.z), vec3(a.x, y, a.z)];
            if up < 0.0 {
                strip.reverse();
            }
            let v = strip.map(|p| table.vertex(p, Vec3::Y * up, vec2(p.x + 10.0, p.z + 3.0)));
            // At both ends of the table, a strip has a degenerate triangle.
            for t in [[0, 1, 2], [0, 2, 3]] {
                let [p, q, r] = t.map(|k: usize| strip[k]);
                if (q - p).cross(r - p) != Vec3::ZERO {
                    table.triangle(t.map(|k| v[k]));
                }
            }
        }
    }
    // Leather inlays, 3 mm above the top
    table.slot(slot::BLACK);
    for side in [-1.0, 1.0] {
        for seat in 0..11 {
            let x = (seat as f32 - 5.0) * 0.82;
            let z = side * (half_width(x) - 0.36);
            table.chamfered(
                vec3(x - 0.3, HEIGHT - 0.002, z - 0.2),
                vec3(x + 0.3, HEIGHT + 0.003, z + 0.2),
                0.002,
            );
        }
    }
    // Three drums that carry the table
    table.slot(slot::PANEL);
    for x in [-3.1, 0.0, 3.1] {
        let profile = [
            vec2(0.0, HEIGHT - 0.058),
            vec2(0.42, HEIGHT - 0.058),
            vec2(0.42, 0.10),
            vec2(0.36, 0.09),
            vec2(0.36, 0.0),
            vec2(0.0, 0.0),
        ];
        table.transform(Affine3::from_translation(CENTER + vec3(x, 0.0, 0.0)));
        table.slot(slot::PANEL).lathe(&profile, 48);
        table.slot(slot::CHROME).torus(Vec3::Y * 0.105, Vec3::Y, 0.42, 0.008, [48, 8]);
    }
    table.finish()
}

/// Returns papers and a pen for each seat, and a microphone for every other one.
pub(super) fn place_settings(random: Random) -> MeshData {
    let mut shape = Shape::new("papers and microphones");
    for seat in 0..22u32 {
        let mut r = random.fork(seat);
        let x = ((seat % 11) as f32 - 5.0) * 0.82;
        let side = if seat < 11 { -1.0 } else { 1.0 };
        let yaw = if seat < 11 { PI } else { 0.0 };
        let transform = |x_in: f32, y: f32, z_in: f32, yaw_in: f32| {
            let z = side * (half_width(x) - 0.36);
            let seat = Affine3::from_translation(CENTER + vec3(x, HEIGHT, z)) * rotation_y(yaw);
            seat * Affine3::from_translation(vec3(x_in, y, z_in)) * rotation_y(yaw_in)
        };
        for sheet in 0..5 {
            let y = 0.0035 + 0.0016 * sheet as f32;
            shape
                .transform(transform(r.around_zero(0.01) - 0.06, y, 0.02, r.around_zero(0.12)))
                .slot(slot::PAPER);
            shape.block(vec3(-0.105, 0.0, -0.148), vec3(0.105, 0.0013, 0.148));
        }
        let pen = [vec3(0.0, 0.0, -0.07), vec3(0.0, 0.0, 0.05), vec3(0.0, 0.0, 0.072)];
        let ink = r.pick(&[slot::BLUE, slot::RED, slot::GREEN, slot::BLACK]);
        shape.transform(transform(0.13, 0.009, 0.03, 0.2 + r.around_zero(0.4))).slot(ink);
        shape.tube(&pen, &[0.005, 0.005, 0.001], 8);
        if seat % 2 == 0 {
            microphone(&mut shape, transform(-0.14, 0.0, -0.34, r.around_zero(0.2)));
        }
    }
    shape.finish()
}

/// Adds a microphone on a flexible neck that is bent towards +z, where the speaker sits.
fn microphone(shape: &mut Shape, transform: Affine3) {
    shape.transform(transform).slot(slot::BLACK);
    let foot = [vec2(0.0, 0.028), vec2(0.045, 0.026), vec2(0.058, 0.012), vec2(0.06, 0.0), vec2(0.0, 0.0)];
    shape.lathe(&foot, 24);
    let neck: Vec<Vec3> = (0..=14)
        .map(|i| {
            let t = i as f32 / 14.0;
            vec3(0.0, 0.02 + 0.34 * t - 0.05 * t * t, 0.13 * t * t)
        })
        .collect();
    shape.slot(slot::STEEL).tube(&neck, &[0.0042; 15], 8);
    let end = neck[14];
    shape.transform(transform * Affine3::from_translation(end) * rotation_x(0.65)).slot(slot::BLACK);
    let head = [
        vec2(0.0, 0.052),
        vec2(0.008, 0.049),
        vec2(0.012, 0.04),
        vec2(0.012, 0.012),
        vec2(0.006, 0.0),
        vec2(0.0, -0.002),
    ];
    shape.lathe(&head, 16);
}

/// Returns a tumbler for each seat, and carafes.
pub(super) fn glasses(random: Random) -> MeshData {
    let mut shape = Shape::new("glasses");
    let (tumbler, carafe) = (lounge::tumbler(), lounge::carafe());
    for seat in 0..22u32 {
        let mut r = random.fork(seat);
        let x = ((seat % 11) as f32 - 5.0) * 0.82;
        let side = if seat < 11 { -1.0 } else { 1.0 };
        let z = side * (half_width(x) - 0.66);
        let at = CENTER + vec3(x + 0.2 + r.around_zero(0.05), HEIGHT + 0.0005, z + r.around_zero(0.03));
        shape.transform(Affine3::from_translation(at)).append_with_slots(&tumbler, &[slot::GLASS]);
    }
    for i in 0..6 {
        let x = (i as f32 - 2.5) * 1.5;
        let at = CENTER + vec3(x, HEIGHT + 0.0005, random.fork(50 + i).around_zero(0.08));
        shape.transform(Affine3::from_translation(at)).append_with_slots(&carafe, &[slot::GLASS]);
    }
    shape.finish()
}
