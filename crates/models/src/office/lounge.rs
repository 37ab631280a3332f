//! Lounge in the right half of the office: a sofa, a low round table with glasses, and a lamp with a paper shade.

use sunfleck_math::transform::{rotation_x, rotation_y};
use sunfleck_math::{Affine3, Vec3, sin_cos, vec2, vec3};
use sunfleck_scene::{Material, MeshData};

use super::InstancedMesh;
use super::materials::Materials;
use crate::ModelError;
use crate::scene_builder::SceneBuilder;
use crate::shape::Shape;

pub(super) fn build(builder: &mut SceneBuilder, m: &Materials, brightness: f32) -> Result<(), ModelError> {
    let sofa = InstancedMesh::new(builder, sofa(), &[m.rust_fabric, m.oak, m.mustard_fabric])?;
    sofa.add_instance(builder, None, vec3(6.42, 0.0, 2.95), -std::f32::consts::FRAC_PI_2)?;
    let rug = InstancedMesh::new(builder, rug(), &[m.books[2], m.mustard_fabric])?;
    rug.add_instance(builder, None, vec3(4.95, 0.0, 3.75), 0.0)?;
    let at = vec3(4.95, 0.0, 3.80);
    let table = InstancedMesh::new(builder, table(), &[m.oak, m.black])?;
    let parent = Some(table.add_instance(builder, None, at, 0.3)?);
    let tumbler = InstancedMesh::new(builder, tumbler(), &[m.glass])?;
    for (x, z) in [(0.17, 0.20), (-0.05, 0.29)] {
        tumbler.add_instance(builder, parent, vec3(x, TABLE_HEIGHT, z), 0.0)?;
    }
    let carafe = InstancedMesh::new(builder, carafe(), &[m.glass])?;
    carafe.add_instance(builder, parent, vec3(0.06, TABLE_HEIGHT, 0.02), 0.0)?;
    let bowl = InstancedMesh::new(builder, bowl_of_oranges(), &[m.blue, m.orange])?;
    bowl.add_instance(builder, parent, vec3(-0.24, TABLE_HEIGHT, -0.10), 0.0)?;
    let light = Material::lambert("paper shade", vec3(0.7, 0.65, 0.55))
        .with_emission(vec3(2.1, 1.45, 0.80) * brightness);
    let light = builder.material(light)?;
    let lamp = InstancedMesh::new(builder, floor_lamp(), &[m.black, light])?;
    lamp.add_instance(builder, None, vec3(6.6, 0.0, 1.55), 0.0)?;
    Ok(())
}

/// Returns a sofa for two that faces +z. Slots: fabric, legs, pillows.
fn sofa() -> MeshData {
    let mut sofa = Shape::new("sofa");
    sofa.chamfered(vec3(-0.92, 0.14, -0.40), vec3(0.92, 0.30, 0.40), 0.03);
    for side in [-1.0, 1.0] {
        sofa.superellipsoid(vec3(0.43 * side, 0.38, 0.05), vec3(0.425, 0.095, 0.36), 24, 8, 0.32);
        sofa.superellipsoid(vec3(0.94 * side, 0.40, 0.0), vec3(0.10, 0.22, 0.42), 20, 10, 0.30);
        sofa.transform(Affine3::from_translation(vec3(0.43 * side, 0.62, -0.30)) * rotation_x(-0.22));
        sofa.superellipsoid(Vec3::ZERO, vec3(0.42, 0.26, 0.11), 24, 10, 0.36);
        sofa.transform(Affine3::IDENTITY);
    }
    sofa.slot(2)
        .transform(Affine3::from_translation(vec3(-0.60, 0.62, -0.06)) * rotation_y(0.3) * rotation_x(-0.45));
    sofa.superellipsoid(Vec3::ZERO, vec3(0.20, 0.20, 0.075), 20, 10, 0.5);
    sofa.transform(Affine3::IDENTITY).slot(1);
    for x in [-0.84, 0.84] {
        for z in [-0.33, 0.33] {
            sofa.tube(&[vec3(x, 0.0, z), vec3(x, 0.15, z)], &[0.015, 0.024], 10);
        }
    }
    sofa.finish()
}

/// Returns a round rug. Slots: border, field.
fn rug() -> MeshData {
    let mut rug = Shape::new("rug");
    let disc = [vec2(0.0, 0.012), vec2(1.16, 0.012), vec2(1.165, 0.0), vec2(0.0, 0.0)];
    rug.lathe(&disc, 48).slot(1);
    let field = [vec2(0.0, 0.0135), vec2(1.02, 0.0135), vec2(1.02, 0.010), vec2(0.0, 0.010)];
    rug.lathe(&field, 48);
    rug.finish()
}

/// Height of the table, metres.
const TABLE_HEIGHT: f32 = 0.40;

/// Returns the low table. Slots: top, legs.
fn table() -> MeshData {
    let mut table = Shape::new("low table");
    let top = [
        vec2(0.0, TABLE_HEIGHT),
        vec2(0.452, TABLE_HEIGHT),
        vec2(0.46, TABLE_HEIGHT - 0.008),
        vec2(0.44, TABLE_HEIGHT - 0.028),
        vec2(0.0, TABLE_HEIGHT - 0.028),
    ];
    table.lathe(&top, 48).slot(1);
    for leg in 0..3 {
        let (sin, cos) = sin_cos(leg as f32 * std::f32::consts::TAU / 3.0);
        let out = vec3(sin, 0.0, cos);
        table.tube(&[out * 0.40, out * 0.24 + Vec3::Y * (TABLE_HEIGHT - 0.02)], &[0.012, 0.018], 12);
    }
    table.finish()
}

/// Returns a drinking glass: a closed mesh of the surface of the glass.
pub(crate) fn tumbler() -> MeshData {
    let mut glass = Shape::new("tumbler");
    let profile = [
        vec2(0.0, 0.014),
        vec2(0.026, 0.014),
        vec2(0.030, 0.018),
        vec2(0.0365, 0.108),
        vec2(0.0375, 0.110),
        vec2(0.0385, 0.108),
        vec2(0.0325, 0.006),
        vec2(0.029, 0.0),
        vec2(0.0, 0.0),
    ];
    glass.lathe(&profile, 32);
    glass.finish()
}

/// Returns a bellied carafe: a closed mesh of the surface of the glass.
pub(crate) fn carafe() -> MeshData {
    let mut glass = Shape::new("carafe");
    let profile = [
        vec2(0.0, 0.010),
        vec2(0.050, 0.012),
        vec2(0.066, 0.035),
        vec2(0.069, 0.075),
        vec2(0.058, 0.125),
        vec2(0.036, 0.165),
        vec2(0.027, 0.200),
        vec2(0.030, 0.238),
        vec2(0.036, 0.256),
        vec2(0.038, 0.257),
        vec2(0.0395, 0.255),
        vec2(0.0335, 0.236),
        vec2(0.0305, 0.200),
        vec2(0.0395, 0.167),
        vec2(0.0615, 0.126),
        vec2(0.0725, 0.075),
        vec2(0.069, 0.030),
        vec2(0.052, 0.003),
        vec2(0.046, 0.0),
        vec2(0.0, 0.0),
    ];
    glass.lathe(&profile, 32);
    glass.finish()
}

/// Returns a bowl of oranges. Slots: bowl, fruit.
fn bowl_of_oranges() -> MeshData {
    let mut bowl = Shape::new("bowl of oranges");
    let profile = [
        vec2(0.0, 0.012),
        vec2(0.060, 0.018),
        vec2(0.115, 0.055),
        vec2(0.132, 0.085),
        vec2(0.137, 0.085),
        vec2(0.121, 0.050),
        vec2(0.066, 0.008),
        vec2(0.050, 0.0),
        vec2(0.0, 0.0),
    ];
    bowl.lathe(&profile, 28).slot(1);
    for (x, y, z) in
        [(0.045, 0.055, 0.02), (-0.035, 0.055, 0.04), (-0.01, 0.056, -0.048), (0.005, 0.108, 0.008)]
    {
        bowl.sphere(vec3(x, y, z), 0.037, 14);
    }
    bowl.finish()
}

/// Returns the floor lamp. Slots: stand, shade.
fn floor_lamp() -> MeshData {
    let mut lamp = Shape::new("floor lamp");
    let foot = [vec2(0.0, 0.024), vec2(0.13, 0.020), vec2(0.145, 0.008), vec2(0.145, 0.0), vec2(0.0, 0.0)];
    lamp.lathe(&foot, 24).tube(&[vec3(0.0, 0.02, 0.0), vec3(0.0, 1.50, 0.0)], &[0.010; 2], 10).slot(1);
    let shade = [vec2(0.0, 1.66), vec2(0.16, 1.66), vec2(0.215, 1.30), vec2(0.0, 1.30)];
    lamp.lathe(&shade, 32);
    lamp.finish()
}
