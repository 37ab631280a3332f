//! What is added to scenes that leave camera and light open.

use fearless_simd::Level;
use sunfleck_engine::{InitialCamera, Presentation, Stage, StageChoice, VisibleContent, is_stage_ground};
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
    assert_eq!(light(vec3(0.1, -0.2, -1.0)), None, "the sun shines on the side that is seen");
    assert_eq!(light(vec3(0.1, -0.2, 1.0)), Some(Stage::Studio), "the sun shines on the other side");
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
    assert!(!InitialCamera::frames_object(&presented.camera));
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
