//! Which rooms a floor has.
//!
//! x runs along the front, z from the sunny front to the back, metres; left and right are those of somebody who looks out
//! of a window in the front, so that x runs to the right. Offices lie along both long sides, behind
//! them a corridor each, and between the corridors two rows of larger rooms, crossed by two short corridors:
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

pub(super) const LENGTH: f32 = 88.0;
pub(super) const DEPTH: f32 = 36.0;
/// From floor to floor.
pub(super) const STOREY: f32 = 3.6;
/// Height of rooms.
pub(super) const CEILING: f32 = 2.9;
/// Thickness of outer and inner walls.
pub(super) const OUTER: f32 = 0.3;
pub(super) const INNER: f32 = 0.14;
/// Middle of the walls along x, from front to back: corridor, large rooms, their middle, and the same again.
pub(super) const WALLS: [f32; 5] = [6.2, 8.6, 18.0, 27.4, 29.8];
pub(super) const OFFICE_WIDTH: f32 = 4.0;
/// The two short corridors.
pub(super) const CROSSINGS: [[f32; 2]; 2] = [[28.8, 31.2], [56.8, 59.2]];
/// The two stairwells, along x; along z they are as long as [`STAIRS_ALONG`].
pub(super) const STAIRS: [[f32; 2]; 2] = [[24.9, 28.8], [59.2, 63.1]];
pub(super) const STAIRS_ALONG: [f32; 2] = [18.0, 27.4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Office,
    Laboratory,
    Classroom,
    Library,
    Meeting,
    Lounge,
    Stairs,
}

/// A room between its walls, in a frame of its own: x along the wall with the door, z towards it, `size` along both.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) use_: Use,
    pub(super) size: [f32; 2],
    pub(super) floor_from_room: Affine3,
    /// The middle of the door, x in the room.
    pub(super) door: f32,
    pub(super) random: Random,
}

impl Room {
    /// The middle of the door, x on the floor.
    pub(super) fn door_on_floor(&self) -> f32 {
        self.floor_from_room.transform_point3(vec3(self.door, 0.0, 0.0)).x
    }
}

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) floor: u32,
    pub(super) rooms: Vec<Room>,
}

impl Plan {
    pub(super) fn new(floor: u32, random: Random) -> Self {
        let mut rooms = Vec::new();
        let mut add = |use_, [left, right]: [f32; 2], [front, back]: [f32; 2], door_in_front: bool| {
            let number = u32::try_from(rooms.len()).unwrap_or(0);
            let (corner, turn) = if door_in_front {
                (vec3(right, 0.0, back), std::f32::consts::PI)
            } else {
                (vec3(left, 0.0, front), 0.0)
            };
            let size = [right - left, back - front];
            let floor_from_room = Affine3::from_translation(corner) * rotation_y(turn);
            let door = if use_ == Use::Office { size[0] - 0.75 } else { 0.5 * size[0] };
            rooms.push(Room { use_, size, floor_from_room, door, random: random.fork(number) });
        };
        let half = 0.5 * INNER;
        let offices = crate::random::whole(LENGTH / OFFICE_WIDTH);
        for (front, back, door_in_front) in
            [(OUTER, WALLS[0] - half, false), (WALLS[4] + half, DEPTH - OUTER, true)]
        {
            for i in 0..offices {
                let left = if i == 0 { OUTER } else { i as f32 * OFFICE_WIDTH + half };
                let right =
                    if i + 1 == offices { LENGTH - OUTER } else { (i + 1) as f32 * OFFICE_WIDTH - half };
                add(Use::Office, [left, right], [front, back], door_in_front);
            }
        }
        let mut uses = shuffled(random.fork(1000)).into_iter();
        for (row, (front, back)) in [(WALLS[1], WALLS[2]), (WALLS[2], WALLS[3])].into_iter().enumerate() {
            for [left, right] in large_rooms(row) {
                let inner = |x: f32| if (1.0..LENGTH - 1.0).contains(&x) { half } else { 0.0 };
                let stairs = row == 1 && STAIRS.contains(&[left, right]);
                let use_ = if stairs { Use::Stairs } else { uses.next().unwrap_or(Use::Lounge) };
                add(use_, [left + inner(left), right - inner(right)], [front + half, back - half], row == 0);
            }
        }
        Self { floor, rooms }
    }
}

/// What large rooms are used for: the same numbers on each floor, in an order of its own.
fn shuffled(mut r: Random) -> [Use; 18] {
    use Use::{Classroom, Laboratory, Library, Lounge, Meeting};
    let mut uses = [
        Laboratory, Laboratory, Laboratory, Laboratory, Classroom, Classroom, Classroom, Library, Library,
        Meeting, Meeting, Meeting, Meeting, Lounge, Lounge, Lounge, Lounge, Lounge,
    ];
    for i in (1..18u32).rev() {
        uses.swap(i as usize, r.below(i + 1) as usize);
    }
    // One camera stands in the fourth of them.
    if let Some(laboratory) = uses.iter().position(|&u| u == Laboratory) {
        uses.swap(3, laboratory);
    }
    uses
}

/// From left to right, between the middles of their walls.
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

/// All but the stairs, as rectangles `[left, front]`, `[right, back]`.
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
