//! Form factors against closed forms of the literature.
#![allow(clippy::disallowed_methods, reason = "closed forms in f64; no image depends on them")]

use std::f64::consts::PI;

use super::*;

fn polygon<const N: usize>(corners: [[f64; 3]; N]) -> Polygon {
    Polygon::new(corners.map(DVec3::from))
}

/// Rectangle in the plane z = `z`, facing up or down.
fn horizontal(x: [f64; 2], y: [f64; 2], z: f64, is_up: bool) -> Polygon {
    let mut corners = [[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]];
    if !is_up {
        corners.reverse();
    }
    polygon(corners)
}

/// Regular polygon with the area of a disk.
fn disk(radius: f64, z: f64, is_up: bool, segments: u32) -> Polygon {
    let step = TAU / f64::from(segments);
    let radius = radius * (step / step.sin()).sqrt();
    let corner = |k: u32| {
        let angle = step * f64::from(k) * if is_up { 1.0 } else { -1.0 };
        DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    Polygon::new((0..segments).map(corner))
}

#[test]
fn parallel_rectangles() {
    // [Howell, C-11]
    for (a, b, c) in [(1.0, 1.0, 1.0), (2.0, 0.5, 0.3), (0.2, 0.3, 2.0), (1.0, 1.0, 0.05)] {
        let (x, y): (f64, f64) = (a / c, b / c);
        let (p, q) = (1.0 + x * x, 1.0 + y * y);
        let expected = 2.0 / (PI * x * y)
            * ((p * q / (p + q - 1.0)).sqrt().ln()
                + x * q.sqrt() * (x / q.sqrt()).atan()
                + y * p.sqrt() * (y / p.sqrt()).atan()
                - x * x.atan()
                - y * y.atan());
        let (lower, upper) =
            (horizontal([0.0, a], [0.0, b], 0.0, true), horizontal([0.0, a], [0.0, b], c, false));
        let found = lower.exchange(&upper) / lower.area();
        assert!((found - expected).abs() < 1e-6, "{a} {b} {c}: {found}, not {expected}");
    }
}

#[test]
fn perpendicular_rectangles() {
    // [Howell, C-14]: they share an edge of length l
    for (l, h, w) in [(1.0, 1.0, 1.0), (1.0, 0.1, 2.0), (3.0, 1.0, 0.5)] {
        let (h_, w_): (f64, f64) = (h / l, w / l);
        let (h2, w2) = (h_ * h_, w_ * w_);
        let logarithm = ((1.0 + w2) * (1.0 + h2) / (1.0 + w2 + h2)).ln()
            + w2 * (w2 * (1.0 + w2 + h2) / ((1.0 + w2) * (w2 + h2))).ln()
            + h2 * (h2 * (1.0 + h2 + w2) / ((1.0 + h2) * (h2 + w2))).ln();
        let expected = (w_ * (1.0 / w_).atan() + h_ * (1.0 / h_).atan()
            - (h2 + w2).sqrt() * (h2 + w2).sqrt().recip().atan()
            + 0.25 * logarithm)
            / (PI * w_);
        let floor = horizontal([0.0, w], [0.0, l], 0.0, true);
        let wall = polygon([[0.0, 0.0, 0.0], [0.0, l, 0.0], [0.0, l, h], [0.0, 0.0, h]]);
        let found = floor.exchange(&wall) / floor.area();
        assert!((found - expected).abs() < 1e-6, "{l} {h} {w}: {found}, not {expected}");
        assert!((wall.exchange(&floor) - floor.exchange(&wall)).abs() < 1e-6 * floor.area(), "reciprocity");
    }
}

#[test]
fn parts_of_a_rectangle_add_up() {
    // The parts touch the wall along parts of one edge
    let wall = polygon([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]);
    let whole = horizontal([0.0, 1.0], [0.0, 1.0], 0.0, true).exchange(&wall);
    let parts = [[0.0, 0.3], [0.3, 0.45], [0.45, 1.0]];
    let sum: f64 = parts.into_iter().map(|y| wall.exchange(&horizontal([0.0, 1.0], y, 0.0, true))).sum();
    assert!((sum - whole).abs() < 1e-7, "{sum}, not {whole}");
    let far = [[0.0, 0.01], [0.01, 0.02]];
    let ceiling = |y| horizontal([0.0, 0.01], y, 1.0, false);
    let spot = horizontal([0.0, 0.02], [0.0, 0.02], 0.0, true);
    let whole = spot.exchange(&ceiling([0.0, 0.02]));
    let sum: f64 = far.into_iter().map(|y| spot.exchange(&ceiling(y))).sum();
    assert!((sum / whole - 1.0).abs() < 1e-6, "{sum}, not {whole}");
    assert!((whole / (spot.area() * 2e-4 / PI) - 1.0).abs() < 1e-3, "small patches exchange A A / π r²");
}

#[test]
fn coaxial_disks() {
    // [Howell, C-41]
    for (r1, r2, h) in [(1.0, 1.0, 1.0), (0.5, 2.0, 1.0), (1.0, 0.3, 0.4)] {
        let (a, b): (f64, f64) = (r1 / h, r2 / h);
        let x = 1.0 + (1.0 + b * b) / (a * a);
        let expected = 0.5 * (x - (x * x - 4.0 * (b / a) * (b / a)).sqrt());
        let (lower, upper) = (disk(r1, 0.0, true, 96), disk(r2, h, false, 96));
        let found = lower.exchange(&upper) / lower.area();
        assert!((found - expected).abs() < 1e-4, "{r1} {r2} {h}: {found}, not {expected}");
    }
}

#[test]
fn point_to_rectangle_and_disk() {
    // [Howell, B-3]: the rectangle has a corner above the point
    for (a, b, c) in [(1.0f64, 1.0f64, 1.0f64), (2.0, 0.5, 0.3)] {
        let (x, y) = (a / c, b / c);
        let expected = (x / (1.0 + x * x).sqrt() * (y / (1.0 + x * x).sqrt()).atan()
            + y / (1.0 + y * y).sqrt() * (x / (1.0 + y * y).sqrt()).atan())
            / TAU;
        let above = horizontal([0.0, a], [0.0, b], c, false);
        let found = above.form_factor_from_point(DVec3::ZERO, DVec3::Z);
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        assert_eq!(above.form_factor_from_point(DVec3::ZERO, -DVec3::Z), 0.0, "behind the point");
        assert_eq!(above.form_factor_from_point(DVec3::Z * 9.0, DVec3::Z), 0.0, "seen from behind");
    }
    // [Howell, B-12]
    let found = disk(2.0, 1.0, false, 720).form_factor_from_point(DVec3::ZERO, DVec3::Z);
    assert!((found - 4.0 / 5.0).abs() < 1e-4, "{found}");
}

#[test]
fn polygons_are_clipped_by_the_horizon() {
    // Half of the wall is below the floor
    let floor = horizontal([0.0, 1.0], [0.0, 1.0], 0.0, true);
    let upper = polygon([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]);
    let both = polygon([[0.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]);
    assert!((floor.exchange(&both) - floor.exchange(&upper)).abs() < 1e-9);
    let away = horizontal([0.0, 1.0], [0.0, 1.0], 1.0, true);
    assert_eq!(floor.exchange(&away), 0.0, "it faces away");
    assert_eq!(floor.exchange(&horizontal([1.0, 2.0], [0.0, 1.0], 0.0, true)), 0.0, "coplanar");
}
