//! Poses of animations in a world: they are not undo steps, and the image depends on the pose alone.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use sunfleck_engine::{Budget, Canvas, EditableWorld, Engine, EngineOptions, FrameRequest};
use sunfleck_image::Picture;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{
    Animation, AnimationId, Curve, Deformer, Influences, Interpolation, NodeMotion, NodeTransform, Scene,
    SceneEdit, Skin,
};

/// The Cornell box with one of its things bound to a joint that rises by 0.2 in a second.
fn rising() -> (Scene, AnimationId) {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let joint = scene.add_node(sunfleck_scene::Node::new("joint")).unwrap();
    let shown = scene.world_instances().last().unwrap().clone();
    let (mesh, world_from_object) = (shown.mesh, shown.world_from_object);
    let base = scene.mesh(mesh).unwrap().clone();
    let vertices = base.positions().len();
    let influences =
        Influences { joints: vec![[0; 4]; vertices], weights: vec![[1.0, 0.0, 0.0, 0.0]; vertices] };
    let skin = Skin {
        name: String::new(),
        joints: vec![joint],
        joint_from_bind: vec![world_from_object],
        influences: Arc::new(vec![influences]),
    };
    let deformer =
        Deformer { base, targets: Arc::default(), weights: Vec::new(), skin: Some(Arc::new(skin)) };
    scene.apply(SceneEdit::Deformer { id: mesh, deformer: Some(deformer) }).unwrap();
    let translation = Curve {
        interpolation: Interpolation::Linear,
        times_secs: vec![0.0, 1.0],
        values: vec![0.0, 0.0, 0.0, 0.0, 0.2, 0.0],
    };
    let rest = NodeTransform::default();
    let motion =
        NodeMotion { node: joint, rest, translation: Some(translation), rotation: None, scale: None };
    let animation = Animation { nodes: vec![motion], ..Animation::default() };
    let id = scene.add_animation(animation).unwrap();
    (scene, id)
}

fn picture(world: &EditableWorld) -> Picture {
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let frame =
        FrameRequest { budget: Budget::samples(2), ..FrameRequest::new(world.cameras()[0].clone(), 32, 32) };
    let canvas = Canvas::new();
    engine.render(world, &frame, &canvas).wait();
    Picture::clone(&canvas.picture().unwrap())
}

#[test]
fn playing_is_no_step_of_undo() {
    let (scene, animation) = rising();
    let (joint, _) = scene.nodes().last().unwrap();
    let place = |world: &EditableWorld| world.scene().node(joint).unwrap().parent_from_node.translation;
    let mut world = EditableWorld::new(scene).unwrap();
    let (node, _) = world.scene().nodes().next().unwrap();
    let edit = SceneEdit::Transform { id: node, parent_from_node: Affine3::from_translation(Vec3::X) };
    world.edit(edit).unwrap();
    assert!(world.pose(animation, 0.5).unwrap() && world.commit().unwrap(), "it moves");
    assert!(!world.pose(animation, 0.5).unwrap() && !world.commit().unwrap(), "it is there already");
    assert_eq!(place(&world), vec3(0.0, 0.1, 0.0));
    assert!(world.undo().unwrap() && !world.undo().unwrap(), "there is one step, that of the person");
    assert_eq!(place(&world), vec3(0.0, 0.1, 0.0), "and it leaves the moment alone");
    assert!(world.rest(animation).unwrap(), "it goes back");
    assert_eq!(place(&world), Vec3::ZERO);
    assert!(world.pose(AnimationId(7), 0.0).is_err(), "there is no such animation");
}

#[test]
fn the_picture_is_that_of_the_moment_alone() {
    let (scene, animation) = rising();
    let mut played = EditableWorld::new(scene.clone()).unwrap();
    let before = picture(&played);
    for time in [1.0, 0.2, 0.7] {
        played.pose(animation, time).unwrap();
        played.commit().unwrap();
    }
    let mut posed = scene;
    let edits = posed.pose(animation, 0.7).unwrap();
    posed.apply(SceneEdit::Batch(edits)).unwrap();
    let (played, fresh) = (picture(&played), picture(&EditableWorld::new(posed).unwrap()));
    assert!(played.pixels() == fresh.pixels(), "the same bits as a world that was never elsewhere");
    assert!(played.pixels() != before.pixels(), "and something moved");
}
