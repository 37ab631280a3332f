//! Slab, walls, doors, windows and ceiling of a floor.

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use super::plan::{
    CEILING, CROSSINGS, DEPTH, INNER, LENGTH, OFFICE_WIDTH, OUTER, Plan, Room, RoomUse, STOREY, WALLS,
    large_rooms, slab,
};
use super::stairs;
use super::wall::{Opening, Wall};
use crate::shape::{CrossSection, Shape};

/// Thickness of the slab.
const SLAB: f32 = 0.3;
/// Width and height of doors.
const DOOR: [f32; 2] = [0.96, 2.1];

/// Returns a floor without furniture and lamps.
pub(super) fn storey(plan: &Plan, transform: Affine3, is_top: bool) -> MeshData {
    let mut shape = Shape::new(format!("floor {}", plan.floor));
    shape.transform(transform);
    floors(&mut shape, plan, transform);
    ceiling(&mut shape, is_top);
    shape.slot(slot::FACADE);
    outer_walls(&mut shape, plan, true, STOREY - SLAB);
    shape.slot(slot::WALL);
    for (wall, openings) in inner_walls(plan, CEILING + 0.02) {
        wall.build(&mut shape, &openings);
    }
    for room in &plan.rooms {
        door(&mut shape, transform, room, true);
    }
    shape.transform(transform);
    corridors(&mut shape, plan);
    stairs::wells(&mut shape, is_top);
    shape.finish()
}

/// Adds the slab and the coverings of the floor.
fn floors(shape: &mut Shape, plan: &Plan, transform: Affine3) {
    shape.slot(slot::CONCRETE);
    if plan.floor == 1 {
        shape.block(vec3(0.0, -SLAB, 0.0), vec3(LENGTH, 0.0, DEPTH));
    } else {
        for [low, high] in slab() {
            shape.block(low - Vec3::Y * SLAB, high);
        }
    }
    let mut cover = |cover, y: f32, x: [f32; 2], z: [f32; 2]| {
        let at = |x, z| vec3(x, y, z);
        shape.slot(cover).quad([at(x[0], z[1]), at(x[1], z[1]), at(x[1], z[0]), at(x[0], z[0])]);
    };
    // Corridors
    let half = 0.5 * INNER;
    for i in [0, 3] {
        cover(slot::LINOLEUM, 0.004, [OUTER, LENGTH - OUTER], [WALLS[i] + half, WALLS[i + 1] - half]);
    }
    for crossing in CROSSINGS {
        let x = [crossing[0] + half, crossing[1] - half];
        cover(slot::LINOLEUM, 0.004, x, [WALLS[1] - half, WALLS[3] + half]);
    }
    // Rooms
    for room in &plan.rooms {
        let mut r = room.random.fork(7);
        let cover = match room.usage {
            RoomUse::Stairs => continue,
            RoomUse::Office | RoomUse::Library | RoomUse::Meeting => r.pick(&slot::CARPETS),
            _ => slot::LINOLEUM,
        };
        let [w, d] = room.size;
        let at = |x, z| vec3(x, 0.005, z);
        shape.transform(transform * room.floor_from_room).slot(cover);
        shape.quad([at(0.0, d), at(w, d), at(w, 0.0), at(0.0, 0.0)]);
    }
    shape.transform(transform);
}

/// Adds the ceiling, suspended below the next slab, with the bars that carry its panels.
fn ceiling(shape: &mut Shape, is_top: bool) {
    let whole = [[Vec3::ZERO, vec3(LENGTH, 0.0, DEPTH)]];
    let parts = if is_top { whole.to_vec() } else { slab() };
    shape.slot(slot::CEILING);
    for &[low, high] in &parts {
        let at = |x, z| vec3(x, CEILING, z);
        shape.quad([at(low.x, low.z), at(high.x, low.z), at(high.x, high.z), at(low.x, high.z)]);
    }
    let bar = CrossSection::bar(0.024, 0.012);
    shape.slot(slot::WHITE);
    let y = CEILING - 0.003;
    // In each rectangle, bars along z and along x
    for &[low, high] in &parts {
        let inside = |v: f32, size: f32| v.clamp(OUTER - 0.01, size - OUTER + 0.01);
        let (x0, x1) = (inside(low.x, LENGTH), inside(high.x, LENGTH));
        let (z0, z1) = (inside(low.z, DEPTH), inside(high.z, DEPTH));
        let lines = |from: f32, to: f32| {
            (0..400).map(|i| 0.6 * i as f32 + 0.05).filter(move |&v| v > from + 0.02 && v < to - 0.02)
        };
        for x in lines(x0, x1) {
            shape.extrude_open(&bar, vec3(x, y, z0), vec3(x, y, z1), Vec3::Y);
        }
        for z in lines(z0, z1) {
            shape.extrude_open(&bar, vec3(x0, y - 0.001, z), vec3(x1, y - 0.001, z), Vec3::Y);
        }
    }
}

/// Adds the outer walls with their windows.
pub(super) fn outer_walls(shape: &mut Shape, plan: &Plan, detailed: bool, height: f32) {
    let offices = crate::random::floor_to_u32(LENGTH / OFFICE_WIDTH);
    let sill = [0.9, 2.5];
    let row: Vec<Opening> = (0..offices)
        .map(|i| [i as f32 * OFFICE_WIDTH + 0.75, (i + 1) as f32 * OFFICE_WIDTH - 0.75])
        .map(|along| Opening { along, height: sill })
        .collect();
    // The corridors end in windows, on the ground floor in doors.
    let bottom = if plan.floor == 1 { 0.0 } else { 0.3 };
    let mut gable: Vec<Opening> = [[1.6, 4.8], [10.5, 16.0], [20.0, 25.5], [31.2, 34.4]]
        .map(|along| Opening { along, height: sill })
        .to_vec();
    let ends = [[6.7, 8.1], [27.9, 29.3]].map(|along| Opening { along, height: [bottom, 2.5] });
    gable.insert(1, ends[0]);
    gable.insert(4, ends[1]);
    let long = [-0.001, LENGTH + 0.001];
    let short = [OUTER - 0.01, DEPTH - OUTER + 0.01];
    let walls = [
        (Wall { along_x: true, faces: [0.0, OUTER], ends: long, height }, &row),
        (Wall { along_x: true, faces: [DEPTH - OUTER, DEPTH], ends: long, height }, &row),
        (Wall { along_x: false, faces: [0.0, OUTER], ends: short, height }, &gable),
        (Wall { along_x: false, faces: [LENGTH - OUTER, LENGTH], ends: short, height }, &gable),
    ];
    for (wall, openings) in &walls {
        shape.slot(slot::FACADE);
        wall.build(shape, openings);
        for opening in *openings {
            window(shape, wall, opening, detailed);
        }
    }
}

/// Adds the frame and the mullions of a window.
fn window(shape: &mut Shape, wall: &Wall, opening: &Opening, detailed: bool) {
    let ([from, to], [bottom, top]) = (opening.along, opening.height);
    let middle = 0.5 * (wall.faces[1] - wall.faces[0]);
    let mut bar = |along: [f32; 2], height: [f32; 2], thick: f32| {
        let (a, b) = (
            wall.point(along[0], height[0], -middle + thick),
            wall.point(along[1], height[1], -middle - thick),
        );
        shape.slot(slot::FRAME).block(a.min(b), a.max(b));
    };
    let t = 0.06;
    bar([from, to], [bottom, bottom + t], 0.035);
    bar([from, to], [top - t, top], 0.035);
    let panes = if to - from > 3.0 { 4 } else { 2 };
    let (first, last) = if detailed { (0, panes) } else { (1, panes - 1) };
    for pane in first..=last {
        let x = from + (to - from - t) * pane as f32 / panes as f32;
        bar([x, x + t], [bottom + t, top - t], 0.03);
    }
    if detailed {
        bar([from + t, to - t], [bottom + 1.1, bottom + 1.1 + 0.05], 0.025);
    }
}

/// Returns the walls between rooms and corridors, with the openings of doors and passages.
pub(super) fn inner_walls(plan: &Plan, height: f32) -> Vec<(Wall, Vec<Opening>)> {
    let half = 0.5 * INNER;
    let faces = |v: f32| [v - half, v + half];
    let mut walls = Vec::new();
    // Along the corridors
    for z in [WALLS[0], WALLS[1], WALLS[3], WALLS[4]] {
        let here = |room: &&Room| {
            (room.floor_from_room.transform_point3(vec3(0.0, 0.0, room.size[1])).z - z).abs() < 0.2
        };
        let mut openings: Vec<Opening> = plan
            .rooms
            .iter()
            .filter(here)
            .map(Room::door_on_floor)
            .map(|x| Opening { along: [x - 0.5 * DOOR[0], x + 0.5 * DOOR[0]], height: [0.0, DOOR[1]] })
            .collect();
        if z == WALLS[1] || z == WALLS[3] {
            let passage = |[from, to]: [f32; 2]| [from + half, to - half];
            openings.extend(CROSSINGS.map(|c| Opening { along: passage(c), height: [0.0, 9.0] }));
        }
        openings.sort_by(|a, b| a.along[0].total_cmp(&b.along[0]));
        let ends = [OUTER - 0.01, LENGTH - OUTER + 0.01];
        walls.push((Wall { along_x: true, faces: faces(z), ends, height }, openings));
    }
    // Between the two rows of large rooms
    let blocks = [
        [OUTER - 0.01, CROSSINGS[0][0]],
        [CROSSINGS[0][1], CROSSINGS[1][0]],
        [CROSSINGS[1][1], LENGTH - OUTER + 0.01],
    ];
    for ends in blocks {
        walls.push((Wall { along_x: true, faces: faces(WALLS[2]), ends, height }, Vec::new()));
    }
    // Across the building
    let mut across = |x: f32, ends: [f32; 2], height: f32| {
        walls.push((Wall { along_x: false, faces: faces(x), ends, height }, Vec::new()));
    };
    for i in 1..crate::random::floor_to_u32(LENGTH / OFFICE_WIDTH) {
        let x = i as f32 * OFFICE_WIDTH;
        across(x, [OUTER - 0.01, WALLS[0] - half + 0.01], height - 0.001);
        across(x, [WALLS[4] + half - 0.01, DEPTH - OUTER + 0.01], height - 0.001);
    }
    for row in 0..2 {
        let (front, back) = (WALLS[1 + row] + half - 0.01, WALLS[2 + row] - half + 0.01);
        let rooms = large_rooms(row);
        let mut ends: Vec<f32> =
            rooms.iter().flatten().copied().filter(|x| *x > 1.0 && *x < LENGTH - 1.0).collect();
        ends.dedup();
        for x in ends {
            across(x, [front, back], height - 0.001);
        }
    }
    walls
}

/// Adds the leaf of a door; if `detailed`, with frame and handles.
pub(super) fn door(shape: &mut Shape, transform: Affine3, room: &Room, detailed: bool) {
    let mut r = room.random.fork(9);
    let [width, height] = DOOR;
    let (half, depth) = (0.5 * width, room.size[1]);
    let transform_of_room = transform * room.floor_from_room;
    shape.transform(transform_of_room);
    if detailed {
        shape.slot(slot::FRAME);
        let (near, far) = (depth - 0.02, depth + INNER + 0.02);
        for x in [room.door - half, room.door + half - 0.04] {
            shape.block(vec3(x, 0.0, near), vec3(x + 0.04, height, far));
        }
        let lintel = vec3(room.door - half + 0.04, height - 0.04, near);
        shape.block(lintel, vec3(room.door + half - 0.04, height, far));
    }
    let angle = if r.unit() < 0.35 { 0.0 } else { r.between(0.5, 1.75) };
    let hinge = vec3(room.door - half + 0.045, 0.012, depth + 0.02);
    shape
        .transform(transform_of_room * Affine3::from_translation(hinge) * rotation_y(angle))
        .slot(slot::DOOR);
    shape.block(vec3(0.0, 0.0, -0.02), vec3(width - 0.09, height - 0.06, 0.02));
    if detailed {
        for side in [-1.0, 1.0] {
            let at = |x: f32, z: f32| vec3(width - 0.16 - x, 1.03, side * z);
            shape.slot(slot::STEEL).tube(&[at(0.0, 0.015), at(0.0, 0.06), at(0.12, 0.06)], &[0.01; 3], 8);
        }
    }
}

/// Adds name plates, notice boards and fire extinguishers to the corridors.
fn corridors(shape: &mut Shape, plan: &Plan) {
    for room in &plan.rooms {
        let mut r = room.random.fork(11);
        let out = |d: f32| room.size[1] + INNER + d;
        shape.transform(Affine3::IDENTITY);
        let y = (plan.floor - 1) as f32 * STOREY;
        shape.transform(Affine3::from_translation(Vec3::Y * y) * room.floor_from_room);
        let beside = if room.door + 1.0 < room.size[0] { room.door + 0.62 } else { room.door - 0.80 };
        let plate = vec3(beside, 1.45, out(0.0));
        shape.slot(slot::WHITE).block(plate, plate + vec3(0.18, 0.12, 0.008));
        let x = 0.35 * room.size[0] - 0.6;
        if room.usage == RoomUse::Office && r.unit() < 0.45 {
            let board = vec3(x.max(0.3), 0.95, out(0.0));
            shape.slot(slot::OAK).block(board, board + vec3(1.3, 1.0, 0.02));
            shape.slot(slot::CORK).block(board + vec3(0.03, 0.03, 0.02), board + vec3(1.27, 0.97, 0.022));
            for note in 0..6 {
                let size = r.pick(&[[0.21, 0.297], [0.148, 0.21], [0.297, 0.21]]);
                let at = vec3(0.07 + 0.4 * (note % 3) as f32, 0.08 + 0.45 * (note / 3) as f32, 0.022);
                let at = board + at + vec3(r.between(0.0, 0.07), r.between(0.0, 0.05), 0.0);
                let paper = r.pick(&[slot::PAPER, slot::PAPER, slot::BOOKS[4], slot::BOOKS[2]]);
                shape.slot(paper).block(at, at + vec3(size[0], size[1] * 0.85, 0.001 + 0.0003 * note as f32));
            }
        } else if r.unit() < 0.12 {
            let at = vec3(x.max(0.3), 0.25, out(0.10));
            shape.slot(slot::RED);
            shape.tube(&[at, at + Vec3::Y * 0.42, at + Vec3::Y * 0.5], &[0.075, 0.075, 0.025], 16);
            shape.slot(slot::BLACK).tube(&[at + Vec3::Y * 0.48, at + Vec3::Y * 0.56], &[0.02; 2], 8);
        }
    }
}
