//! Procedural wood, marble and bricks for the room, as in [Wald03, Fig. 28].

use sunfleck_math::transform::{rotation_y, rotation_z};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Bricks, Marble, Material, Pattern, Procedural, Wood};

use super::Materials;
use crate::ModelError;
use crate::scene_builder::SceneBuilder;

/// Replaces materials with procedural ones.
pub(super) fn replace(builder: &mut SceneBuilder, m: &mut Materials) -> Result<(), ModelError> {
    let mut add =
        |name, procedural| builder.material(Material::lambert(name, Vec3::ONE).with_procedural(procedural));
    let oak = Wood { early: vec3(0.64, 0.43, 0.23), late: vec3(0.33, 0.17, 0.07), ring_width: 0.016 };
    m.oak = add("oak", Procedural::new(Pattern::Wood(oak)).placed(along_x(vec3(0.11, 0.0, -0.42))))?;
    let walnut = Wood { early: vec3(0.34, 0.20, 0.12), late: vec3(0.17, 0.09, 0.05), ring_width: 0.007 };
    m.walnut = add("walnut", Procedural::new(Pattern::Wood(walnut)).placed(upright(vec3(0.06, 0.0, 0.09))))?;
    let marble = Marble {
        stone: vec3(0.72, 0.69, 0.64),
        vein: vec3(0.16, 0.17, 0.17),
        spacing: 0.75,
        turbulence: 1.1,
    };
    m.floor = add("marble", Procedural::new(Pattern::Marble(marble)).placed(rotation_y(0.6)))?;
    let bricks = Bricks {
        clay: [vec3(0.52, 0.20, 0.12), vec3(0.30, 0.11, 0.075)],
        mortar: vec3(0.56, 0.53, 0.48),
        length: 0.225,
        height: 0.075,
        joint: 0.011,
        depth: 0.007,
    };
    m.accent_wall = add("bricks", Procedural::new(Pattern::Bricks(bricks)))?;
    Ok(())
}

/// Places the trunk of wood along x through `pith`, slightly tilted, so that boards show long, pointed curves.
fn along_x(pith: Vec3) -> Affine3 {
    upright(Vec3::ZERO) * rotation_z(std::f32::consts::FRAC_PI_2) * Affine3::from_translation(-pith)
}

/// Places the trunk of wood upright through `pith`, slightly tilted.
fn upright(pith: Vec3) -> Affine3 {
    rotation_z(0.05) * Affine3::from_translation(-pith)
}
