//! Arrangement of the furniture in each kind of room. In the frame of a room, z points to the wall with the door.

use std::f32::consts::{FRAC_PI_2, PI};

use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::MeshData;

use super::furniture::{FurnitureMeshes, RoomFurnisher, on_floor};
use super::materials::slot;
use super::plan::{Plan, Room, RoomUse};
use crate::random::Random;
use crate::shape::{BoxFace, Shape};

/// Returns the furniture of some rooms of a floor as one mesh.
pub(super) fn furnish(
    plan: &Plan,
    group: usize,
    rooms: &[Room],
    transform: Affine3,
    furniture: &FurnitureMeshes,
) -> MeshData {
    let mut shape = Shape::new(format!("furniture {}.{group}", plan.floor));
    for room in rooms {
        let transform_of_room = transform * room.floor_from_room;
        let mut f = RoomFurnisher { shape: &mut shape, furniture, room: transform_of_room };
        let mut r = room.random.fork(1);
        match room.usage {
            RoomUse::Office => office(&mut f, room, &mut r),
            RoomUse::Laboratory => laboratory(&mut f, room, &mut r),
            RoomUse::Classroom => classroom(&mut f, room, &mut r),
            RoomUse::Library => library(&mut f, room, &mut r),
            RoomUse::Meeting => meeting(&mut f, room, &mut r),
            RoomUse::Lounge => lounge(&mut f, room, &mut r),
            RoomUse::Stairs => {}
        }
    }
    shape.finish()
}

/// Returns the transform of an object on the wall at x = 0 that faces +x.
fn on_west_wall(y: f32, z: f32) -> Affine3 {
    Affine3::from_translation(vec3(0.003, y, z)) * sunfleck_math::transform::rotation_y(FRAC_PI_2)
}

/// Returns the transform of an object on the wall at x = `w` that faces -x.
fn on_east_wall(w: f32, y: f32, z: f32) -> Affine3 {
    Affine3::from_translation(vec3(w - 0.003, y, z)) * sunfleck_math::transform::rotation_y(-FRAC_PI_2)
}

fn office(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, _] = room.size;
    heater(f, w);
    // One or two workplaces along the wall away from the door
    f.workplace(on_floor(0.46, 1.35, FRAC_PI_2), true, r);
    f.swivel_chair(on_floor(1.25 + r.around_zero(0.1), 1.35, -FRAC_PI_2 + r.around_zero(0.7)), r);
    if r.unit() < 0.3 {
        f.workplace(on_floor(0.46, 3.35, FRAC_PI_2), false, r);
        f.swivel_chair(on_floor(1.25 + r.around_zero(0.1), 3.35, -FRAC_PI_2 + r.around_zero(0.7)), r);
    } else {
        f.table(on_floor(0.5, 3.4, FRAC_PI_2));
        f.chair(on_floor(1.2, 3.1, -FRAC_PI_2), slot::FABRICS[2]);
        f.chair(on_floor(1.2, 3.7, -FRAC_PI_2), slot::FABRICS[2]);
    }
    // Shelves along the other wall
    let shelves = 1 + r.below(2);
    for shelf in 0..shelves {
        f.shelf(on_floor(w - 0.01, 0.75 + 1.27 * shelf as f32, -FRAC_PI_2), r);
    }
    if r.unit() < 0.5 {
        f.plant(on_floor(w - 0.4, 0.42, r.between(0.0, 6.0)), r);
    }
    match r.below(3) {
        0 => f.board(on_east_wall(w, 1.0, 3.35), [1.25, 0.9], slot::BOARD),
        1 => f.board(on_east_wall(w, 1.2, 3.5), [0.6, 0.8], slot::PICTURE),
        _ => f.board(on_east_wall(w, 1.0, 3.4), [1.0, 0.8], slot::CORK),
    }
    if r.unit() < 0.4 {
        f.board(on_west_wall(1.25, 4.95), [0.6, 0.8], slot::PICTURE);
    }
    f.bin(on_floor(0.4, 2.35, 0.0));
}

/// Adds the fins of a heater under the window.
fn heater(f: &mut RoomFurnisher<'_>, w: f32) {
    f.shape.transform(f.room).slot(slot::WHITE);
    let (from, fins) = (0.5 * w - 0.8, 14);
    for fin in 0..fins {
        let x = from + 0.117 * fin as f32;
        f.shape.block(vec3(x, 0.14, 0.03), vec3(x + 0.085, 0.70, 0.12));
    }
    f.shape.block(vec3(from - 0.02, 0.17, 0.05), vec3(from + 1.62, 0.21, 0.10));
    f.shape.block(vec3(from - 0.02, 0.62, 0.05), vec3(from + 1.62, 0.66, 0.10));
}

fn laboratory(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, d] = room.size;
    let columns = crate::random::floor_to_u32((w - 1.6) / 1.64);
    for row in 0..3u32 {
        let z = 1.3 + 2.3 * row as f32;
        for column in 0..columns {
            let x = 1.65 + 1.64 * column as f32;
            if x > w - 0.8 {
                continue;
            }
            // Two benches back to back
            for (offset, yaw) in [(-0.41, PI), (0.41, 0.0)] {
                f.bench(on_floor(x, z + offset, yaw));
                let away = offset + offset.signum() * 0.72;
                if r.unit() < 0.7 {
                    f.chair(
                        on_floor(x + r.around_zero(0.15), z + away, PI + yaw + r.around_zero(0.5)),
                        slot::FABRICS[1],
                    );
                }
            }
        }
    }
    f.board(on_west_wall(0.9, 0.75 * d), [3.2, 1.2], slot::BOARD);
    f.board(on_east_wall(w, 0.9, 1.2), [2.0, 1.2], slot::CORK);
}

fn classroom(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, d] = room.size;
    let columns = crate::random::floor_to_u32((w - 1.2) / 1.5);
    let fabric = r.pick(&slot::FABRICS);
    for row in 0..5u32 {
        let z = 2.7 + 1.25 * row as f32;
        if z > d - 1.2 {
            continue;
        }
        for column in 0..columns {
            let x = 1.3 + 1.5 * column as f32;
            f.table(on_floor(x, z, 0.0));
            for side in [-0.35, 0.35] {
                f.chair(on_floor(x + side, z + 0.45 + r.around_zero(0.06), PI + r.around_zero(0.2)), fabric);
            }
        }
    }
    // The front of the classroom
    f.board(
        on_floor(0.5 * w - 2.0, 0.003, 0.0) * Affine3::from_translation(vec3(0.0, 0.95, 0.0)),
        [4.0, 1.25],
        slot::BOARD,
    );
    f.table(on_floor(0.5 * w + 1.2, 1.2, 0.0));
    f.shape.transform(f.room).slot(slot::OAK);
    let lectern = vec3(0.5 * w - 1.5, 0.0, 1.0);
    f.shape.chamfered(lectern, lectern + vec3(0.6, 1.1, 0.45), 0.01);
    f.plant(on_floor(w - 0.45, 0.45, 1.0), r);
}

fn library(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, d] = room.size;
    // Shelves along three walls
    let count = |length: f32| crate::random::floor_to_u32((length - 0.8) / 1.27);
    for shelf in 0..count(w) {
        f.shelf(on_floor(0.4 + 1.27 * shelf as f32, 0.01, 0.0), r);
    }
    for shelf in 0..count(d - 2.4) {
        let z = 0.75 + 1.27 * shelf as f32;
        f.shelf(on_floor(w - 0.01, z, -FRAC_PI_2), r);
        f.shelf(on_floor(0.01, z + 1.25, FRAC_PI_2), r);
    }
    for (z, yaw) in [(2.6, 0.0), (5.6, 0.0)] {
        for (dx, dz) in [(-1.5, 0.0), (-0.1, 0.0), (1.3, 0.0)] {
            let x = 0.5 * w + dx;
            f.table(on_floor(x, z + dz, yaw));
            for side in [-1.0, 1.0f32] {
                let yaw = if side > 0.0 { PI } else { 0.0 };
                f.chair(on_floor(x + r.around_zero(0.1), z + dz + 0.5 * side, yaw), slot::FABRICS[3]);
            }
        }
    }
    f.plant(on_floor(0.5, d - 0.6, 2.0), r);
}

fn meeting(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, d] = room.size;
    let (x, z) = (0.5 * w, 0.5 * d);
    let half = [0.5 * w - 2.2, 0.8];
    f.shape.transform(f.room * on_floor(x, z, 0.0)).slot(slot::OAK);
    f.shape.chamfered(vec3(-half[0], 0.71, -half[1]), vec3(half[0], 0.75, half[1]), 0.008);
    f.shape.slot(slot::BLACK);
    for side in [-1.0, 1.0] {
        let foot = side * (half[0] - 0.8);
        f.shape.chamfered(vec3(foot - 0.3, 0.0, -0.35), vec3(foot + 0.3, 0.71, 0.35), 0.01);
    }
    let seats = crate::random::floor_to_u32(2.0 * half[0] / 0.8);
    for seat in 0..seats {
        let along = x - half[0] + 2.0 * half[0] * (seat as f32 + 0.5) / seats as f32;
        f.swivel_chair(on_floor(along, z - half[1] - 0.35, r.around_zero(0.4)), r);
        f.swivel_chair(on_floor(along, z + half[1] + 0.35, PI + r.around_zero(0.4)), r);
    }
    f.board(on_west_wall(0.9, z + 1.5), [3.0, 1.3], slot::BOARD);
    f.board(on_east_wall(w, 1.0, z - 0.5), [1.0, 1.3], slot::PICTURE);
    for (x, z) in [(0.5, 0.5), (w - 0.5, 0.5)] {
        f.plant(on_floor(x, z, r.between(0.0, 6.0)), r);
    }
    f.shape.transform(f.room).slot(slot::WHITE);
    f.shape.block_without(vec3(2.0, 0.05, 0.01), vec3(w - 2.0, 0.85, 0.5), &[BoxFace::Back]);
}

fn lounge(f: &mut RoomFurnisher<'_>, room: &Room, r: &mut Random) {
    let [w, d] = room.size;
    for (x, z) in [(0.28 * w, 0.3 * d), (0.72 * w, 0.3 * d), (0.28 * w, 0.72 * d), (0.72 * w, 0.72 * d)] {
        let fabric = r.pick(&slot::FABRICS);
        f.sofa(on_floor(x, z - 1.1, 0.0), fabric);
        f.sofa(on_floor(x, z + 1.1, PI), fabric);
        low_table(f, x, z);
    }
    f.shelf(on_floor(w - 0.01, 0.5 * d - 0.6, -FRAC_PI_2), r);
    f.shelf(on_floor(0.01, 0.5 * d + 0.6, FRAC_PI_2), r);
    for (x, z) in [(0.5, 0.5), (w - 0.5, 0.5), (0.5, d - 0.5), (0.5 * w, 0.5)] {
        f.plant(on_floor(x, z, r.between(0.0, 6.0)), r);
    }
    f.board(
        on_floor(0.3 * w, 0.003, 0.0) * Affine3::from_translation(vec3(0.0, 1.1, 0.0)),
        [0.9, 1.2],
        slot::PICTURE,
    );
}

fn low_table(f: &mut RoomFurnisher<'_>, x: f32, z: f32) {
    f.shape.transform(f.room * on_floor(x, z, 0.0)).slot(slot::OAK);
    f.shape.chamfered(vec3(-0.5, 0.36, -0.3), vec3(0.5, 0.40, 0.3), 0.006);
    f.shape.slot(slot::BLACK);
    for x in [-0.42, 0.38] {
        f.shape.block_without(
            vec3(x, 0.0, -0.25),
            vec3(x + 0.04, 0.36, 0.25),
            &[BoxFace::Top, BoxFace::Bottom],
        );
    }
}
