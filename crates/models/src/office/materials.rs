use sunfleck_math::{Vec2, Vec3, sin, vec2, vec3};
use sunfleck_scene::{Emission, Material, MaterialId, Surface, TextureRef};

use crate::ModelError;
use crate::noise::turbulence;
use crate::pattern;
use crate::random::{Random, floor_to_u32};
use crate::scene_builder::SceneBuilder;

/// Materials of the office.
pub(super) struct Materials {
    pub(super) wall: MaterialId,
    pub(super) sage: MaterialId,
    pub(super) floor: MaterialId,
    pub(super) carpet: MaterialId,
    pub(super) white: MaterialId,
    pub(super) oak: MaterialId,
    pub(super) black: MaterialId,
    pub(super) screen: MaterialId,
    pub(super) steel: MaterialId,
    pub(super) chrome: MaterialId,
    pub(super) glass: MaterialId,
    pub(super) blue: MaterialId,
    pub(super) orange: MaterialId,
    pub(super) charcoal: MaterialId,
    pub(super) blue_fabric: MaterialId,
    pub(super) rust_fabric: MaterialId,
    pub(super) mustard_fabric: MaterialId,
    pub(super) terracotta: MaterialId,
    pub(super) soil: MaterialId,
    pub(super) leaf: MaterialId,
    pub(super) light_leaf: MaterialId,
    pub(super) paper: MaterialId,
    pub(super) books: [MaterialId; 6],
    pub(super) pictures: [MaterialId; 2],
}

impl Materials {
    pub(super) fn new(builder: &mut SceneBuilder) -> Result<Self, ModelError> {
        let boards = pattern::planks("parquet", 8, vec3(0.60, 0.42, 0.25), 5)?;
        let boards = pattern::repeated(builder.texture(boards)?, 1.5);
        let oak = pattern::repeated(builder.texture(pattern::wood("oak", vec3(0.62, 0.44, 0.26), 31)?)?, 1.6);
        let carpet = pattern::cloth("carpet", vec3(0.22, 0.27, 0.33), 9)?;
        let carpet = pattern::repeated(builder.texture(carpet)?, 0.6);
        let floor = builder.material(Material::metallic_roughness("parquet", boards, 0.0, 0.42))?;
        let oak = builder.material(Material::metallic_roughness("oak", oak, 0.0, 0.5))?;
        let carpet = builder.material(Material::new("carpet", Surface::Lambert { albedo: carpet }))?;
        let screen = screen(builder)?;
        let pictures = [picture(builder, 3, WARM)?, picture(builder, 12, COOL)?];

        let mut shiny = |name, color, metallic, roughness| {
            builder.material(Material::metallic_roughness(name, color, metallic, roughness))
        };
        let white = shiny("white laminate", vec3(0.80, 0.79, 0.77), 0.0, 0.4)?;
        let black = shiny("black plastic", Vec3::splat(0.03), 0.0, 0.4)?;
        let steel = shiny("brushed steel", vec3(0.58, 0.57, 0.55), 1.0, 0.45)?;
        let chrome = shiny("chrome", vec3(0.72, 0.72, 0.74), 1.0, 0.2)?;
        let blue = shiny("blue glaze", vec3(0.06, 0.16, 0.42), 0.0, 0.2)?;
        let orange = shiny("orange enamel", vec3(0.78, 0.27, 0.04), 0.0, 0.3)?;
        let leaf = shiny("leaf", vec3(0.07, 0.22, 0.05), 0.0, 0.5)?;
        let light_leaf = shiny("young leaf", vec3(0.16, 0.34, 0.07), 0.0, 0.5)?;

        let glass = builder.material(Material::dielectric("glass", 1.5))?;
        let mut matte = |name, color| builder.material(Material::lambert(name, color));
        Ok(Self {
            wall: matte("white paint", vec3(0.80, 0.79, 0.75))?,
            sage: matte("sage paint", vec3(0.34, 0.44, 0.33))?,
            floor,
            carpet,
            white,
            oak,
            black,
            screen,
            steel,
            chrome,
            glass,
            blue,
            orange,
            charcoal: matte("charcoal fabric", vec3(0.08, 0.085, 0.095))?,
            blue_fabric: matte("blue fabric", vec3(0.07, 0.17, 0.38))?,
            rust_fabric: matte("rust fabric", vec3(0.60, 0.17, 0.06))?,
            mustard_fabric: matte("mustard fabric", vec3(0.72, 0.45, 0.07))?,
            terracotta: matte("terracotta", vec3(0.56, 0.26, 0.15))?,
            soil: matte("soil", vec3(0.06, 0.04, 0.03))?,
            leaf,
            light_leaf,
            paper: matte("paper", vec3(0.82, 0.81, 0.77))?,
            books: [
                matte("book, navy", vec3(0.06, 0.11, 0.26))?,
                matte("book, vermilion", vec3(0.68, 0.15, 0.06))?,
                matte("book, cream", vec3(0.76, 0.69, 0.52))?,
                matte("book, bottle green", vec3(0.05, 0.20, 0.12))?,
                matte("book, ochre", vec3(0.70, 0.44, 0.10))?,
                matte("book, grey", vec3(0.38, 0.40, 0.42))?,
            ],
            pictures,
        })
    }
}

const WARM: [Vec3; 4] =
    [vec3(0.80, 0.73, 0.60), vec3(0.74, 0.24, 0.10), vec3(0.80, 0.56, 0.14), vec3(0.18, 0.12, 0.12)];
const COOL: [Vec3; 4] =
    [vec3(0.74, 0.76, 0.74), vec3(0.08, 0.22, 0.42), vec3(0.16, 0.46, 0.46), vec3(0.78, 0.50, 0.16)];

fn picture(builder: &mut SceneBuilder, seed: u32, palette: [Vec3; 4]) -> Result<MaterialId, ModelError> {
    let image = builder.texture(pattern::abstract_picture("picture", &palette, seed)?)?;
    builder.material(Material::new("picture", Surface::Lambert { albedo: pattern::repeated(image, 1.0) }))
}

/// Adds the emissive material of a screen that shows text in a dark window over a sunset.
fn screen(builder: &mut SceneBuilder) -> Result<MaterialId, ModelError> {
    let random = Random::new(77);
    let image = pattern::paint("desktop", [384, 216], |p| {
        let window = (p - vec2(0.42, 0.46)).abs();
        if window.x < 0.34 && window.y < 0.36 { text(p, random) } else { sunset(p) }
    })?;
    let texture = Some(TextureRef::new(builder.texture(image)?));
    let emission = Emission { radiance: Vec3::splat(0.85), texture };
    builder.material(Material { emission, ..Material::lambert("screen", Vec3::splat(0.02)) })
}

fn sunset(p: Vec2) -> Vec3 {
    let hill = 0.72 + 0.07 * turbulence(6, vec2(p.x * 3.0, 0.5), 4);
    if p.y > hill {
        return vec3(0.05, 0.06, 0.12).lerp(vec3(0.10, 0.08, 0.14), p.x);
    }
    vec3(0.10, 0.20, 0.46).lerp(vec3(0.95, 0.48, 0.20), p.y / hill)
}

/// Returns the colour of lines of words of random length and colour.
fn text(p: Vec2, random: Random) -> Vec3 {
    const COLORS: [Vec3; 4] =
        [vec3(0.60, 0.62, 0.60), vec3(0.20, 0.50, 0.70), vec3(0.75, 0.42, 0.15), vec3(0.30, 0.60, 0.25)];
    let ground = vec3(0.025, 0.03, 0.04);
    let line = floor_to_u32(p.y * 36.0);
    let mut r = random.fork(line);
    let (start, end) = (0.11 + 0.03 * r.below(4) as f32, r.between(0.2, 0.72));
    let word = floor_to_u32(p.x * 22.0 + r.unit());
    let mut r = r.fork(word);
    let in_word = sin(p.x * 500.0) > -0.9 && r.unit() < 0.82;
    let in_line = (p.y * 36.0).fract() < 0.5 && p.x > start && p.x < end;
    if in_line && in_word { r.pick(&COLORS) } else { ground }
}
