use std::f32::consts::PI;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, pow, sin, vec2, vec3};
use sunfleck_scene::MeshData;

use crate::random::Random;
use crate::shape::Shape;

/// Returns a potted plant with arching leaves, about `size` metres high. Slots: pot, soil, leaf, young leaf.
pub(crate) fn plant(size: f32, leaves: u32, r: Random) -> MeshData {
    let mut plant = Shape::new("plant");
    let pot = [
        vec2(0.0, 0.27),
        vec2(0.155, 0.27),
        vec2(0.165, 0.31),
        vec2(0.185, 0.31),
        vec2(0.188, 0.27),
        vec2(0.172, 0.26),
        vec2(0.135, 0.0),
        vec2(0.0, 0.0),
    ];
    plant.lathe(&pot, 24).slot(1);
    let soil = [vec2(0.0, 0.285), vec2(0.157, 0.28), vec2(0.155, 0.26), vec2(0.0, 0.26)];
    plant.lathe(&soil, 16);
    for i in 0..leaves {
        let mut r = r.fork(i);
        // From the outer, older and lower leaves to the inner, upright ones
        let age = 1.0 - i as f32 / leaves as f32;
        let yaw = rotation_y(2.4 * i as f32 + r.around_zero(0.3));
        let root = vec3(0.0, 0.27, 0.02 + 0.05 * age);
        plant.transform(yaw * Affine3::from_translation(root));
        plant.slot(if age < 0.3 || r.unit() < 0.15 { 3 } else { 2 });
        let length = (size - 0.27) * r.between(0.85, 1.15) * (1.1 - 0.2 * age);
        leaf(&mut plant, length, 0.25 + 0.75 * age * r.between(0.8, 1.1), &mut r);
    }
    plant.finish()
}

/// Adds a leaf: a stalk that widens into a blade and bends over; `spread` 0 is upright.
fn leaf(plant: &mut Shape, length: f32, spread: f32, r: &mut Random) {
    let (half_width, twist) = (0.062 * length * r.between(0.9, 1.3), r.around_zero(0.5));
    plant.sheet(2, 7, |u, v| {
        let side = 2.0 * u - 1.0;
        let blade = ((v - 0.25) / 0.75).max(0.0);
        let half = 0.006 + half_width * pow(sin(PI * pow(blade, 0.8)).max(0.0), 0.8);
        let out = length * spread * (0.35 * v + 0.55 * v * v);
        let up = length * (v * (1.0 - 0.35 * spread) - 0.55 * spread * v * v * v) + 0.30 * half * side.abs();
        vec3(side * half, up, out + twist * side * half * v)
    });
}
