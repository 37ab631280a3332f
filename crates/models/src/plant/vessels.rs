//! Equipment that extends over several storeys: tall vessels and boilers.

use sunfleck_math::{Affine3, Vec3, sin_cos, vec2, vec3};

use super::fittings::{flange, gauge, line};
use super::layout::{BAY, FIRST_PIPE, TIERS, WELL};
use super::materials::slot;
use super::zone_meshes::ZoneMeshes;
use crate::random::Random;
use crate::shape::CrossSection;

/// Adds the part of a tall vessel that is in one storey; the lowest has a skirt, the highest a dished head.
pub(super) fn tall(zone: &mut ZoneMeshes, lowest: bool, highest: bool, mut r: Random) {
    const RADIUS: f32 = 1.42;
    let middle = 0.5 * (WELL[0] + WELL[1]);
    let paint = slot::ALUMINIUM;
    zone.set_local_transform(Affine3::from_translation(vec3(middle, 0.0, middle)));

    // Shell
    let top = if highest { 3.2 } else { BAY.y };
    let mut profile = Vec::new();
    if highest {
        for step in 0..=6 {
            let (sin, cos) = sin_cos(step as f32 / 6.0 * std::f32::consts::FRAC_PI_2);
            profile.push(vec2(RADIUS * sin, top + 0.5 * cos));
        }
        profile[0].x = 0.0;
    } else {
        profile.push(vec2(RADIUS, top));
    }
    profile.push(vec2(RADIUS, if lowest { 0.9 } else { 0.0 }));
    if lowest {
        profile.extend([vec2(RADIUS - 0.06, 0.84), vec2(RADIUS - 0.06, 0.0)]);
    }
    zone.round.slot(paint).lathe(&profile, 40);
    if lowest {
        zone.flat.slot(slot::CONCRETE).block(vec3(-1.6, 0.0, -1.6), vec3(1.6, 0.12, 1.6));
    }
    // Bands of the cladding
    for band in 0..4u32 {
        let y = 0.62 + 1.25 * band as f32;
        if y < top {
            zone.round.slot(slot::STEEL).torus(Vec3::Y * y, Vec3::Y, RADIUS + 0.002, 0.014, [40, 4]);
        }
    }
    // Manhole towards the walkway
    let hole = vec3(0.0, 1.25, -RADIUS);
    zone.round.slot(slot::CREAM).cylinder(hole, Vec3::Z, 0.36, 0.34, 24);
    zone.round.cylinder(hole - Vec3::Z * 0.15, Vec3::Z, 0.45, 0.05, 24);
    zone.round.cylinder(hole - Vec3::Z * 0.22, Vec3::Z, 0.45, 0.06, 24);
    for bolt in 0..20 {
        let (sin, cos) = crate::shape::circle_sin_cos(bolt, 20);
        zone.round.slot(slot::STEEL);
        zone.round.cylinder(hole + vec3(sin * 0.405, cos * 0.405, -0.19), Vec3::Z, 0.016, 0.22, 6);
    }
    gauge(&mut zone.round, vec3(-0.8, 2.2, -1.17), Vec3::Y, Vec3::NEG_Z);
    ladder(zone, vec3(-RADIUS - 0.16, 0.0, 0.0), if highest { top } else { BAY.y });

    // Nozzles: one into the rack, one down beside the shell
    zone.reset_local_transform();
    let radius = 0.11;
    let x = middle + r.around_zero(0.5);
    let from = vec3(x, TIERS[0], middle + 1.2);
    line(&mut zone.round, &[from, vec3(x, TIERS[0], FIRST_PIPE)], radius, paint);
    flange(&mut zone.round, vec3(x, TIERS[0], middle + 1.62), Vec3::Z, radius);
    let y = r.between(1.6, 2.6);
    let side = vec3(middle + 1.2, y, middle + 0.4);
    let corner = vec3(WELL[1] - 0.15, y, side.z);
    line(&mut zone.round, &[side, corner, vec3(corner.x, 0.0, corner.z)], 0.06, slot::INSULATION);
    flange(&mut zone.round, vec3(corner.x, 0.3, corner.z), Vec3::Y, 0.06);
}

/// Adds a ladder of rails and rungs, facing west.
fn ladder(zone: &mut ZoneMeshes, foot: Vec3, height: f32) {
    let round = zone.round.slot(slot::YELLOW);
    for z in [-0.22, 0.22] {
        let rail = foot + Vec3::Z * z;
        round.pipe(&[rail, rail + Vec3::Y * height], 0.018, 0.1, 6, 1);
    }
    let rungs = crate::random::floor_to_u32(height / 0.3);
    for rung in 1..=rungs {
        let y = Vec3::Y * (rung as f32 * 0.3 - 0.1);
        round.pipe(&[foot + y - Vec3::Z * 0.22, foot + y + Vec3::Z * 0.22], 0.011, 0.1, 5, 1);
    }
}

/// Adds the part of a boiler that is in one storey: walls of upright tubes around the well, with girders around them.
pub(super) fn boiler(zone: &mut ZoneMeshes, lowest: bool, highest: bool) {
    const TUBES: u32 = 46;
    let (low, high) = (WELL[0] + 0.12, WELL[1] - 0.12);
    let bottom = if lowest { 0.6 } else { 0.0 };
    let top = if highest { 3.0 } else { BAY.y };
    let corners = [vec3(low, 0.0, low), vec3(high, 0.0, low), vec3(high, 0.0, high), vec3(low, 0.0, high)];
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        zone.round.slot(slot::PRIMER);
        for tube in 0..TUBES {
            let at = from.lerp(to, tube as f32 / TUBES as f32);
            zone.round.pipe(&[at + Vec3::Y * bottom, at + Vec3::Y * top], 0.031, 0.1, 6, 1);
        }
        // The web between the tubes
        let web = CrossSection::bar(0.012, top - bottom);
        let middle = Vec3::Y * (0.5 * (top + bottom));
        zone.flat.slot(slot::PRIMER).extrude(&web, from + middle, to + middle, Vec3::Y);
        // Buckstays
        let out = (from + to) * 0.5 - vec3(0.5 * (low + high), 0.0, 0.5 * (low + high));
        let out = out.normalize_or(Vec3::X) * 0.13;
        let stay = CrossSection::beam(0.14, 0.2, 0.015);
        for y in [1.3, 2.7] {
            let up = Vec3::Y * y + out;
            zone.flat.slot(slot::FRAME).extrude(&stay, from + up, to + up, Vec3::Y);
        }
        for (end, exists) in [(bottom, lowest), (top, highest)] {
            if exists {
                let header = Vec3::Y * end;
                zone.round.slot(slot::INSULATION).pipe(&[from + header, to + header], 0.1, 0.1, 12, 1);
            }
        }
    }
    if highest {
        zone.flat.slot(slot::ALUMINIUM).block(vec3(low, top, low), vec3(high, top + 0.08, high));
    }
    // An inspection door in each storey
    let door = vec3(low + 0.9, 1.9, low - 0.03);
    zone.flat.slot(slot::IRON).block(door, door + vec3(0.5, 0.6, 0.02) - Vec3::Z * 0.05);
}
