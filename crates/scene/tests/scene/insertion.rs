//! Insertion of a scene into another.

use std::sync::Arc;

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{
    Camera, EditError, Emission, Environment, Light, LightKind, Material, Mesh, MeshData, Node, NodeId,
    NormalMap, Scene, SceneEdit, Surface, Texels, Texture, TextureRef,
};

use crate::motion::{Arm, arm, vertices};

fn texture(name: &str) -> Texture {
    Texture::new(name, 1, 1, Texels::Srgb8(Arc::new(vec![[255; 4]]))).unwrap()
}

fn triangle() -> Mesh {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    Mesh::new(MeshData { positions, triangles: vec![[0, 1, 2]], ..MeshData::default() }).unwrap()
}

/// Scene of a group with a textured triangle and a lamp, a camera, and an environment map.
fn thing() -> Scene {
    let mut scene = Scene::default();
    let sky = scene.add_texture(texture("sky")).unwrap();
    let [color, glow, bumps] =
        ["color", "glow", "bumps"].map(|name| scene.add_texture(texture(name)).unwrap());
    let mut material = Material::lambert("paint", Vec3::ONE);
    let Surface::Lambert { albedo } = &mut material.surface else { panic!() };
    albedo.texture = Some(TextureRef::new(color));
    material.emission = Emission { radiance: Vec3::ONE, texture: Some(TextureRef::new(glow)) };
    material.normal_map = Some(NormalMap { texture: TextureRef::new(bumps), scale: 1.0 });
    let material = scene.add_material(material).unwrap();
    let mesh = scene.add_mesh(triangle()).unwrap();
    let light = Light { name: "bulb".into(), emission: Vec3::ONE, kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    let camera = scene.add_camera(Camera::perspective("view", 1.0)).unwrap();
    scene.add_node(Node::new("view").with_camera(camera)).unwrap();
    let group = scene.next_node_id();
    scene.add_node(Node::new("group")).unwrap();
    scene.add_node(Node::new("triangle").below(group).with_mesh(mesh, vec![material])).unwrap();
    scene.add_node(Node::new("lamp").below(group).with_light(light)).unwrap();
    let environment =
        Environment::Map { texture: sky, rotation_y_radians: 0.0, scale: Vec3::ONE, rows_at_poles: false };
    scene.set_environment(environment).unwrap();
    scene
}

#[test]
fn everything_but_cameras_and_environment_is_added_below_the_root() {
    let mut scene = thing();
    let root = scene.next_node_id();
    let before = scene.clone();
    let at = Affine3::from_translation(vec3(3.0, 0.0, 0.0));
    let edit = scene.insertion(&thing(), Node::new("second").at(at)).unwrap();
    let inverse = scene.apply(edit).unwrap();

    let named = |name: &str| scene.nodes().filter(move |(_, node)| node.name == name).nth(1).unwrap();
    assert_eq!(scene.node(root).unwrap().name, "second");
    let (group, node) = named("group");
    assert_eq!(node.parent, Some(root));
    let (_, node) = named("triangle");
    assert_eq!(node.parent, Some(group));
    let instance = node.instance.as_ref().unwrap();
    let textures: Vec<_> = scene.material(instance.materials[0]).unwrap().textures().collect();
    let names: Vec<_> = textures.iter().map(|&id| scene.texture(id).unwrap().name()).collect();
    assert_eq!(names, ["color", "glow", "bumps"]);
    assert!(textures.iter().all(|&id| before.texture(id).is_none()), "it has textures of its own");
    assert_ne!(named("lamp").1.light, scene.nodes().find(|(_, node)| node.name == "lamp").unwrap().1.light);
    assert_eq!(scene.nodes().filter(|(_, node)| node.name == "view").count(), 1, "no camera is added");
    assert_eq!((scene.cameras().len(), scene.textures().len()), (1, 7), "the sky of the other is left out");
    assert_eq!(scene.environment(), before.environment());
    assert_eq!(scene.world_instances()[1].world_from_object, at);

    scene.apply(inverse).unwrap();
    assert_eq!(scene.nodes().len(), before.nodes().len());
    assert_eq!(scene.textures().len(), before.textures().len());
}

#[test]
fn skins_and_animations_follow_the_root() {
    let Arm { scene: added, animation, .. } = arm();
    let mut alone = added.clone();
    let pose = alone.pose(animation, 2.0).unwrap();
    let expected = vertices(&mut alone, pose);

    let mut scene = arm().scene;
    let at = vec3(0.0, 0.0, 4.0);
    let edit = scene.insertion(&added, Node::new("second arm").at(Affine3::from_translation(at))).unwrap();
    scene.apply(edit).unwrap();
    let (second, _) = scene.animations().nth(1).unwrap();
    let pose = scene.pose(second, 2.0).unwrap();
    scene.apply(SceneEdit::Batch(pose)).unwrap();
    let instance = &scene.world_instances()[1];
    let mesh = scene.mesh(instance.mesh).unwrap();
    for (&p, expected) in mesh.positions().iter().zip(expected) {
        let p = instance.world_from_object.transform_point3(p) - at;
        assert!(p.distance(expected) < 1e-5, "{p} instead of {expected}");
    }
}

#[test]
fn a_scene_without_free_ids_refuses() {
    let mut scene = Scene::default();
    scene.apply(SceneEdit::Node { id: NodeId(u32::MAX - 1), node: Some(Node::new("last")) }).unwrap();
    let refused = scene.insertion(&thing(), Node::new("second"));
    assert!(matches!(refused, Err(EditError::OutOfIds(_))), "{refused:?}");
}

#[test]
fn several_nodes_are_removed_once() {
    let mut scene = thing();
    let id = |name: &str| scene.nodes().find(|(_, node)| node.name == name).unwrap().0;
    let (group, lamp) = (id("group"), id("lamp"));
    assert_eq!(scene.with_descendants(&[lamp, group, lamp]).len(), 3, "group, triangle and lamp");
    scene.apply(scene.removal(&[lamp, group])).unwrap();
    assert_eq!(scene.nodes().len(), 1, "the camera is left");
}
