//! Renders a built-in scene, edits it, renders it again, and undoes the edit.
//!
//! `cargo run --release -p sunfleck --example edit`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use sunfleck::math::{Affine3, Vec3};
use sunfleck::scene::SceneEdit;
use sunfleck::{Budget, Canvas, EditableWorld, Engine, FrameRequest};

/// Prints the mean radiance of three images: before the edit, after it, and after it was undone.
pub fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::new(Default::default())?;
    let mut world = EditableWorld::new(sunfleck::models::build("cornell")?)?;
    let frame =
        FrameRequest { budget: Budget::samples(1), ..FrameRequest::new(world.cameras()[0].clone(), 96, 96) };

    let before = mean_radiance(&engine, &world, &frame)?;

    // Move the last object up by half a metre; only the top level of the BVH is built again
    let (id, node) =
        world.scene().nodes().filter(|(_, node)| node.instance.is_some()).last().ok_or("empty")?;
    let parent_from_node = Affine3::from_translation(Vec3::Y * 0.5) * node.parent_from_node;
    world.edit(SceneEdit::Transform { id, parent_from_node })?;
    world.commit()?;
    let moved = mean_radiance(&engine, &world, &frame)?;

    world.undo()?;
    world.commit()?;
    let after = mean_radiance(&engine, &world, &frame)?;

    println!("before {before}, moved {moved}, undone {after}");
    if before != after {
        return Err("undo must restore the image".into());
    }
    Ok(())
}

/// Renders a frame onto a new canvas, and returns the mean radiance of its pixels.
fn mean_radiance(
    engine: &Engine,
    world: &EditableWorld,
    frame: &FrameRequest,
) -> Result<Vec3, Box<dyn Error>> {
    let canvas = Canvas::new();
    engine.render(world, frame, &canvas).wait();
    let picture = canvas.picture().ok_or("nothing was rendered")?;
    Ok(picture.pixels().iter().sum::<Vec3>() / picture.pixels().len() as f32)
}
