//! Floor, walls, the window with the city behind it, and the ceiling lights.

use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_scene::{Emission, Material, TextureRef};

use super::materials::Materials;
use super::{InstancedMesh, ROOM};
use crate::ModelError;
use crate::noise::turbulence;
use crate::pattern;
use crate::random::{Random, floor_to_u32};
use crate::scene_builder::SceneBuilder;
use crate::shape::Shape;

/// Lower and upper corner of the window opening in the left wall; only y and z are used.
const WINDOW: [Vec3; 2] = [vec3(0.0, 0.82, 1.0), vec3(0.0, 2.42, 6.1)];
/// Thickness of the left wall.
const THICKNESS: f32 = 0.28;
const PANES: u32 = 4;

pub(super) fn room(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let Vec3 { x, y, z } = ROOM;
    let corner = |i: f32, j: f32, k: f32| vec3(i * x, j * y, k * z);
    let o = corner(0.0, 0.0, 0.0);
    let top = [corner(0.0, 1.0, 0.0), corner(1.0, 1.0, 0.0), corner(1.0, 1.0, 1.0), corner(0.0, 1.0, 1.0)];
    for (name, quad, material) in [
        ("floor", [corner(0.0, 0.0, 1.0), corner(1.0, 0.0, 1.0), corner(1.0, 0.0, 0.0), o], m.floor),
        ("ceiling", top, m.wall),
        ("back wall", [o, corner(1.0, 0.0, 0.0), top[1], top[0]], m.sage),
        ("front wall", [corner(1.0, 0.0, 1.0), corner(0.0, 0.0, 1.0), top[3], top[2]], m.wall),
        ("right wall", [corner(1.0, 0.0, 0.0), corner(1.0, 0.0, 1.0), top[2], top[1]], m.wall),
    ] {
        let mut shape = Shape::new(name);
        shape.quad(quad);
        builder.fixture(shape.finish(), &[material])?;
    }
    let mut carpet = Shape::new("carpet");
    carpet.chamfered(vec3(0.55, 0.0, 1.05), vec3(3.85, 0.012, 4.65), 0.004);
    builder.fixture(carpet.finish(), &[m.carpet])?;
    let mut skirting = Shape::new("skirting");
    skirting.chamfered(vec3(-0.01, -0.01, -0.01), vec3(x, 0.08, 0.014), 0.005);
    skirting.chamfered(vec3(-0.01, -0.01, 0.014), vec3(0.014, 0.08, z), 0.005);
    builder.fixture(skirting.finish(), &[m.white])?;
    left_wall(builder, m)?;
    pictures(builder, m)
}

/// Adds the wall around the window, with the reveal.
fn left_wall(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let [low, high] = WINDOW;
    let Vec3 { y, z, .. } = ROOM;
    let at = |y: f32, z: f32| vec3(0.0, y, z);
    let strip = |from: (f32, f32), to: (f32, f32)| {
        [at(from.0, to.1), at(from.0, from.1), at(to.0, from.1), at(to.0, to.1)]
    };
    let out = Vec3::NEG_X * THICKNESS;
    let hole = [at(low.y, low.z), at(low.y, high.z), at(high.y, high.z), at(high.y, low.z)];
    let mut wall = Shape::new("left wall");
    wall.quad(strip((0.0, 0.0), (low.y, z))).quad(strip((high.y, 0.0), (y, z)));
    wall.quad(strip((low.y, 0.0), (high.y, low.z))).quad(strip((low.y, high.z), (high.y, z)));
    for side in 0..4 {
        let (a, b) = (hole[side], hole[(side + 1) % 4]);
        wall.quad([a, b, b + out, a + out]);
    }
    builder.fixture(wall.finish(), &[m.wall])?;
    Ok(())
}

/// Adds window frames, the sill, heaters below it, and the view, an emissive image.
pub(super) fn window(builder: &mut SceneBuilder, m: &Materials, brightness: f32) -> Result<(), ModelError> {
    let [low, high] = WINDOW;
    let (outer, inner, bar) = (-THICKNESS + 0.04, -THICKNESS + 0.10, 0.05);
    let mut frame = Shape::new("window frame");
    frame.chamfered(vec3(outer, low.y, low.z), vec3(inner, low.y + bar, high.z), 0.006);
    frame.chamfered(vec3(outer, high.y - bar, low.z), vec3(inner, high.y, high.z), 0.006);
    for pane in 0..=PANES {
        let z = low.z + (high.z - low.z - bar) * pane as f32 / PANES as f32;
        frame.chamfered(vec3(outer, low.y + bar, z), vec3(inner, high.y - bar, z + bar), 0.006);
    }
    // The sill lies on the lower side of the opening
    let sill = [vec3(-THICKNESS - 0.01, -0.03, -0.05), vec3(0.10, 0.01, 0.05)];
    frame.chamfered(low.with_x(0.0) + sill[0], vec3(0.0, low.y, high.z) + sill[1], 0.006);
    builder.fixture(frame.finish(), &[m.white])?;

    let mut heater = Shape::new("heater");
    for fin in 0..12 {
        let z = fin as f32 * 0.0815;
        heater.chamfered(vec3(0.0, 0.0, z), vec3(0.09, 0.52, z + 0.060), 0.012);
    }
    heater
        .block(vec3(0.03, 0.03, 0.0), vec3(0.06, 0.06, 0.98))
        .block(vec3(0.03, 0.46, 0.0), vec3(0.06, 0.49, 0.98));
    let heater = InstancedMesh::new(builder, heater.finish(), &[m.white])?;
    for z in [1.35, 4.6] {
        heater.add_instance(builder, None, vec3(0.02, 0.14, z), 0.0)?;
    }

    let city = builder.texture(pattern::paint("city", [1024, 320], city)?)?;
    let emission = Emission { radiance: Vec3::splat(6.4 * brightness), texture: Some(TextureRef::new(city)) };
    let view =
        builder.material(Material { emission, ..Material::lambert("city in the morning", Vec3::ZERO) })?;
    let mut shape = Shape::new("view from the window");
    let at = |y: f32, z: f32| vec3(-THICKNESS, y, z);
    shape.image_quad([at(low.y, high.z), at(low.y, low.z), at(high.y, low.z), at(high.y, high.z)]);
    builder.fixture(shape.finish(), &[view])?;
    Ok(())
}

/// Returns the colour of the view: three rows of houses, paler with distance, under a morning sky.
fn city(p: Vec2) -> Vec3 {
    let haze = 0.12 * turbulence(15, p * Vec2::new(5.0, 3.0), 5).max(0.0) * (1.0 - p.y);
    let sky = vec3(0.42, 0.62, 0.95).lerp(vec3(0.98, 0.93, 0.84), p.y * 1.15) + haze;
    let random = Random::new(8);
    let rows = [
        (26.0, 0.60, 0.16, vec3(0.52, 0.60, 0.70)),
        (17.0, 0.72, 0.16, vec3(0.34, 0.40, 0.49)),
        (9.0, 0.86, 0.12, vec3(0.17, 0.20, 0.25)),
    ];
    rows.into_iter().zip(0u32..).fold(sky, |behind, ((houses, base, tall, color), row)| {
        let position = p.x * houses + row as f32 * 0.37;
        let house = floor_to_u32(position);
        let mut r = random.fork(row * 1000 + house);
        let roof = base - tall * r.unit() + if position.fract() > r.between(0.6, 0.95) { 0.05 } else { 0.0 };
        if p.y < roof {
            return behind;
        }
        let window = (position.fract() * 7.0).fract() > 0.4 && ((p.y - roof) * 60.0).fract() > 0.45;
        color * if window { 1.22 } else { 1.0 } * (0.9 + 0.2 * r.unit())
    })
}

pub(super) fn ceiling_lights(
    builder: &mut SceneBuilder,
    m: &Materials,
    brightness: f32,
) -> Result<(), ModelError> {
    let light = builder.material(Material::emitter("ceiling light", vec3(9.4, 8.3, 6.7) * brightness))?;
    let (x, z, depth) = (0.17, 0.72, 0.05);
    let mut lamp = Shape::new("ceiling light");
    for side in [-1.0, 1.0] {
        let (along, across) = (vec3(side * (x + 0.012), 0.0, 0.0), vec3(0.0, 0.0, side * (z + 0.012)));
        let half = 0.5 * depth;
        lamp.chamfered(along - vec3(0.012, half, z + 0.024), along + vec3(0.012, half, z + 0.024), 0.003);
        lamp.chamfered(across - vec3(x, half, 0.012), across + vec3(x, half, 0.012), 0.003);
    }
    let at = |x: f32, z: f32| vec3(x, -0.015, z);
    lamp.slot(1).quad([at(-x, -z), at(x, -z), at(x, z), at(-x, z)]);
    let lamp = InstancedMesh::new(builder, lamp.finish(), &[m.steel, light])?;
    for column in 0..3 {
        for row in 0..2 {
            let at = vec3(1.3 + column as f32 * 2.2, ROOM.y - 0.5 * depth, 1.9 + row as f32 * 3.0);
            lamp.add_instance(builder, None, at, 0.0)?;
        }
    }
    Ok(())
}

/// Adds two paintings on the back wall.
fn pictures(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    for (i, x, (w, h)) in [(0, 1.62, (0.42, 0.56)), (1, 2.68, (0.42, 0.56))] {
        let mut shape = Shape::new("picture");
        shape.chamfered(vec3(-w - 0.03, -h - 0.03, 0.0), vec3(w + 0.03, h + 0.03, 0.03), 0.008);
        shape.slot(1).image_quad([
            vec3(-w, -h, 0.031),
            vec3(w, -h, 0.031),
            vec3(w, h, 0.031),
            vec3(-w, h, 0.031),
        ]);
        let picture = InstancedMesh::new(builder, shape.finish(), &[m.oak, m.pictures[i]])?;
        picture.add_instance(builder, None, vec3(x, 1.70, 0.0), 0.0)?;
    }
    Ok(())
}
