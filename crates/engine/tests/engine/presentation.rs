//! What is added to scenes that leave camera and light open.

use fearless_simd::Level;
use sunfleck_engine::{
    Presentation, SkySun, Stage, StageChoice, VisibleContent, is_stage_ground, set_stage, set_sun_elevation,
    sky_sun, stage_of,
};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{
    Camera, Environment, Light, LightKind, Material, Mesh, MeshData, Node, Projection, Scene, SceneEdit,
};

/// Returns a scene with one white square, 2 m wide, that faces +z.
fn square() -> Scene {
    let mut scene = Scene::default();
    let positions =
        vec![vec3(-1.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(1.0, 2.0, 0.0), vec3(-1.0, 2.0, 0.0)];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let mesh = Mesh::new(MeshData { positions, triangles, ..MeshData::default() }).unwrap();
    let mesh = scene.add_mesh(mesh).unwrap();
    let white = scene.add_material(Material::lambert("white", Vec3::splat(0.8))).unwrap();
    scene.add_node(Node::new("square").with_mesh(mesh, vec![white])).unwrap();
    scene
}

fn present(scene: Scene, choice: StageChoice) -> Presentation {
    Presentation::new(scene, choice, Level::new()).unwrap()
}

#[test]
fn every_stage_can_be_added() {
    for stage in Stage::ALL {
        let presented = present(square(), StageChoice::Fixed(stage));
        assert_eq!((presented.stage, presented.notes.len()), (Some(stage), 0), "{:?}", presented.notes);
        let scene = presented.world.scene();
        assert_eq!(scene.nodes().filter(|(id, _)| is_stage_ground(scene, *id)).count(), 1, "{stage}");
        let content = VisibleContent::of(scene);
        assert_eq!((content.instances, content.triangles), (1, 2), "the ground does not count");
        assert_eq!((content.bounds.min, content.bounds.max), (vec3(-1.0, 0.0, 0.0), vec3(1.0, 2.0, 0.0)));
    }
}

#[test]
fn light_is_what_lights_what_the_cameras_see() {
    let light = |direction: Vec3| {
        let mut scene = square();
        let emission = Vec3::splat(3.0);
        let sun = Light { name: "sun".into(), emission, kind: LightKind::Directional };
        let sun = scene.add_light(sun).unwrap();
        let at = sunfleck_math::transform::look_at(-direction, Vec3::ZERO, Vec3::Y);
        scene.add_node(Node::new("sun").at(at).with_light(sun)).unwrap();
        present(scene, StageChoice::Automatic).stage
    };
    assert_eq!(light(vec3(0.1, -0.2, -1.0)), None, "the sun lights the side that is seen");
    assert_eq!(light(vec3(0.1, -0.2, 1.0)), Some(Stage::Studio), "the sun lights the other side");
    assert_eq!(present(square(), StageChoice::Automatic).stage, Some(Stage::Studio));
    assert_eq!(present(square(), StageChoice::None).stage, None);
}

#[test]
fn cameras_of_the_scene_keep_their_horizontal_extent() {
    let mut scene = square();
    let wide = Camera { aspect_ratio: Some(2.0), ..Camera::perspective("wide", 0.5) };
    let wide = scene.add_camera(wide).unwrap();
    scene.add_node(Node::new("camera").at(Affine3::from_translation(Vec3::Z)).with_camera(wide)).unwrap();
    let presented = present(scene, StageChoice::None);
    let height = |camera: &sunfleck_integrators::PlacedCamera| match camera.camera.projection {
        Projection::Perspective { fov_y_radians } => sunfleck_math::tan(0.5 * fov_y_radians),
        other => panic!("{other:?}"),
    };
    let [listed, first] = [1.0, 3.0].map(|aspect| {
        let [camera] = &presented.cameras(aspect)[..] else { panic!("one camera") };
        assert_eq!(height(camera), height(&presented.camera.camera(aspect)), "both ways agree");
        height(camera)
    });
    assert!((listed - 2.0 * first).abs() < 1e-5, "{listed} {first}");
}

#[test]
fn one_stage_replaces_another() {
    let mut presented = present(square(), StageChoice::Fixed(Stage::Studio));
    let counts = |scene: &Scene| {
        [scene.nodes().len(), scene.meshes().len(), scene.materials().len(), scene.textures().len()]
    };
    let before = counts(presented.world.scene());
    for stage in [Some(Stage::Clay), Some(Stage::Sky), None] {
        let from = presented.camera.camera(1.0);
        let edit = set_stage(stage, &presented.world, &presented.camera, &from, Level::new());
        presented.world.edit(edit).unwrap();
        presented.world.commit().unwrap();
        assert_eq!(stage_of(presented.world.scene()), stage);
        let expected = if stage.is_some() { before } else { before.map(|count| count - 1) };
        assert_eq!(counts(presented.world.scene()), expected, "{stage:?}");
    }
    assert!(presented.world.undo().unwrap(), "the last stage comes back");
    presented.world.commit().unwrap();
    assert_eq!(
        (stage_of(presented.world.scene()), counts(presented.world.scene())),
        (Some(Stage::Sky), before)
    );
}

#[test]
fn the_sun_of_the_sky_is_moved() {
    let mut presented = present(square(), StageChoice::Fixed(Stage::Sky));
    let first = sky_sun(presented.world.scene()).unwrap();
    let textures = presented.world.scene().textures().len();
    // Each edit may replace the one before, so it does not depend on that
    for elevation in [6.5, 90.0, first.elevation] {
        let edit = set_sun_elevation(elevation, &presented.world, &presented.camera).unwrap();
        presented.world.undo().unwrap();
        presented.world.edit(edit).unwrap();
        presented.world.commit().unwrap();
        let scene = presented.world.scene();
        assert_eq!(sky_sun(scene), Some(SkySun { elevation, ..first }));
        assert_eq!((stage_of(scene), scene.textures().len()), (Some(Stage::Sky), textures));
    }
    let studio = present(square(), StageChoice::Fixed(Stage::Studio));
    assert!(sky_sun(studio.world.scene()).is_none());
    assert!(set_sun_elevation(10.0, &studio.world, &studio.camera).is_none());
}

/// The ground may be given a material of the scene, or one of its own.
#[test]
fn moving_the_sun_changes_no_material_but_that_of_the_ground() {
    for is_shared in [true, false] {
        let mut presented = present(square(), StageChoice::Fixed(Stage::Sky));
        let scene = presented.world.scene();
        let (white, material) = scene.materials().next().map(|(id, m)| (id, m.clone())).unwrap();
        let (id, ground) = scene.nodes().find(|(id, _)| is_stage_ground(scene, *id)).unwrap();
        let mut ground = ground.clone();
        let oak = if is_shared { white } else { scene.next_material_id() };
        ground.instance.as_mut().unwrap().materials = vec![oak];
        let material = Material { name: "oak".into(), ..material };
        presented.world.edit(SceneEdit::Material { id: oak, material: Some(material.clone()) }).unwrap();
        presented.world.edit(SceneEdit::Node { id, node: Some(ground) }).unwrap();
        let edit = set_sun_elevation(6.5, &presented.world, &presented.camera).unwrap();
        presented.world.edit(edit).unwrap();
        assert_eq!(presented.world.scene().material(oak), Some(&material), "shared: {is_shared}");
    }
}

#[test]
fn extreme_scenes_get_no_ground_that_fails() {
    for (size, shift) in [(0.0, Vec3::ONE), (1e30, Vec3::ZERO), (1.0, vec3(0.0, -1e7, 0.0))] {
        let mut scene = square();
        let node = scene.nodes().next().unwrap().0;
        let moved = Affine3::from_scale_rotation_translation(Vec3::splat(size), Default::default(), shift);
        let at = scene.node(node).unwrap().clone().at(moved);
        scene.apply(SceneEdit::Node { id: node, node: Some(at) }).unwrap();
        // A transform that cannot be inverted is refused, but nothing panics
        if let Ok(presented) = Presentation::new(scene, StageChoice::Fixed(Stage::Studio), Level::new()) {
            let scene = presented.world.scene();
            let ground = scene.world_instances().into_iter().find(|i| is_stage_ground(scene, i.node));
            let height = |mesh| scene.mesh(mesh).unwrap().bounds().max.y;
            assert!(ground.is_none_or(|ground| height(ground.mesh) < shift.y), "{size}: below the object");
        }
    }
}

#[test]
fn cameras_that_see_the_sky_alone_are_meant_to() {
    let mut scene = square();
    let camera = scene.add_camera(Camera::perspective("up", 0.5)).unwrap();
    let up = sunfleck_math::transform::look_at(Vec3::Y * 9.0, Vec3::Y * 10.0, Vec3::X);
    scene.add_node(Node::new("camera").at(up).with_camera(camera)).unwrap();
    let white = Environment::Constant { radiance: Vec3::ONE };
    scene.apply(SceneEdit::Environment { environment: white }).unwrap();
    assert_eq!(present(scene, StageChoice::Automatic).stage, None);
}

#[test]
fn a_box_with_an_open_side_is_seen_through_it() {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let cameras: Vec<_> = scene.nodes().filter(|(_, node)| node.camera.is_some()).map(|(id, _)| id).collect();
    for id in cameras {
        scene.apply(SceneEdit::Node { id, node: None }).unwrap();
    }
    let presented = present(scene, StageChoice::Automatic);
    assert_eq!(presented.stage, None, "the lamp is seen to light the box");
    for aspect in [1.5, 1.0, 0.5] {
        let placed = presented.camera.camera(aspect);
        let Projection::Perspective { fov_y_radians } = placed.camera.projection else { panic!() };
        assert_eq!(placed.name, "open side");
        let bounds = presented.world.committed().bounds();
        let view_from_world = placed.world_from_view.inverse();
        let half = sunfleck_math::tan(0.5 * fov_y_radians);
        for (x, y) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
            let relative = vec3(x, y, 0.5);
            // Corners of the side nearest to the camera, whichever axis it faces
            let eye = placed.world_from_view.translation;
            let corner = bounds.min + bounds.size() * relative;
            let facing = (eye - bounds.center()).abs().max_element() == (eye - bounds.center()).z.abs();
            assert!(facing, "the open side of the Cornell box faces z: {eye}");
            let front = if eye.z > bounds.center().z { bounds.max.z } else { bounds.min.z };
            let p = view_from_world.transform_point3(corner.with_z(front));
            let seen = [p.x / (-p.z * half * aspect), p.y / (-p.z * half)];
            assert!(p.z < 0.0 && seen.iter().all(|x| x.abs() <= 1.0), "aspect {aspect}: {seen:?}");
        }
    }
}

#[test]
fn a_stage_replaces_a_black_environment_only_if_chosen() {
    let mut scene = square();
    let white = Environment::Constant { radiance: Vec3::ONE };
    scene.apply(SceneEdit::Environment { environment: white }).unwrap();
    let presented = present(scene.clone(), StageChoice::Automatic);
    assert_eq!((presented.stage, presented.world.scene().environment()), (None, &white));
    let presented = present(scene, StageChoice::Fixed(Stage::Sky));
    assert!(matches!(presented.world.scene().environment(), Environment::Map { .. }));
}
