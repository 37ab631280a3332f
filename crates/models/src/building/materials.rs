use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, MaterialId, Surface};

use crate::ModelError;
use crate::pattern;
use crate::scene_builder::SceneBuilder;

/// Material slots of all meshes, in the order of [`materials`].
pub(super) mod slot {
    pub(crate) const WALL: u16 = 0;
    pub(crate) const CEILING: u16 = 1;
    pub(crate) const FACADE: u16 = 2;
    pub(crate) const CONCRETE: u16 = 3;
    pub(crate) const FRAME: u16 = 4;
    pub(crate) const DOOR: u16 = 5;
    pub(crate) const STEEL: u16 = 6;
    pub(crate) const WHITE: u16 = 7;
    pub(crate) const BLACK: u16 = 8;
    pub(crate) const OAK: u16 = 9;
    pub(crate) const LINOLEUM: u16 = 10;
    pub(crate) const CARPETS: [u16; 3] = [11, 12, 13];
    pub(crate) const FABRICS: [u16; 4] = [14, 15, 16, 17];
    pub(crate) const BOOKS: [u16; 6] = [18, 19, 20, 21, 22, 23];
    pub(crate) const LEAF: u16 = 24;
    pub(crate) const YOUNG_LEAF: u16 = 25;
    pub(crate) const POT: u16 = 26;
    pub(crate) const SOIL: u16 = 27;
    pub(crate) const PAPER: u16 = 28;
    pub(crate) const BOARD: u16 = 29;
    pub(crate) const CORK: u16 = 30;
    pub(crate) const RED: u16 = 31;
    pub(crate) const SCREEN: u16 = 32;
    pub(crate) const GRASS: u16 = 33;
    pub(crate) const PAVING: u16 = 34;
    pub(crate) const PICTURE: u16 = 35;
    pub(crate) const LAMP: u16 = 36;
}

pub(super) fn materials(builder: &mut SceneBuilder, lamps: f32) -> Result<Vec<MaterialId>, ModelError> {
    let oak = builder.texture(pattern::wood("oak", vec3(0.60, 0.42, 0.25), 41)?)?;
    let door = builder.texture(pattern::wood("beech", vec3(0.62, 0.40, 0.24), 42)?)?;
    let desktop = pattern::paint("desktop", [192, 108], |p| {
        let window = (p - sunfleck_math::vec2(0.45, 0.5)).abs();
        let line = (p.y * 24.0).fract() < 0.5 && (p.x * 31.0).fract() < 0.8;
        let text = if line && p.x > 0.18 && p.x < 0.3 + 0.4 * (p.y * 7.3).fract() { 0.5 } else { 0.9 };
        if window.max_element() < 0.36 { Vec3::splat(text) } else { vec3(0.10, 0.25, 0.45) }
    })?;
    let picture =
        [vec3(0.75, 0.70, 0.58), vec3(0.20, 0.34, 0.50), vec3(0.72, 0.30, 0.14), vec3(0.13, 0.15, 0.2)];
    let picture = builder.texture(pattern::abstract_picture("picture", &picture, 14)?)?;
    let desktop = builder.texture(desktop)?;
    let textured = |name: &str, texture, size| {
        Material::new(name, Surface::Lambert { albedo: pattern::repeated(texture, size) })
    };
    let matte = Material::lambert;
    let shiny = Material::metallic_roughness;
    vec![
        matte("wall paint", vec3(0.77, 0.75, 0.70)),
        matte("ceiling", Vec3::splat(0.80)),
        matte("sandstone", vec3(0.60, 0.52, 0.40)),
        matte("concrete", vec3(0.42, 0.41, 0.39)),
        shiny("window frame", vec3(0.20, 0.22, 0.23), 0.0, 0.5),
        textured("beech door", door, 2.1),
        shiny("brushed steel", vec3(0.58, 0.57, 0.55), 1.0, 0.45),
        shiny("white laminate", vec3(0.78, 0.77, 0.75), 0.0, 0.4),
        shiny("black plastic", Vec3::splat(0.035), 0.0, 0.45),
        textured("oak", oak, 1.6),
        shiny("linoleum", vec3(0.36, 0.34, 0.28), 0.0, 0.35),
        matte("blue carpet", vec3(0.13, 0.18, 0.27)),
        matte("grey carpet", vec3(0.23, 0.23, 0.23)),
        matte("green carpet", vec3(0.14, 0.22, 0.17)),
        matte("charcoal fabric", vec3(0.08, 0.085, 0.095)),
        matte("blue fabric", vec3(0.07, 0.17, 0.38)),
        matte("rust fabric", vec3(0.56, 0.16, 0.06)),
        matte("green fabric", vec3(0.10, 0.28, 0.17)),
        matte("book, navy", vec3(0.06, 0.11, 0.26)),
        matte("book, vermilion", vec3(0.66, 0.15, 0.06)),
        matte("book, cream", vec3(0.74, 0.67, 0.50)),
        matte("book, bottle green", vec3(0.05, 0.20, 0.12)),
        matte("book, ochre", vec3(0.68, 0.43, 0.10)),
        matte("book, grey", vec3(0.38, 0.40, 0.42)),
        matte("leaf", vec3(0.07, 0.22, 0.05)),
        matte("young leaf", vec3(0.16, 0.34, 0.07)),
        matte("terracotta", vec3(0.54, 0.25, 0.14)),
        matte("soil", vec3(0.06, 0.04, 0.03)),
        matte("paper", vec3(0.80, 0.79, 0.75)),
        shiny("whiteboard", vec3(0.82, 0.82, 0.82), 0.0, 0.2),
        matte("cork", vec3(0.48, 0.31, 0.17)),
        shiny("red paint", vec3(0.60, 0.06, 0.04), 0.0, 0.4),
        textured("screen", desktop, 1.0),
        matte("grass", vec3(0.10, 0.17, 0.045)),
        matte("paving", vec3(0.38, 0.36, 0.33)),
        textured("picture", picture, 1.0),
        Material::emitter("lamp", vec3(6.8, 6.5, 5.8) * lamps),
    ]
    .into_iter()
    .map(|material| builder.material(material))
    .collect()
}
