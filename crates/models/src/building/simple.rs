//! A single floor as in [RayEngine02, Fig. 6]: walls, doors, windows and furniture of few triangles, without ceiling.

use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::MeshData;

use super::furniture::on_floor;
use super::materials::slot;
use super::plan::{CEILING, DEPTH, LENGTH, Plan, Room, RoomUse};
use super::shell;
use crate::shape::{BoxFace, Shape};

/// Returns ground, walls, windows, doors and floor coverings.
pub(super) fn shell(plan: &Plan) -> MeshData {
    let mut shape = Shape::new("walls");
    let at = |x: f32, z: f32| vec3(x, -0.31, z);
    let (far, right, back) = (60.0, LENGTH + 60.0, DEPTH + 60.0);
    shape.slot(slot::PAVING).quad([at(-far, back), at(right, back), at(right, -far), at(-far, -far)]);
    shape.slot(slot::CONCRETE).block(vec3(0.0, -0.3, 0.0), vec3(LENGTH, 0.0, DEPTH));
    shell::outer_walls(&mut shape, plan, false, CEILING);
    shape.slot(slot::WALL);
    for (wall, openings) in shell::inner_walls(plan, CEILING - 0.05) {
        wall.build(&mut shape, &openings);
    }
    for room in &plan.rooms {
        shell::door(&mut shape, Affine3::IDENTITY, room, false);
        let [w, d] = room.size;
        let at = |x, z| vec3(x, 0.005, z);
        let cover = room.random.fork(7).pick(&slot::CARPETS);
        shape.transform(room.floor_from_room).slot(cover);
        shape.quad([at(0.0, d), at(w, d), at(w, 0.0), at(0.0, 0.0)]);
    }
    shape.finish()
}

/// Returns the furniture of all rooms.
pub(super) fn furniture(plan: &Plan) -> MeshData {
    let mut shape = Shape::new("furniture");
    for room in &plan.rooms {
        let mut put = |add: fn(&mut Shape), x: f32, z: f32, yaw: f32| {
            shape.transform(room.floor_from_room * on_floor(x, z, yaw));
            add(&mut shape);
        };
        furnish(room, &mut put);
    }
    shape.finish()
}

/// Calls `put` with the function that adds a piece of furniture, its x and z, and its rotation about the vertical.
fn furnish(room: &Room, put: &mut dyn FnMut(fn(&mut Shape), f32, f32, f32)) {
    use std::f32::consts::{FRAC_PI_2, PI};
    let [w, d] = room.size;
    match room.usage {
        RoomUse::Stairs => {}
        RoomUse::Office => {
            put(desk, 0.46, 1.35, FRAC_PI_2);
            put(chair, 1.25, 1.35, -FRAC_PI_2 + room.random.fork(3).around_zero(0.5));
            if room.random.fork(4).unit() < 0.5 {
                put(shelf, w - 0.17, 1.4, -FRAC_PI_2);
            }
        }
        _ => {
            for x in [0.3 * w, 0.7 * w] {
                put(desk, x, 0.4 * d, 0.0);
                put(chair, x, 0.4 * d + 0.8, PI + room.random.fork(3).around_zero(0.5));
            }
        }
    }
}

fn desk(shape: &mut Shape) {
    shape.slot(slot::OAK).block(vec3(-0.8, 0.7, -0.4), vec3(0.8, 0.74, 0.4));
    shape.slot(slot::STEEL);
    for x in [-0.75, 0.70] {
        shape.block_without(vec3(x, 0.0, -0.35), vec3(x + 0.05, 0.7, 0.35), &[BoxFace::Top, BoxFace::Bottom]);
    }
}

fn chair(shape: &mut Shape) {
    shape.slot(slot::FABRICS[1]).block(vec3(-0.22, 0.42, -0.22), vec3(0.22, 0.47, 0.22));
    shape.block(vec3(-0.22, 0.47, -0.22), vec3(0.22, 0.95, -0.17));
    shape.slot(slot::STEEL);
    shape.block_without(vec3(-0.05, 0.0, -0.05), vec3(0.05, 0.42, 0.05), &[BoxFace::Top, BoxFace::Bottom]);
}

fn shelf(shape: &mut Shape) {
    shape.slot(slot::OAK).block(vec3(-0.6, 0.0, -0.15), vec3(0.6, 1.9, 0.15));
}
