use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use super::plan::{DEPTH, LENGTH, STOREY};
use crate::shape::{BoxFace, CrossSection, Shape};

/// Returns the ground, the roof with parapet and air handling units, and the canopy of the entrance.
pub(super) fn around(floors: u32) -> MeshData {
    let mut shape = Shape::new("roof and ground");
    let y = -0.32;
    let ground = |shape: &mut Shape, slot, y: f32, low: [f32; 2], high: [f32; 2]| {
        let at = |x, z| vec3(x, y, z);
        shape.slot(slot).quad([
            at(low[0], high[1]),
            at(high[0], high[1]),
            at(high[0], low[1]),
            at(low[0], low[1]),
        ]);
    };
    ground(&mut shape, slot::GRASS, y, [-250.0, -250.0], [LENGTH + 250.0, DEPTH + 250.0]);
    ground(&mut shape, slot::PAVING, y + 0.02, [-9.0, -11.0], [LENGTH + 9.0, DEPTH + 9.0]);
    ground(&mut shape, slot::PAVING, y + 0.02, [LENGTH * 0.5 - 6.0, -120.0], [LENGTH * 0.5 + 6.0, -11.0]);

    let top = floors as f32 * STOREY;
    shape.slot(slot::CONCRETE).block(vec3(-0.25, top - 0.3, -0.25), vec3(LENGTH + 0.25, top, DEPTH + 0.25));
    // Parapet
    shape.slot(slot::FACADE);
    let hidden = [BoxFace::Bottom];
    shape.block_without(vec3(0.0, top, 0.0), vec3(LENGTH, top + 0.9, 0.3), &hidden);
    shape.block_without(vec3(0.0, top, DEPTH - 0.3), vec3(LENGTH, top + 0.9, DEPTH), &hidden);
    for x in [0.0, LENGTH - 0.3] {
        shape.block_without(vec3(x, top, 0.3), vec3(x + 0.3, top + 0.9, DEPTH - 0.3), &hidden);
    }
    // Air handling
    for unit in 0..6 {
        let at = vec3(10.0 + 12.0 * unit as f32, top, 14.0 + 5.0 * (unit % 2) as f32);
        shape.slot(slot::WHITE).block_without(at, at + vec3(6.0, 2.2, 3.0), &hidden);
        shape.slot(slot::STEEL);
        for slat in 0..14 {
            let y = 0.3 + 0.12 * slat as f32;
            shape.block(at + vec3(0.4, y, -0.05), at + vec3(5.6, y + 0.05, 0.0));
        }
        for fan in 0..3 {
            let hub = at + vec3(1.0 + 2.0 * fan as f32, 2.2, 1.5);
            shape.tube(&[hub, hub + Vec3::Y * 0.35], &[0.75; 2], 32);
        }
        let duct = CrossSection::bar(0.8, 0.6);
        shape.extrude(&duct, at + vec3(6.0, 0.8, 1.5), at + vec3(11.9, 0.8, 1.5), Vec3::Y);
    }
    // Canopy over the entrance
    let door = vec3(LENGTH * 0.5, 0.0, 0.0);
    shape.slot(slot::CONCRETE).block(door + vec3(-7.0, 3.25, -4.0), door + vec3(7.0, 3.45, -0.02));
    for x in [-6.5, 6.5] {
        shape.tube(&[door + vec3(x, y, -3.6), door + vec3(x, 3.25, -3.6)], &[0.16; 2], 20);
    }
    shape.finish()
}
