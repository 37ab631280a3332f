//! What stands in rooms, made once and copied into their meshes.

use sunfleck_math::transform::{rotation_x, rotation_y};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::MeshData;

use super::materials::slot;
use crate::office;
use crate::random::Random;
use crate::shape::Shape;

#[derive(Debug)]
pub(super) struct Furniture {
    swivel_chair: MeshData,
    desk: MeshData,
    drawers: MeshData,
    monitor: MeshData,
    keyboard: MeshData,
    mouse: MeshData,
    lamp: MeshData,
    mug: MeshData,
    papers: MeshData,
    sofa: MeshData,
    low_table: MeshData,
    shelves: Vec<MeshData>,
    plants: Vec<MeshData>,
    chair: MeshData,
    table: MeshData,
}

impl Furniture {
    pub(super) fn new(random: Random) -> Self {
        use office::{chair, desk, lounge, plant, shelf};
        let shelf = |i: u32| shelf::shelf(|row| random.fork(10 * i + row));
        Self {
            swivel_chair: chair::chair(),
            desk: desk::desk(),
            drawers: desk::drawers(),
            monitor: desk::monitor(),
            keyboard: desk::keyboard(),
            mouse: desk::mouse(),
            lamp: desk::lamp(),
            mug: desk::mug(),
            papers: desk::papers(),
            sofa: lounge::sofa(),
            low_table: lounge::table(),
            shelves: (0..6).map(shelf).collect(),
            plants: (0..4).map(|i| plant::plant(1.1 + 0.1 * i as f32, random.fork(1000 + i))).collect(),
            chair: stacking_chair(),
            table: table(),
        }
    }
}

/// Things in a room; each method adds one at a place, with its front to the place's +z.
#[derive(Debug)]
pub(super) struct Furnishing<'a> {
    pub(super) shape: &'a mut Shape,
    pub(super) from: &'a Furniture,
    pub(super) room: Affine3,
}

/// A place on the floor: x, z, and the turn about the vertical.
pub(super) fn spot(x: f32, z: f32, turn: f32) -> Affine3 {
    Affine3::from_translation(vec3(x, 0.0, z)) * rotation_y(turn)
}

impl Furnishing<'_> {
    fn put(&mut self, thing: &MeshData, at: Affine3, slots: &[u16]) {
        self.shape.place(self.room * at).append_as(thing, slots);
    }

    pub(super) fn swivel_chair(&mut self, at: Affine3, r: &mut Random) {
        let fabric = r.pick(&slot::FABRICS);
        self.put(&self.from.swivel_chair, at, &[fabric, slot::BLACK, slot::STEEL]);
    }

    pub(super) fn chair(&mut self, at: Affine3, fabric: u16) {
        self.put(&self.from.chair, at, &[fabric, slot::STEEL]);
    }

    pub(super) fn table(&mut self, at: Affine3) {
        self.put(&self.from.table, at, &[slot::OAK, slot::STEEL]);
    }

    /// A desk with a screen, in the frame of the desk: whoever sits there is at +z.
    pub(super) fn workplace(&mut self, at: Affine3, with_lamp: bool, r: &mut Random) {
        self.put(&self.from.desk, at, &[slot::WHITE, slot::OAK, slot::STEEL]);
        self.put(&self.from.drawers, at * spot(0.52, 0.02, 0.0), &[slot::WHITE, slot::STEEL]);
        let mut on_top = |thing: &MeshData, x: f32, z: f32, turn: f32, slots: &[u16]| {
            let up = Affine3::from_translation(Vec3::Y * office::desk::HEIGHT);
            self.shape.place(self.room * at * up * spot(x, z, turn)).append_as(thing, slots);
        };
        let from = self.from;
        let screen = [slot::BLACK, slot::SCREEN, slot::STEEL];
        on_top(&from.monitor, r.around_zero(0.1), -0.20, r.around_zero(0.15), &screen);
        on_top(&from.keyboard, r.around_zero(0.05), 0.16, r.around_zero(0.08), &[slot::STEEL, slot::BLACK]);
        on_top(&from.mouse, 0.33, 0.17, r.around_zero(0.3), &[slot::BLACK]);
        let glaze = r.pick(&slot::BOOKS);
        on_top(&from.mug, -0.36, 0.05 + r.around_zero(0.05), r.between(0.0, 6.0), &[glaze]);
        on_top(&from.papers, -0.55, 0.16, r.around_zero(0.4), &[slot::PAPER, slot::RED]);
        if with_lamp {
            let turn = -2.2 + r.around_zero(0.4);
            on_top(&from.lamp, 0.62, -0.22, turn, &[slot::RED, slot::STEEL]);
            // The bulb: a square in the mouth of the shade
            let up = Affine3::from_translation(Vec3::Y * office::desk::HEIGHT);
            let shade = Affine3::from_translation(vec3(0.0, 0.51, 0.18)) * rotation_x(-0.5);
            self.shape.place(self.room * at * up * spot(0.62, -0.22, turn) * shade);
            let corner = |x: f32, z: f32| vec3(0.04 * x, -0.07, 0.04 * z);
            self.shape.slot(slot::LAMP);
            self.shape.quad([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
        }
    }

    /// A place in a laboratory: desk, screen, keyboard.
    pub(super) fn bench(&mut self, at: Affine3) {
        self.put(&self.from.desk, at, &[slot::WHITE, slot::STEEL, slot::STEEL]);
        let up = at * Affine3::from_translation(Vec3::Y * office::desk::HEIGHT);
        let screen = [slot::BLACK, slot::SCREEN, slot::BLACK];
        self.put(&self.from.monitor, up * spot(0.0, -0.18, 0.0), &screen);
        self.shape.place(self.room * up).slot(slot::BLACK);
        self.shape.chamfered(vec3(-0.22, 0.001, 0.10), vec3(0.22, 0.018, 0.24), 0.004);
        self.shape.chamfered(vec3(0.48, 0.001, -0.3), vec3(0.66, 0.40, 0.12), 0.006);
    }

    pub(super) fn shelf(&mut self, at: Affine3, r: &mut Random) {
        let kind = r.below(6) as usize;
        let mut slots = vec![slot::OAK, slot::FABRICS[1], slot::RED];
        // The same books look different in another shelf
        let turn = r.below(6) as usize;
        slots.extend((0..6).map(|i| slot::BOOKS[(i + turn) % 6]));
        self.put(&self.from.shelves[kind], at, &slots);
    }

    pub(super) fn plant(&mut self, at: Affine3, r: &mut Random) {
        let kind = r.below(4) as usize;
        let slots = [slot::POT, slot::SOIL, slot::LEAF, slot::YOUNG_LEAF];
        self.put(&self.from.plants[kind], at, &slots);
    }

    pub(super) fn sofa(&mut self, at: Affine3, fabric: u16) {
        self.put(&self.from.sofa, at, &[fabric, slot::OAK, slot::FABRICS[0]]);
    }

    pub(super) fn low_table(&mut self, at: Affine3) {
        self.put(&self.from.low_table, at, &[slot::OAK, slot::BLACK]);
    }

    /// On a wall: `at` is its lower left corner, +z out of the wall.
    pub(super) fn board(&mut self, at: Affine3, [width, height]: [f32; 2], face: u16) {
        self.shape.place(self.room * at).slot(slot::STEEL);
        self.shape.chamfered(vec3(0.0, 0.0, 0.0), vec3(width, height, 0.02), 0.005);
        let (low, high) = (vec3(0.03, 0.03, 0.021), vec3(width - 0.03, height - 0.03, 0.021));
        let at = |x, y| vec3(x, y, low.z);
        self.shape.slot(face);
        self.shape.picture([at(low.x, low.y), at(high.x, low.y), at(high.x, high.y), at(low.x, high.y)]);
    }

    pub(super) fn bin(&mut self, at: Affine3) {
        self.shape.place(self.room * at).slot(slot::BLACK);
        let profile = [[0.0, 0.01], [0.11, 0.01], [0.14, 0.32], [0.145, 0.32], [0.115, 0.0], [0.0, 0.0]];
        self.shape.lathe(&profile.map(|[r, y]| sunfleck_math::vec2(r, y)), 16);
    }
}

/// Four legs, a seat and a back of bent wood. Slots: wood, legs.
fn stacking_chair() -> MeshData {
    let mut chair = Shape::new("chair");
    // Bent sheets: both sides are seen, and 8 mm lie between them
    for (side, turned) in [(0.0, false), (0.008, true)] {
        let flip = |u: f32| if turned { 1.0 - u } else { u };
        chair.sheet(4, 4, |u, v| {
            let (x, z) = (2.0 * flip(u) - 1.0, 1.0 - 2.0 * v);
            vec3(0.21 * x, 0.45 + 0.012 * x * x - 0.02 * z.max(0.0) * z.max(0.0) - side, 0.2 * z)
        });
        chair.sheet(4, 3, |u, v| {
            let x = 2.0 * flip(u) - 1.0;
            vec3(0.2 * x, 0.60 + 0.24 * v, -0.21 - 0.05 * v + 0.035 * x * x - side)
        });
    }
    chair.slot(1);
    for x in [-0.19, 0.19] {
        let back = [vec3(x, 0.0, -0.24), vec3(x, 0.44, -0.19), vec3(x, 0.82, -0.235)];
        chair.tube(&back, &[0.011; 3], 6);
        chair.tube(&[vec3(x, 0.0, 0.22), vec3(x, 0.435, 0.17)], &[0.011; 2], 6);
        chair.tube(&[vec3(x, 0.43, 0.19), vec3(x, 0.43, -0.20)], &[0.010; 2], 6);
    }
    chair.finish()
}

/// 1.4 × 0.7 m. Slots: top, legs.
fn table() -> MeshData {
    let mut table = Shape::new("table");
    table.chamfered(vec3(-0.70, 0.72, -0.35), vec3(0.70, 0.745, 0.35), 0.004).slot(1);
    for x in [-0.64, 0.64] {
        for z in [-0.29, 0.29] {
            table.tube(&[vec3(x, 0.0, z), vec3(x, 0.72, z)], &[0.02; 2], 8);
        }
        table.block(vec3(x - 0.015, 0.68, -0.28), vec3(x + 0.015, 0.715, 0.28));
    }
    table.finish()
}
