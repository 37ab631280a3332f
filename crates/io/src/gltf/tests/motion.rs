//! Skins, morph targets and animations.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Interpolation, Scene, SceneEdit};

use super::{Builder, SQUARE};

/// Returns the vertices of each instance in world space.
fn in_world(scene: &Scene) -> Vec<Vec<Vec3>> {
    let instances = scene.world_instances();
    let placed = instances.iter().map(|instance| {
        let mesh = scene.mesh(instance.mesh).unwrap();
        mesh.positions().iter().map(|&p| instance.world_from_object.transform_point3(p)).collect()
    });
    placed.collect()
}

fn pose(scene: &mut Scene, time_secs: f32) {
    let id = scene.animations().next().unwrap().0;
    let edits = scene.pose(id, time_secs).unwrap();
    scene.apply(SceneEdit::Batch(edits)).unwrap();
}

#[test]
fn a_skin_follows_its_joints_and_not_its_node() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let joints = b.bytes("VEC4", 4, false, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let weights = b.bytes("VEC4", 4, true, &[255, 0, 0, 0].repeat(4));
    // The upper joint is at y = 1 in the bind pose and in the rest pose, where it is rotated by 90° about z
    let identity = [1.0f32, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let mut lowered = identity;
    lowered[13] = -1.0;
    let bind = b.floats("MAT4", &[identity, lowered]);
    let times = b.floats("SCALAR", &[[0.5], [1.5]]);
    let (half, none) = (0.5f32.sqrt(), [0.0, 0.0, 0.0, 1.0]);
    let turns = b.floats("VEC4", &[[0.0, 0.0, half, half], none]);
    let loaded = b.load(json!({
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "mesh": 0, "skin": 0, "translation": [7, 8, 9], "scale": [3, 3, 3] },
            { "children": [2], "translation": [0, 0, 5] },
            { "translation": [0, 1, 0], "rotation": [0, 0, half, half] },
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights }, "mode": 6
        }] }],
        "skins": [{ "name": "bones", "joints": [1, 2], "inverseBindMatrices": bind }],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
            "samplers": [{ "input": times, "output": turns }]
        }],
    }));
    let mut scene = loaded.scene;
    assert_eq!(loaded.report.warnings().count(), 0, "{:?}", loaded.report);
    let check = |scene: &Scene, expected: [Vec3; 4]| {
        for (found, expected) in in_world(scene)[0].iter().zip(expected) {
            assert!(found.distance(expected) < 1e-5, "{found} is not {expected}");
        }
    };
    // The upper joint maps x to y: (1, 1) to (0, 2), and (0, 1) is the joint itself
    check(&scene, [vec3(0., 0., 5.), vec3(1., 0., 5.), vec3(0., 2., 5.), vec3(0., 1., 5.)]);
    let (_, animation) = scene.animations().next().unwrap();
    assert_eq!((animation.name.as_str(), animation.duration_secs()), ("animation 0", 1.5));
    pose(&mut scene, 9.0);
    check(&scene, SQUARE.map(|[x, y, _]| vec3(x, y, 5.0)));
}

#[test]
fn each_node_has_its_own_weights() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let up = b.floats("VEC3", &[[0.0, 0.0, 1.0]; 4]);
    let right = b.floats("VEC3", &[[1.0, 0.0, 0.0]; 4]);
    let times = b.floats("SCALAR", &[[0.0], [1.0]]);
    // For each keyframe: the in-tangents, the values and the out-tangents of both weights
    let values = [0.0f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0];
    let values = b.floats("SCALAR", &values.map(|value| [value]));
    let loaded = b.load(json!({
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0 }, { "mesh": 0, "weights": [0, 2] }],
        "meshes": [{
            "primitives": [{
                "attributes": { "POSITION": positions }, "targets": [{ "POSITION": up }, { "POSITION": right }]
            }],
            "weights": [0.5, 0], "extras": { "targetNames": ["up", "right"] }
        }],
        "animations": [{
            "name": "rise", "channels": [{ "sampler": 0, "target": { "node": 1, "path": "weights" } }],
            "samplers": [{ "input": times, "output": values, "interpolation": "CUBICSPLINE" }]
        }],
    }));
    let mut scene = loaded.scene;
    let first = |scene: &Scene| in_world(scene).iter().map(|vertices| vertices[0]).collect::<Vec<_>>();
    assert_eq!(first(&scene), [vec3(0.0, 0.0, 0.5), vec3(2.0, 0.0, 0.0)]);
    let (_, deformer) = scene.deformers().next().unwrap();
    assert_eq!((deformer.targets[0].name.as_str(), deformer.targets[1].name.as_str()), ("up", "right"));
    let (_, animation) = scene.animations().next().unwrap();
    assert_eq!(animation.weights[0].weights.interpolation, Interpolation::CubicSpline);
    pose(&mut scene, 0.5);
    // 3 t² − 2 t³ with zero tangents is 1/2; the other node does not change
    assert_eq!(first(&scene), [vec3(0.0, 0.0, 0.5), vec3(0.25, 0.0, 0.5)]);
}

#[test]
fn invalid_deformers_and_animations_are_ignored() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let backwards = b.floats("SCALAR", &[[1.0], [0.0]]);
    let places = b.floats("VEC3", &[[0.0; 3], [1.0; 3]]);
    let channel = |path: &str, node: usize| json!({ "sampler": 0, "target": { "node": node, "path": path } });
    let animation = |channel: Value| json!({ "channels": [channel], "samplers": [{ "input": backwards, "output": places }] });
    let joints = b.bytes("VEC4", 4, false, &[3; 16]);
    let weights = b.floats("VEC4", &[[1.0, 0.0, 0.0, 0.0]; 4]);
    let loaded = b.load(json!({
        "nodes": [{ "mesh": 0, "skin": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights }
        }] }],
        "skins": [{ "joints": [0] }],
        "animations": [
            animation(channel("translation", 0)), animation(channel("pointer", 0)), animation(channel("scale", 8))
        ],
    }));
    assert_eq!(loaded.scene.instanced_triangle_count(), 1, "the mesh is imported without them");
    assert_eq!((loaded.scene.animations().len(), loaded.scene.deformers().len()), (0, 0));
    let warnings: Vec<String> = loaded.report.warnings().map(ToString::to_string).collect();
    let expected = [
        "nodes[0] is imported without skin and morph targets: the deformer of mesh 0 refers to joint 3, which does not exist",
        "the time of a keyframe of animation 0 is 0.0; it must be at least 0 and not before that of the previous keyframe",
        "the target path \"pointer\" is not supported: the channel is ignored",
        "the animation is ignored: no channel has a supported target in the scene",
        "the animation is ignored: no channel has a supported target in the scene",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.ends_with(expected), "{warning} is not {expected}");
    }
}

#[test]
fn hidden_nodes_are_hidden() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let loaded = b.load(json!({
        "extensionsRequired": ["KHR_node_visibility"],
        "nodes": [{ "children": [1], "extensions": { "KHR_node_visibility": { "visible": false } } }, { "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
    }));
    assert_eq!(loaded.scene.instanced_triangle_count(), 0);
}
