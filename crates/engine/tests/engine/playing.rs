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

/// Returns the Cornell box with one object skinned to a joint that rises by 0.2 m in one second, and the animation.
fn rising() -> (Scene, AnimationId) {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let joint = scene.add_node(sunfleck_scene::Node::new("joint")).unwrap();
    let instance = scene.world_instances().last().unwrap().clone();
    let (mesh, world_from_object) = (instance.mesh, instance.world_from_object);
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
fn playing_is_not_an_undo_step() {
    let (scene, animation) = rising();
    let (joint, _) = scene.nodes().last().unwrap();
    let position = |world: &EditableWorld| world.scene().node(joint).unwrap().parent_from_node.translation;
    let mut world = EditableWorld::new(scene).unwrap();
    let (node, _) = world.scene().nodes().next().unwrap();
    let edit = SceneEdit::Transform { id: node, parent_from_node: Affine3::from_translation(Vec3::X) };
    world.edit(edit).unwrap();
    assert!(world.pose(animation, 0.5).unwrap() && world.commit().unwrap(), "the pose changes");
    assert!(!world.pose(animation, 0.5).unwrap() && !world.commit().unwrap(), "the pose is unchanged");
    assert_eq!(position(&world), vec3(0.0, 0.1, 0.0));
    assert!(world.undo().unwrap() && !world.undo().unwrap(), "the edit is the only undo step");
    assert_eq!(position(&world), vec3(0.0, 0.1, 0.0), "undo keeps the pose");
    assert!(world.rest(animation).unwrap(), "the rest pose is another one");
    assert_eq!(position(&world), Vec3::ZERO);
    assert!(world.pose(AnimationId(7), 0.0).is_err(), "there is no such animation");
}

#[test]
fn the_image_depends_on_the_last_pose_alone() {
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
    assert!(played.pixels() == fresh.pixels(), "earlier poses have no influence");
    assert!(played.pixels() != before.pixels(), "the pose changes the image");
}
