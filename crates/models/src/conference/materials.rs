use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, MaterialId, Surface, TextureId};

use crate::ModelError;
use crate::pattern;
use crate::scene_builder::SceneBuilder;

/// Material slots of all meshes, in the order of [`materials`].
pub(super) mod slot {
    pub(crate) const WALL: u16 = 0;
    pub(crate) const CARPET: u16 = 1;
    pub(crate) const TILE: u16 = 2;
    pub(crate) const REFLECTOR: u16 = 3;
    pub(crate) const PANEL: u16 = 4;
    pub(crate) const TABLE: u16 = 5;
    pub(crate) const BLACK: u16 = 6;
    pub(crate) const CHROME: u16 = 7;
    pub(crate) const STEEL: u16 = 8;
    pub(crate) const LEATHER: u16 = 9;
    pub(crate) const WHITE: u16 = 10;
    pub(crate) const BOARD: u16 = 11;
    pub(crate) const PAPER: u16 = 12;
    pub(crate) const BLUE: u16 = 13;
    pub(crate) const RED: u16 = 14;
    pub(crate) const GREEN: u16 = 15;
    pub(crate) const POT: u16 = 16;
    pub(crate) const SOIL: u16 = 17;
    pub(crate) const LEAF: u16 = 18;
    pub(crate) const YOUNG_LEAF: u16 = 19;
    pub(crate) const BLIND: u16 = 20;
    pub(crate) const DUSK: u16 = 21;
    pub(crate) const PICTURES: [u16; 2] = [22, 23];
    pub(crate) const GLASS: u16 = 24;
    pub(crate) const LAMP: u16 = 25;
}

pub(super) fn materials(builder: &mut SceneBuilder, lamps: f32) -> Result<Vec<MaterialId>, ModelError> {
    let cherry = builder.texture(pattern::wood("cherry", vec3(0.52, 0.27, 0.14), 51)?)?;
    let walnut = builder.texture(pattern::wood("walnut", vec3(0.34, 0.19, 0.10), 52)?)?;
    let carpet = builder.texture(pattern::cloth("carpet", vec3(0.16, 0.19, 0.26), 53)?)?;
    let warm =
        [vec3(0.78, 0.72, 0.60), vec3(0.70, 0.22, 0.10), vec3(0.78, 0.54, 0.14), vec3(0.16, 0.12, 0.12)];
    let cool =
        [vec3(0.72, 0.74, 0.72), vec3(0.08, 0.22, 0.42), vec3(0.16, 0.44, 0.44), vec3(0.76, 0.48, 0.16)];
    let warm = builder.texture(pattern::abstract_picture("picture", &warm, 17)?)?;
    let cool = builder.texture(pattern::abstract_picture("picture", &cool, 29)?)?;
    let matte = Material::lambert;
    let shiny = Material::metallic_roughness;
    let image = |name: &str, texture: TextureId, size: f32| {
        Material::new(name, Surface::Lambert { albedo: pattern::repeated(texture, size) })
    };
    let varnished = |name: &str, texture: TextureId, size: f32, roughness: f32| {
        Material::metallic_roughness(name, pattern::repeated(texture, size), 0.0, roughness)
    };
    [
        matte("wall paint", vec3(0.74, 0.70, 0.62)),
        image("carpet", carpet, 0.7),
        matte("ceiling tile", Vec3::splat(0.78)),
        shiny("reflector", Vec3::splat(0.84), 0.0, 0.3),
        varnished("cherry panel", cherry, 1.7, 0.45),
        varnished("walnut table", walnut, 2.3, 0.25),
        shiny("black plastic", Vec3::splat(0.03), 0.0, 0.4),
        shiny("chrome", vec3(0.74, 0.74, 0.75), 1.0, 0.18),
        shiny("brushed steel", vec3(0.58, 0.57, 0.55), 1.0, 0.45),
        shiny("oxblood leather", vec3(0.26, 0.055, 0.035), 0.0, 0.45),
        shiny("white lacquer", vec3(0.78, 0.77, 0.74), 0.0, 0.4),
        shiny("whiteboard", vec3(0.82, 0.82, 0.81), 0.0, 0.2),
        matte("paper", vec3(0.80, 0.79, 0.75)),
        shiny("blue ink", vec3(0.04, 0.12, 0.45), 0.0, 0.5),
        shiny("red ink", vec3(0.60, 0.05, 0.04), 0.0, 0.5),
        shiny("green ink", vec3(0.05, 0.32, 0.12), 0.0, 0.5),
        shiny("stone pot", vec3(0.30, 0.28, 0.26), 0.0, 0.6),
        matte("soil", vec3(0.06, 0.04, 0.03)),
        shiny("leaf", vec3(0.07, 0.22, 0.05), 0.0, 0.5),
        shiny("young leaf", vec3(0.16, 0.34, 0.07), 0.0, 0.5),
        shiny("blind", vec3(0.70, 0.68, 0.62), 0.0, 0.5),
        matte("dusk", vec3(0.05, 0.08, 0.16)),
        image("picture", warm, 1.0),
        image("picture", cool, 1.0),
        Material::dielectric("glass", 1.5),
        Material::emitter("lamp", vec3(8.8, 7.9, 6.4) * lamps),
    ]
    .into_iter()
    .map(|material| builder.material(material))
    .collect()
}
