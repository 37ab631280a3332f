//! What sits on pipes.

use sunfleck_math::{Frame, Vec3};

use super::materials::slot;
use crate::shape::Shape;

/// Segments around a pipe: more for thicker ones.
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

/// Two discs between the ends of two pipes, with bolts if they are large.
pub(super) fn flange(shape: &mut Shape, at: Vec3, axis: Vec3, radius: f32) {
    let outer = 1.45 * radius + 0.018;
    let axis = axis.normalize_or(Vec3::Y);
    let half = 0.012 + 0.06 * radius;
    for side in [-1.0, 1.0] {
        shape.collar(at + axis * (side * (half + 0.004)), axis, outer, 2.0 * half, sides(outer));
    }
    if radius < 0.085 {
        return;
    }
    let frame = Frame::from_normal(axis);
    let bolts = 8;
    for bolt in 0..bolts {
        let (sin, cos) = crate::shape::around(bolt, bolts);
        let out = (frame.tangent * cos + frame.bitangent * sin) * (0.5 * (outer + radius));
        shape.collar(at + out, axis, 0.011, 4.0 * half + 0.05, 6);
    }
}

/// A gate valve with a handwheel; `up` across the pipe.
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
    shape.collar(top, up, 1.15 * radius, 0.35 * radius, n);
    // Stem and wheel
    let hub = top + up * (1.6 * radius + 0.05);
    shape.slot(slot::STEEL).pipe(&[top, hub + up * (1.2 * radius)], 0.009 + 0.1 * radius, 0.1, 6, 1);
    let wheel = 0.05 + 1.2 * radius;
    let rim = 0.007 + 0.06 * radius;
    shape.slot(slot::RED).hoop(hub, up, wheel, rim, [16, 6]);
    let frame = Frame::from_normal(up);
    for spoke in [frame.tangent, frame.bitangent] {
        shape.pipe(&[hub - spoke * wheel, hub + spoke * wheel], 0.8 * rim, 0.1, 4, 1);
    }
}

/// A dial on a short pipe.
pub(super) fn gauge(shape: &mut Shape, at: Vec3, up: Vec3, face: Vec3) {
    let head = at + up * 0.16;
    shape.slot(slot::COPPER).pipe(&[at, head], 0.008, 0.1, 6, 1);
    shape.slot(slot::IRON).collar(head + up * 0.05, face, 0.055, 0.035, 16);
    shape.slot(slot::INSULATION).collar(head + up * 0.05 + face * 0.018, face, 0.047, 0.004, 16);
}

/// A pipe with flanges at its free ends.
pub(super) fn line(shape: &mut Shape, route: &[Vec3], radius: f32, slot: u16) {
    shape.slot(slot).pipe(
        route,
        radius,
        2.2 * radius + 0.03,
        sides(radius),
        if radius < 0.05 { 3 } else { 4 },
    );
}
