//! Steelwork: columns, girders, gratings, railings; and the lamps that hang from it.

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::MeshData;

use super::layout::{BAY, Layout, WELL};
use super::materials::slot;
use super::zone_meshes::ZoneMeshes;
use crate::shape::{CrossSection, Shape};

/// Returns the slab below the plant.
pub(super) fn ground(layout: &Layout) -> MeshData {
    let margin = 25.0;
    let mut ground = Shape::without_normals("ground");
    let size = vec3(layout.columns as f32 * BAY.x, 0.0, layout.rows as f32 * BAY.z);
    ground.slot(slot::CONCRETE);
    ground.block(vec3(-margin, -0.5, -margin), size + vec3(margin, 0.0, margin));
    ground.finish()
}

/// Returns whether the bay is the first one that exists around a corner, and therefore builds the column there.
fn owns_corner(layout: &Layout, [column, row, level]: [u32; 3], [east, south]: [u32; 2]) -> bool {
    let around = [[0, 0], [1, 0], [0, 1], [1, 1]];
    let first = around.into_iter().find_map(|[west, north]| {
        let bay = [(column + east).checked_sub(west)?, (row + south).checked_sub(north)?, level];
        layout.has_bay(bay).then_some(bay)
    });
    first == Some([column, row, level])
}

/// Adds columns, girders and knee braces of a bay.
pub(super) fn frame(zone: &mut ZoneMeshes, layout: &Layout, bay: [u32; 3]) {
    let [column, row, level] = bay;
    let flat = zone.flat.slot(slot::FRAME);
    let post = CrossSection::beam(0.34, 0.36, 0.03);
    for corner in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        if owns_corner(layout, bay, corner) {
            let foot = vec3(corner[0] as f32 * BAY.x, 0.0, corner[1] as f32 * BAY.z);
            flat.extrude_open(&post, foot, foot + Vec3::Y * BAY.y, Vec3::Z);
            // Base plate, or the splice with the column below
            flat.block(foot + vec3(-0.24, 0.0, -0.24), foot + vec3(0.24, 0.035, 0.24));
        }
    }
    let girder = CrossSection::beam(0.20, 0.42, 0.025);
    let joint = 0.19;
    let y = BAY.y - 0.27;
    let east = layout.has_bay([column + 1, row, level]);
    let south = layout.has_bay([column, row + 1, level]);
    let xs = if east { &[0.0][..] } else { &[0.0, BAY.x] };
    let zs = if south { &[0.0][..] } else { &[0.0, BAY.z] };
    let knee = CrossSection::bar(0.08, 0.08);
    for &z in zs {
        flat.extrude(&girder, vec3(joint, y, z), vec3(BAY.x - joint, y, z), Vec3::Y);
        flat.extrude_open(&knee, vec3(0.1, y - 1.1, z), vec3(1.0, y - 0.15, z), Vec3::Z);
    }
    for &x in xs {
        flat.extrude(&girder, vec3(x, y, joint), vec3(x, y, BAY.z - joint), Vec3::Y);
        flat.extrude_open(&knee, vec3(x, y - 1.1, 0.1), vec3(x, y - 0.15, 1.0), Vec3::X);
    }
}

/// Adds joists and gratings of an upper storey, with an opening if the content of the well passes through it, and
/// railings along open edges.
pub(super) fn floor(zone: &mut ZoneMeshes, layout: &Layout, bay: [u32; 3]) {
    let [column, row, level] = bay;
    if level == 0 {
        return;
    }
    let [low, high] = WELL;
    let opening = layout.has_opening(bay);
    let joist = CrossSection::beam(0.12, 0.22, 0.014);
    let flat = zone.flat.slot(slot::FRAME);
    let y = -0.165;
    let end = 0.13;
    let mut across = vec![low - 0.08, high + 0.08];
    if !opening {
        across.push(0.5 * (low + high));
    }
    for z in across {
        flat.extrude(&joist, vec3(end, y, z), vec3(BAY.x - end, y, z), Vec3::Y);
    }
    for x in [low - 0.08, high + 0.08] {
        let (from, to) = (low, high);
        flat.extrude(&joist, vec3(x, y - 0.002, from), vec3(x, y - 0.002, to), Vec3::Y);
    }
    // Panels: north and south of the well, beside it, and over it
    let (first, last) = (0.06, BAY.x - 0.06);
    let mut panels = vec![
        [first, last, 0.06, low - 0.03],
        [first, last, high + 0.03, last],
        [first, low - 0.03, low, high],
        [high + 0.03, last, low, high],
    ];
    if !opening {
        panels.push([low, high, low, high]);
    }
    for panel in panels {
        grating(flat, panel);
    }

    // Railings
    let rail = 0.12;
    let mut edges = Vec::new();
    if column == 0 {
        edges.push([vec3(rail, 0.0, 0.2), vec3(rail, 0.0, BAY.z - 0.2)]);
    }
    if !layout.has_bay([column + 1, row, level]) {
        edges.push([vec3(BAY.x - rail, 0.0, 0.2), vec3(BAY.x - rail, 0.0, BAY.z - 0.2)]);
    }
    if row == 0 {
        edges.push([vec3(0.2, 0.0, rail), vec3(BAY.x - 0.2, 0.0, rail)]);
    }
    if !layout.has_bay([column, row + 1, level]) {
        edges.push([vec3(0.2, 0.0, BAY.z - rail), vec3(BAY.x - 0.2, 0.0, BAY.z - rail)]);
    }
    if opening {
        let (low, high) = (low - 0.1, high + 0.1);
        // The railings do not share posts at the corners.
        let gap = 0.08;
        let across = |z| [vec3(low + gap, 0.0, z), vec3(high - gap, 0.0, z)];
        let along = |x| [vec3(x, 0.0, low + gap), vec3(x, 0.0, high - gap)];
        edges.extend([across(low), across(high), along(high)]);
        if layout.well_content(column, row) != super::layout::WellContent::Stairs {
            edges.push(along(low));
        }
    }
    for [from, to] in edges {
        railing(zone, from, to);
    }
}

/// Adds a grating: bars on edge with rods across them, in the rectangle `[west, east, north, south]`.
fn grating(flat: &mut Shape, [west, east, north, south]: [f32; 4]) {
    const PITCH: f32 = 0.075;
    flat.slot(slot::GRATING);
    let (thin, tall) = (0.0035, 0.032);
    let bar = CrossSection::bar(2.0 * thin, tall);
    let y = -0.5 * tall - 0.004;
    let bars = crate::random::floor_to_u32((east - west) / PITCH).max(1);
    for i in 0..=bars {
        let x = west + (east - west) * i as f32 / bars as f32;
        flat.extrude_open(&bar, vec3(x, y, north), vec3(x, y, south), Vec3::Y);
    }
    let rods = crate::random::floor_to_u32((south - north) / 0.5).max(1);
    let rod = CrossSection::bar(0.006, 0.006);
    for i in 0..=rods {
        let z = north + 0.02 + (south - north - 0.04) * i as f32 / rods as f32;
        flat.extrude(&rod, vec3(west, -0.0045, z), vec3(east, -0.0045, z), Vec3::Y);
    }
}

/// Adds a railing: posts, two rails and a toe board.
pub(super) fn railing(zone: &mut ZoneMeshes, from: Vec3, to: Vec3) {
    let round = zone.round.slot(slot::YELLOW);
    let length = (to - from).length();
    let posts = crate::random::floor_to_u32(length / 1.4).max(1);
    for i in 0..=posts {
        let foot = from.lerp(to, i as f32 / posts as f32);
        round.pipe(&[foot, foot + Vec3::Y * 1.1], 0.021, 0.1, 6, 1);
    }
    for y in [0.55, 1.1] {
        round.pipe(&[from + Vec3::Y * y, to + Vec3::Y * y], 0.021, 0.1, 6, 1);
    }
    let toe = CrossSection::bar(0.008, 0.12);
    if (to - from).y.abs() < 0.1 {
        zone.flat.slot(slot::YELLOW).extrude(&toe, from + Vec3::Y * 0.08, to + Vec3::Y * 0.08, Vec3::Y);
    }
}

/// Adds two lamps above the walkways.
pub(super) fn lamps(zone: &mut ZoneMeshes) {
    let (long, wide, y) = (0.9, 0.22, BAY.y - 0.58);
    for (center, along, across) in
        [(vec3(3.5, y, 0.9), Vec3::X, Vec3::Z), (vec3(0.95, y, 3.6), Vec3::Z, Vec3::X)]
    {
        let flat = zone.flat.slot(slot::CABINET);
        let half = along * (long + 0.04) + across * (wide + 0.03);
        flat.block(center - half, center + half + Vec3::Y * 0.09);
        for side in [-0.6, 0.6] {
            let hook = center + along * (side * long) + Vec3::Y * 0.09;
            flat.extrude_open(&CrossSection::bar(0.012, 0.012), hook, hook + Vec3::Y * 0.30, Vec3::X);
        }
        // The emissive face points down.
        let at = |u: f32, v: f32| {
            let right = if along == Vec3::X { 1.0 } else { -1.0 };
            center + along * (u * long) + across * (v * wide * right) - Vec3::Y * 0.003
        };
        flat.slot(slot::LAMP).quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }
}
