//! Renders a scene made in code: a red teapot on a floor under a white sky, by path tracing.
//!
//! `cargo run --release -p sunfleck --example render -- teapot.png`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use sunfleck::image::{DisplayOptions, save_picture};
use sunfleck::math::transform::look_at;
use sunfleck::math::{Vec3, vec3};
use sunfleck::scene::{Camera, Environment, Material, Mesh, MeshData, Node, Scene};
use sunfleck::{Algorithm, Budget, Canvas, EditableWorld, Engine, FrameRequest};

/// Renders into the file named by the first argument, or into `teapot.png`.
pub fn main() -> Result<(), Box<dyn Error>> {
    render(Path::new(&std::env::args().nth(1).unwrap_or_else(|| "teapot.png".into())), 64)
}

/// Builds the scene, renders some samples per pixel, writes a PNG.
pub fn render(file: &Path, samples: u32) -> Result<(), Box<dyn Error>> {
    let mut scene = Scene::default();
    let grey = scene.add_material(Material::lambert("floor", Vec3::splat(0.6)))?;
    let red = scene.add_material(Material::metallic_roughness("glaze", vec3(0.8, 0.1, 0.1), 0.0, 0.3))?;
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
    let floor = MeshData {
        positions: corners.map(|(x, z)| vec3(9.0 * x, 0.0, 9.0 * z)).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    };
    let floor = scene.add_mesh(Mesh::new(floor)?)?;
    let teapot = scene.add_mesh(Mesh::new(sunfleck::models::teapot(8))?)?;
    scene.add_node(Node::new("floor").with_mesh(floor, vec![grey]))?;
    scene.add_node(Node::new("teapot").with_mesh(teapot, vec![red]))?;
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE })?;
    let camera = scene.add_camera(Camera::perspective("front", 0.6))?;
    let world_from_view = look_at(vec3(0.5, 3.5, 8.0), vec3(0.0, 1.2, 0.0), Vec3::Y);
    scene.add_node(Node::new("camera").with_camera(camera).at(world_from_view))?;

    let (engine, world, canvas) =
        (Engine::new(Default::default())?, EditableWorld::new(scene)?, Canvas::new());
    let algorithm: Algorithm = "path".parse()?;
    let camera = world.cameras()[0].clone();
    let frame =
        FrameRequest { algorithm, budget: Budget::samples(samples), ..FrameRequest::new(camera, 320, 240) };
    let result = engine.render(&world, &frame, &canvas).wait();
    let picture = canvas.picture().ok_or("nothing was rendered")?;
    save_picture(&picture, file, &DisplayOptions::default())?;
    println!(
        "{} samples per pixel in {:.1} s: {}",
        result.samples,
        result.elapsed.as_secs_f32(),
        file.display()
    );
    Ok(())
}
