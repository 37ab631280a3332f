//! Machines in the well of a bay, lower than the pipes above it.

use sunfleck_math::transform::rotation_z;
use sunfleck_math::{Affine3, Vec3, sin_cos, vec2, vec3};

use super::fittings::{flange, gauge, line, valve};
use super::layout::{FIRST_PIPE, TIERS, WELL};
use super::materials::{pipe_slot, slot};
use super::zone_meshes::ZoneMeshes;
use crate::random::Random;
use crate::shape::CrossSection;

/// Quarter turn, radians.
const QUARTER: f32 = std::f32::consts::FRAC_PI_2;

/// Adds a machine of random kind.
pub(super) fn random_machine(zone: &mut ZoneMeshes, mut r: Random) {
    match r.below(6) {
        0 => pumps(zone, &mut r),
        1 => exchangers(zone, &mut r),
        2 => manifold(zone, &mut r),
        3 => cabinets(zone, &mut r),
        4 => tanks(zone, &mut r),
        _ => coils(zone, &mut r),
    }
    zone.reset_local_transform();
}

/// Adds a pipe from a machine up and across to the first pipe along x.
fn to_the_rack(zone: &mut ZoneMeshes, from: Vec3, radius: f32, paint: u16) {
    let corner = vec3(from.x, TIERS[0], from.z);
    line(&mut zone.round, &[from, corner, vec3(from.x, TIERS[0], FIRST_PIPE)], radius, paint);
}

/// Adds three sets of motor and pump, each on a plinth.
fn pumps(zone: &mut ZoneMeshes, r: &mut Random) {
    let (motor, pump) = (r.pick(&[slot::BLUE, slot::GREEN, slot::TEAL]), r.pick(&[slot::TEAL, slot::ORANGE]));
    let paint = pipe_slot(r);
    for set in 0..3u32 {
        let z = 2.3 + 1.15 * set as f32;
        let axis = 0.68;
        zone.flat.slot(slot::CONCRETE).block(vec3(1.95, 0.0, z - 0.36), vec3(4.2, 0.26, z + 0.36));
        let base = CrossSection::channel(0.5, 0.10, 0.012);
        zone.flat.slot(slot::IRON).extrude(&base, vec3(2.02, 0.31, z), vec3(4.12, 0.31, z), Vec3::NEG_Y);
        // Motor with cooling ribs, feet, terminal box and fan cover
        let shaft = |x: f32| vec3(x, axis, z);
        let round = zone.round.slot(motor);
        round.pipe(&[shaft(2.15), shaft(2.95)], 0.22, 0.1, 24, 1);
        round.pipe(&[shaft(2.02), shaft(2.18)], 0.235, 0.1, 24, 1);
        round.pipe(&[shaft(2.9), shaft(3.0)], 0.235, 0.1, 24, 1);
        let rib = CrossSection::bar(0.008, 0.04);
        for i in 0..28 {
            let (sin, cos) = crate::shape::circle_sin_cos(i, 28);
            let out = vec3(0.0, cos, sin);
            zone.flat.slot(motor);
            let [from, to] = [2.2, 2.88].map(|x| shaft(x) + out * 0.235);
            zone.flat.extrude(&rib, from, to, out);
        }
        zone.flat.block(vec3(2.4, 0.36, z - 0.2), vec3(2.5, axis, z + 0.2));
        zone.flat.block(vec3(2.7, 0.36, z - 0.2), vec3(2.8, axis, z + 0.2));
        zone.flat.slot(slot::IRON).block(vec3(2.42, axis + 0.2, z - 0.1), vec3(2.66, axis + 0.36, z + 0.1));
        // Guard of the coupling, bearings, casing
        zone.round.slot(slot::YELLOW).pipe(&[shaft(2.98), shaft(3.3)], 0.11, 0.1, 16, 1);
        let x = 3.55 + 0.17 * set as f32;
        zone.round.slot(pump).pipe(&[shaft(3.28), shaft(x)], 0.13, 0.1, 16, 1);
        zone.round.cylinder(shaft(x), Vec3::X, 0.30, 0.2, 28);
        zone.round.cylinder(shaft(x), Vec3::X, 0.33, 0.05, 28);
        zone.flat.slot(pump).block(vec3(x - 0.08, 0.36, z - 0.16), vec3(x + 0.08, axis - 0.2, z + 0.16));
        // Suction pipe from the floor, pressure pipe to the rack
        let (radius, end) = (0.085, 4.95);
        line(&mut zone.round, &[shaft(x), shaft(end), vec3(end, 0.0, z)], radius, paint);
        flange(&mut zone.round, shaft(x + 0.24), Vec3::X, radius);
        flange(&mut zone.round, vec3(end, 0.12, z), Vec3::Y, radius);
        to_the_rack(zone, vec3(x, axis + 0.2, z), 0.066, paint);
        zone.round.slot(paint);
        flange(&mut zone.round, vec3(x, axis + 0.45, z), Vec3::Y, 0.066);
        valve(&mut zone.round, vec3(x, 1.75, z), Vec3::Y, Vec3::NEG_X, 0.066, slot::IRON);
        gauge(&mut zone.round, vec3(x + 0.42, axis + 0.085, z), Vec3::Y, Vec3::NEG_Z);
    }
}

/// Adds two heat exchangers along x, one above the other.
fn exchangers(zone: &mut ZoneMeshes, r: &mut Random) {
    let shell = r.pick(&[slot::ALUMINIUM, slot::CREAM, slot::INSULATION]);
    let (radius, z, west, east) = (0.56, 3.35, 1.95, 5.1);
    for y in [0.85, 2.3] {
        // The rotation maps the axis of the lathe from y to -x: its top is in the west.
        zone.set_local_transform(Affine3::from_translation(vec3(0.0, y, z)) * rotation_z(QUARTER));
        let (top, bottom) = (-west, -east);
        let mut profile = vec![vec2(0.0, top)];
        for step in 1..=5 {
            let (sin, cos) = sin_cos(step as f32 / 5.0 * QUARTER);
            profile.push(vec2(radius * sin, top - 0.2 + 0.2 * cos));
        }
        profile.extend([vec2(radius, bottom + 0.05), vec2(0.0, bottom + 0.05)]);
        zone.round.slot(shell).lathe(&profile, 32);
        zone.reset_local_transform();
        let at = |x: f32| vec3(x, y, z);
        for x in [2.45, 3.5, 4.2] {
            zone.round.slot(slot::STEEL).torus(at(x), Vec3::X, radius + 0.003, 0.012, [32, 4]);
        }
        // Channel head
        zone.round.slot(slot::BLUE).cylinder(at(4.62), Vec3::X, radius + 0.09, 0.07, 32);
        zone.round.cylinder(at(4.72), Vec3::X, radius + 0.09, 0.07, 32);
        zone.round.cylinder(at(5.08), Vec3::X, radius + 0.09, 0.06, 32);
        for bolt in 0..28 {
            let (sin, cos) = crate::shape::circle_sin_cos(bolt, 28);
            let out = vec3(0.0, cos, sin) * (radius + 0.045);
            zone.round.slot(slot::IRON).cylinder(at(4.67) + out, Vec3::X, 0.014, 0.26, 6);
        }
        // Saddles
        for x in [2.5, 4.1] {
            let foot = if y < 1.0 { 0.0 } else { y - 1.45 + radius };
            zone.flat.slot(slot::FRAME);
            zone.flat.block(vec3(x - 0.07, foot, z - 0.42), vec3(x + 0.07, y - 0.36, z + 0.42));
        }
    }
    let paint = pipe_slot(r);
    to_the_rack(zone, vec3(2.9, 2.75, z), 0.09, paint);
    to_the_rack(zone, vec3(3.85, 2.75, z), 0.06, slot::INSULATION);
    for (x, nozzle) in [(2.9, 0.09), (3.85, 0.06)] {
        flange(&mut zone.round, vec3(x, 2.98, z), Vec3::Y, nozzle);
        zone.round.slot(paint).pipe(&[vec3(x, 1.2, z), vec3(x, 1.9, z)], nozzle, 0.1, 12, 1);
        flange(&mut zone.round, vec3(x, 1.57, z), Vec3::Y, nozzle);
    }
    let drain = [vec3(4.9, 0.85, z - 0.4), vec3(4.9, 0.85, z - 1.2), vec3(4.9, 0.0, z - 1.2)];
    line(&mut zone.round, &drain, 0.07, slot::GREEN);
    valve(&mut zone.round, vec3(4.9, 0.85, z - 0.82), Vec3::Z, Vec3::Y, 0.07, slot::GREEN);
}

/// Adds a manifold: a header near the floor, from which pipes with a valve each lead up to a second header.
fn manifold(zone: &mut ZoneMeshes, r: &mut Random) {
    let (paint, radius) = (pipe_slot(r), r.between(0.045, 0.06));
    let lower = |x: f32| vec3(x, 0.75, 2.35);
    let upper = |x: f32| vec3(x, 2.65, 4.5);
    line(&mut zone.round, &[lower(1.9), lower(5.15)], 0.13, paint);
    line(&mut zone.round, &[upper(1.9), upper(5.15)], 0.13, paint);
    for end in [1.92, 5.13] {
        flange(&mut zone.round, lower(end), Vec3::X, 0.13);
        flange(&mut zone.round, upper(end), Vec3::X, 0.13);
    }
    for branch in 0..6u32 {
        let x = 2.2 + 0.53 * branch as f32;
        let bend = vec3(x, 2.65, 2.35);
        line(&mut zone.round, &[lower(x), bend, upper(x)], radius, paint);
        let height = 1.35 + 0.35 * (branch % 2) as f32;
        valve(&mut zone.round, vec3(x, height, 2.35), Vec3::Y, Vec3::NEG_Z, radius, slot::IRON);
        zone.round.slot(paint);
        flange(&mut zone.round, vec3(x, 2.65, r.between(3.0, 4.0)), Vec3::Z, radius);
        if r.unit() < 0.4 {
            gauge(&mut zone.round, vec3(x, 2.65 + radius, 2.75), Vec3::Y, Vec3::NEG_Z);
        }
    }
    to_the_rack(zone, upper(3.5) + Vec3::Y * 0.05, 0.1, paint);
    for x in [2.0, 5.05] {
        zone.flat.slot(slot::FRAME).block(vec3(x - 0.05, 0.0, 2.28), vec3(x + 0.05, 0.66, 2.42));
        zone.flat.block(vec3(x - 0.05, 0.0, 4.43), vec3(x + 0.05, 2.55, 4.57));
    }
}

/// Adds two rows of switchgear cabinets, back to back, with cables from above.
fn cabinets(zone: &mut ZoneMeshes, r: &mut Random) {
    zone.flat.slot(slot::CONCRETE).block(vec3(1.85, 0.0, 2.25), vec3(5.2, 0.08, 3.85));
    for cabinet in 0..8u32 {
        let (column, row) = (cabinet % 4, cabinet / 4);
        let x = 1.9 + 0.82 * column as f32;
        let (back, facing) = (3.05, if row == 0 { -1.0 } else { 1.0 });
        let z = |d: f32| back + facing * d;
        let mut block = |slot, x0: f32, x1: f32, y: [f32; 2], d: [f32; 2]| {
            let (a, b) = (z(d[0]), z(d[1]));
            zone.flat.slot(slot).block(vec3(x + x0, y[0], a.min(b)), vec3(x + x1, y[1], a.max(b)));
        };
        block(slot::CABINET, 0.0, 0.8, [0.08, 2.2], [0.01, 0.68]);
        block(slot::CABINET, 0.03, 0.77, [0.2, 2.14], [0.68, 0.70]);
        block(slot::IRON, 0.66, 0.70, [1.0, 1.25], [0.70, 0.735]);
        for slit in 0..12 {
            let y = 0.3 + 0.045 * slit as f32;
            block(slot::CABLE, 0.12, 0.68, [y, y + 0.016], [0.70, 0.703]);
        }
        block(slot::CABLE, 0.12, 0.42, [1.62, 1.84], [0.70, 0.704]);
        for (lamp, paint) in [slot::RED, slot::GREEN, slot::YELLOW].into_iter().enumerate() {
            let at = vec3(x + 0.16 + 0.1 * lamp as f32, 1.95, z(0.705));
            zone.round.slot(paint).cylinder(at, Vec3::Z, 0.022, 0.03, 12);
        }
        // Cables to the trays
        zone.round.slot(slot::CABLE);
        for cable in 0..6 {
            let at = vec3(x + 0.1 + 0.11 * cable as f32, 2.1, z(0.2 + 0.03 * cable as f32));
            let top = TIERS[1] + 0.2 + 0.035 * cable as f32;
            let tray = vec3(5.55 + 0.06 * cable as f32, 0.0, 0.0);
            let over = vec3(at.x, top, at.z);
            let route = [at, over, vec3(tray.x, top, at.z)];
            zone.round.pipe(&route, r.between(0.012, 0.02), 0.15, 6, 3);
        }
    }
}

/// Adds four upright tanks on legs.
fn tanks(zone: &mut ZoneMeshes, r: &mut Random) {
    let paint = r.pick(&[slot::CREAM, slot::ALUMINIUM, slot::TEAL, slot::ORANGE]);
    for tank in 0..4u32 {
        let (x, z) = (2.65 + 1.75 * (tank % 2) as f32, 2.6 + 1.7 * (tank / 2) as f32);
        let (radius, top) = (0.6, 2.35 + r.around_zero(0.15));
        zone.set_local_transform(Affine3::from_translation(vec3(x, 0.0, z)));
        let mut profile = Vec::new();
        for step in 0..=12 {
            let (sin, cos) = sin_cos(step as f32 / 12.0 * 2.0 * QUARTER);
            let y = if step <= 6 { top + 0.22 * cos } else { 0.75 + 0.22 * cos };
            profile.push(vec2(if step % 12 == 0 { 0.0 } else { radius * sin }, y));
            if step == 6 {
                profile.push(vec2(radius, 0.75));
            }
        }
        zone.round.slot(paint).lathe(&profile, 28);
        zone.round.torus(Vec3::Y * 1.6, Vec3::Y, radius, 0.012, [28, 4]);
        for leg in 0..4 {
            let (sin, cos) = sin_cos((leg as f32 + 0.5) * QUARTER);
            let at = vec3(sin, 0.0, cos) * (radius - 0.04);
            let angle = CrossSection::angle(0.08, 0.012);
            zone.flat.slot(slot::FRAME).extrude(&angle, at, at + Vec3::Y * 1.1, Vec3::Z);
            zone.flat.block(at + vec3(-0.08, 0.0, -0.08), at + vec3(0.08, 0.015, 0.08));
        }
        gauge(&mut zone.round, vec3(0.2, top + 0.15, -0.2), Vec3::Y, Vec3::NEG_Z);
        zone.reset_local_transform();
        let pipe = pipe_slot(r);
        to_the_rack(zone, vec3(x + 0.12 * (tank / 2) as f32, top + 0.1, z), 0.05, pipe);
        flange(&mut zone.round, vec3(x + 0.12 * (tank / 2) as f32, top + 0.4, z), Vec3::Y, 0.05);
        let outlet =
            [vec3(x, 0.6, z), vec3(x, 0.3, z), vec3(x, 0.3, WELL[0] + 0.1), vec3(x, 0.0, WELL[0] + 0.1)];
        let outlet = outlet.map(|p| p + Vec3::X * (0.2 * (tank / 2) as f32 - 0.1));
        line(&mut zone.round, &outlet, 0.045, pipe);
        let at = outlet[1].lerp(outlet[2], 0.5);
        valve(&mut zone.round, at, Vec3::Z, Vec3::Y, 0.045, slot::IRON);
    }
}

/// Adds a bank of serpentine tubes between two headers.
fn coils(zone: &mut ZoneMeshes, r: &mut Random) {
    const COILS: u32 = 13;
    const PASSES: u32 = 8;
    let paint = r.pick(&[slot::PRIMER, slot::STEEL, slot::COPPER]);
    let (bottom, top, west, pitch) = (0.55, 2.75, 2.2, 0.36);
    for coil in 0..COILS {
        let z = 2.15 + 0.235 * coil as f32;
        let mut route = vec![vec3(west, 0.25, z)];
        for pass in 0..PASSES {
            let x = west + pitch * pass as f32;
            let ends = if pass % 2 == 0 { [bottom, top] } else { [top, bottom] };
            if pass > 0 {
                route.push(vec3(x, ends[0], z));
            }
            if pass + 1 < PASSES {
                route.push(vec3(x, ends[1], z));
            }
        }
        route.push(vec3(west + pitch * (PASSES - 1) as f32, 0.25, z));
        zone.round.slot(paint).pipe(&route, 0.032, 0.17, 6, 3);
    }
    for x in [west, west + pitch * (PASSES - 1) as f32] {
        line(&mut zone.round, &[vec3(x, 0.25, 1.95), vec3(x, 0.25, 5.2)], 0.12, slot::INSULATION);
        flange(&mut zone.round, vec3(x, 0.25, 1.97), Vec3::Z, 0.12);
    }
    // A frame around the bank, with spacers
    let post = CrossSection::angle(0.1, 0.012);
    for x in [west - 0.25, west + pitch * (PASSES - 1) as f32 + 0.25] {
        for z in [1.95, 5.15] {
            zone.flat.slot(slot::FRAME).extrude(&post, vec3(x, 0.0, z), vec3(x, 3.0, z), Vec3::X);
        }
        zone.flat.extrude(&post, vec3(x, 3.0, 1.95), vec3(x, 3.0, 5.15), Vec3::Y);
    }
    let spacer = CrossSection::bar(0.03, 0.05);
    for y in [1.0, 1.65, 2.3] {
        for pass in 0..PASSES {
            let x = west + pitch * pass as f32 + 0.047;
            zone.flat.slot(slot::IRON).extrude(&spacer, vec3(x, y, 2.05), vec3(x, y, 5.05), Vec3::Y);
        }
    }
    to_the_rack(zone, vec3(west + 0.9, 2.9, 4.6), 0.08, pipe_slot(r));
}
