//! Desk, drawers, and the objects on the desk. Frame: x along the desk, +z towards its chair; y = 0 is the floor for
//! desk and drawers, and the desktop for the other objects.

use std::f32::consts::PI;

use sunfleck_math::transform::{rotation_x, rotation_y, rotation_z};
use sunfleck_math::{Affine3, Vec3, sin_cos, vec2, vec3};
use sunfleck_scene::MeshData;

use crate::shape::{BoxFace, Shape};

/// Height of the desktop, metres.
pub(super) const HEIGHT: f32 = 0.74;

/// Returns a desk. Slots: top, legs, cable tray.
pub(super) fn desk() -> MeshData {
    let mut desk = Shape::new("desk");
    desk.chamfered(vec3(-0.80, HEIGHT - 0.028, -0.40), vec3(0.80, HEIGHT, 0.40), 0.004);
    desk.slot(1);
    for x in [-0.72, 0.72] {
        for z in [-0.33, 0.33] {
            desk.tube(&[vec3(x * 1.03, 0.0, z * 1.05), vec3(x, HEIGHT - 0.028, z)], &[0.018, 0.027], 12);
        }
        desk.chamfered(vec3(x - 0.02, HEIGHT - 0.085, -0.33), vec3(x + 0.02, HEIGHT - 0.028, 0.33), 0.004);
    }
    desk.chamfered(vec3(-0.70, HEIGHT - 0.085, -0.34), vec3(0.70, HEIGHT - 0.028, -0.31), 0.004);
    desk.slot(2).chamfered(vec3(-0.5, HEIGHT - 0.14, -0.28), vec3(0.5, HEIGHT - 0.13, -0.10), 0.002);
    desk.finish()
}

/// Returns a pedestal with three drawers. Slots: body, handles.
pub(super) fn drawers() -> MeshData {
    let mut body = Shape::new("drawers");
    body.chamfered(vec3(-0.20, 0.04, -0.26), vec3(0.20, 0.58, 0.24), 0.006);
    for drawer in 0..3 {
        let y = 0.055 + drawer as f32 * 0.175;
        body.slot(0).chamfered(vec3(-0.19, y, 0.235), vec3(0.19, y + 0.165, 0.258), 0.004);
        let bar = [
            vec3(-0.06, y + 0.12, 0.25),
            vec3(-0.06, y + 0.12, 0.28),
            vec3(0.06, y + 0.12, 0.28),
            vec3(0.06, y + 0.12, 0.25),
        ];
        body.slot(1).tube(&bar, &[0.005; 4], 6);
    }
    for x in [-0.16, 0.16] {
        for z in [-0.21, 0.19] {
            body.slot(1).sphere(vec3(x, 0.022, z), 0.022, 6);
        }
    }
    body.finish()
}

/// Returns a monitor. Slots: case, screen, foot.
pub(super) fn monitor() -> MeshData {
    let mut monitor = Shape::new("monitor");
    let (w, h) = (0.305, 0.175);
    monitor.transform(Affine3::from_translation(vec3(0.0, 0.30, 0.03)) * rotation_x(-0.08));
    monitor.chamfered(vec3(-w - 0.012, -h - 0.012, -0.03), vec3(w + 0.012, h + 0.012, 0.0), 0.006);
    let at = |x: f32, y: f32| vec3(x * w, y * h, 0.001);
    monitor.slot(1).image_quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    monitor.transform(Affine3::IDENTITY).slot(2);
    let neck = [vec3(0.0, 0.0, -0.05), vec3(0.0, 0.18, -0.05), vec3(0.0, 0.27, -0.02), vec3(0.0, 0.30, 0.01)];
    monitor.tube(&neck, &[0.018; 4], 10);
    let foot = [vec2(0.0, 0.010), vec2(0.10, 0.010), vec2(0.112, 0.006), vec2(0.115, 0.0), vec2(0.0, 0.0)];
    monitor.at(0.0, 0.0, -0.03).lathe(&foot, 24);
    monitor.finish()
}

/// Returns a keyboard. Slots: plate, keys.
pub(super) fn keyboard() -> MeshData {
    let mut keyboard = Shape::new("keyboard");
    keyboard.transform(Affine3::from_translation(vec3(0.0, 0.004, 0.0)) * rotation_x(0.05));
    keyboard.chamfered(vec3(-0.22, 0.0, -0.065), vec3(0.22, 0.012, 0.065), 0.003).slot(1);
    for row in 0..5u32 {
        let z = -0.055 + row as f32 * 0.0222;
        // The last row has a space bar.
        let widths: &[f32] = if row == 4 { &[1.3, 1.3, 1.3, 6.2, 1.3, 1.3, 1.3, 1.0] } else { &[1.0; 15] };
        let unit = 0.428 / widths.iter().sum::<f32>();
        let mut x = -0.214;
        for width in widths {
            let key = vec3(x + 0.0015, 0.012, z);
            keyboard.block_without(key, key + vec3(width * unit - 0.003, 0.005, 0.0195), &[BoxFace::Bottom]);
            x += width * unit;
        }
    }
    keyboard.finish()
}

pub(super) fn mouse() -> MeshData {
    let mut mouse = Shape::new("mouse");
    mouse.superellipsoid(vec3(0.0, 0.013, 0.0), vec3(0.030, 0.014, 0.052), 12, 6, 0.7);
    mouse.finish()
}

/// Returns a desk lamp with two arms and a shade. Slots: enamel, rods.
pub(super) fn lamp() -> MeshData {
    let mut lamp = Shape::new("desk lamp");
    let foot = [vec2(0.0, 0.022), vec2(0.07, 0.020), vec2(0.085, 0.010), vec2(0.086, 0.0), vec2(0.0, 0.0)];
    lamp.lathe(&foot, 18);
    let (root, elbow, end) = (vec3(0.0, 0.02, 0.0), vec3(0.0, 0.36, -0.12), vec3(0.0, 0.50, 0.16));
    lamp.slot(1).tube(&[root, elbow], &[0.006; 2], 10).tube(&[elbow, end], &[0.006; 2], 10);
    lamp.sphere(elbow, 0.013, 8);
    lamp.slot(0).transform(Affine3::from_translation(end + vec3(0.0, 0.01, 0.02)) * rotation_x(-0.5));
    let shade = [
        vec2(0.0, 0.044),
        vec2(0.022, 0.044),
        vec2(0.026, 0.0),
        vec2(0.078, -0.085),
        vec2(0.074, -0.085),
        vec2(0.022, -0.002),
        vec2(0.0, -0.002),
    ];
    lamp.lathe(&shade, 20);
    lamp.finish()
}

pub(super) fn mug() -> MeshData {
    let mut mug = Shape::new("mug");
    let profile = [
        vec2(0.0, 0.006),
        vec2(0.034, 0.006),
        vec2(0.037, 0.012),
        vec2(0.038, 0.090),
        vec2(0.0395, 0.092),
        vec2(0.041, 0.090),
        vec2(0.041, 0.008),
        vec2(0.036, 0.0),
        vec2(0.0, 0.0),
    ];
    mug.lathe(&profile, 20);
    let path: Vec<Vec3> = (0..=8)
        .map(|i| {
            let (sin, cos) = sin_cos(i as f32 / 8.0 * PI);
            vec3(0.038 + 0.026 * sin, 0.048 + 0.028 * cos, 0.0)
        })
        .collect();
    mug.tube(&path, &[0.0048; 9], 6);
    mug.finish()
}

/// Returns some sheets of paper and a pencil. Slots: paper, pencil.
pub(super) fn papers() -> MeshData {
    let mut papers = Shape::new("papers");
    for sheet in 0..4 {
        let i = sheet as f32;
        papers.transform(
            Affine3::from_translation(vec3(0.006 * i, 0.0012 * i, 0.0)) * rotation_y(0.13 * i - 0.2),
        );
        papers.block(vec3(-0.105, 0.0, -0.148), vec3(0.105, 0.001, 0.148));
    }
    papers.slot(1).transform(
        Affine3::from_translation(vec3(0.02, 0.0085, 0.02)) * rotation_y(0.9) * rotation_z(0.5 * PI),
    );
    papers.tube(
        &[vec3(0.0, -0.085, 0.0), vec3(0.0, 0.07, 0.0), vec3(0.0, 0.088, 0.0)],
        &[0.0035, 0.0035, 0.0006],
        6,
    );
    papers.finish()
}
