//! Edits while frames are rendered: the last image is that of a newly loaded scene.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use crate::edits::{Random, random_edit};
use sunfleck_engine::{Budget, Canvas, EditableWorld, Engine, EngineOptions, FrameRequest};
use sunfleck_image::Picture;
use sunfleck_integrators::StopReason;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{Material, Scene, SceneEdit};

fn engine(threads: usize) -> Engine {
    Engine::new(EngineOptions { threads, ..EngineOptions::default() }).unwrap()
}

fn scene() -> Scene {
    sunfleck_models::build("erw6").unwrap()
}

fn frame(world: &EditableWorld, samples: u32) -> FrameRequest {
    FrameRequest { budget: Budget::samples(samples), ..FrameRequest::new(world.cameras()[0].clone(), 48, 40) }
}

/// Edits a world while frames are rendered, and compares the last image with that of the same scene, newly loaded.
fn stress(edits: usize) {
    let engine = engine(0);
    let mut world = EditableWorld::new(scene()).unwrap();
    let (canvas, mut random) = (Canvas::new(), Random(5));
    let mut running = engine.render(&world, &frame(&world, 1), &canvas);
    let camera = world.cameras()[0].clone();
    let mut refused = 0;
    for _ in 0..edits {
        let edit = random_edit(world.scene(), &mut random);
        match random.below(20) {
            0 => drop(world.undo().unwrap()),
            1 => drop(world.redo().unwrap()),
            _ => refused += usize::from(world.edit(edit).is_err()),
        }
        if random.below(3) == 0 {
            world.commit().unwrap();
        }
        // Keep the first camera, since an edit may hide its node
        let frame = FrameRequest { camera: camera.clone(), ..frame_of(&camera) };
        if running.poll().is_some() {
            running = engine.render(&world, &frame, &canvas);
        }
        if random.below(10) == 0 {
            running.cancel();
        }
    }
    assert!(refused < edits / 10, "{refused} edits were refused");
    world.commit().unwrap();
    let last = FrameRequest { budget: Budget::samples(3), ..frame_of(&camera) };
    let result = engine.render(&world, &last, &canvas).wait();
    assert_eq!(result.ended, StopReason::Done, "the last frame");

    let fresh = EditableWorld::new(world.scene().clone()).unwrap();
    let other = Canvas::new();
    engine.render(&fresh, &FrameRequest { budget: Budget::samples(result.samples), ..last }, &other).wait();
    assert_same(&canvas.picture().unwrap(), &other.picture().unwrap(), "edited and newly loaded");
}

fn frame_of(camera: &sunfleck_integrators::PlacedCamera) -> FrameRequest {
    FrameRequest::new(camera.clone(), 48, 40)
}

fn assert_same(a: &Picture, b: &Picture, what: &str) {
    let bits = |picture: &Picture| -> Vec<[u32; 3]> {
        picture.pixels().iter().map(|p| p.to_array().map(f32::to_bits)).collect()
    };
    assert!(bits(a) == bits(b), "{what}: the images differ");
}

#[test]
fn edited_and_newly_loaded_scenes_have_the_same_image() {
    stress(300);
}

#[test]
#[ignore = "takes minutes"]
fn scenes_edited_and_newly_loaded_agree_after_ten_thousand_edits() {
    stress(10_000);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let world = EditableWorld::new(scene()).unwrap();
    let picture = |threads| {
        let canvas = Canvas::new();
        engine(threads).render(&world, &frame(&world, 2), &canvas).wait();
        canvas.picture().unwrap()
    };
    let one = picture(1);
    for threads in [2, 5] {
        assert_same(&one, &picture(threads), &format!("{threads} threads"));
    }
}

#[test]
fn frames_are_accumulated_until_the_world_changes() {
    let engine = engine(2);
    let mut world = EditableWorld::new(scene()).unwrap();
    let canvas = Canvas::new();
    for samples in [1, 2, 3] {
        assert_eq!(engine.render(&world, &frame(&world, 1), &canvas).wait().samples, samples);
    }
    let whole = Canvas::new();
    engine.render(&world, &frame(&world, 3), &whole).wait();
    assert_same(&canvas.picture().unwrap(), &whole.picture().unwrap(), "one by one and all at once");

    let before = canvas.picture().unwrap();
    let (id, _) = world.scene().materials().next().unwrap();
    world.edit(SceneEdit::Material { id, material: Some(Material::lambert("red", Vec3::X)) }).unwrap();
    assert_eq!(engine.render(&world, &frame(&world, 1), &canvas).wait().samples, 4, "not committed yet");
    assert!(world.commit().unwrap() && !world.commit().unwrap(), "the edit is committed once");
    let ticket = engine.render(&world, &frame(&world, 1), &canvas);
    assert!(canvas.picture().is_some(), "the previous image stays");
    assert_eq!(ticket.wait().samples, 1, "accumulation starts again");
    assert!(before.pixels() != canvas.picture().unwrap().pixels(), "the image has changed");
}

/// Returns the mean relative change of regions of 8 × 8 pixels between frames of a moving camera, and the last image.
fn flicker(world: &EditableWorld, steady: bool) -> (f32, Arc<Picture>) {
    let (engine, canvas, camera) = (engine(2), Canvas::new(), world.cameras()[0].clone());
    let means = |step: u16| -> Vec<f32> {
        let moved = Affine3::from_translation(Vec3::NEG_Z * 0.002 * f32::from(step));
        let mut frame = FrameRequest { steady, ..FrameRequest::new(camera.clone(), 48, 40) };
        frame.camera.world_from_view = camera.world_from_view * moved;
        engine.render(world, &frame, &canvas).wait();
        let picture = canvas.picture().unwrap();
        let mut means = vec![0.0; 30];
        for (i, pixel) in picture.pixels().iter().enumerate() {
            means[i / 48 / 8 * 6 + i % 48 / 8] += pixel.element_sum() / 192.0;
        }
        means
    };
    let frames: Vec<Vec<f32>> = (0..12).map(means).collect();
    let change = |pair: &[Vec<f32>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).sum::<f32>();
    let total = frames[1..].windows(2).map(change).sum::<f32>();
    (total / frames[1..].iter().flatten().sum::<f32>(), canvas.picture().unwrap())
}

#[test]
fn steady_frames_flicker_less_and_are_deterministic() {
    let world = EditableWorld::new(sunfleck_models::build("office").unwrap()).unwrap();
    let (without, _) = flicker(&world, false);
    let (with, last) = flicker(&world, true);
    assert!(with < 0.7 * without, "{with} is not much less than {without}");
    assert_same(&last, &flicker(&world, true).1, "the same sequence twice");
}

#[test]
fn a_cancelled_frame_ends_and_keeps_earlier_samples() {
    let engine = engine(2);
    let world = EditableWorld::new(scene()).unwrap();
    let canvas = Canvas::new();
    engine.render(&world, &frame(&world, 1), &canvas).wait();
    let long = engine.render(&world, &frame(&world, 1_000_000), &canvas);
    long.cancel();
    let result = long.wait();
    assert_eq!(result.ended, StopReason::Cancelled, "the frame was cancelled");
    assert!(result.samples >= 1 && canvas.picture().is_some(), "the first frame stays");
}
