//! Floor, ceiling, walls with a window and a door, and the lamp.

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, Node};

use super::{Materials, ROOM};
use crate::ModelError;
use crate::scene_builder::SceneBuilder;
use crate::shape::{BoxFace, Shape};

/// Lower and upper corner of the window opening in the left wall; only y and z are used.
const WINDOW: [Vec3; 2] = [vec3(0.0, 0.92, 1.15), vec3(0.0, 2.25, 3.25)];
/// Thickness of the left wall.
const THICKNESS: f32 = 0.24;

/// Adds floor, ceiling, walls, skirting and the door.
pub(super) fn shell(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let Vec3 { x, y, z } = ROOM;
    let mut wall = |name: &str, corners: &[[Vec3; 4]], material| {
        let mut shape = Shape::new(name);
        for &quad in corners {
            shape.quad(quad);
        }
        builder.fixture(shape.finish(), &[material])
    };
    let corner = |i: f32, j: f32, k: f32| vec3(i * x, j * y, k * z);
    let o = corner(0.0, 0.0, 0.0);
    wall("floor", &[[corner(0.0, 0.0, 1.0), corner(1.0, 0.0, 1.0), corner(1.0, 0.0, 0.0), o]], m.floor)?;
    let top = [corner(0.0, 1.0, 0.0), corner(1.0, 1.0, 0.0), corner(1.0, 1.0, 1.0), corner(0.0, 1.0, 1.0)];
    wall("ceiling", &[top], m.white)?;
    wall("back wall", &[[o, corner(1.0, 0.0, 0.0), top[1], top[0]]], m.accent_wall)?;
    wall("front wall", &[[corner(1.0, 0.0, 1.0), corner(0.0, 0.0, 1.0), top[3], top[2]]], m.wall)?;
    wall("right wall", &[[corner(1.0, 0.0, 0.0), corner(1.0, 0.0, 1.0), top[2], top[1]]], m.wall)?;

    // The left wall around the window, and the reveal
    let [low, high] = WINDOW;
    let at = |y: f32, z: f32| vec3(0.0, y, z);
    let strip = |from: (f32, f32), to: (f32, f32)| {
        [at(from.0, to.1), at(from.0, from.1), at(to.0, from.1), at(to.0, to.1)]
    };
    let out = Vec3::NEG_X * THICKNESS;
    let reveal = |a: Vec3, b: Vec3| [a, b, b + out, a + out];
    let hole = [at(low.y, low.z), at(low.y, high.z), at(high.y, high.z), at(high.y, low.z)];
    wall(
        "left wall",
        &[
            strip((0.0, 0.0), (low.y, z)),
            strip((high.y, 0.0), (y, z)),
            strip((low.y, 0.0), (high.y, low.z)),
            strip((low.y, high.z), (high.y, z)),
            reveal(hole[0], hole[1]),
            reveal(hole[1], hole[2]),
            reveal(hole[2], hole[3]),
            reveal(hole[3], hole[0]),
        ],
        m.wall,
    )?;

    // Skirting along the walls that the camera sees, and the door in the right wall
    let mut skirting = Shape::new("skirting");
    let (height, depth) = (0.09, 0.015);
    skirting.quad([
        vec3(0.0, 0.0, depth),
        vec3(x, 0.0, depth),
        vec3(x, height, depth),
        vec3(0.0, height, depth),
    ]);
    skirting.quad([
        vec3(0.0, height, depth),
        vec3(x, height, depth),
        vec3(x, height, 0.0),
        vec3(0.0, height, 0.0),
    ]);
    skirting.quad([
        vec3(depth, 0.0, z),
        vec3(depth, 0.0, 0.0),
        vec3(depth, height, 0.0),
        vec3(depth, height, z),
    ]);
    skirting.quad([
        vec3(depth, height, z),
        vec3(depth, height, 0.0),
        vec3(0.0, height, 0.0),
        vec3(0.0, height, z),
    ]);
    builder.fixture(skirting.finish(), &[m.white])?;
    let mut door = Shape::new("door");
    door.block_without(vec3(x - 0.04, 0.0, 0.47), vec3(x, 2.13, 1.48), &[BoxFace::Right, BoxFace::Bottom]);
    door.slot(1).block_without(
        vec3(x - 0.06, 0.0, 0.55),
        vec3(x - 0.04, 2.05, 1.40),
        &[BoxFace::Right, BoxFace::Bottom],
    );
    door.slot(2).block(vec3(x - 0.10, 1.00, 1.22), vec3(x - 0.06, 1.02, 1.34));
    builder.fixture(door.finish(), &[m.white, m.oak, m.steel])?;
    Ok(())
}

/// Adds the frame of two casements, a sill, and an emissive plane behind them for the sky.
pub(super) fn window(builder: &mut SceneBuilder, m: &Materials, radiance: Vec3) -> Result<(), ModelError> {
    let [low, high] = WINDOW;
    let mut frame = Shape::new("window frame");
    let (outer, inner) = (-THICKNESS, -THICKNESS + 0.06);
    let bar = 0.06;
    let middle = 0.5 * (low.z + high.z);
    frame.block(vec3(outer, low.y, low.z), vec3(inner, low.y + bar, high.z));
    frame.block(vec3(outer, high.y - bar, low.z), vec3(inner, high.y, high.z));
    for z in [low.z, middle - 0.5 * bar, high.z - bar] {
        frame.block(vec3(outer, low.y + bar, z), vec3(inner, high.y - bar, z + bar));
    }
    frame.block(vec3(-THICKNESS, low.y - 0.04, low.z - 0.06), vec3(0.07, low.y + 0.002, high.z + 0.06));
    builder.fixture(frame.finish(), &[m.white])?;

    let sky = builder.material(Material::emitter("daylight", radiance))?;
    let mut shape = Shape::new("sky behind the window");
    let at = |y: f32, z: f32| vec3(outer - 0.01, y, z);
    shape.quad([at(low.y, high.z), at(low.y, low.z), at(high.y, low.z), at(high.y, high.z)]);
    builder.fixture(shape.finish(), &[sky])?;
    Ok(())
}

/// Adds a long lamp on two rods that emits downwards.
pub(super) fn lamp(builder: &mut SceneBuilder, m: &Materials, radiance: Vec3) -> Result<(), ModelError> {
    let light = builder.material(Material::emitter("lamp light", radiance))?;
    let (x, z) = (0.75, 0.16);
    let mut shape = Shape::new("lamp");
    for side in [-1.0, 1.0] {
        shape.block_around(vec3(0.0, 0.03, side * (z + 0.01)), vec3(2.0 * x + 0.04, 0.08, 0.02));
        shape.block_around(vec3(side * (x + 0.01), 0.03, 0.0), vec3(0.02, 0.08, 2.0 * z));
        let rod = vec3(side * 0.5, 0.07, 0.0);
        shape.block_without(rod, rod + vec3(0.012, 0.42, 0.012), &[BoxFace::Top, BoxFace::Bottom]);
    }
    let at = |x: f32, y: f32, z: f32| vec3(x, y, z);
    shape.slot(1).quad([at(-x, 0.01, -z), at(x, 0.01, -z), at(x, 0.01, z), at(-x, 0.01, z)]);
    let mesh = builder.mesh(shape.finish())?;
    let transform = sunfleck_math::Affine3::from_translation(vec3(1.75, ROOM.y - 0.49, 1.75));
    builder.node(Node::new("lamp").at(transform).with_mesh(mesh, vec![m.steel, light]))?;
    Ok(())
}
