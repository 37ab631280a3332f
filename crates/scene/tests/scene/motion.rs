//! Tests of animations, morph targets and skins, with expected values computed by hand.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

use std::sync::Arc;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3, vec4};
use sunfleck_scene::{
    Animation, AnimationId, Curve, Deformer, EditError, Influences, Interpolation, Journal, Mesh, MeshData,
    MeshId, MorphTarget, Node, NodeId, NodeMotion, NodeTransform, PoseError, Scene, SceneEdit, Skin,
    WeightMotion,
};

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Scene of an arm along y with a skin of two joints; the elbow is at y = 1. The node of the arm is translated and
/// rotated, which must have no effect.
pub(crate) struct Arm {
    pub(crate) scene: Scene,
    mesh: MeshId,
    shoulder: NodeId,
    elbow: NodeId,
    pub(crate) animation: AnimationId,
}

pub(crate) fn arm() -> Arm {
    let mut scene = Scene::default();
    let data = MeshData {
        positions: vec![vec3(0.1, 0.0, 0.0), vec3(0.1, 1.0, 0.0), vec3(0.1, 2.0, 0.0), vec3(-0.1, 2.0, 0.0)],
        normals: vec![Vec3::X; 4],
        tangents: vec![vec4(0.0, 1.0, 0.0, -1.0); 4],
        triangles: vec![[0, 1, 2], [1, 3, 2]],
        ..MeshData::default()
    };
    let base = Arc::new(Mesh::new(data).unwrap());
    let mesh = scene.next_mesh_id();
    scene.apply(SceneEdit::Mesh { id: mesh, mesh: Some(base.clone()) }).unwrap();
    let material = scene.add_material(sunfleck_scene::Material::lambert("skin", Vec3::ONE)).unwrap();
    let world_from_arm = Affine3::from_translation(vec3(5.0, 6.0, 7.0)) * rotation_y(1.0);
    scene.add_node(Node::new("arm").at(world_from_arm).with_mesh(mesh, vec![material])).unwrap();
    let shoulder = scene.add_node(Node::new("shoulder")).unwrap();
    let elbow = Node::new("elbow").below(shoulder).at(Affine3::from_translation(Vec3::Y));
    let elbow = scene.add_node(elbow).unwrap();
    let influences = Influences {
        // At the elbow both joints have equal weights, whose sum is not 1
        joints: vec![[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]],
        weights: vec![
            [1.0, 0.0, 0.0, 0.0],
            [0.25, 0.25, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.5, 0.0],
        ],
    };
    let skin = Skin {
        name: "bones".into(),
        joints: vec![shoulder, elbow],
        joint_from_bind: vec![Affine3::IDENTITY, Affine3::from_translation(Vec3::NEG_Y)],
        influences: Arc::new(vec![influences]),
    };
    let deformer =
        Deformer { base, targets: Arc::default(), weights: Vec::new(), skin: Some(Arc::new(skin)) };
    scene.apply(SceneEdit::Deformer { id: mesh, deformer: Some(deformer) }).unwrap();
    // A rotation of 90° about z in two seconds: it maps y to −x
    let rotation = Curve {
        interpolation: Interpolation::Linear,
        times_secs: vec![0.0, 2.0],
        values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, HALF, HALF],
    };
    let bend = NodeMotion {
        node: elbow,
        rest: NodeTransform { translation: Vec3::Y, ..NodeTransform::default() },
        translation: None,
        rotation: Some(rotation),
        scale: None,
    };
    let animation = Animation { name: "bend".into(), nodes: vec![bend], weights: vec![] };
    let animation = scene.add_animation(animation).unwrap();
    Arm { scene, mesh, shoulder, elbow, animation }
}

/// Applies the edits and returns the vertices of the mesh in world space.
pub(crate) fn vertices(scene: &mut Scene, edits: Vec<SceneEdit>) -> Vec<Vec3> {
    scene.apply(SceneEdit::Batch(edits)).unwrap();
    let instance = scene.world_instances()[0].clone();
    let mesh = scene.mesh(instance.mesh).unwrap();
    mesh.positions().iter().map(|&p| instance.world_from_object.transform_point3(p)).collect()
}

#[track_caller]
fn assert_near(found: &[Vec3], expected: &[Vec3]) {
    assert_eq!(found.len(), expected.len(), "number of vertices");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.distance(*expected) < 3e-6, "{found} is not {expected}");
    }
}

#[test]
fn an_arm_bends() {
    let Arm { mut scene, mesh, animation, .. } = arm();
    let edits = scene.deform().unwrap();
    let rest = vertices(&mut scene, edits);
    let straight = [vec3(0.1, 0.0, 0.0), vec3(0.1, 1.0, 0.0), vec3(0.1, 2.0, 0.0), vec3(-0.1, 2.0, 0.0)];
    assert_near(&rest, &straight);

    let edits = scene.pose(animation, 2.0).unwrap();
    assert!(matches!(edits[..], [SceneEdit::Transform { .. }, SceneEdit::Mesh { .. }]), "{edits:?}");
    let bent = vertices(&mut scene, edits);
    // The lower arm, (x, 1 + y), moves to (−y, 1 + x); the vertex at the elbow is the mean of both positions
    let elbow = (vec3(0.1, 1.0, 0.0) + vec3(0.0, 1.1, 0.0)) * 0.5;
    assert_near(&bent, &[straight[0], elbow, vec3(-1.0, 1.1, 0.0), vec3(-1.0, 0.9, 0.0)]);
    let world_from_object = scene.world_instances()[0].world_from_object;
    let data = scene.mesh(mesh).unwrap().data();
    let normals: Vec<Vec3> = data.normals.iter().map(|&n| world_from_object.transform_vector3(n)).collect();
    assert_near(&normals, &[Vec3::X, vec3(HALF, HALF, 0.0), Vec3::Y, Vec3::Y]);
    let along = world_from_object.transform_vector3(data.tangents[2].truncate());
    assert_near(&[along], &[Vec3::NEG_X]);
    assert_eq!(data.tangents[2].w, -1.0, "handedness stays");

    assert!(scene.pose(animation, 99.0).unwrap().is_empty(), "the pose is unchanged");
    let edits = scene.rest(animation).unwrap();
    assert_near(&vertices(&mut scene, edits), &straight);
}

#[test]
fn a_pose_does_not_depend_on_earlier_poses() {
    let Arm { scene, mesh, animation, .. } = arm();
    let at = |mut scene: Scene, times: &[f32]| {
        for &time in times {
            let edits = scene.pose(animation, time).unwrap();
            scene.apply(SceneEdit::Batch(edits)).unwrap();
        }
        Mesh::clone(scene.mesh(mesh).unwrap())
    };
    let direct = at(scene.clone(), &[0.7]);
    assert!(at(scene, &[2.0, 0.1, 1.9, 0.7]) == direct, "the same bits");
}

#[test]
fn morph_targets_are_added() {
    let Arm { mut scene, mesh, animation, .. } = arm();
    let Deformer { base, .. } = scene.deformer(mesh).unwrap().clone();
    let up = MorphTarget { name: "up".into(), positions: vec![Vec3::Z; 4], ..MorphTarget::default() };
    let tilted = MorphTarget {
        positions: vec![Vec3::ZERO, Vec3::ZERO, Vec3::X, Vec3::ZERO],
        normals: vec![Vec3::NEG_X; 4],
        tangents: vec![Vec3::X; 4],
        ..MorphTarget::default()
    };
    let deformer =
        Deformer { base, targets: Arc::new(vec![up, tilted]), weights: vec![0.0, 0.0], skin: None };
    scene.apply(SceneEdit::Deformer { id: mesh, deformer: Some(deformer) }).unwrap();
    let weights = Curve {
        interpolation: Interpolation::Linear,
        times_secs: vec![0.0, 1.0],
        values: vec![0.0, 0.0, 1.0, 0.5],
    };
    let motion = WeightMotion { mesh, rest: vec![0.0, 0.0], weights };
    let id = scene.next_animation_id();
    let morph = Animation { weights: vec![motion], ..Animation::default() };
    assert_eq!(morph.duration_secs(), 1.0);
    scene.apply(SceneEdit::Animation { id, animation: Some(Arc::new(morph)) }).unwrap();

    let edits = scene.pose(id, 0.5).unwrap();
    assert!(matches!(edits[..], [SceneEdit::Weights { .. }, SceneEdit::Mesh { .. }]), "{edits:?}");
    let inverse = scene.apply(SceneEdit::Batch(edits)).unwrap();
    assert_eq!(scene.deformer(mesh).unwrap().weights, [0.5, 0.25]);
    let data = scene.mesh(mesh).unwrap().data();
    assert_eq!(data.positions[2], vec3(0.35, 2.0, 0.5));
    assert_eq!((data.normals[0], data.tangents[0]), (vec3(0.75, 0.0, 0.0), vec4(0.25, 1.0, 0.0, -1.0)));
    scene.apply(inverse).unwrap();
    assert_eq!(scene.deformer(mesh).unwrap().weights, [0.0, 0.0]);
    assert!(scene.deform().unwrap().is_empty(), "after undo, the mesh matches its weights");
    assert!(scene.pose(animation, 0.0).unwrap().is_empty(), "the other animation has no weights");
    assert_eq!(scene.pose(AnimationId(9), 0.0), Err(PoseError::Missing(AnimationId(9))));
}

#[test]
fn animated_and_deforming_objects_cannot_be_removed() {
    let Arm { mut scene, mesh, shoulder, elbow, animation } = arm();
    let by = |result: Result<SceneEdit, EditError>| match result {
        Err(EditError::InUse { by, .. }) => by,
        other => panic!("{other:?}"),
    };
    let remove = |id| SceneEdit::Node { id, node: None };
    assert_eq!(by(scene.apply(remove(elbow))), "animation 0");
    assert_eq!(by(scene.apply(remove(shoulder))), "the skin of mesh 0");
    assert_eq!(by(scene.apply(SceneEdit::Mesh { id: mesh, mesh: None })), "its deformer");
    let other =
        MeshData { positions: vec![Vec3::ZERO; 3], triangles: vec![[0, 1, 2]], ..MeshData::default() };
    let other = SceneEdit::Mesh { id: mesh, mesh: Some(Arc::new(Mesh::new(other).unwrap())) };
    assert_eq!(scene.apply(other.clone()), Err(EditError::Deformed(mesh)));

    // Without animation and skin, everything can be removed
    let mut journal = Journal::default();
    journal.apply(&mut scene, SceneEdit::Animation { id: animation, animation: None }).unwrap();
    journal.apply(&mut scene, SceneEdit::Deformer { id: mesh, deformer: None }).unwrap();
    journal.apply(&mut scene, remove(elbow)).unwrap();
    journal.apply(&mut scene, other).unwrap();
    while journal.undo(&mut scene).unwrap() {}
    assert!(scene.deformer(mesh).is_some() && scene.animation(animation).is_some(), "undo restores them");
    assert_eq!(scene.pose(animation, 2.0).unwrap().len(), 2, "the pose changes node and mesh");
}

#[test]
fn a_removal_includes_dependent_objects() {
    let Arm { mut scene, mesh, shoulder, elbow, animation } = arm();
    let before = scene.clone();
    let inverse = scene.apply(scene.removal(&[shoulder])).unwrap();
    assert!(scene.node(shoulder).is_none() && scene.node(elbow).is_none(), "both joints are removed");
    assert!(
        scene.deformer(mesh).is_none() && scene.animation(animation).is_none(),
        "the objects that refer to them are removed"
    );
    scene.apply(inverse).unwrap();
    assert_eq!(scene.pose(animation, 1.0), before.pose(animation, 1.0));
    assert!(scene.clone().apply(scene.removal(&[NodeId(0)])).is_ok(), "a node without dependents is removed");
    assert!(scene.clone().apply(scene.removal(&[NodeId(99)])).is_err(), "there is no such node");
}

#[test]
fn errors_name_the_object() {
    let Arm { scene, mesh, animation, .. } = arm();
    let good = Animation::clone(scene.animation(animation).unwrap());
    let refused = |change: &dyn Fn(&mut Animation)| {
        let mut bad = good.clone();
        change(&mut bad);
        let edit = SceneEdit::Animation { id: animation, animation: Some(Arc::new(bad)) };
        scene.clone().apply(edit).unwrap_err().to_string()
    };
    let key = |a: &mut Animation| a.nodes[0].rotation.clone().unwrap();
    let with = |a: &mut Animation, curve| a.nodes[0].rotation = Some(curve);
    assert_eq!(
        refused(&|a| {
            let times_secs = vec![0.0, 2.0, 1.0];
            let curve = Curve { times_secs, values: vec![1.0; 12], ..key(a) };
            with(a, curve);
        }),
        "the time of a keyframe of animation 0 is 1.0; it must be at least 0 and not before that of the previous keyframe"
    );
    assert_eq!(
        refused(&|a| {
            let curve = Curve { interpolation: Interpolation::CubicSpline, ..key(a) };
            with(a, curve);
        }),
        "animation 0 has 8 values, expected 24"
    );
    assert_eq!(
        refused(&|a| a.nodes[0].node = NodeId(77)),
        "animation 0 refers to node 77, which does not exist"
    );
    let deformer = scene.deformer(mesh).unwrap().clone();
    let mut skin = Skin::clone(deformer.skin.as_ref().unwrap());
    Arc::make_mut(&mut skin.influences)[0].joints[2][3] = 2;
    let edit = Deformer { skin: Some(Arc::new(skin)), ..deformer };
    let error = scene.clone().apply(SceneEdit::Deformer { id: mesh, deformer: Some(edit) }).unwrap_err();
    assert_eq!(error.to_string(), "the deformer of mesh 0 refers to joint 2, which does not exist");
}

#[test]
fn edits_can_be_serialised() {
    let Arm { scene, mesh, animation, .. } = arm();
    let edits = [
        SceneEdit::Animation { id: animation, animation: scene.animation(animation).cloned() },
        SceneEdit::Deformer { id: mesh, deformer: scene.deformer(mesh).cloned() },
        SceneEdit::Weights { id: mesh, weights: vec![0.5] },
    ];
    for edit in edits {
        let text = serde_json::to_string(&edit).unwrap();
        assert_eq!(serde_json::from_str::<SceneEdit>(&text).unwrap(), edit, "{text}");
    }
    let visible = SceneEdit::Visible { id: NodeId(3), visible: true };
    assert_eq!(serde_json::to_string(&visible).unwrap(), r#"{"Visible":{"id":3,"visible":true}}"#);
}
