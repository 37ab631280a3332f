//! Tests of edits: inverse, replay, serialisation and validation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use proptest::prelude::*;
use sunfleck_math::{Affine3, DVec3, Vec3, vec3};
use sunfleck_scene::*;

fn triangle(slots: Vec<u16>) -> Mesh {
    Mesh::new(MeshData {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]; slots.len().max(1)],
        slots,
        ..MeshData::default()
    })
    .unwrap()
}

/// Returns the content of a scene as text, for comparisons.
fn snapshot(scene: &Scene) -> String {
    let mut text = String::new();
    for part in [
        format!("{:?}", scene.meshes().collect::<Vec<_>>()),
        format!("{:?}", scene.textures().collect::<Vec<_>>()),
        format!("{:?}", scene.materials().collect::<Vec<_>>()),
        format!("{:?}", scene.lights().collect::<Vec<_>>()),
        format!("{:?}", scene.cameras().collect::<Vec<_>>()),
        format!("{:?}", scene.nodes().collect::<Vec<_>>()),
        format!("{:?}", scene.environment()),
        format!("{:?}", scene.exposure_stops()),
        format!("{:?}", scene.origin()),
    ] {
        text += &part;
    }
    text
}

/// Strategy of edits with few ids, so that many edits affect the same objects and many are refused.
fn edits() -> impl Strategy<Value = SceneEdit> {
    let id = 0u32..4;
    let shift = (-10i32..10).prop_map(|x| Affine3::from_translation(vec3(x as f32, 0.0, 0.0)));
    let node = (id.clone(), proptest::option::of(id.clone()), id.clone(), shift.clone()).prop_map(
        |(mesh, parent, material, transform)| {
            let node = Node::new("n").at(transform).with_mesh(MeshId(mesh), vec![MaterialId(material)]);
            parent.map_or(node.clone(), |parent| node.below(NodeId(parent)))
        },
    );
    let leaf = prop_oneof![
        (id.clone(), proptest::option::of(0u16..2)).prop_map(|(id, slot)| SceneEdit::Mesh {
            id: MeshId(id),
            mesh: slot.map(|slot| triangle(vec![slot]).into())
        }),
        (id.clone(), proptest::option::of(0f32..1.2)).prop_map(|(id, grey)| SceneEdit::Material {
            id: MaterialId(id),
            material: grey.map(|grey| Material::lambert("m", Vec3::splat(grey)))
        }),
        (id.clone(), proptest::option::of(node))
            .prop_map(|(id, node)| SceneEdit::Node { id: NodeId(id), node }),
        (id.clone(), shift)
            .prop_map(|(id, parent_from_node)| SceneEdit::Transform { id: NodeId(id), parent_from_node }),
        (id, any::<bool>()).prop_map(|(id, visible)| SceneEdit::Visible { id: NodeId(id), visible }),
        (-1f32..3.0).prop_map(|r| SceneEdit::Environment {
            environment: Environment::Constant { radiance: Vec3::splat(r) }
        }),
        proptest::option::of(prop_oneof![-3f32..3.0, Just(f32::NAN)])
            .prop_map(|stops| SceneEdit::Exposure { stops }),
        prop_oneof![-3e7f64..3e7, Just(f64::INFINITY)]
            .prop_map(|x| SceneEdit::Origin { origin: DVec3::splat(x) }),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| proptest::collection::vec(inner, 0..4).prop_map(SceneEdit::Batch))
}

proptest! {
    #[test]
    fn an_edit_takes_effect_and_inverts_or_changes_nothing(all in proptest::collection::vec(edits(), 1..40)) {
        let mut scene = Scene::default();
        for edit in all {
            let before = snapshot(&scene);
            match scene.apply(edit) {
                Ok(inverse) => {
                    let mut undone = scene.clone();
                    undone.apply(inverse).expect("an inverse is never refused");
                    prop_assert_eq!(snapshot(&undone), before);
                }
                Err(_) => prop_assert_eq!(snapshot(&scene), before),
            }
        }
    }

    #[test]
    fn a_journal_undoes_redoes_and_replays(all in proptest::collection::vec(edits(), 1..40)) {
        let (mut scene, mut journal) = (Scene::default(), Journal::default());
        let mut states = vec![snapshot(&scene)];
        for edit in all {
            if journal.apply(&mut scene, edit).is_ok() {
                states.push(snapshot(&scene));
            }
        }
        let text = serde_json::to_string(&journal.edits().collect::<Vec<_>>()).unwrap();
        let mut replayed = Scene::default();
        for edit in serde_json::from_str::<Vec<SceneEdit>>(&text).unwrap() {
            replayed.apply(edit).unwrap();
        }
        prop_assert_eq!(&snapshot(&replayed), states.last().unwrap());
        for state in states.iter().rev().skip(1) {
            prop_assert!(journal.undo(&mut scene).unwrap());
            prop_assert_eq!(&snapshot(&scene), state);
        }
        prop_assert!(!journal.undo(&mut scene).unwrap());
        while journal.redo(&mut scene).unwrap() {}
        prop_assert_eq!(&snapshot(&scene), states.last().unwrap());
    }
}

/// Returns a scene with one instance of a triangle, and the ids of its objects.
fn scene_of_one_instance() -> (Scene, MeshId, MaterialId, NodeId) {
    let mut scene = Scene::default();
    let mesh = scene.add_mesh(triangle(vec![])).unwrap();
    let material = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    let node = scene.add_node(Node::new("n").with_mesh(mesh, vec![material])).unwrap();
    (scene, mesh, material, node)
}

#[test]
fn a_journal_tells_what_it_keeps() {
    let (mut scene, mesh, _, node) = scene_of_one_instance();
    let mut journal = Journal::default();
    journal.apply(&mut scene, SceneEdit::Node { id: node, node: None }).unwrap();
    journal.apply(&mut scene, SceneEdit::Mesh { id: mesh, mesh: None }).unwrap();
    let keeps_mesh = |journal: &Journal| {
        journal.recorded().any(|edit| matches!(edit, SceneEdit::Mesh { mesh: Some(_), .. }))
    };
    assert!(keeps_mesh(&journal), "undo adds it");
    journal.undo(&mut scene).unwrap();
    assert!(!keeps_mesh(&journal), "the scene has it, and redo removes it");
    assert_eq!(journal.recorded().count(), 3, "an edit with its inverse, and one that was undone");
}

#[test]
fn objects_in_use_cannot_be_removed() {
    let (mut scene, mesh, material, node) = scene_of_one_instance();
    let child = scene.add_node(Node::new("child").below(node)).unwrap();
    for edit in [
        SceneEdit::Mesh { id: mesh, mesh: None },
        SceneEdit::Material { id: material, material: None },
        SceneEdit::Node { id: node, node: None },
    ] {
        assert!(matches!(scene.apply(edit), Err(EditError::InUse { .. })));
    }
    scene.apply(SceneEdit::Node { id: child, node: None }).unwrap();
    scene.apply(SceneEdit::Node { id: node, node: None }).unwrap();
    scene.apply(SceneEdit::Mesh { id: mesh, mesh: None }).unwrap();
}

#[test]
fn ids_are_not_reused() {
    let (mut scene, _, _, node) = scene_of_one_instance();
    scene.apply(SceneEdit::Node { id: node, node: None }).unwrap();
    assert_ne!(scene.next_node_id(), node);
}

#[test]
fn bad_references_cycles_and_ranges_are_refused() {
    let (mut scene, mesh, material, node) = scene_of_one_instance();
    let refused = |scene: &mut Scene, edit| scene.apply(edit).unwrap_err();
    let dangling = Node::new("n").with_mesh(MeshId(9), vec![material]);
    assert!(matches!(
        refused(&mut scene, SceneEdit::Node { id: NodeId(7), node: Some(dangling) }),
        EditError::Dangling { .. }
    ));
    let child = scene.add_node(Node::new("child").below(node)).unwrap();
    let cyclic = Node::new("n").below(child);
    assert_eq!(refused(&mut scene, SceneEdit::Node { id: node, node: Some(cyclic) }), EditError::Cycle(node));
    let two_slots = SceneEdit::Mesh { id: mesh, mesh: Some(triangle(vec![1]).into()) };
    assert_eq!(refused(&mut scene, two_slots), EditError::Slots { node, found: 1, slots: 2 });
    let bright = Material::lambert("too bright", Vec3::splat(1.5));
    let edit = SceneEdit::Material { id: material, material: Some(bright) };
    assert!(matches!(refused(&mut scene, edit), EditError::Range { property: "albedo", .. }));
    let nan = Affine3::from_translation(Vec3::NAN);
    let edit = SceneEdit::Transform { id: node, parent_from_node: nan };
    assert!(matches!(refused(&mut scene, edit), EditError::Range { property: "transform", .. }));
}

#[test]
fn a_batch_is_all_or_nothing() {
    let (mut scene, _, _, node) = scene_of_one_instance();
    let before = snapshot(&scene);
    let batch = SceneEdit::Batch(vec![
        SceneEdit::Visible { id: node, visible: false },
        SceneEdit::Visible { id: NodeId(99), visible: false },
    ]);
    assert_eq!(scene.apply(batch), Err(EditError::Missing("node 99".to_string())));
    assert_eq!(snapshot(&scene), before);
}

#[test]
fn transforms_and_visibility_are_inherited() {
    let (mut scene, mesh, material, _) = scene_of_one_instance();
    let up = Affine3::from_translation(Vec3::Y);
    let parent = scene.add_node(Node::new("parent").at(Affine3::from_scale(Vec3::splat(2.0)))).unwrap();
    let child =
        scene.add_node(Node::new("child").at(up).below(parent).with_mesh(mesh, vec![material])).unwrap();
    let position = |scene: &Scene| {
        scene
            .world_instances()
            .iter()
            .find(|i| i.node == child)
            .map(|i| i.world_from_object.transform_point3(Vec3::X))
    };
    assert_eq!(position(&scene), Some(vec3(2.0, 2.0, 0.0)));
    scene.apply(SceneEdit::Visible { id: parent, visible: false }).unwrap();
    assert_eq!(position(&scene), None);
    scene.apply(SceneEdit::Visible { id: parent, visible: true }).unwrap();
    scene
        .apply(SceneEdit::Transform { id: parent, parent_from_node: Affine3::from_scale(Vec3::ZERO) })
        .unwrap();
    assert_eq!(position(&scene), None, "an instance with a singular transform is invisible");
}

#[test]
fn bad_patterns_are_refused() {
    let (mut scene, _, id, _) = scene_of_one_instance();
    let mut apply = |procedural| {
        let material = Material::lambert("m", Vec3::ONE).with_procedural(procedural);
        scene.apply(SceneEdit::Material { id, material: Some(material) })
    };
    let oak = Wood { early: Vec3::splat(0.6), late: Vec3::splat(0.3), ring_width: 0.01 };
    let stone = Marble { stone: Vec3::ONE, vein: Vec3::ZERO, spacing: 0.5, turbulence: 1.0 };
    let grey = Vec3::splat(0.5);
    let wall =
        Bricks { clay: [grey; 2], mortar: grey, length: 0.24, height: 0.08, joint: 0.01, depth: 0.005 };
    for good in [Pattern::Wood(oak), Pattern::Marble(stone), Pattern::Bricks(wall)] {
        apply(Procedural::new(good)).unwrap();
        for scale in [0.0, f32::NAN, f32::INFINITY] {
            let flat = Affine3::from_scale(vec3(1.0, scale, 1.0));
            assert!(
                matches!(apply(Procedural::new(good).placed(flat)), Err(EditError::Range { .. })),
                "{scale}"
            );
        }
    }
    for bad in [
        Pattern::Wood(Wood { early: Vec3::splat(1.1), ..oak }),
        Pattern::Wood(Wood { late: Vec3::NAN, ..oak }),
        Pattern::Wood(Wood { ring_width: 0.0, ..oak }),
        Pattern::Marble(Marble { vein: Vec3::splat(-0.1), ..stone }),
        Pattern::Marble(Marble { spacing: f32::INFINITY, ..stone }),
        Pattern::Marble(Marble { turbulence: -1.0, ..stone }),
        Pattern::Bricks(Bricks { clay: [grey, Vec3::splat(2.0)], ..wall }),
        Pattern::Bricks(Bricks { length: -0.2, ..wall }),
        Pattern::Bricks(Bricks { joint: 0.0, ..wall }),
        Pattern::Bricks(Bricks { joint: 0.08, ..wall }),
        Pattern::Bricks(Bricks { depth: f32::NAN, ..wall }),
    ] {
        assert!(matches!(apply(Procedural::new(bad)), Err(EditError::Range { .. })), "{bad:?}");
    }
}
