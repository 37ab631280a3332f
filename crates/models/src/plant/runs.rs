//! Pipework and cables through many bays: pipes along x, pipes and cable trays along z, risers.

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::MeshData;

use super::fittings::{flange, line, sides, valve};
use super::layout::{BAY, FIRST_PIPE, Layout, PIPE_SPACING, PIPES_PER_RACK, TIERS};
use super::materials::{pipe_slot, slot};
use super::zone_meshes::ZoneMeshes;
use crate::random::Random;
use crate::shape::CrossSection;

/// Radius of the thickest pipe in a rack.
const THICKEST: f32 = 0.125;
/// Height of the axes of the pipes along z.
const UPPER_RACK: f32 = 4.12;

/// Returns the pipework and cables of a storey as two meshes.
pub(super) fn storey(layout: &Layout, level: u32, random: Random) -> [MeshData; 2] {
    let mut zone = ZoneMeshes::new(&format!("runs {level}"));
    zone.set_bay_transform(Affine3::from_translation(Vec3::Y * (level as f32 * BAY.y)));
    let random = random.fork(level);
    for row in 0..layout.rows {
        let exists = |column| layout.has_bay([column, row, level]);
        along_x(&mut zone, layout, row, exists, random.fork(row));
    }
    for column in 0..layout.columns {
        let exists = |row| layout.has_bay([column, row, level]);
        along_z(&mut zone, layout, column, exists, random.fork(1000 + column));
    }
    for row in 0..layout.rows {
        for column in 0..layout.columns {
            if layout.has_bay([column, row, level]) {
                let number = 2000 + row * layout.columns + column;
                risers(&mut zone, layout, [column, row, level], random.fork(number));
            }
        }
    }
    zone.finish()
}

/// Returns ranges of bays, `[first, end)`, that a pipe passes through. Each has at most `longest` bays and is left
/// out with probability `gap`.
fn stretches(
    count: u32,
    longest: u32,
    gap: f32,
    exists: impl Fn(u32) -> bool,
    r: &mut Random,
) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let mut first = 0;
    while first < count {
        let length = 1 + r.below(longest);
        let end =
            (first..(first + length).min(count)).find(|&i| !exists(i)).unwrap_or((first + length).min(count));
        if end > first && r.unit() >= gap {
            found.push([first, end]);
        }
        first = end.max(first + 1);
    }
    found
}

/// Adds the pipes along x of a row, in two tiers, with their supports.
fn along_x(
    zone: &mut ZoneMeshes,
    layout: &Layout,
    row: u32,
    exists: impl Fn(u32) -> bool + Copy,
    random: Random,
) {
    let north = row as f32 * BAY.z;
    for (tier, y) in (0u32..).zip(TIERS) {
        for index in 0..PIPES_PER_RACK {
            let mut r = random.fork(tier * 100 + index);
            // Machines connect to the first pipe of the lower tier, so it must exist.
            let first = tier == 0 && index == 0;
            let gap = if first { 0.0 } else { 1.0 - 0.85 * layout.density };
            let z = north + FIRST_PIPE + index as f32 * PIPE_SPACING;
            for [from, to] in stretches(layout.columns, 9, gap, exists, &mut r) {
                let radius = if first { 0.12 } else { r.pick(&[0.045, 0.06, 0.08, 0.10, THICKEST]) };
                let paint = pipe_slot(&mut r);
                let (west, east) = (from as f32 * BAY.x + 0.28, to as f32 * BAY.x - 0.32);
                let end = if tier == 0 { 0.0 } else { BAY.y };
                let at = |x: f32, y: f32| vec3(x, y, z);
                line(
                    &mut zone.round,
                    &[at(west, end), at(west, y), at(east, y), at(east, end)],
                    radius,
                    paint,
                );
                for column in from..to {
                    let x = column as f32 * BAY.x;
                    add_fitting(zone, at(x + r.between(2.5, 4.2), y), tier == 1, radius, paint, &mut r);
                    for support in SUPPORTS {
                        shoe(zone, at(x + support, y), radius);
                    }
                }
                for x in [west, east] {
                    zone.round.slot(paint);
                    let up = if tier == 0 { 0.15 } else { BAY.y - 0.2 };
                    flange(&mut zone.round, at(x, up), Vec3::Y, radius);
                }
            }
        }
    }
    // Trapeze hangers that carry the tiers
    let (low, high) =
        (north + FIRST_PIPE - 0.2, north + FIRST_PIPE + (PIPES_PER_RACK - 1) as f32 * PIPE_SPACING + 0.22);
    let (bar, rod) = (CrossSection::channel(0.06, 0.06, 0.008), CrossSection::bar(0.02, 0.02));
    for column in (0..layout.columns).filter(|&c| exists(c)) {
        for support in SUPPORTS {
            let x = column as f32 * BAY.x + support;
            zone.flat.slot(slot::STEEL);
            for y in TIERS {
                let y = y - THICKEST - 0.03;
                zone.flat.extrude(&bar, vec3(x, y, low - 0.03), vec3(x, y, high + 0.03), Vec3::Y);
            }
            for z in [low, high] {
                zone.flat.extrude_open(&rod, vec3(x, TIERS[0] - 0.2, z), vec3(x, 4.78, z), Vec3::X);
            }
        }
    }
}

/// Positions of the supports in each bay, along x.
const SUPPORTS: [f32; 2] = [1.9, 5.38];

/// Adds a shoe between a pipe and its support.
fn shoe(zone: &mut ZoneMeshes, at: Vec3, radius: f32) {
    let bottom = at.y - THICKEST;
    let half = 0.3 * radius;
    zone.flat.slot(slot::IRON);
    zone.flat
        .block(vec3(at.x - 0.06, bottom, at.z - half), vec3(at.x + 0.06, at.y - 0.8 * radius, at.z + half));
}

/// Adds a flange, a valve, or nothing, at random.
fn add_fitting(zone: &mut ZoneMeshes, at: Vec3, room_above: bool, radius: f32, paint: u16, r: &mut Random) {
    match r.unit() {
        u if u < 0.12 && room_above && radius < 0.09 => {
            valve(&mut zone.round, at, Vec3::X, Vec3::Y, radius, paint);
        }
        u if u < 0.45 => {
            zone.round.slot(paint);
            flange(&mut zone.round, at, Vec3::X, radius.min(0.09));
        }
        _ => {}
    }
}

/// Adds the pipes and cable trays along z of a column, with their supports.
fn along_z(
    zone: &mut ZoneMeshes,
    layout: &Layout,
    column: u32,
    exists: impl Fn(u32) -> bool + Copy,
    random: Random,
) {
    let west = column as f32 * BAY.x;
    for index in 3..PIPES_PER_RACK {
        let mut r = random.fork(index);
        let x = west + FIRST_PIPE + index as f32 * PIPE_SPACING;
        for [from, to] in stretches(layout.rows, 8, 1.0 - 0.8 * layout.density, exists, &mut r) {
            let radius = r.pick(&[0.045, 0.06, 0.08, 0.11]);
            let paint = pipe_slot(&mut r);
            let (north, south) = (from as f32 * BAY.z + 0.35, to as f32 * BAY.z - 0.15);
            let at = |z: f32, y: f32| vec3(x, y, z);
            line(
                &mut zone.round,
                &[at(north, 0.0), at(north, UPPER_RACK), at(south, UPPER_RACK), at(south, 0.0)],
                radius,
                paint,
            );
            for z in [north, south] {
                zone.round.slot(paint);
                flange(&mut zone.round, at(z, 0.15), Vec3::Y, radius);
            }
            for row in from..to {
                if r.unit() < 0.5 {
                    zone.round.slot(paint);
                    flange(
                        &mut zone.round,
                        at(row as f32 * BAY.z + r.between(2.2, 4.8), UPPER_RACK),
                        Vec3::Z,
                        radius,
                    );
                }
            }
        }
    }
    for [from, to] in stretches(layout.rows, 100, 0.0, exists, &mut random.fork(50)) {
        let (north, south) = (from as f32 * BAY.z + 0.25, to as f32 * BAY.z - 0.25);
        for (tray, y) in [(0, 4.0), (1, 4.3)] {
            cables(zone, vec3(west + FIRST_PIPE + 0.25, y, 0.0), [north, south], random.fork(60 + tray));
        }
        for row in from..to {
            for z in [2.0, 5.0] {
                trapeze(zone, vec3(west, 0.0, row as f32 * BAY.z + z));
            }
        }
    }
}

/// Adds a tray with cables that are not quite straight.
fn cables(zone: &mut ZoneMeshes, at: Vec3, [north, south]: [f32; 2], random: Random) {
    let tray = CrossSection::channel(0.5, 0.09, 0.006);
    zone.flat.slot(slot::STEEL).extrude(&tray, at + Vec3::Z * north, at + Vec3::Z * south, Vec3::Y);
    let points = crate::random::floor_to_u32((south - north) / 4.0).max(1);
    for cable in 0..6u32 {
        let mut r = random.fork(cable);
        let radius = r.between(0.012, 0.026);
        let lane = -0.19 + 0.076 * cable as f32;
        let route: Vec<Vec3> = (0..=points)
            .map(|i| {
                let z = north + (south - north) * i as f32 / points as f32;
                at + vec3(lane + r.around_zero(0.011), radius - 0.038, z)
            })
            .collect();
        let paint = if r.unit() < 0.2 { slot::ORANGE } else { slot::CABLE };
        zone.round.slot(paint).pipe(&route, radius, 2.0, sides(radius).min(5), 1);
    }
}

/// Adds a trapeze hanger that carries trays and pipes along z.
fn trapeze(zone: &mut ZoneMeshes, at: Vec3) {
    let (low, high) = (FIRST_PIPE - 0.08, FIRST_PIPE + (PIPES_PER_RACK - 1) as f32 * PIPE_SPACING + 0.25);
    let (bar, rod) = (CrossSection::bar(0.04, 0.04), CrossSection::bar(0.018, 0.018));
    zone.flat.slot(slot::STEEL);
    let y = UPPER_RACK - 0.135;
    let middle = FIRST_PIPE + 0.56;
    zone.flat.extrude(&bar, at + vec3(middle, y, 0.0), at + vec3(high, y, 0.0), Vec3::Y);
    for y in [3.935, 4.235] {
        zone.flat.extrude(&bar, at + vec3(low, y, 0.0), at + vec3(middle, y, 0.0), Vec3::Y);
    }
    for x in [low, middle, high] {
        zone.flat.extrude_open(&rod, at + vec3(x, 3.9, 0.0), at + vec3(x, 4.78, 0.0), Vec3::X);
    }
}

/// Adds the risers in the north-west of a bay that begin on this storey.
fn risers(zone: &mut ZoneMeshes, layout: &Layout, [column, row, level]: [u32; 3], random: Random) {
    let origin = vec3(column as f32, 0.0, row as f32) * BAY;
    for index in 0..4u32 {
        // Risers with the same index do not overlap: they begin on multiples of `period` and end before the next one.
        let period = 2 + index;
        let mut r = random.fork(index);
        if level % period != 0 || r.unit() < 0.3 {
            continue;
        }
        let storeys = (1..period).take_while(|&i| layout.has_bay([column, row, level + i])).count() as f32;
        let foot = origin + vec3(0.62 + 0.3 * index as f32, 0.0, 0.62 + 0.3 * ((index * 2) % 4) as f32);
        let radius = r.pick(&[0.05, 0.07, 0.09, 0.11]);
        let paint = pipe_slot(&mut r);
        let top = foot + Vec3::Y * (storeys * BAY.y + TIERS[0]);
        // The riser ends in the first pipe along x.
        let end = vec3(top.x, top.y, origin.z + FIRST_PIPE);
        line(&mut zone.round, &[foot, top, end], radius, paint);
        flange(&mut zone.round, foot + Vec3::Y * 0.15, Vec3::Y, radius);
        for storey in 0..=crate::random::floor_to_u32(storeys) {
            let at = foot + Vec3::Y * (storey as f32 * BAY.y + r.between(1.0, 2.4));
            zone.round.slot(paint);
            flange(&mut zone.round, at, Vec3::Y, radius);
        }
    }
}
