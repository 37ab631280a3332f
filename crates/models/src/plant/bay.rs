//! Contents of a bay: steel, lamps, the content of the well, and a wall of pipes.

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::MeshData;

use super::fittings::{flange, gauge, line, valve};
use super::layout::{self, FIRST_PIPE, Layout, PIPE_SPACING, PIPES_PER_RACK, TIERS, WellContent, ZonePlan};
use super::materials::pipe_slot;
use super::zone_meshes::ZoneMeshes;
use super::{machines, stairs, steel, vessels};
use crate::random::Random;

/// Returns the two meshes of a zone with the contents of its bays.
pub(super) fn fill(layout: &Layout, plan: &ZonePlan, random: Random) -> [MeshData; 2] {
    let mut zone = ZoneMeshes::new(&plan.name);
    for &bay in &plan.bays {
        let [column, row, level] = bay;
        let random = random.fork(layout::number(bay));
        zone.set_bay_transform(Affine3::from_translation(layout::origin(bay)));
        steel::frame(&mut zone, layout, bay);
        steel::floor(&mut zone, layout, bay);
        steel::lamps(&mut zone);
        let above = layout.has_bay([column, row, level + 1]);
        match layout.well_content(column, row) {
            WellContent::Machines => machines::random_machine(&mut zone, random.fork(1)),
            WellContent::Vessel => vessels::tall(&mut zone, level == 0, !above, random.fork(2)),
            WellContent::Boiler => vessels::boiler(&mut zone, level == 0, !above),
            WellContent::Stairs if above => stairs::flights(&mut zone),
            WellContent::Stairs => {}
        }
        wall_of_pipes(&mut zone, layout.density, random.fork(3));
    }
    zone.finish()
}

/// Adds pipes that run from the lower tier down to the floor, each in a vertical plane below a pipe of the rack.
fn wall_of_pipes(zone: &mut ZoneMeshes, density: f32, random: Random) {
    for pipe in 0..PIPES_PER_RACK {
        for (half, [west, east]) in [(0, [0.55, 3.75]), (1, [4.2, 7.35])] {
            let mut r = random.fork(2 * pipe + half);
            if r.unit() >= 0.48 * density {
                continue;
            }
            zigzag(zone, FIRST_PIPE + pipe as f32 * PIPE_SPACING, west, east, &mut r);
        }
    }
}

/// Adds a pipe that alternates between vertical and horizontal legs down to the floor, with fittings.
fn zigzag(zone: &mut ZoneMeshes, z: f32, west: f32, east: f32, r: &mut Random) {
    let radius = r.pick(&[0.028, 0.036, 0.048, 0.06, 0.072]);
    let paint = pipe_slot(r);
    let steps = 1 + r.below(3);
    let at = |x: f32, y: f32| vec3(x, y, z);
    // x of the vertical legs and y of the horizontal ones, down to the floor
    let xs: Vec<f32> = (0..=steps)
        .map(|i| west + (east - west) * (i as f32 + r.between(0.15, 0.85)) / (steps + 1) as f32)
        .collect();
    let mut ys: Vec<f32> =
        (0..steps).map(|i| 2.75 - 2.2 * (i as f32 + r.between(0.1, 0.7)) / steps as f32).collect();
    ys.push(0.0);
    let mut route = vec![at(xs[0], TIERS[0])];
    for (i, &y) in ys.iter().enumerate() {
        route.push(at(xs[i], y));
        if i + 1 < ys.len() {
            route.push(at(xs[i + 1], y));
        }
    }
    line(&mut zone.round, &route, radius, paint);
    let foot = at(xs[xs.len() - 1], 0.0);
    flange(&mut zone.round, foot + Vec3::Y * 0.10, Vec3::Y, radius);
    // Fittings on legs that are long enough
    for leg in route.windows(2) {
        let (from, to) = (leg[0], leg[1]);
        let length = (to - from).length();
        let middle = from.lerp(to, r.between(0.45, 0.55));
        let upright = (to - from).x == 0.0;
        let fitting = r.unit();
        if length > 0.9 && fitting < 0.22 {
            let up = if upright { Vec3::X } else { Vec3::Y };
            valve(&mut zone.round, middle, to - from, up, radius, paint);
        } else if length > 0.6 && fitting < 0.45 {
            zone.round.slot(paint);
            flange(&mut zone.round, middle, to - from, radius);
        } else if length > 0.6 && fitting < 0.55 && !upright {
            gauge(&mut zone.round, middle + Vec3::Y * radius, Vec3::Y, Vec3::NEG_Z);
        }
    }
}
