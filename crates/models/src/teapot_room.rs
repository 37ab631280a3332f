//! The teapot room of [RayEngine02, Fig. 6]: a teapot, a mirror and a glass ball between coloured walls.

use sunfleck_math::transform::{rotation_x, rotation_y};
use sunfleck_math::{Affine3, Vec3, vec2, vec3};
use sunfleck_scene::{Camera, Material, MeshData, Node, Scene, parameters};

use crate::model::{Build, Model};
use crate::pattern;
use crate::scene_builder::SceneBuilder;
use crate::shape::Shape;
use crate::{ModelError, teapot, teapot_patches};

pub(crate) const MODEL: Model = Model {
    name: "teapot-room",
    summary: "a room with coloured walls, a teapot, a mirror and a glass ball under a large ceiling light",
    parameters: TeapotRoom::PARAMETERS,
    defaults: || Box::new(TeapotRoom::DEFAULT),
};

pub(crate) const PATCHES_MODEL: Model = Model {
    name: "teapot-patches",
    summary: "the teapot room with the teapot as 32 bicubic patches and the glass ball as a sphere",
    parameters: TeapotPatches::PARAMETERS,
    defaults: || Box::new(TeapotPatches::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct TeapotPatches {
        /// Scale factor of the edges of the lamp, at constant power: small lamps make sharp shadows and caustics.
        lamp: f32 = 1.0, in 0.01..=1.0;
    }
}

parameters! {
    #[derive(Debug)]
    struct TeapotRoom {
        /// Tessellation of the teapot: number of segments of a quarter of its circumference.
        divisions: u32 = 8, in 2..=64;
        /// Scale factor of the edges of the lamp, at constant power: small lamps make sharp shadows and caustics.
        lamp: f32 = 1.0, in 0.01..=1.0;
    }
}

/// Extent of the room in metres: x from `-HALF_WIDTH` to `HALF_WIDTH`, y from 0 to `HEIGHT`, z from the back wall to
/// the wall behind the camera.
const HALF_WIDTH: f32 = 2.7;
const HEIGHT: f32 = 2.9;
const BACK: f32 = -2.2;
const FRONT: f32 = 4.2;

impl Build for TeapotRoom {
    fn build(&self) -> Result<Scene, ModelError> {
        let mut ball = Shape::new("glass ball");
        ball.sphere(Vec3::ZERO, BALL_RADIUS, 26);
        furnished(teapot(self.divisions), ball.finish(), self.lamp)
    }
}

impl Build for TeapotPatches {
    fn build(&self) -> Result<Scene, ModelError> {
        let shapes = vec![sunfleck_math::Shape::sphere(Vec3::ZERO, BALL_RADIUS)];
        let ball = MeshData { name: "glass ball".into(), shapes, ..MeshData::default() };
        furnished(teapot_patches(), ball, self.lamp)
    }
}

/// Radius of the glass ball in metres.
const BALL_RADIUS: f32 = 0.40;

/// Returns the room with a teapot, and a ball of [`BALL_RADIUS`] about its origin.
fn furnished(teapot: MeshData, ball: MeshData, lamp_scale: f32) -> Result<Scene, ModelError> {
    let mut builder = SceneBuilder::default();
    room(&mut builder)?;
    lamp(&mut builder, lamp_scale)?;
    mirror(&mut builder)?;

    let glaze = builder.material(Material::metallic_roughness(
        "turquoise glaze",
        vec3(0.10, 0.46, 0.44),
        0.0,
        0.14,
    ))?;
    let pot = builder.mesh(teapot)?;
    let transform = Affine3::from_translation(vec3(-0.55, 0.0, -0.35))
        * rotation_y(-0.35)
        * Affine3::from_scale(Vec3::splat(0.37));
    builder.node(Node::new("teapot").at(transform).with_mesh(pot, vec![glaze]))?;

    let glass = builder.material(Material::dielectric("glass", 1.5))?;
    let ball = builder.mesh(ball)?;
    let transform = Affine3::from_translation(vec3(1.12, BALL_RADIUS, 0.45));
    builder.node(Node::new("glass ball").at(transform).with_mesh(ball, vec![glass]))?;

    let camera = Camera::perspective("camera", 0.70);
    builder.camera(camera, vec3(0.75, 1.62, 4.1), vec3(0.10, 0.98, -0.9))?;
    Ok(builder.finish())
}

fn room(builder: &mut SceneBuilder) -> Result<(), ModelError> {
    let chequer = pattern::tiles("floor tiles", 2, [vec3(0.70, 0.66, 0.58), vec3(0.30, 0.24, 0.20)], 11)?;
    let chequer = pattern::repeated(builder.texture(chequer)?, 1.35);
    let floor = builder.material(Material::metallic_roughness("tiles", chequer, 0.0, 0.35))?;
    let white = builder.material(Material::lambert("white paint", vec3(0.78, 0.76, 0.72)))?;
    let terracotta = builder.material(Material::lambert("terracotta paint", vec3(0.70, 0.23, 0.12)))?;
    let blue = builder.material(Material::lambert("blue paint", vec3(0.13, 0.30, 0.52)))?;
    let ochre = builder.material(Material::lambert("ochre paint", vec3(0.78, 0.62, 0.38)))?;
    let corner =
        |x: f32, y: f32, z: f32| vec3(x * HALF_WIDTH, y * HEIGHT, if z < 0.0 { BACK } else { FRONT });
    let left =
        [corner(-1.0, 0.0, 1.0), corner(-1.0, 0.0, -1.0), corner(-1.0, 1.0, -1.0), corner(-1.0, 1.0, 1.0)];
    let right =
        [corner(1.0, 0.0, -1.0), corner(1.0, 0.0, 1.0), corner(1.0, 1.0, 1.0), corner(1.0, 1.0, -1.0)];
    for (name, corners, material) in [
        ("floor", [left[0], right[1], right[0], left[1]], floor),
        ("ceiling", [left[2], right[3], right[2], left[3]], white),
        ("back wall", [left[1], right[0], right[3], left[2]], white),
        ("front wall", [right[1], left[0], left[3], right[2]], ochre),
        ("left wall", left, terracotta),
        ("right wall", right, blue),
    ] {
        let mut shape = Shape::new(name);
        shape.quad(corners);
        builder.fixture(shape.finish(), &[material])?;
    }
    Ok(())
}

/// Adds a panel under the ceiling; only its lower side emits.
fn lamp(builder: &mut SceneBuilder, size: f32) -> Result<(), ModelError> {
    let metal = builder.material(Material::lambert("lamp frame", Vec3::splat(0.6)))?;
    let light =
        builder.material(Material::emitter("warm white light", vec3(6.5, 5.7, 4.5) / (size * size)))?;
    let (x, z, y) = (1.55 * size, 1.30 * size, HEIGHT - 0.06);
    let at = |x: f32, y: f32, z: f32| vec3(x, y, z + 0.95);
    let mut frame = Shape::new("lamp");
    frame.block(at(-x - 0.04, y + 0.002, -z - 0.04), at(x + 0.04, HEIGHT + 0.01, z + 0.04));
    frame.slot(1).quad([at(-x, y, -z), at(x, y, -z), at(x, y, z), at(-x, y, z)]);
    builder.fixture(frame.finish(), &[metal, light])?;
    Ok(())
}

/// Adds a mirror on the back wall, tilted slightly so that it shows the floor.
fn mirror(builder: &mut SceneBuilder) -> Result<(), ModelError> {
    let brass = builder.material(Material::metallic_roughness("brass", vec3(0.80, 0.60, 0.28), 1.0, 0.3))?;
    let silver = builder.material(Material::mirror("silvered glass", Vec3::splat(0.85)))?;
    let half = vec2(0.98, 0.72);
    let rim = 0.07;
    let mut shape = Shape::new("mirror");
    let frame_bar = |shape: &mut Shape, min: Vec3, max: Vec3| {
        shape.block(min, max);
    };
    frame_bar(&mut shape, vec3(-half.x - rim, -half.y - rim, -0.03), vec3(half.x + rim, -half.y, 0.03));
    frame_bar(&mut shape, vec3(-half.x - rim, half.y, -0.03), vec3(half.x + rim, half.y + rim, 0.03));
    frame_bar(&mut shape, vec3(-half.x - rim, -half.y, -0.03), vec3(-half.x, half.y, 0.03));
    frame_bar(&mut shape, vec3(half.x, -half.y, -0.03), vec3(half.x + rim, half.y, 0.03));
    let glass = |x: f32, y: f32| vec3(x * half.x, y * half.y, 0.0);
    shape.slot(1).quad([glass(-1.0, -1.0), glass(1.0, -1.0), glass(1.0, 1.0), glass(-1.0, 1.0)]);
    let shape = builder.mesh(shape.finish())?;
    let transform = Affine3::from_translation(vec3(0.42, 1.48, BACK + 0.09)) * rotation_x(0.06);
    builder.node(Node::new("mirror").at(transform).with_mesh(shape, vec![brass, silver]))?;
    Ok(())
}
