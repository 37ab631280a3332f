//! Pipe fittings: flanges, valves and gauges.

use sunfleck_math::{Frame, Vec3};

use super::materials::slot;
use crate::shape::Shape;

/// Returns the number of sides of a pipe of the given radius.
pub(super) fn sides(radius: f32) -> u32 {
    if radius < 0.04 {
        6
    } else if radius < 0.08 {
        8
    } else if radius < 0.2 {
        12
    } else {
        20
    }
}

/// Adds a flange: a pair of discs around a pipe, with bolts if the pipe is thick.
pub(super) fn flange(shape: &mut Shape, at: Vec3, axis: Vec3, radius: f32) {
    let outer = 1.45 * radius + 0.018;
    let axis = axis.normalize_or(Vec3::Y);
    let half = 0.012 + 0.06 * radius;
    for side in [-1.0, 1.0] {
        shape.cylinder(at + axis * (side * (half + 0.004)), axis, outer, 2.0 * half, sides(outer));
    }
    if radius < 0.085 {
        return;
    }
    let frame = Frame::from_normal(axis);
    let bolts = 8;
    for bolt in 0..bolts {
        let (sin, cos) = crate::shape::circle_sin_cos(bolt, bolts);
        let out = (frame.tangent * cos + frame.bitangent * sin) * (0.5 * (outer + radius));
        shape.cylinder(at + out, axis, 0.011, 4.0 * half + 0.05, 6);
    }
}

/// Adds a gate valve with a handwheel. `up`, the direction of its stem, is orthogonal to `axis`.
pub(super) fn valve(shape: &mut Shape, at: Vec3, axis: Vec3, up: Vec3, radius: f32, body: u16) {
    let axis = axis.normalize_or(Vec3::X);
    let n = sides(radius);
    flange(shape, at - axis * (2.2 * radius), axis, radius);
    flange(shape, at + axis * (2.2 * radius), axis, radius);
    shape.slot(body);
    let fat = 1.5 * radius;
    shape.pipe(&[at - axis * fat, at + axis * fat], 1.35 * radius, 0.1, n, 1);
    let top = at + up * (3.2 * radius);
    shape.pipe(&[at, top], 0.85 * radius, 0.1, n, 1);
    shape.cylinder(top, up, 1.15 * radius, 0.35 * radius, n);
    // Stem and wheel
    let hub = top + up * (1.6 * radius + 0.05);
    shape.slot(slot::STEEL).pipe(&[top, hub + up * (1.2 * radius)], 0.009 + 0.1 * radius, 0.1, 6, 1);
    let wheel = 0.05 + 1.2 * radius;
    let rim = 0.007 + 0.06 * radius;
    shape.slot(slot::RED).torus(hub, up, wheel, rim, [16, 6]);
    let frame = Frame::from_normal(up);
    for spoke in [frame.tangent, frame.bitangent] {
        shape.pipe(&[hub - spoke * wheel, hub + spoke * wheel], 0.8 * rim, 0.1, 4, 1);
    }
}

/// Adds a pressure gauge on a short pipe; its dial faces `face`.
pub(super) fn gauge(shape: &mut Shape, at: Vec3, up: Vec3, face: Vec3) {
    let head = at + up * 0.16;
    shape.slot(slot::COPPER).pipe(&[at, head], 0.008, 0.1, 6, 1);
    shape.slot(slot::IRON).cylinder(head + up * 0.05, face, 0.055, 0.035, 16);
    shape.slot(slot::INSULATION).cylinder(head + up * 0.05 + face * 0.018, face, 0.047, 0.004, 16);
}

/// Adds a pipe whose bend radius and resolution depend on its radius.
pub(super) fn line(shape: &mut Shape, route: &[Vec3], radius: f32, slot: u16) {
    shape.slot(slot).pipe(
        route,
        radius,
        2.2 * radius + 0.03,
        sides(radius),
        if radius < 0.05 { 3 } else { 4 },
    );
}
