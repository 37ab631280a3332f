//! A furnished room of about 800 triangles, after the scene "ERW6" of [Wald03, Fig. 4 and 28]: purely diffuse, lit
//! through a window and by one lamp.

mod furniture;
mod procedural;
mod room;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Camera, Material, MaterialId, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::pattern;
use crate::scene_builder::SceneBuilder;

pub(crate) const MODEL: Model = Model {
    name: "erw6",
    summary: "a small study of about 800 triangles, all diffuse, with daylight from a window and a warm lamp",
    parameters: Erw6::PARAMETERS,
    defaults: || Box::new(Erw6::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Erw6 {
        /// Scale factor of the radiance of the window.
        daylight: f32 = 1.0, in 0.0..=100.0;
        /// Scale factor of the radiance of the lamp under the ceiling.
        lamp: f32 = 1.0, in 0.0..=100.0;
        /// Use procedural wood, marble and bricks instead of image textures and paint.
        procedural: bool = false;
    }
}

/// Size of the room, metres. Its corner is the origin; x runs along the back wall, z towards the camera.
const ROOM: Vec3 = vec3(4.6, 2.6, 4.6);

/// Radiance of an overcast sky, W/(m² sr).
const DAYLIGHT: Vec3 = vec3(12.4, 12.8, 13.0);
/// Radiance of a warm lamp, W/(m² sr).
const LAMPLIGHT: Vec3 = vec3(15.0, 11.0, 7.0);

struct Materials {
    wall: MaterialId,
    accent_wall: MaterialId,
    floor: MaterialId,
    white: MaterialId,
    oak: MaterialId,
    walnut: MaterialId,
    steel: MaterialId,
    red: MaterialId,
    ochre: MaterialId,
    rug: MaterialId,
    books: [MaterialId; 4],
}

impl Build for Erw6 {
    fn build(&self) -> Result<Scene, ModelError> {
        let mut builder = SceneBuilder::default();
        let mut materials = materials(&mut builder)?;
        if self.procedural {
            procedural::replace(&mut builder, &mut materials)?;
        }
        room::shell(&mut builder, &materials)?;
        room::window(&mut builder, &materials, DAYLIGHT * self.daylight)?;
        room::lamp(&mut builder, &materials, LAMPLIGHT * self.lamp)?;
        furniture::desk(&mut builder, &materials)?;
        furniture::chairs(&mut builder, &materials)?;
        furniture::shelf(&mut builder, &materials)?;
        furniture::cabinet(&mut builder, &materials)?;
        furniture::picture(&mut builder, &materials)?;
        furniture::rug(&mut builder, &materials)?;
        let camera = Camera::perspective("camera", 0.86);
        builder.camera(camera, vec3(4.05, 1.55, 4.35), vec3(1.95, 0.98, 0.9))?;
        Ok(builder.finish())
    }
}

fn materials(builder: &mut SceneBuilder) -> Result<Materials, ModelError> {
    let mut paint = |name, color| builder.material(Material::lambert(name, color));
    let wall = paint("wall paint", vec3(0.80, 0.76, 0.68))?;
    let accent_wall = paint("teal paint", vec3(0.11, 0.34, 0.36))?;
    let white = paint("white lacquer", vec3(0.82, 0.81, 0.78))?;
    let steel = paint("grey steel", vec3(0.32, 0.33, 0.35))?;
    let red = paint("red fabric", vec3(0.66, 0.09, 0.06))?;
    let ochre = paint("ochre fabric", vec3(0.76, 0.46, 0.09))?;
    let books = [
        paint("book, blue", vec3(0.10, 0.20, 0.42))?,
        paint("book, vermilion", vec3(0.70, 0.20, 0.08))?,
        paint("book, sand", vec3(0.74, 0.62, 0.40))?,
        paint("book, green", vec3(0.14, 0.34, 0.16))?,
    ];
    let boards = builder.texture(pattern::planks("floor boards", 8, vec3(0.56, 0.34, 0.18), 3)?)?;
    let oak = builder.texture(pattern::wood("oak", vec3(0.66, 0.45, 0.25), 21)?)?;
    let walnut = builder.texture(pattern::wood("walnut", vec3(0.36, 0.20, 0.11), 22)?)?;
    let mut textured = |name, texture, size| {
        let albedo = pattern::repeated(texture, size);
        builder.material(Material::new(name, sunfleck_scene::Surface::Lambert { albedo }))
    };
    let floor = textured("floor boards", boards, 1.6)?;
    let oak = textured("oak", oak, 1.7)?;
    let walnut = textured("walnut", walnut, 1.3)?;
    let rug = builder.texture(pattern::cloth("wool", vec3(0.56, 0.20, 0.14), 8)?)?;
    let albedo = pattern::repeated(rug, 0.5);
    let rug = builder.material(Material::new("wool", sunfleck_scene::Surface::Lambert { albedo }))?;
    Ok(Materials { wall, accent_wall, floor, white, oak, walnut, steel, red, ochre, rug, books })
}

#[cfg(test)]
mod tests {
    #[test]
    fn about_as_many_triangles_as_published() {
        let count = crate::build("erw6").unwrap().instanced_triangle_count();
        assert!((750..=850).contains(&count), "{count} triangles");
    }
}
