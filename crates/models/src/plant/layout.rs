//! Which bays there are, and where in a bay things may be.
//!
//! A bay is 8 × 8 m and 5 m high, with a column at its origin; x to the east, y up, z to the south. Its height:
//!
//! ```text
//! 4.5 – 5.0  girders and grating of the storey above
//! 3.9 – 4.4  pipes and cable trays along z, at x = 5.4 … 7.7
//! 3.1 – 3.8  pipes along x in two tiers, at z = 5.4 … 7.7
//! 0.0 – 3.1  what stands on the floor: machines at x, z = 1.8 … 5.2, a wall of pipes at z = 5.4 … 7.7, walkways elsewhere
//! ```
//!
//! Risers pass at x, z = 0.6 … 1.6. What is higher than a storey (vessels, stairs, boilers) stands where machines do, in
//! openings of the gratings.

use sunfleck_math::{Vec3, pow, vec3};

use crate::random::{Random, whole};

pub(super) const BAY: Vec3 = vec3(8.0, 5.0, 8.0);
/// The place of machines and openings, along x as along z.
pub(super) const WELL: [f32; 2] = [1.8, 5.25];
/// The first of the pipes along x (their z) or z (their x), and the distance to the next.
pub(super) const FIRST_SLOT: f32 = 5.55;
pub(super) const SLOT: f32 = 0.3;
pub(super) const SLOTS: u32 = 7;
/// Heights of the tiers of pipes along x.
pub(super) const TIERS: [f32; 2] = [3.22, 3.68];

/// Columns and rows of the hall.
const HALL: [u32; 2] = [2, 3];

/// What stands in the wells of a column of bays, from the ground to the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stack {
    /// Something else on each storey.
    Machines,
    /// A tall vessel.
    Vessel,
    /// Flights of stairs.
    Stairs,
    /// Walls of tubes with coils inside.
    Boiler,
}

#[derive(Clone, Debug)]
pub(super) struct Layout {
    bays: u32,
    per_level: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
    pub(super) levels: u32,
    /// The share of the usual pipes that there are.
    pub(super) density: f32,
    /// Column and row of the north-western corner of a hall without bays, open to the sky.
    hall: Option<[u32; 2]>,
    random: Random,
}

/// A few neighbouring bays of one storey.
#[derive(Clone, Debug)]
pub(super) struct ZonePlan {
    pub(super) name: String,
    /// Column, row, level.
    pub(super) bays: Vec<[u32; 3]>,
}

impl Layout {
    pub(super) fn new(bays: u32, density: f32, random: Random) -> Self {
        let levels = whole(pow(0.5 * bays as f32, 1.0 / 3.0) + 0.5).max(1);
        let per_level = bays.div_ceil(levels);
        let columns = whole((1.3 * per_level as f32).sqrt().ceil()).max(1);
        let mut rows = per_level.div_ceil(columns);
        let hall = (columns >= 5 && rows >= 4).then(|| {
            rows = (per_level + HALL[0] * HALL[1]).div_ceil(columns);
            [(columns - HALL[0]) / 2, rows.saturating_sub(HALL[1] + 1)]
        });
        Self { bays, per_level, columns, rows, levels, density, hall, random }
    }

    /// Whether there is a bay; level by level, the last one may be incomplete.
    pub(super) fn has(&self, [column, row, level]: [u32; 3]) -> bool {
        let mut place = row * self.columns + column;
        if let Some([west, north]) = self.hall {
            let inside = |x: u32| x.saturating_sub(west).min(HALL[0]);
            if row >= north && row < north + HALL[1] && (west..west + HALL[0]).contains(&column) {
                return false;
            }
            // Bays are counted without those that the hall takes
            let rows_before = row.saturating_sub(north).min(HALL[1]);
            let here = if row >= north && row < north + HALL[1] { inside(column) } else { 0 };
            place -= rows_before * HALL[0] + here;
        }
        column < self.columns && place < self.per_level && level * self.per_level + place < self.bays
    }

    /// Where the light falls in and one overlooks several storeys: the middle of the hall, or before the south side.
    pub(super) fn hall(&self) -> Vec3 {
        let middle = |first: u32, count: u32| first as f32 + 0.5 * count as f32;
        let [x, z] = match self.hall {
            Some([west, north]) => [middle(west, HALL[0]), middle(north, HALL[1])],
            None => [middle(0, self.columns), self.rows as f32 + 0.6],
        };
        vec3(x, 0.0, z) * BAY
    }

    pub(super) fn stack(&self, column: u32, row: u32) -> Stack {
        // Stairs at a few fixed places, so that there are always some
        if column % 5 == 1 && row % 4 == 1 {
            return Stack::Stairs;
        }
        match self.random.fork(row * 1000 + column).unit() {
            u if u < 0.13 => Stack::Vessel,
            u if u < 0.21 => Stack::Boiler,
            _ => Stack::Machines,
        }
    }

    /// Whether the floor of a bay is open where machines would stand.
    pub(super) fn has_opening(&self, [column, row, level]: [u32; 3]) -> bool {
        level > 0 && self.stack(column, row) != Stack::Machines
    }

    /// Blocks of 3 × 3 bays.
    pub(super) fn zones(&self) -> Vec<ZonePlan> {
        let mut zones = Vec::new();
        for level in 0..self.levels {
            for row in (0..self.rows).step_by(3) {
                for column in (0..self.columns).step_by(3) {
                    let all = (0..9).map(|i| [column + i % 3, row + i / 3, level]);
                    let bays: Vec<_> = all.filter(|&bay| self.has(bay)).collect();
                    if !bays.is_empty() {
                        zones.push(ZonePlan { name: format!("zone {level}.{row}.{column}"), bays });
                    }
                }
            }
        }
        zones
    }
}

/// The corner of a bay, metres.
pub(super) fn origin([column, row, level]: [u32; 3]) -> Vec3 {
    vec3(column as f32, level as f32, row as f32) * BAY
}

/// Different for each bay.
pub(super) fn number([column, row, level]: [u32; 3]) -> u32 {
    (level << 20) | (row << 10) | column
}
