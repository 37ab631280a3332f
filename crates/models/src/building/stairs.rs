use sunfleck_math::{Vec3, vec3};

use super::materials::slot;
use super::plan::{CEILING, INNER, STAIRS, STAIRS_ALONG, STOREY};
use crate::shape::{CrossSection, Shape};

const STEPS: u32 = 12;

/// Adds two flights and a landing to the next floor in both stairwells, and the sides of the opening above.
pub(super) fn wells(shape: &mut Shape, is_top: bool) {
    for [left, right] in STAIRS {
        let (left, right) = (left + 0.5 * INNER, right - 0.5 * INNER);
        let (front, back) = (STAIRS_ALONG[0] + 2.2, STAIRS_ALONG[1] - 1.3);
        guard(shape, vec3(left, 0.0, front - 0.08), vec3(right, 0.0, front - 0.08));
        if is_top {
            continue;
        }
        let middle = 0.5 * (left + right);
        let landing = front + 2.0;
        let half = 0.5 * STOREY;
        flight(shape, [left + 0.02, middle - 0.06], [back, landing], [0.0, half]);
        flight(shape, [middle + 0.06, right - 0.02], [landing, back], [half, STOREY]);
        shape.slot(slot::CONCRETE).block(vec3(left, half - 0.2, front), vec3(right, half, landing));
        // Between the ceiling and the slab above
        shape.slot(slot::WALL);
        let top = STOREY - 0.3;
        shape.block(vec3(left - 0.05, CEILING - 0.05, front - 0.12), vec3(right + 0.05, top, front));
        shape.block(vec3(left - 0.05, CEILING - 0.05, back), vec3(right + 0.05, top, back + 0.12));
        shape.block(vec3(left - 0.06, CEILING + 0.01, front), vec3(left, top, back));
        shape.block(vec3(right, CEILING + 0.01, front), vec3(right + 0.06, top, back));
    }
}

/// Adds a flight of steps on an inclined slab. `along` and `height` are those of its first and its last edge.
fn flight(shape: &mut Shape, across: [f32; 2], along: [f32; 2], height: [f32; 2]) {
    let step = (along[1] - along[0]) / STEPS as f32;
    let rise = (height[1] - height[0]) / STEPS as f32;
    for i in 0..STEPS {
        let (from, to) = (along[0] + step * i as f32, along[0] + step * (i + 1) as f32);
        let top = height[0] + rise * (i + 1) as f32;
        shape.slot(slot::LINOLEUM);
        let low = vec3(across[0], top - rise - 0.02, from.min(to));
        shape.block(low, vec3(across[1], top, from.max(to)));
    }
    let middle = 0.5 * (across[0] + across[1]);
    let at = |i: usize, y: f32| vec3(middle, height[i] + y, along[i]);
    let slab = CrossSection::bar(across[1] - across[0] - 0.002, 0.16);
    shape.slot(slot::CONCRETE).extrude(&slab, at(0, -0.085), at(1, -0.085), Vec3::Y);
    for x in [across[0] + 0.06, across[1] - 0.06] {
        let rail = |i: usize| vec3(x, height[i] + 1.0, along[i]);
        shape.slot(slot::STEEL).tube(&[rail(0), rail(1)], &[0.022; 2], 10);
        for post in 0..=STEPS / 2 {
            let foot = rail(0).lerp(rail(1), (post as f32 * 2.0 + 0.5) / (STEPS as f32 + 1.0));
            shape.tube(&[foot - Vec3::Y * 1.0, foot], &[0.012; 2], 6);
        }
    }
}

/// Adds a railing.
fn guard(shape: &mut Shape, from: Vec3, to: Vec3) {
    shape.slot(slot::STEEL);
    for y in [0.35, 0.7, 1.05] {
        shape.tube(&[from + Vec3::Y * y, to + Vec3::Y * y], &[0.018; 2], 8);
    }
    for post in 0..5 {
        let foot = from.lerp(to, (post as f32 + 0.5) / 5.0);
        shape.tube(&[foot, foot + Vec3::Y * 1.05], &[0.016; 2], 8);
    }
}
