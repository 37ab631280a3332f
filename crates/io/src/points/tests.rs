use sunfleck_math::{Shape, Vec3, Vec4, vec3};
use sunfleck_scene::{Alpha, Mesh, Surface};

use crate::{LoadedScene, NoFiles, load_bytes};

fn loaded(name: &str, text: &str) -> LoadedScene {
    load_bytes(name.as_ref(), text.as_bytes(), &NoFiles).unwrap_or_else(|error| panic!("{error}"))
}

fn only_mesh(loaded: &LoadedScene) -> &Mesh {
    assert_eq!(loaded.scene.meshes().len(), 1, "the file is one mesh");
    loaded.scene.meshes().next().unwrap().1
}

fn spheres(mesh: &Mesh) -> Vec<(Vec3, f32)> {
    let sphere =
        |shape: &Shape| (shape.object_from_unit.translation, shape.object_from_unit.matrix3.x_axis.x);
    mesh.shapes().iter().map(sphere).collect()
}

fn albedo(loaded: &LoadedScene) -> Vec<Vec4> {
    let materials = loaded.scene.materials().map(|(_, material)| match &material.surface {
        Surface::Lambert { albedo } => albedo.factor,
        other => panic!("{other:?}"),
    });
    materials.collect()
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";

#[test]
fn points_of_ply_have_the_colours_and_radii_of_the_file() {
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 4\n{XYZ}property float nx\nproperty float ny\nproperty float nz\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float radius\n\
         element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n\
         0 0 0 0 0 1 255 0 0 0.5\nnan 0 0 0 0 1 9 9 9 1\n3 0 0 0 0 1 0 0 255 0\n5 0 0 0 0 1 0 255 0 0.25\n0 1\n"
    );
    let loaded = loaded("a.ply", &text);
    let mesh = only_mesh(&loaded);
    let estimate = 2.0 * 0.5f32.sqrt();
    let expected = [(Vec3::ZERO, 0.5), (vec3(3.0, 0.0, 0.0), estimate), (vec3(5.0, 0.0, 0.0), 0.25)];
    for ((center, radius), (expected_center, expected)) in spheres(mesh).into_iter().zip(expected) {
        assert_eq!(center, expected_center);
        assert!((radius - expected).abs() < 1e-6, "{radius} at {center}");
    }
    let opaque = |r, g, b| Vec4::new(r, g, b, 1.0);
    assert_eq!(mesh.data().colors, [opaque(1.0, 0.0, 0.0), opaque(0.0, 0.0, 1.0), opaque(0.0, 1.0, 0.0)]);
    assert_eq!(albedo(&loaded), [Vec4::ONE]);
    let messages: Vec<_> = loaded.report.entries.iter().map(|entry| entry.message.as_str()).collect();
    assert!(messages.iter().any(|m| m.starts_with("vertices without valid coordinates")), "{messages:?}");
    assert!(messages.iter().any(|m| m.starts_with("points without a radius")), "{messages:?}");
}

#[test]
fn transparent_points_and_points_of_one_place() {
    let header =
        |n: usize, more: &str| format!("ply\nformat ascii 1.0\nelement vertex {n}\n{XYZ}{more}end_header\n");
    let colors = ["red", "green", "blue", "alpha"].map(|name| format!("property uchar {name}\n")).concat();
    let transparent = loaded("a.ply", &format!("{}1 2 3 255 255 255 51\n", header(1, &colors)));
    assert!((only_mesh(&transparent).data().colors[0].w - 0.2).abs() < 1e-6);
    assert_eq!(transparent.scene.materials().next().unwrap().1.alpha, Alpha::Blend);
    let same = loaded("a.ply", &format!("{}1 2 3\n1 2 3\n", header(2, "")));
    assert_eq!(spheres(only_mesh(&same)).len(), 2);
    assert_eq!(albedo(&same), [Vec3::splat(0.6).extend(1.0)]);
    let no_points = loaded("a.ply", &header(0, ""));
    assert_eq!(no_points.scene.meshes().len(), 0);
    let bad = load_bytes("a.ply".as_ref(), format!("{}nan 2 3\n", header(1, "")).as_bytes(), &NoFiles);
    assert!(bad.unwrap_err().to_string().contains("coordinate"));
}

#[test]
fn points_of_obj_are_those_of_p_or_else_all_vertices() {
    let vertices = "v 0 0 0 1 0 0\nv 2 0 0 0 1 0\nv 4 0 0 0 0 1\nv 0 x 0\n";
    let all = loaded("a.obj", vertices);
    let centers = |loaded: &LoadedScene| spheres(only_mesh(loaded)).iter().map(|s| s.0.x).collect::<Vec<_>>();
    assert_eq!(centers(&all), [0.0, 2.0, 4.0]);
    assert_eq!(only_mesh(&all).data().colors[1], Vec4::new(0.0, 1.0, 0.0, 1.0));
    assert!((spheres(only_mesh(&all))[0].1 - 2.0 * 0.5f32.sqrt()).abs() < 1e-6);

    // `p` before its vertices, from the end, and one that does not exist
    let chosen = loaded("a.obj", &format!("p 3\n{vertices}p -4 9\n"));
    assert_eq!(centers(&chosen), [4.0, 0.0]);
    let messages: Vec<_> = chosen.report.warnings().map(|entry| entry.message.clone()).collect();
    assert!(messages.iter().any(|m| m.starts_with("points skipped: 1")), "{messages:?}");

    let with_face = loaded("a.obj", &format!("{vertices}f 1 2 3\nusemtl red\np 1 2\nusemtl blue\np 3\n"));
    assert_eq!(with_face.scene.meshes().len(), 2);
    let (_, points) = with_face.scene.meshes().find(|(_, mesh)| !mesh.shapes().is_empty()).unwrap();
    assert_eq!(points.data().slots, [0, 0, 1]);
    let lines = loaded("a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    assert_eq!(lines.scene.meshes().len(), 0, "vertices of lines are no points");
}

#[test]
fn points_far_from_zero_are_relative_to_an_origin() {
    let loaded = loaded("a.obj", "v 5000000.25 0 0\nv 5000001.25 0 0\n");
    let x: Vec<f32> = spheres(only_mesh(&loaded)).iter().map(|sphere| sphere.0.x).collect();
    assert_eq!((x[1] - x[0], loaded.scene.origin().x), (1.0, 5_000_000.0));
}
