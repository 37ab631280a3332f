use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec2, vec3};
use sunfleck_scene::{Animation, Environment, LightKind, Projection, Scene, Surface};

use crate::{LoadedScene, MemoryFiles, load_bytes};

fn load(files: &[(&str, &str)]) -> Result<LoadedScene, String> {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let others: BTreeMap<_, _> = files.iter().map(|&(name, text)| (name.to_string(), bytes(text))).collect();
    let (name, text) = files[0];
    load_bytes(name.as_ref(), text.as_bytes(), &MemoryFiles(others)).map_err(|error| error.to_string())
}

fn loaded(text: &str) -> LoadedScene {
    load(&[("a.aff", text)]).unwrap_or_else(|error| panic!("{error}"))
}

fn messages(loaded: &LoadedScene) -> Vec<String> {
    loaded.report.entries.iter().map(|entry| entry.message.clone()).collect()
}

/// Points that instances show at the origin of their meshes, by the names of their nodes.
fn places(scene: &Scene) -> Vec<(String, Vec3)> {
    let name = |node| scene.node(node).unwrap().name.clone();
    let instances = scene.world_instances();
    instances.iter().map(|placed| (name(placed.node), placed.world_from_object.translation)).collect()
}

/// Returns the scene at a time of its animation.
fn at(loaded: &LoadedScene, time_secs: f32) -> Scene {
    let mut scene = loaded.scene.clone();
    let animation = scene.animations().next().unwrap().0;
    for edit in scene.pose(animation, time_secs).unwrap() {
        scene.apply(edit).unwrap();
    }
    scene
}

fn animation(loaded: &LoadedScene) -> &Animation {
    loaded.scene.animations().next().unwrap().1
}

const TRIANGLE: &str = "p 3 0 0 0 1 0 0 0 1 0\n";

#[test]
fn files_are_included_with_the_fill_and_the_transform_of_their_place() {
    let root = "i 0 red.aff\nxs 2 2 2  0 0 1 90  5 0 0\n{\ni 0 part.aff\nxs 1 1 1 0 1 0 0 1 0 0{i 0 part.aff}}\n\
                d 1 i 2 skipped.aff\nfm 0 0 0  0 1 0  0 0 0  1 0 0\ni 1 part.aff % comment\n";
    let files = [("a.aff", root), ("red.aff", "fm 9 9 9 1 0 0 0 0 0 1 0 0"), ("part.aff", TRIANGLE)];
    let loaded = load(&files).unwrap();
    assert_eq!(loaded.report.warnings().count(), 0, "{:?}", messages(&loaded));
    assert_eq!(loaded.scene.meshes().len(), 1, "the mesh is shared");
    let found = places(&loaded.scene);
    let expected = [vec3(5.0, 0.0, 0.0), vec3(5.0, 2.0, 0.0), Vec3::ZERO];
    for ((name, place), expected) in found.iter().zip(expected) {
        assert!(name == "part" && place.distance(expected) < 1e-5, "{name} at {place}");
    }
    let instances = loaded.scene.world_instances();
    let color = |i: usize| match &loaded.scene.material(instances[i].materials[0]).unwrap().surface {
        Surface::Lambert { albedo } => albedo.factor.truncate(),
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 1, 2].map(color), [Vec3::X, Vec3::X, Vec3::Y]);
    let corner = instances[0].world_from_object.transform_point3(Vec3::X);
    assert!(corner.distance(vec3(5.0, 2.0, 0.0)) < 1e-5, "scaled, turned by 90°, moved: {corner}");
}

#[test]
fn missing_files_and_files_that_include_themselves() {
    let loaded =
        load(&[("a.aff", &format!("i 0 gone.aff\n{TRIANGLE}}}\nxs 1 1 1 0 1 0 0 0 0 0 {{\n"))]).unwrap();
    let warnings: Vec<_> = loaded.report.warnings().map(|warning| warning.message.clone()).collect();
    assert!(warnings[0].starts_with("cannot read the included file gone.aff"), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("has no opening one")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("brace is missing at the end")), "{warnings:?}");
    let error = load(&[("a.aff", "i 0 b.aff"), ("b.aff", "i 0 c.aff"), ("c.aff", "i 0 b.aff")]).unwrap_err();
    assert!(error.contains("b.aff includes itself"), "{error}");
    assert!(load(&[("a.aff", "i 0 a.aff")]).unwrap_err().contains("a.aff includes itself"));
    let deep = format!("{}{TRIANGLE}", "xs 1 1 1 0 1 0 0 0 0 0 {".repeat(300));
    assert!(load(&[("a.aff", &deep)]).unwrap_err().contains("more than 256 transforms"));
    // 2²⁵ statements in files of two lines
    let names: Vec<String> = (0..26).map(|i| format!("{i}.aff")).collect();
    let texts: Vec<String> = (1..27).map(|i| format!("i 0 {i}.aff\ni 0 {i}.aff\n")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let error = load(&files).unwrap_err();
    assert!(error.contains("statements"), "{error}");
    assert!(error.contains("the files that it includes"), "{error}");
}

#[test]
fn meshes_have_normals_and_texture_coordinates() {
    let text = "m\nvertices 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nnormals 2\n0 0 2\n0 0 0\n\
                texturecoords 2 wood.ppm\n0.25 0.25\n2 1\n\
                triangles 4\n0 1 2  0 0 0  0 1 1\n0 2 3  0 0 1  0 1 7\n0 1 9 0 0 0 0 0 0\n1 1 2 0 0 0 0 0 0\n\
                tt wood.ppm 0 0 5 0 0  1 0 5 1 0  0 1 5 0 1\n";
    let image = "P3 1 1 255 255 0 0";
    let loaded = load(&[("a.aff", text), ("../TextureFiles/wood.ppm", image)]).unwrap();
    let meshes: Vec<_> = loaded.scene.meshes().map(|(_, mesh)| mesh.data()).collect();
    let (flat, smooth) = (meshes[0], meshes[1]);
    assert_eq!(smooth.triangles.len(), 2);
    assert!(smooth.normals.iter().all(|normal| normal.normalize_or_zero() == Vec3::Z));
    assert_eq!([smooth.uv0[0], smooth.uv0[1]], [vec2(0.25, 0.75), vec2(2.0, 0.0)], "v points up in the file");
    assert_eq!(flat.uv0, [vec2(0.0, 1.0), vec2(1.0, 1.0), vec2(0.0, 0.0)]);
    assert!(flat.normals.is_empty());
    assert_eq!(loaded.scene.textures().len(), 1);
    assert_eq!(loaded.scene.materials().count(), 1, "one fill with one texture");
    let messages = messages(&loaded);
    for expected in
        ["faces skipped: 1", "invalid normals", "missing normals and texture", "triangles removed: 1"]
    {
        assert!(messages.iter().any(|message| message.contains(expected)), "{expected}: {messages:?}");
    }
}

#[test]
fn faults_cost_one_statement() {
    let text = format!(
        "{TRIANGLE}s 0 0 0\nfoo 1 2\nm\nvertices 2\n0 0 0\n1 1 1\n{TRIANGLE}k a {{ spin 4 }}\ns 0 0 0 1\n"
    );
    let loaded = loaded(&text);
    let primitives: usize = loaded.scene.meshes().map(|(_, mesh)| mesh.primitive_count()).sum();
    assert_eq!(primitives, 3);
    let error = load(&[("a.aff", "nothing here")]).unwrap_err();
    assert!(error.contains("a.aff:1:1") && error.contains("statement"), "{error}");
}

#[test]
fn camera_lamps_and_ambient_light() {
    let text = "v\nfrom 0 0 9\nat 0 0 0\nup 0 1 0\nangle 40\nhither 1\nresolution 800 600\nam 0.5 0.5 0.5\n\
                l 0 4 0 1 0 0\nla sun 0 0 2\ns 0 0 0 1\na -1 3 9\n\
                k camera { transl 4 -2 0 0 5 0 0 0 -1 0 0 5 0 0 0 3 0 0 1 0 0 0 4 0 0 1 0 0 0 }\n\
                k sun { transl 4 -5 0 0 2 0 -1 0 -1 0 0 2 0 -1 0 3 8 0 2 0 -1 0 7 8 0 2 0 -1 0 }\n";
    let loaded = loaded(text);
    assert_eq!(*loaded.scene.environment(), Environment::Constant { radiance: Vec3::splat(0.5) });
    let camera = loaded.scene.cameras().next().unwrap().1;
    assert_eq!(camera.projection, Projection::Perspective { fov_y_radians: 40f32.to_radians() });
    assert!((camera.aspect_ratio.unwrap() - 4.0 / 3.0).abs() < 1e-6);
    assert!(loaded.scene.lights().all(|(_, light)| light.kind == LightKind::Point));
    let eye = |scene: &Scene| scene.world_cameras()[0].world_from_view.translation;
    let sun = |scene: &Scene| scene.world_lights()[1].world_from_light.translation;
    assert_eq!((eye(&loaded.scene), sun(&loaded.scene)), (vec3(0.0, 0.0, 5.0), vec3(0.0, 0.0, 2.0)));
    // In the middle of its way; the lamp moves on a straight line, since it has corners
    assert!(eye(&at(&loaded, 2.0)).distance(vec3(0.0, 0.0, 3.0)) < 1e-5);
    assert!(sun(&at(&loaded, 1.0)).distance(vec3(2.0, 0.0, 2.0)) < 1e-5);
    assert_eq!(animation(&loaded).duration_secs(), 4.0);
    let view = at(&loaded, 3.0).world_cameras()[0].world_from_view;
    assert!(view.transform_vector3(Vec3::NEG_Z).distance(Vec3::NEG_Z) < 1e-6, "{view}");
}

#[test]
fn keyframes_move_turn_scale_and_hide_objects() {
    let keys = |kind: &str, value: [&str; 2]| {
        let [a, b] = value;
        format!("{kind} 4\n0 {a} 0 -1 0\n1 {a} 0 -1 0\n3 {b} 0 -1 0\n4 {b} 0 -1 0\n")
    };
    let all = [
        keys("transl", ["0 0 0", "4 0 0"]),
        keys("rot", ["0 0 1 0", "0 0 1 90"]),
        keys("scale", ["1 1 1", "3 1 1"]),
    ];
    let text = format!(
        "x wing {{\n{TRIANGLE}}}\nx other {{ s 0 0 0 1 }}\nk wing {{\n{}visibility 2 2.5 0 2.75 1\n}}\na 0 5 6\n\
         k unused {{ {} }}\n",
        all.concat(),
        all[0]
    );
    let loaded = loaded(&text);
    assert!(messages(&loaded).iter().any(|m| m.contains("lamp has: unused")), "{:?}", messages(&loaded));
    assert_eq!(animation(&loaded).duration_secs(), 5.0, "as long as the file says");
    let tip = |time| {
        let scene = at(&loaded, time);
        let instances = scene.world_instances();
        let wing = instances.iter().find(|placed| !scene.mesh(placed.mesh).unwrap().triangles().is_empty());
        wing.map(|placed| placed.world_from_object.transform_point3(Vec3::X))
    };
    let half = 0.5f32.sqrt();
    for (time, expected) in [
        (0.0, vec3(1.0, 0.0, 0.0)),
        (1.0, vec3(1.0, 0.0, 0.0)),
        (2.0, vec3(2.0 + 2.0 * half, 2.0 * half, 0.0)),
        (3.0, vec3(4.0, 3.0, 0.0)),
        (5.0, vec3(4.0, 3.0, 0.0)),
    ] {
        let found = tip(time).unwrap();
        assert!(found.distance(expected) < 1e-3, "{found}, not {expected}, at {time}");
    }
    assert_eq!(tip(2.6), None, "it is hidden");
}

#[test]
fn triangles_move_on_straight_lines() {
    let position = |x: f32| format!("{x} 0 0 0 0 1  {} 0 0 0 0 1  {x} 1 0 0 0 1\n", x + 1.0);
    let text = format!("tpa 3\n0\n{}1\n{}3\n{}a -1 2 4\n", position(0.0), position(4.0), position(0.0));
    let loaded = loaded(&text);
    let x = |time| at(&loaded, time).meshes().next().unwrap().1.positions()[0].x;
    // The file's times −1 … 2
    for (time, expected) in [(0.0, 0.0), (1.0, 0.0), (1.5, 2.0), (2.0, 4.0), (3.0, 2.0), (9.0, 2.0)] {
        assert!((x(time) - expected).abs() < 1e-5, "{} at {time}", x(time));
    }
    let error = load(&[(
        "a.aff",
        "tpa 2\n1 0 0 0 0 0 1 1 0 0 0 0 1 0 1 0 0 0 1\n0 0 0 0 0 0 1 1 0 0 0 0 1 0 1 0 0 0 1\n",
    )]);
    assert!(error.unwrap_err().contains("ascending times"));
}
