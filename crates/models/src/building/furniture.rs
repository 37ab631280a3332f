//! Furniture, which is built once and copied into the meshes of the rooms.

use sunfleck_math::transform::{rotation_x, rotation_y};
use sunfleck_math::{Affine3, Vec3, vec2, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use crate::office::plant::plant;
use crate::random::Random;
use crate::shape::{BoxFace, Shape};

/// Meshes of the pieces of furniture.
#[derive(Debug)]
pub(super) struct FurnitureMeshes {
    swivel_chair: MeshData,
    desk: MeshData,
    monitor: MeshData,
    lamp: MeshData,
    mug: MeshData,
    sofa: MeshData,
    shelves: Vec<MeshData>,
    plants: Vec<MeshData>,
    chair: MeshData,
    table: MeshData,
}

impl FurnitureMeshes {
    pub(super) fn new(random: Random) -> Self {
        Self {
            swivel_chair: swivel_chair(),
            desk: desk(),
            monitor: monitor(),
            lamp: lamp(),
            mug: mug(),
            sofa: sofa(),
            shelves: (0..6).map(|i| shelf(random.fork(i))).collect(),
            plants: (0..4).map(|i| plant(1.1 + 0.1 * i as f32, 13, random.fork(1000 + i))).collect(),
            chair: stacking_chair(),
            table: table(),
        }
    }
}

/// Adds furniture to the mesh of a room. `at` is the transform of a piece in the frame of the room; its front faces +z.
#[derive(Debug)]
pub(super) struct RoomFurnisher<'a> {
    pub(super) shape: &'a mut Shape,
    pub(super) furniture: &'a FurnitureMeshes,
    /// Transform from the frame of the room to that of the mesh.
    pub(super) room: Affine3,
}

/// Returns the transform of an object on the floor at x and z, rotated about the vertical by `yaw`.
pub(super) fn on_floor(x: f32, z: f32, yaw: f32) -> Affine3 {
    Affine3::from_translation(vec3(x, 0.0, z)) * rotation_y(yaw)
}

impl RoomFurnisher<'_> {
    fn add_mesh(&mut self, mesh: &MeshData, at: Affine3, slots: &[u16]) {
        self.shape.transform(self.room * at).append_with_slots(mesh, slots);
    }

    pub(super) fn swivel_chair(&mut self, at: Affine3, r: &mut Random) {
        let fabric = r.pick(&slot::FABRICS);
        self.add_mesh(&self.furniture.swivel_chair, at, &[fabric, slot::BLACK, slot::STEEL]);
    }

    pub(super) fn chair(&mut self, at: Affine3, fabric: u16) {
        self.add_mesh(&self.furniture.chair, at, &[fabric, slot::STEEL]);
    }

    pub(super) fn table(&mut self, at: Affine3) {
        self.add_mesh(&self.furniture.table, at, &[slot::OAK, slot::STEEL]);
    }

    /// Adds a desk with the objects on it; its chair is at +z.
    pub(super) fn workplace(&mut self, at: Affine3, with_lamp: bool, r: &mut Random) {
        self.add_mesh(&self.furniture.desk, at, &[slot::WHITE, slot::OAK, slot::STEEL]);
        let top =
            |x: f32, z: f32, yaw: f32| at * Affine3::from_translation(vec3(x, HEIGHT, z)) * rotation_y(yaw);
        let screen = [slot::BLACK, slot::SCREEN, slot::STEEL];
        self.add_mesh(&self.furniture.monitor, top(r.around_zero(0.1), -0.20, r.around_zero(0.15)), &screen);
        keyboard(self.shape.transform(self.room * top(r.around_zero(0.05), 0.16, r.around_zero(0.08))));
        self.shape.transform(self.room * top(0.33, 0.17, r.around_zero(0.3)));
        self.shape.chamfered(vec3(-0.03, 0.0, -0.05), vec3(0.03, 0.03, 0.05), 0.01);
        let glaze = r.pick(&slot::BOOKS);
        self.add_mesh(
            &self.furniture.mug,
            top(-0.36, 0.05 + r.around_zero(0.05), r.between(0.0, 6.0)),
            &[glaze],
        );
        for sheet in 0..3 {
            let yaw = r.around_zero(0.5);
            self.shape.transform(self.room * top(-0.56, 0.14 + 0.01 * sheet as f32, yaw)).slot(slot::PAPER);
            let y = 0.0012 * sheet as f32;
            self.shape.block_without(
                vec3(-0.105, y, -0.148),
                vec3(0.105, y + 0.001, 0.148),
                &[BoxFace::Bottom],
            );
        }
        if with_lamp {
            let yaw = -2.2 + r.around_zero(0.4);
            self.add_mesh(&self.furniture.lamp, top(0.62, -0.22, yaw), &[slot::RED, slot::STEEL, slot::LAMP]);
        }
    }

    /// Adds a laboratory bench with screen, keyboard and computer.
    pub(super) fn bench(&mut self, at: Affine3) {
        self.add_mesh(&self.furniture.table, at, &[slot::WHITE, slot::STEEL]);
        let top = at * Affine3::from_translation(Vec3::Y * (HEIGHT + 0.002));
        let screen = [slot::BLACK, slot::SCREEN, slot::BLACK];
        self.add_mesh(&self.furniture.monitor, top * on_floor(0.0, -0.12, 0.0), &screen);
        keyboard(self.shape.transform(self.room * top * on_floor(0.0, 0.18, 0.0)));
        self.shape.transform(self.room * top).slot(slot::BLACK);
        self.shape.block_without(vec3(0.45, 0.0, -0.3), vec3(0.63, 0.40, 0.12), &[BoxFace::Bottom]);
    }

    pub(super) fn shelf(&mut self, at: Affine3, r: &mut Random) {
        let kind = r.below(6) as usize;
        let mut slots = vec![slot::OAK];
        // Rotating the colours makes shelves of the same kind look different.
        let offset = r.below(6) as usize;
        slots.extend((0..6).map(|i| slot::BOOKS[(i + offset) % 6]));
        self.add_mesh(&self.furniture.shelves[kind], at, &slots);
    }

    pub(super) fn plant(&mut self, at: Affine3, r: &mut Random) {
        let kind = r.below(4) as usize;
        let slots = [slot::POT, slot::SOIL, slot::LEAF, slot::YOUNG_LEAF];
        self.add_mesh(&self.furniture.plants[kind], at, &slots);
    }

    pub(super) fn sofa(&mut self, at: Affine3, fabric: u16) {
        self.add_mesh(&self.furniture.sofa, at, &[fabric, slot::OAK, slot::FABRICS[0]]);
    }

    /// Adds a board on a wall: `at` is the frame of its lower left corner, with +z out of the wall.
    pub(super) fn board(&mut self, at: Affine3, [width, height]: [f32; 2], face: u16) {
        self.shape.transform(self.room * at).slot(slot::STEEL);
        self.shape.chamfered(vec3(0.0, 0.0, 0.0), vec3(width, height, 0.02), 0.005);
        let (low, high) = (vec3(0.03, 0.03, 0.021), vec3(width - 0.03, height - 0.03, 0.021));
        let at = |x, y| vec3(x, y, low.z);
        self.shape.slot(face);
        self.shape.image_quad([at(low.x, low.y), at(high.x, low.y), at(high.x, high.y), at(low.x, high.y)]);
    }

    pub(super) fn bin(&mut self, at: Affine3) {
        self.shape.transform(self.room * at).slot(slot::BLACK);
        let profile = [[0.0, 0.01], [0.11, 0.01], [0.14, 0.32], [0.145, 0.32], [0.115, 0.0], [0.0, 0.0]];
        self.shape.lathe(&profile.map(|[r, y]| vec2(r, y)), 16);
    }
}

/// Height of desks and tables, metres.
const HEIGHT: f32 = 0.745;

/// Returns a desk: top, two side panels, a modesty panel, drawers. Slots: white, wood, metal.
fn desk() -> MeshData {
    let mut desk = Shape::new("desk");
    desk.slot(1).block(vec3(-0.80, HEIGHT - 0.03, -0.40), vec3(0.80, HEIGHT, 0.40));
    desk.slot(0);
    let hidden = [BoxFace::Top, BoxFace::Bottom];
    for x in [-0.78, 0.74] {
        desk.block_without(vec3(x, 0.0, -0.36), vec3(x + 0.04, HEIGHT - 0.03, 0.36), &hidden);
    }
    desk.block_without(
        vec3(-0.74, 0.25, -0.34),
        vec3(0.74, HEIGHT - 0.03, -0.32),
        &[BoxFace::Top, BoxFace::Left, BoxFace::Right],
    );
    desk.block(vec3(0.30, 0.05, -0.28), vec3(0.72, HEIGHT - 0.04, 0.30));
    for drawer in 0..3 {
        let y = 0.07 + 0.21 * drawer as f32;
        desk.slot(0).block_without(vec3(0.305, y, 0.30), vec3(0.715, y + 0.195, 0.32), &[BoxFace::Back]);
        desk.slot(2).block_without(vec3(0.44, y + 0.13, 0.32), vec3(0.58, y + 0.145, 0.34), &[BoxFace::Back]);
    }
    desk.finish()
}

/// Returns a monitor. Slots: case, screen, foot.
fn monitor() -> MeshData {
    let mut monitor = Shape::new("monitor");
    let (w, h) = (0.29, 0.17);
    monitor.transform(Affine3::from_translation(vec3(0.0, 0.30, 0.03)) * rotation_x(-0.08));
    monitor.chamfered(vec3(-w - 0.012, -h - 0.012, -0.03), vec3(w + 0.012, h + 0.012, 0.0), 0.006);
    let at = |x: f32, y: f32| vec3(x * w, y * h, 0.001);
    monitor.slot(1).image_quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    monitor.transform(Affine3::IDENTITY).slot(2);
    monitor.block_without(vec3(-0.03, 0.012, -0.05), vec3(0.03, 0.25, -0.025), &[BoxFace::Bottom]);
    monitor.block_without(vec3(-0.12, 0.0, -0.12), vec3(0.12, 0.012, 0.08), &[BoxFace::Bottom]);
    monitor.finish()
}

/// Adds a keyboard of a plate and rows of keys.
fn keyboard(shape: &mut Shape) {
    shape.slot(slot::BLACK).block_without(
        vec3(-0.22, 0.0, -0.07),
        vec3(0.22, 0.014, 0.07),
        &[BoxFace::Bottom],
    );
    shape.slot(slot::STEEL);
    for row in 0..5 {
        let z = -0.06 + 0.024 * row as f32;
        shape.block_without(vec3(-0.21, 0.014, z), vec3(0.21, 0.019, z + 0.02), &[BoxFace::Bottom]);
    }
}

/// Returns a desk lamp with two arms, a shade, and an emissive square in its opening. Slots: enamel, rods, light.
fn lamp() -> MeshData {
    let mut lamp = Shape::new("desk lamp");
    let foot = [vec2(0.0, 0.022), vec2(0.07, 0.020), vec2(0.086, 0.0)];
    lamp.lathe(&foot, 14);
    let (root, elbow, end) = (vec3(0.0, 0.02, 0.0), vec3(0.0, 0.36, -0.12), vec3(0.0, 0.50, 0.16));
    lamp.slot(1).tube(&[root, elbow, end], &[0.007; 3], 6);
    lamp.slot(0).transform(Affine3::from_translation(end + vec3(0.0, 0.01, 0.02)) * rotation_x(-0.5));
    let shade = [
        vec2(0.0, 0.044),
        vec2(0.024, 0.044),
        vec2(0.028, 0.0),
        vec2(0.082, -0.085),
        vec2(0.078, -0.085),
        vec2(0.022, -0.002),
        vec2(0.0, -0.002),
    ];
    lamp.lathe(&shade, 14);
    let at = |x: f32, z: f32| vec3(0.04 * x, -0.06, 0.04 * z);
    lamp.slot(2).quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    lamp.finish()
}

fn mug() -> MeshData {
    let mut mug = Shape::new("mug");
    let profile = [[0.0, 0.006], [0.036, 0.008], [0.038, 0.092], [0.041, 0.092], [0.041, 0.0]];
    mug.lathe(&profile.map(|[r, y]| vec2(r, y)), 12);
    mug.finish()
}

/// Returns a swivel chair on five castors. Slots: fabric, plastic, metal.
fn swivel_chair() -> MeshData {
    let mut chair = Shape::new("swivel chair");
    chair.superellipsoid(vec3(0.0, 0.475, 0.0), vec3(0.245, 0.045, 0.235), 12, 6, 0.4);
    chair.transform(Affine3::from_translation(vec3(0.0, 0.80, -0.245)) * rotation_x(-0.14));
    chair.superellipsoid(Vec3::ZERO, vec3(0.215, 0.25, 0.036), 12, 6, 0.45);
    chair.transform(Affine3::IDENTITY).slot(1);
    let spine = [vec3(0.0, 0.43, -0.10), vec3(0.0, 0.44, -0.27), vec3(0.0, 0.75, -0.29)];
    chair.tube(&spine, &[0.022; 3], 6);
    for side in [-1.0, 1.0] {
        let x = 0.27 * side;
        chair.block(vec3(x - 0.03, 0.655, -0.14), vec3(x + 0.03, 0.685, 0.12));
        let arm = [vec3(0.15 * side, 0.43, -0.02), vec3(x, 0.44, -0.02), vec3(x, 0.66, -0.02)];
        chair.tube(&arm, &[0.015; 3], 5);
    }
    chair.slot(2).tube(&[vec3(0.0, 0.08, 0.0), vec3(0.0, 0.43, 0.0)], &[0.028; 2], 8);
    for leg in 0..5 {
        let (sin, cos) = crate::shape::circle_sin_cos(leg, 5);
        let out = vec3(sin, 0.0, cos);
        chair.slot(2).tube(&[Vec3::Y * 0.11, out * 0.30 + Vec3::Y * 0.07], &[0.024, 0.014], 5);
        chair.slot(1).sphere(out * 0.30 + Vec3::Y * 0.03, 0.030, 6);
    }
    chair.finish()
}

/// Returns a sofa for two that faces +z. Slots: fabric, feet.
fn sofa() -> MeshData {
    let mut sofa = Shape::new("sofa");
    sofa.block(vec3(-0.92, 0.10, -0.40), vec3(0.92, 0.30, 0.40));
    for side in [-1.0, 1.0] {
        sofa.superellipsoid(vec3(0.43 * side, 0.38, 0.05), vec3(0.425, 0.095, 0.36), 14, 6, 0.34);
        sofa.superellipsoid(vec3(0.94 * side, 0.40, 0.0), vec3(0.10, 0.22, 0.42), 12, 6, 0.32);
        sofa.transform(Affine3::from_translation(vec3(0.43 * side, 0.62, -0.30)) * rotation_x(-0.22));
        sofa.superellipsoid(Vec3::ZERO, vec3(0.42, 0.26, 0.11), 14, 6, 0.38);
        sofa.transform(Affine3::IDENTITY);
    }
    sofa.slot(1);
    for x in [-0.84, 0.80] {
        for z in [-0.36, 0.32] {
            sofa.block_without(vec3(x, 0.0, z), vec3(x + 0.04, 0.10, z + 0.04), &[BoxFace::Top]);
        }
    }
    sofa.finish()
}

/// Returns a shelf full of books with its back at z = 0, from x = 0 to 1.25 m. Slots: frame, six bindings.
fn shelf(r: Random) -> MeshData {
    const ROWS: u32 = 5;
    let (width, height, depth) = (1.25, 2.05, 0.30);
    let mut shelf = Shape::new("shelf with books");
    for x in [0.0, width - 0.025] {
        shelf.block_without(vec3(x, 0.0, 0.0), vec3(x + 0.025, height, depth), &[BoxFace::Bottom]);
    }
    shelf.block_without(vec3(0.025, 0.05, 0.0), vec3(width - 0.025, height - 0.02, 0.008), &[BoxFace::Back]);
    let ends = [BoxFace::Left, BoxFace::Right];
    for row in 0..=ROWS {
        let floor = 0.06 + (height - 0.085) * row as f32 / ROWS as f32;
        let (low, high) = (vec3(0.025, floor, 0.008), vec3(width - 0.025, floor + 0.022, depth - 0.005));
        shelf.slot(0).block_without(low, high, &ends);
        if row == ROWS {
            break;
        }
        let mut r = r.fork(row);
        let mut x = 0.03 + 0.1 * r.unit();
        let end = width - 0.03 - 0.3 * r.unit() * r.unit();
        while x < end - 0.088 {
            let size = vec3(r.between(0.030, 0.088), r.between(0.20, 0.315), r.between(0.16, 0.23));
            let at = vec3(x, floor + 0.022, 0.03);
            shelf.slot(1 + u16::try_from(r.below(6)).unwrap_or(0));
            shelf.block_without(at, at + size, &[BoxFace::Back, BoxFace::Bottom]);
            x += size.x + 0.002 + if r.unit() < 0.06 { 0.12 } else { 0.0 };
        }
    }
    shelf.finish()
}

/// Returns a chair with a seat and a back of bent wood on four legs. Slots: wood, legs.
fn stacking_chair() -> MeshData {
    let mut chair = Shape::new("chair");
    // Bent sheets with two visible sides, 8 mm apart
    for (side, turned) in [(0.0, false), (0.008, true)] {
        let flip = |u: f32| if turned { 1.0 - u } else { u };
        chair.sheet(3, 3, |u, v| {
            let (x, z) = (2.0 * flip(u) - 1.0, 1.0 - 2.0 * v);
            vec3(0.21 * x, 0.45 + 0.012 * x * x - 0.02 * z.max(0.0) * z.max(0.0) - side, 0.2 * z)
        });
        chair.sheet(3, 2, |u, v| {
            let x = 2.0 * flip(u) - 1.0;
            vec3(0.2 * x, 0.60 + 0.24 * v, -0.21 - 0.05 * v + 0.035 * x * x - side)
        });
    }
    chair.slot(1);
    for x in [-0.19, 0.19] {
        let back = [vec3(x, 0.0, -0.24), vec3(x, 0.44, -0.19), vec3(x, 0.82, -0.235)];
        chair.tube(&back, &[0.011; 3], 4);
        chair.tube(&[vec3(x, 0.0, 0.22), vec3(x, 0.435, 0.17)], &[0.011; 2], 4);
        chair.tube(&[vec3(x, 0.43, 0.19), vec3(x, 0.43, -0.20)], &[0.010; 2], 4);
    }
    chair.finish()
}

/// Returns a table of 1.4 × 0.7 m. Slots: top, legs.
fn table() -> MeshData {
    let mut table = Shape::new("table");
    table.block(vec3(-0.70, 0.72, -0.35), vec3(0.70, HEIGHT, 0.35)).slot(1);
    for x in [-0.64, 0.64] {
        for z in [-0.29, 0.29] {
            let (low, high) = (vec3(x - 0.02, 0.0, z - 0.02), vec3(x + 0.02, 0.72, z + 0.02));
            table.block_without(low, high, &[BoxFace::Top, BoxFace::Bottom]);
        }
        table.block(vec3(x - 0.015, 0.68, -0.28), vec3(x + 0.015, 0.715, 0.28));
    }
    table.finish()
}
