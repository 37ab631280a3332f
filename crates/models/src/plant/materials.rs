use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, MaterialId};

use crate::ModelError;
use crate::random::Random;
use crate::scene_builder::SceneBuilder;

/// Material slots of all meshes, in the order of [`materials`].
pub(super) mod slot {
    pub(crate) const ALUMINIUM: u16 = 0;
    pub(crate) const STEEL: u16 = 1;
    pub(crate) const INSULATION: u16 = 2;
    pub(crate) const BLUE: u16 = 3;
    pub(crate) const GREEN: u16 = 4;
    pub(crate) const YELLOW: u16 = 5;
    pub(crate) const RED: u16 = 6;
    pub(crate) const PRIMER: u16 = 7;
    pub(crate) const COPPER: u16 = 8;
    pub(crate) const IRON: u16 = 9;
    pub(crate) const CREAM: u16 = 10;
    pub(crate) const TEAL: u16 = 11;
    pub(crate) const FRAME: u16 = 12;
    pub(crate) const GRATING: u16 = 13;
    pub(crate) const CONCRETE: u16 = 14;
    pub(crate) const CABINET: u16 = 15;
    pub(crate) const CABLE: u16 = 16;
    pub(crate) const ORANGE: u16 = 17;
    pub(crate) const LAMP: u16 = 18;
}

pub(super) fn materials(builder: &mut SceneBuilder, lamps: f32) -> Result<Vec<MaterialId>, ModelError> {
    let shiny = Material::metallic_roughness;
    let matte = Material::lambert;
    [
        shiny("aluminium cladding", vec3(0.72, 0.73, 0.74), 1.0, 0.42),
        shiny("galvanised steel", vec3(0.50, 0.52, 0.54), 1.0, 0.55),
        matte("white insulation", vec3(0.74, 0.73, 0.69)),
        shiny("blue paint", vec3(0.05, 0.17, 0.42), 0.0, 0.4),
        shiny("green paint", vec3(0.07, 0.31, 0.15), 0.0, 0.4),
        shiny("yellow paint", vec3(0.78, 0.55, 0.05), 0.0, 0.4),
        shiny("red paint", vec3(0.60, 0.06, 0.04), 0.0, 0.4),
        matte("red primer", vec3(0.36, 0.14, 0.09)),
        shiny("copper", vec3(0.72, 0.40, 0.28), 1.0, 0.4),
        shiny("cast iron", Vec3::splat(0.12), 0.3, 0.6),
        shiny("cream paint", vec3(0.72, 0.66, 0.50), 0.0, 0.45),
        shiny("teal paint", vec3(0.08, 0.34, 0.36), 0.0, 0.4),
        matte("frame, grey-green paint", vec3(0.34, 0.40, 0.36)),
        shiny("grating", vec3(0.42, 0.43, 0.44), 0.8, 0.6),
        matte("concrete", vec3(0.33, 0.32, 0.30)),
        shiny("grey enamel", vec3(0.56, 0.58, 0.58), 0.0, 0.4),
        matte("cable", Vec3::splat(0.045)),
        shiny("orange paint", vec3(0.75, 0.26, 0.04), 0.0, 0.4),
        Material::emitter("lamp", vec3(13.0, 12.4, 11.0) * lamps),
    ]
    .into_iter()
    .map(|material| builder.material(material))
    .collect()
}

/// Returns a random material slot for a pipe.
pub(super) fn pipe_slot(r: &mut Random) -> u16 {
    use slot::{ALUMINIUM, BLUE, COPPER, CREAM, GREEN, INSULATION, ORANGE, PRIMER, RED, STEEL, TEAL, YELLOW};
    // Repeated slots are more frequent.
    r.pick(&[
        ALUMINIUM, ALUMINIUM, ALUMINIUM, STEEL, STEEL, INSULATION, INSULATION, BLUE, GREEN, YELLOW, RED,
        PRIMER, COPPER, CREAM, TEAL, ORANGE,
    ])
}
