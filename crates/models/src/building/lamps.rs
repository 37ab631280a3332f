//! The ceiling lamps of a floor: a separate mesh, with two triangles for each lamp.

use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use super::plan::{CEILING, CROSSINGS, INNER, LENGTH, OUTER, Plan, RoomUse, WALLS};
use crate::shape::{BoxFace, Shape};

/// Edge of a luminaire of four lamps, metres.
const SIZE: f32 = 0.6;

/// Returns the lamps of a floor.
pub(super) fn storey(plan: &Plan, transform: Affine3) -> MeshData {
    let mut shape = Shape::without_normals(format!("lamps of floor {}", plan.floor));
    for room in &plan.rooms {
        if room.usage == RoomUse::Stairs {
            continue;
        }
        shape.transform(transform * room.floor_from_room);
        let [w, d] = room.size;
        // Offices have 2 × 3 luminaires, larger rooms about one for every 3 m².
        let count = |size: f32, pitch: f32| crate::random::floor_to_u32(size / pitch + 0.5).max(1);
        let [columns, rows] =
            if room.usage == RoomUse::Office { [2, 3] } else { [count(w, 1.75), count(d, 1.72)] };
        for column in 0..columns {
            for row in 0..rows {
                let x = w * (column as f32 + 0.5) / columns as f32;
                let z = d * (row as f32 + 0.5) / rows as f32;
                luminaire(&mut shape, x, z);
            }
        }
    }
    // Corridors
    shape.transform(transform);
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

/// Adds a white box under the ceiling with four long lamps on its lower side.
fn luminaire(shape: &mut Shape, x: f32, z: f32) {
    let (half, y) = (0.5 * SIZE, CEILING - 0.05);
    let (low, high) = (vec3(x - half, y, z - half), vec3(x + half, CEILING - 0.001, z + half));
    shape.slot(slot::WHITE).block_without(low, high, &[BoxFace::Top]);
    shape.slot(slot::LAMP);
    for lamp in 0..4 {
        let middle = x + SIZE * (lamp as f32 - 1.5) / 4.0;
        let at = |u: f32, v: f32| vec3(middle + 0.066 * u, y - 0.002, z + 0.285 * v);
        shape.quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }
}
