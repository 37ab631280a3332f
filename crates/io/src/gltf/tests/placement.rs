//! Scenes far from zero: translations of nodes are doubles until the origin is subtracted.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Scene, SceneEdit};

use super::{Builder, SQUARE};

const FAR: [f64; 3] = [691_607.0, 120.0, 5_335_942.0];

/// Imports nodes with a square.
fn load(nodes: &Value, animated: Option<usize>) -> Scene {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    b.accessors[positions]["min"] = json!([0, 0, 0]);
    b.accessors[positions]["max"] = json!([1, 1, 0]);
    let times = b.floats("SCALAR", &[[0.0], [1.0]]);
    let keys = b.floats("VEC3", &[[691_608.0, 120.0, 5_335_942.0], [691_609.0, 120.0, 5_335_942.0]]);
    let mut members = json!({
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 1 } }],
        "nodes": nodes,
    });
    if let Some(node) = animated {
        members["animations"] = json!([{
            "channels": [{ "sampler": 0, "target": { "node": node, "path": "translation" } }],
            "samplers": [{ "input": times, "output": keys }],
        }]);
    }
    b.load(members).scene
}

/// Returns the corner of each square, and the position of the camera.
fn positions(scene: &Scene) -> Vec<Vec3> {
    let instances = scene.world_instances();
    let squares = instances.iter().map(|instance| instance.world_from_object.translation);
    squares.chain(scene.world_cameras().iter().map(|camera| camera.world_from_view.translation)).collect()
}

#[test]
fn far_scenes_are_placed_as_near_ones() {
    let fine = |x: f64| json!({ "mesh": 0, "translation": [x, 0.0, 0.000_01] });
    let camera = json!({ "camera": 0, "translation": [0, 1.5, 6] });
    let parent = |translation: [f64; 3]| json!({ "children": [1, 2, 3], "translation": translation });
    let scene = |translation| json!([parent(translation), fine(0.1), fine(-1.3), camera.clone()]);
    let (near, far) = (load(&scene([0.0; 3]), None), load(&scene(FAR), None));
    let offset = positions(&far)[2] - positions(&near)[2];
    assert!(offset.length() < 16.0, "the origin is near the scene: {offset}");
    let exact = sunfleck_math::DVec3::from(FAR) - far.origin();
    assert_eq!(offset.as_dvec3(), exact, "the scene knows its origin");
    assert_eq!(near.origin(), sunfleck_math::DVec3::ZERO);
    for (near, far) in positions(&near).into_iter().zip(positions(&far)) {
        assert!((far - near - offset).length() < 2e-6, "{near} {far} {offset}");
    }
}

#[test]
fn far_nodes_below_a_group_at_zero_keep_their_digits() {
    let at = |dx: f64| [FAR[0] + dx, FAR[1], FAR[2]];
    let nodes = json!([
        { "children": [1, 2, 3], "scale": [2, 2, 2] },
        { "mesh": 0, "translation": at(0.03) },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, at(0.04)[0], FAR[1], FAR[2], 1] },
        { "camera": 0, "translation": at(1.0) },
    ]);
    let found = positions(&load(&nodes, None));
    let difference = found[1] - found[0];
    assert!((difference - vec3(0.02, 0.0, 0.0)).length() < 1e-5, "{difference}");
    assert!((found[2] - found[0] - vec3(1.94, 0.0, 0.0)).length() < 1e-5, "{found:?}");
}

#[test]
fn animations_of_far_nodes_follow() {
    let nodes =
        json!([{ "children": [1, 2] }, { "mesh": 0, "translation": FAR }, { "mesh": 0, "translation": FAR }]);
    let mut scene = load(&nodes, Some(1));
    for (time, x) in [(0.0, 1.0), (1.0, 2.0)] {
        let id = scene.animations().next().unwrap().0;
        let edits = scene.pose(id, time).unwrap();
        scene.apply(SceneEdit::Batch(edits)).unwrap();
        let found = positions(&scene);
        assert_eq!(found[0] - found[1], vec3(x, 0.0, 0.0), "{time} s");
    }
}
