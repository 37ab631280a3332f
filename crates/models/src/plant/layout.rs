//! Arrangement of the bays, and the positions of objects in a bay.
//!
//! A bay is 8 × 8 m and 5 m high, with a column at its origin; x points east, y up, z south. By height, it contains:
//!
//! ```text
//! 4.5 – 5.0  girders and grating of the storey above
//! 3.9 – 4.4  pipes and cable trays along z, at x = 5.4 … 7.7
//! 3.1 – 3.8  pipes along x in two tiers, at z = 5.4 … 7.7
//! 0.0 – 3.1  objects on the floor: machines at x, z = 1.8 … 5.2, a wall of pipes at z = 5.4 … 7.7, walkways elsewhere
//! ```
//!
//! Risers pass at x, z = 0.6 … 1.6. Objects higher than a storey (vessels, stairs, boilers) take the position of
//! machines and pass through openings in the gratings. This position of a bay is its *well*.

use sunfleck_math::{Vec3, pow, vec3};

use crate::random::{Random, floor_to_u32};

/// Size of a bay, metres.
pub(super) const BAY: Vec3 = vec3(8.0, 5.0, 8.0);
/// Range of the well, along x as along z, metres.
pub(super) const WELL: [f32; 2] = [1.8, 5.25];
/// Position of the first pipe of a rack across its direction: z of pipes along x, x of pipes along z.
pub(super) const FIRST_PIPE: f32 = 5.55;
/// Distance between neighbouring pipes of a rack.
pub(super) const PIPE_SPACING: f32 = 0.3;
/// Number of pipes of a rack.
pub(super) const PIPES_PER_RACK: u32 = 7;
/// Heights of the tiers of pipes along x.
pub(super) const TIERS: [f32; 2] = [3.22, 3.68];

/// Numbers of columns and rows of the hall.
const HALL: [u32; 2] = [2, 3];

/// Content of the wells of a vertical stack of bays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WellContent {
    /// A different machine on each storey.
    Machines,
    /// A tall vessel.
    Vessel,
    /// Flights of stairs.
    Stairs,
    /// Walls of tubes with coils inside.
    Boiler,
}

/// Arrangement of the bays of a plant.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Number of bays.
    bays: u32,
    /// Number of bays of a complete level.
    per_level: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
    pub(super) levels: u32,
    /// Fraction of the usual number of pipes.
    pub(super) density: f32,
    /// Column and row of the north-western corner of the hall, a court without bays that is open to the sky.
    hall: Option<[u32; 2]>,
    random: Random,
}

/// Neighbouring bays of one storey that share two meshes.
#[derive(Clone, Debug)]
pub(super) struct ZonePlan {
    pub(super) name: String,
    /// Column, row and level of each bay.
    pub(super) bays: Vec<[u32; 3]>,
}

impl Layout {
    pub(super) fn new(bays: u32, density: f32, random: Random) -> Self {
        let levels = floor_to_u32(pow(0.5 * bays as f32, 1.0 / 3.0) + 0.5).max(1);
        let per_level = bays.div_ceil(levels);
        let columns = floor_to_u32((1.3 * per_level as f32).sqrt().ceil()).max(1);
        let mut rows = per_level.div_ceil(columns);
        let hall = (columns >= 5 && rows >= 4).then(|| {
            rows = (per_level + HALL[0] * HALL[1]).div_ceil(columns);
            [(columns - HALL[0]) / 2, rows.saturating_sub(HALL[1] + 1)]
        });
        Self { bays, per_level, columns, rows, levels, density, hall, random }
    }

    /// Returns whether a bay exists. The last level may be incomplete.
    pub(super) fn has_bay(&self, [column, row, level]: [u32; 3]) -> bool {
        let mut index = row * self.columns + column;
        if let Some([west, north]) = self.hall {
            let inside = |x: u32| x.saturating_sub(west).min(HALL[0]);
            if row >= north && row < north + HALL[1] && (west..west + HALL[0]).contains(&column) {
                return false;
            }
            // The index does not count the cells of the hall.
            let rows_before = row.saturating_sub(north).min(HALL[1]);
            let here = if row >= north && row < north + HALL[1] { inside(column) } else { 0 };
            index -= rows_before * HALL[0] + here;
        }
        column < self.columns && index < self.per_level && level * self.per_level + index < self.bays
    }

    /// Returns the centre of the hall, from which several storeys are visible, or a point south of plants without a
    /// hall.
    pub(super) fn hall(&self) -> Vec3 {
        let middle = |first: u32, count: u32| first as f32 + 0.5 * count as f32;
        let [x, z] = match self.hall {
            Some([west, north]) => [middle(west, HALL[0]), middle(north, HALL[1])],
            None => [middle(0, self.columns), self.rows as f32 + 0.6],
        };
        vec3(x, 0.0, z) * BAY
    }

    /// Returns the content of the wells at a column and row.
    pub(super) fn well_content(&self, column: u32, row: u32) -> WellContent {
        // Stairs have fixed positions, so that large plants always have some.
        if column % 5 == 1 && row % 4 == 1 {
            return WellContent::Stairs;
        }
        match self.random.fork(row * 1000 + column).unit() {
            u if u < 0.13 => WellContent::Vessel,
            u if u < 0.21 => WellContent::Boiler,
            _ => WellContent::Machines,
        }
    }

    /// Returns whether the floor of a bay has an opening at the well.
    pub(super) fn has_opening(&self, [column, row, level]: [u32; 3]) -> bool {
        level > 0 && self.well_content(column, row) != WellContent::Machines
    }

    /// Returns the zones: blocks of up to 3 × 3 bays of a level.
    pub(super) fn zones(&self) -> Vec<ZonePlan> {
        let mut zones = Vec::new();
        for level in 0..self.levels {
            for row in (0..self.rows).step_by(3) {
                for column in (0..self.columns).step_by(3) {
                    let all = (0..9).map(|i| [column + i % 3, row + i / 3, level]);
                    let bays: Vec<_> = all.filter(|&bay| self.has_bay(bay)).collect();
                    if !bays.is_empty() {
                        zones.push(ZonePlan { name: format!("zone {level}.{row}.{column}"), bays });
                    }
                }
            }
        }
        zones
    }
}

/// Returns the corner of a bay in the plant, metres.
pub(super) fn origin([column, row, level]: [u32; 3]) -> Vec3 {
    vec3(column as f32, level as f32, row as f32) * BAY
}

/// Returns a number that is unique to each bay, to select its random numbers.
pub(super) fn number([column, row, level]: [u32; 3]) -> u32 {
    (level << 20) | (row << 10) | column
}
