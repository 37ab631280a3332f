//! The ceiling: a grid of modules of 0.6 m with tiles, 60 luminaires of three long lamps each and 40 downlights. These
//! are 220 lamps.

use sunfleck_math::{Vec3, vec2, vec3};
use sunfleck_scene::MeshData;

use super::ROOM;
use super::materials::slot;
use crate::shape::{BoxFace, CrossSection, Shape};

const MODULE: f32 = 0.6;
const COLUMNS: u32 = 26;
const ROWS: u32 = 16;

/// Content of a module of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Module {
    Tile,
    /// First of the two modules along z that a luminaire occupies.
    Luminaire,
    /// Second module of a luminaire.
    LuminaireEnd,
    Downlight,
    Vent,
}

/// Returns the content of a module.
fn module(column: u32, row: u32) -> Module {
    let last = COLUMNS - 1;
    let border = row == 0 || row == ROWS - 1;
    if column == last && !border || border && column.is_multiple_of(2) {
        return Module::Downlight;
    }
    if column % 2 == 1 && column < last && !border {
        return match row % 3 {
            1 => Module::Luminaire,
            2 => Module::LuminaireEnd,
            _ => Module::Tile,
        };
    }
    if column % 6 == 2 && row % 6 == 3 { Module::Vent } else { Module::Tile }
}

/// Returns contents and corners of all modules.
fn modules() -> impl Iterator<Item = (Module, Vec3)> {
    (0..COLUMNS * ROWS).map(|i| {
        let (column, row) = (i % COLUMNS, i / COLUMNS);
        (module(column, row), vec3(column as f32 * MODULE, ROOM.y, row as f32 * MODULE))
    })
}

/// Returns the ceiling without the lamps themselves.
pub(super) fn tiles() -> MeshData {
    let mut shape = Shape::new("ceiling");
    let gap = 0.012;
    for (module, corner) in modules() {
        let size = vec3(MODULE, 0.0, MODULE);
        shape.slot(slot::TILE);
        match module {
            Module::Tile => {
                let low = corner + vec3(gap, 0.003, gap);
                shape.block_without(low, corner + size + vec3(-gap, 0.02, -gap), &[BoxFace::Top]);
            }
            Module::Luminaire => luminaire(&mut shape, corner),
            Module::Downlight => downlight(&mut shape, corner),
            Module::Vent => vent(&mut shape, corner),
            Module::LuminaireEnd => {}
        }
    }
    // The bars between the tiles
    let bar = CrossSection::bar(0.024, 0.014);
    shape.slot(slot::WHITE);
    for column in 1..COLUMNS {
        let x = column as f32 * MODULE;
        shape.extrude_open(&bar, vec3(x, ROOM.y, 0.0), vec3(x, ROOM.y, ROOM.z), Vec3::Y);
    }
    for row in 1..ROWS {
        let z = row as f32 * MODULE;
        for column in 0..COLUMNS {
            // No bar across a luminaire
            if module(column, row) != Module::LuminaireEnd {
                let x = column as f32 * MODULE;
                let (from, to) = (vec3(x + 0.012, ROOM.y, z), vec3(x + MODULE - 0.012, ROOM.y, z));
                shape.extrude_open(&bar, from, to, Vec3::Y);
            }
        }
    }
    // The slab above the ceiling
    let at = |x: f32, z: f32| vec3(x * ROOM.x, ROOM.y + 0.35, z * ROOM.z);
    shape.slot(slot::BLACK).quad([at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]);
    shape.finish()
}

/// Depth of luminaires and downlights, metres.
const DEPTH: f32 = 0.13;

/// Adds a white box, open at the bottom, with a grid of fins.
fn luminaire(shape: &mut Shape, corner: Vec3) {
    let (low, high) =
        (corner + vec3(0.014, 0.0, 0.014), corner + vec3(MODULE - 0.014, DEPTH, 2.0 * MODULE - 0.014));
    let p = |x: bool, y: bool, z: bool| {
        vec3(if x { high.x } else { low.x }, if y { high.y } else { low.y }, if z { high.z } else { low.z })
    };
    let (o, i) = (false, true);
    shape.slot(slot::REFLECTOR);
    shape.quad([p(o, i, o), p(i, i, o), p(i, i, i), p(o, i, i)]);
    shape.quad([p(o, o, o), p(o, i, o), p(o, i, i), p(o, o, i)]).quad([
        p(i, o, i),
        p(i, i, i),
        p(i, i, o),
        p(i, o, o),
    ]);
    shape.quad([p(i, o, o), p(i, i, o), p(o, i, o), p(o, o, o)]).quad([
        p(o, o, i),
        p(o, i, i),
        p(i, i, i),
        p(i, o, i),
    ]);
    // Fins between the lamps, and across
    let fin = 0.03;
    for k in 1..3 {
        let x = low.x + (high.x - low.x) * k as f32 / 3.0;
        shape.block(vec3(x - 0.002, low.y + 0.004, low.z), vec3(x + 0.002, low.y + fin, high.z));
    }
    for k in 1..9 {
        let z = low.z + (high.z - low.z) * k as f32 / 9.0;
        for lamp in 0..3 {
            let from = low.x + (high.x - low.x) * lamp as f32 / 3.0 + 0.0025;
            let to = low.x + (high.x - low.x) * (lamp + 1) as f32 / 3.0 - 0.0025;
            shape.block(vec3(from, low.y + 0.005, z - 0.0015), vec3(to, low.y + fin - 0.001, z + 0.0015));
        }
    }
}

/// Adds a tile with a round reflector.
fn downlight(shape: &mut Shape, corner: Vec3) {
    let middle = corner + vec3(0.5 * MODULE, 0.0, 0.5 * MODULE);
    let half = 0.5 * MODULE - 0.012;
    // The tile: a ring of quadrilaterals between the square and the round hole
    const SEGMENTS: u32 = 32;
    let radius = 0.095;
    let y = 0.003;
    shape.at(middle.x, middle.y, middle.z);
    let at = |s: u32| {
        let (sin, cos) = crate::shape::circle_sin_cos(s, SEGMENTS);
        let reach = half / sin.abs().max(cos.abs());
        (vec3(sin * radius, y, cos * radius), vec3(sin * reach, y, cos * reach))
    };
    for s in 0..SEGMENTS {
        let ((a, b), (c, d)) = (at(s), at(s + 1));
        shape.quad([a, c, d, b]);
    }
    let ring =
        [vec2(0.10, 0.0), vec2(0.118, 0.004), vec2(0.118, -0.003), vec2(0.098, -0.006), vec2(0.088, 0.0)];
    shape.slot(slot::CHROME).lathe(&ring, SEGMENTS);
    let cup = [vec2(0.0, DEPTH), vec2(0.045, DEPTH), vec2(0.075, 0.07), vec2(0.090, 0.0)];
    shape.slot(slot::REFLECTOR).lathe(&cup, SEGMENTS);
    shape.transform(sunfleck_math::Affine3::IDENTITY);
}

/// Adds a vent of the air conditioning with its slats.
fn vent(shape: &mut Shape, corner: Vec3) {
    let (low, high) = (corner + vec3(0.013, 0.0, 0.013), corner + vec3(MODULE - 0.013, 0.0, MODULE - 0.013));
    shape.slot(slot::WHITE);
    let slat = CrossSection::bar(0.003, 0.035);
    for k in 0..16 {
        let z = low.z + 0.01 + (high.z - low.z - 0.02) * k as f32 / 15.0;
        let up = vec3(0.0, 1.0, if k < 8 { 0.9 } else { -0.9 });
        shape.extrude_open(&slat, vec3(low.x, low.y + 0.016, z), vec3(high.x, low.y + 0.016, z), up);
    }
    shape.slot(slot::BLACK);
    let y = low.y + 0.05;
    shape.quad([
        vec3(low.x, y, low.z),
        vec3(high.x, y, low.z),
        vec3(high.x, y, high.z),
        vec3(low.x, y, high.z),
    ]);
}

/// Returns the lamps, of two triangles each.
pub(super) fn lamps() -> MeshData {
    let mut shape = Shape::new("lamps");
    shape.slot(slot::LAMP);
    let mut lamp = |middle: Vec3, half: [f32; 2]| {
        let at = |u: f32, v: f32| middle + vec3(half[0] * u, 0.0, half[1] * v);
        shape.quad([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    };
    for (module, corner) in modules() {
        match module {
            Module::Luminaire => {
                for k in 0..3 {
                    let x = MODULE * (2 * k + 1) as f32 / 6.0;
                    lamp(corner + vec3(x, 0.05, MODULE), [0.07, MODULE - 0.04]);
                }
            }
            Module::Downlight => {
                lamp(corner + vec3(0.5 * MODULE, DEPTH - 0.004, 0.5 * MODULE), [0.03, 0.03]);
            }
            _ => {}
        }
    }
    shape.finish()
}
