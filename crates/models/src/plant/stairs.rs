use sunfleck_math::{Vec3, vec3};

use super::layout::{BAY, WELL};
use super::materials::slot;
use super::steel;
use super::zone_meshes::ZoneMeshes;
use crate::shape::CrossSection;

const STEPS: u32 = 13;
const WIDTH: f32 = 1.35;

/// Adds two flights with a landing between them in the well, from the floor of this storey to the next.
pub(super) fn flights(zone: &mut ZoneMeshes) {
    let [low, high] = WELL;
    let landing = high - 0.95;
    let half = 0.5 * BAY.y;
    flight(zone, vec3(low, 0.0, low + 0.15), vec3(landing, half, low + 0.15));
    flight(zone, vec3(landing, half, high - 0.15 - WIDTH), vec3(low, BAY.y, high - 0.15 - WIDTH));
    let flat = zone.flat.slot(slot::GRATING);
    flat.block(vec3(landing, half - 0.04, low + 0.1), vec3(high, half, high - 0.1));
    // Posts under the landing
    let post = CrossSection::bar(0.1, 0.1);
    flat.slot(slot::FRAME);
    for z in [low + 0.16, high - 0.16] {
        let foot = vec3(high - 0.06, 0.0, z);
        flat.extrude_open(&post, foot, foot + Vec3::Y * (half - 0.04), Vec3::Z);
    }
    steel::railing(zone, vec3(high - 0.05, half, low + 0.15), vec3(high - 0.05, half, high - 0.15));
}

/// Adds treads between two stringers with a railing on each. `from` and `to` are the northern ends of the first and the
/// last edge.
fn flight(zone: &mut ZoneMeshes, from: Vec3, to: Vec3) {
    let stringer = CrossSection::bar(0.03, 0.26);
    let rise = (to - from) / STEPS as f32;
    for side in [0.0, WIDTH] {
        let aside = Vec3::Z * side;
        zone.flat.slot(slot::YELLOW).extrude(&stringer, from + aside, to + aside, Vec3::Y);
        steel::railing(zone, from + aside, to + aside);
    }
    let flat = zone.flat.slot(slot::GRATING);
    for step in 0..STEPS {
        let middle = from + rise * (step as f32 + 0.5);
        let depth = 0.5 * rise.x.abs() + 0.015;
        let tread = vec3(depth, 0.014, 0.5 * WIDTH - 0.02);
        let center = vec3(middle.x, middle.y, from.z + 0.5 * WIDTH);
        flat.block(center - tread, center + tread);
    }
}
