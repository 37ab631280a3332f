//! The lamps in the ceilings of a floor: a mesh of their own, two triangles to a lamp.

use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use super::plan::{CEILING, CROSSINGS, INNER, LENGTH, OUTER, Plan, Use, WALLS};
use crate::shape::{Shape, Side};

/// Of a luminaire with four lamps.
const SIZE: f32 = 0.6;

pub(super) fn storey(plan: &Plan, place: Affine3) -> MeshData {
    let mut shape = Shape::bare(format!("lamps of floor {}", plan.floor));
    for room in &plan.rooms {
        if room.use_ == Use::Stairs {
            continue;
        }
        shape.place(place * room.floor_from_room);
        let [w, d] = room.size;
        // Offices get 2 × 3, larger rooms about one for every 3 m²
        let count = |size: f32, pitch: f32| crate::random::whole(size / pitch + 0.5).max(1);
        let [columns, rows] =
            if room.use_ == Use::Office { [2, 3] } else { [count(w, 1.75), count(d, 1.72)] };
        for column in 0..columns {
            for row in 0..rows {
                let x = w * (column as f32 + 0.5) / columns as f32;
                let z = d * (row as f32 + 0.5) / rows as f32;
                luminaire(&mut shape, x, z);
            }
        }
    }
    // Corridors
    shape.place(place);
    for i in [0, 3] {
        let z = 0.5 * (WALLS[i] + WALLS[i + 1]);
        let count = 37u32;
        for lamp in 0..count {
            let length = LENGTH - 2.0 * OUTER;
            luminaire(&mut shape, OUTER + length * (lamp as f32 + 0.5) / count as f32, z);
        }
    }
    for [left, right] in CROSSINGS {
        for lamp in 0..8 {
            let along = WALLS[3] - WALLS[1] - INNER;
            luminaire(&mut shape, 0.5 * (left + right), WALLS[1] + along * (lamp as f32 + 0.5) / 8.0);
        }
    }
    shape.finish()
}

/// A white box under the ceiling with four long lamps in its lower side.
fn luminaire(shape: &mut Shape, x: f32, z: f32) {
    let (half, y) = (0.5 * SIZE, CEILING - 0.05);
    let (low, high) = (vec3(x - half, y, z - half), vec3(x + half, CEILING - 0.001, z + half));
    shape.slot(slot::WHITE).block_without(low, high, &[Side::Top]);
    shape.slot(slot::LAMP);
    for lamp in 0..4 {
        let middle = x + SIZE * (lamp as f32 - 1.5) / 4.0;
        let at = |u: f32, v: f32| vec3(middle + 0.066 * u, y - 0.002, z + 0.285 * v);
        shape.quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }
}
