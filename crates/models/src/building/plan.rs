//! Floor plans: the rooms of a floor.
//!
//! x runs along the front, z from the sunny front to the back, in metres; *left* is the side of small x. Offices lie
//! along both long sides, with a corridor behind each row. Between the corridors are two rows of larger rooms,
//! crossed by two short corridors:
//!
//! ```text
//! z = 36  ┌──┬──┬──┬──┬──┬──┬──┬──┬──┐ offices
//!         ├──┴──┴──┴──┴──┴──┴──┴──┴──┤ corridor
//!         ├─────┬─┐ ┌──┬──┬──┐ ┌─┬───┤ large rooms, stairs beside the crossings
//!         ├─────┴─┤ ├──┼──┼──┤ ├─┴───┤
//!         ├──┬──┬─┘ └──┴──┴──┘ └─┬───┤
//! z = 0   └──┴──┴──┴──┴──┴──┴──┴──┴──┘ offices
//! ```

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3};

use crate::random::Random;

/// Size of the building along x.
pub(super) const LENGTH: f32 = 88.0;
/// Size of the building along z.
pub(super) const DEPTH: f32 = 36.0;
/// Height of a storey, from floor to floor.
pub(super) const STOREY: f32 = 3.6;
/// Height of the rooms.
pub(super) const CEILING: f32 = 2.9;
/// Thickness of outer walls.
pub(super) const OUTER: f32 = 0.3;
/// Thickness of inner walls.
pub(super) const INNER: f32 = 0.14;
/// z of the centres of the walls along x: both sides of the front corridor, between the two rows of large rooms, both
/// sides of the back corridor.
pub(super) const WALLS: [f32; 5] = [6.2, 8.6, 18.0, 27.4, 29.8];
/// Distance between the centres of the walls of an office.
pub(super) const OFFICE_WIDTH: f32 = 4.0;
/// Ranges of the two short corridors, along x.
pub(super) const CROSSINGS: [[f32; 2]; 2] = [[28.8, 31.2], [56.8, 59.2]];
/// Ranges of the two stairwells, along x.
pub(super) const STAIRS: [[f32; 2]; 2] = [[24.9, 28.8], [59.2, 63.1]];
/// Range of the stairwells, along z.
pub(super) const STAIRS_ALONG: [f32; 2] = [18.0, 27.4];

/// Use of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoomUse {
    Office,
    Laboratory,
    Classroom,
    Library,
    Meeting,
    Lounge,
    Stairs,
}

/// Space between the walls of a room. In its frame, x runs along the wall with the door, z towards that wall.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) usage: RoomUse,
    /// Size along x and z.
    pub(super) size: [f32; 2],
    pub(super) floor_from_room: Affine3,
    /// x of the centre of the door, in the frame of the room.
    pub(super) door: f32,
    /// Random numbers of the room.
    pub(super) random: Random,
}

impl Room {
    /// Returns x of the centre of the door, in the frame of the floor.
    pub(super) fn door_on_floor(&self) -> f32 {
        self.floor_from_room.transform_point3(vec3(self.door, 0.0, 0.0)).x
    }
}

/// Rooms of a floor.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Number of the floor, from 1.
    pub(super) floor: u32,
    pub(super) rooms: Vec<Room>,
}

impl Plan {
    pub(super) fn new(floor: u32, random: Random) -> Self {
        let mut rooms = Vec::new();
        let mut add = |usage, [left, right]: [f32; 2], [front, back]: [f32; 2], door_in_front: bool| {
            let number = u32::try_from(rooms.len()).unwrap_or(0);
            let (corner, yaw) = if door_in_front {
                (vec3(right, 0.0, back), std::f32::consts::PI)
            } else {
                (vec3(left, 0.0, front), 0.0)
            };
            let size = [right - left, back - front];
            let floor_from_room = Affine3::from_translation(corner) * rotation_y(yaw);
            let door = if usage == RoomUse::Office { size[0] - 0.75 } else { 0.5 * size[0] };
            rooms.push(Room { usage, size, floor_from_room, door, random: random.fork(number) });
        };
        let half = 0.5 * INNER;
        let offices = crate::random::floor_to_u32(LENGTH / OFFICE_WIDTH);
        for (front, back, door_in_front) in
            [(OUTER, WALLS[0] - half, false), (WALLS[4] + half, DEPTH - OUTER, true)]
        {
            for i in 0..offices {
                let left = if i == 0 { OUTER } else { i as f32 * OFFICE_WIDTH + half };
                let right =
                    if i + 1 == offices { LENGTH - OUTER } else { (i + 1) as f32 * OFFICE_WIDTH - half };
                add(RoomUse::Office, [left, right], [front, back], door_in_front);
            }
        }
        let mut uses = shuffled(random.fork(1000)).into_iter();
        for (row, (front, back)) in [(WALLS[1], WALLS[2]), (WALLS[2], WALLS[3])].into_iter().enumerate() {
            for [left, right] in large_rooms(row) {
                let inner = |x: f32| if (1.0..LENGTH - 1.0).contains(&x) { half } else { 0.0 };
                let stairs = row == 1 && STAIRS.contains(&[left, right]);
                let usage = if stairs { RoomUse::Stairs } else { uses.next().unwrap_or(RoomUse::Lounge) };
                add(usage, [left + inner(left), right - inner(right)], [front + half, back - half], row == 0);
            }
        }
        Self { floor, rooms }
    }
}

/// Returns the uses of the large rooms: the same on each floor, in random order.
fn shuffled(mut r: Random) -> [RoomUse; 18] {
    use RoomUse::{Classroom, Laboratory, Library, Lounge, Meeting};
    let mut uses = [
        Laboratory, Laboratory, Laboratory, Laboratory, Classroom, Classroom, Classroom, Library, Library,
        Meeting, Meeting, Meeting, Meeting, Lounge, Lounge, Lounge, Lounge, Lounge,
    ];
    for i in (1..18u32).rev() {
        uses.swap(i as usize, r.below(i + 1) as usize);
    }
    // The camera "laboratory" is in the fourth room.
    if let Some(laboratory) = uses.iter().position(|&u| u == Laboratory) {
        uses.swap(3, laboratory);
    }
    uses
}

/// Returns the ranges of the large rooms of a row along x, from left to right, between the centres of their walls.
pub(super) fn large_rooms(row: usize) -> Vec<[f32; 2]> {
    let ends: &[&[f32]] = if row == 0 {
        &[&[OUTER, 10.0, 20.0, 28.8], &[31.2, 40.0, 48.0, 56.8], &[59.2, 68.0, 78.0, LENGTH - OUTER]]
    } else {
        &[
            &[OUTER, 8.0, 16.0, 24.9, 28.8],
            &[31.2, 40.0, 48.0, 56.8],
            &[59.2, 63.1, 72.0, 80.0, LENGTH - OUTER],
        ]
    };
    ends.iter().flat_map(|block| block.windows(2).map(|w| [w[0], w[1]])).collect()
}

/// Returns the slab without the stairwells, as rectangles with corners (left, front) and (right, back).
pub(super) fn slab() -> Vec<[Vec3; 2]> {
    let [front, back] = STAIRS_ALONG;
    let (front, back) = (front + 2.2, back - 1.3);
    let at = |x, z| vec3(x, 0.0, z);
    let holes = STAIRS.map(|[left, right]| [left + 0.5 * INNER, right - 0.5 * INNER]);
    vec![
        [at(0.0, 0.0), at(LENGTH, front)],
        [at(0.0, back), at(LENGTH, DEPTH)],
        [at(0.0, front), at(holes[0][0], back)],
        [at(holes[0][1], front), at(holes[1][0], back)],
        [at(holes[1][1], front), at(LENGTH, back)],
    ]
}
