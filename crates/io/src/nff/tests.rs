use std::f32::consts::PI;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{LightKind, Projection, Surface};

use super::*;
use crate::{LoadedScene, NoFiles, load_bytes};

fn loaded(text: &str) -> LoadedScene {
    load_bytes("a.nff".as_ref(), text.as_bytes(), &NoFiles).unwrap()
}

fn shapes(scene: &Scene) -> Vec<Shape> {
    scene.meshes().flat_map(|(_, mesh)| mesh.shapes().to_vec()).collect()
}

const HEAD: &str = "v\nfrom 1 2 3\nat 1 0 3\nup 0 0 1\nangle 40\nhither 1\nresolution 640 320\n";

#[test]
fn spheres_cones_and_cylinders_are_shapes() {
    let scene = loaded(&format!(
        "{HEAD}f 1 0.5 0 1 0 0 0 1\ns 1 2 3 0.5\ns 0 0 0 -2\nc\n0 0 0 1\n0 0 2 1\nc 0 0 0 0.5 0 4 0 2\n"
    ));
    let [ball, hollow, cylinder, cone] = shapes(&scene.scene).try_into().unwrap();
    assert_eq!(ball, Shape::sphere(vec3(1.0, 2.0, 3.0), 0.5));
    assert_eq!(hollow, Shape { flipped: true, ..Shape::sphere(Vec3::ZERO, 2.0) });
    assert_eq!(cylinder.unit, UnitShape::Cylinder);
    assert!(cylinder.bounds().max.abs_diff_eq(vec3(1.0, 1.0, 2.0), 1e-5));
    // The smaller radius is at the apex of a unit cone: the ends have changed places
    assert_eq!(cone.unit, UnitShape::Cone { top: 0.25 });
    assert!(cone.object_from_unit.translation.abs_diff_eq(vec3(0.0, 4.0, 0.0), 1e-6));
    let bounds = cone.bounds();
    assert!(
        bounds.min.abs_diff_eq(vec3(-2.0, 0.0, -2.0), 1e-5)
            && bounds.max.abs_diff_eq(vec3(2.0, 4.0, 2.0), 1e-5)
    );
}

#[test]
fn base_and_apex_that_coincide_are_an_end_cap() {
    let scene = loaded("f 1 1 1 1 0 0 0 1\nc\n0 0 0 2\n0 0 0 1\n");
    assert_eq!(shapes(&scene.scene)[0].unit, UnitShape::Disk { hole: 0.5 });
}

#[test]
fn polygons_of_any_size_and_patches_with_normals() {
    let text =
        "f 1 1 1 1 0 0 0 1\np 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\npp 3\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 1 1\n";
    let scene = loaded(text).scene;
    let [polygons, patches] =
        scene.meshes().map(|(_, mesh)| mesh.clone()).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((polygons.triangles().len(), polygons.data().normals.len()), (2, 0));
    assert_eq!(patches.data().normals, [Vec3::Z, Vec3::Z, vec3(0.0, 1.0, 1.0)]);
}

#[test]
fn the_view_is_a_camera() {
    let scene = loaded(&format!("{HEAD}f 1 1 1 1 0 0 0 1\ns 0 0 0 1\n")).scene;
    let placed = scene.world_cameras()[0];
    let camera = scene.camera(placed.camera).unwrap();
    assert_eq!(camera.projection, Projection::Perspective { fov_y_radians: 40f32.to_radians() });
    assert_eq!(camera.aspect_ratio, Some(2.0));
    let view = placed.world_from_view;
    assert!(view.translation.abs_diff_eq(vec3(1.0, 2.0, 3.0), 1e-6));
    assert!((-view.matrix3.z_axis).abs_diff_eq(Vec3::NEG_Y, 1e-6), "it looks at (1, 0, 3)");
    assert!(view.matrix3.y_axis.abs_diff_eq(Vec3::Z, 1e-6));
}

#[test]
fn fills_are_diffuse_glossy_or_transparent_and_equal_ones_are_one() {
    let fills = "f 0.5 1 0 0.8 0 0 0 1\ns 0 0 0 1\nf 1 1 1 0.5 0.04 198 0 1\ns 0 0 0 1\nf 1 1 1 0 1 0 0.9 1.5\ns 0 0 0 1\nf 0.5 1 0 0.8 0 0 0 1\ns 0 0 0 1\n";
    let scene = loaded(fills).scene;
    let materials: Vec<_> = scene.materials().map(|(_, material)| material.surface.clone()).collect();
    let [Surface::Lambert { albedo }, Surface::MetallicRoughness { roughness, ior, .. }, glass] =
        &materials[..]
    else {
        panic!("{materials:?}")
    };
    assert!(albedo.factor.truncate().abs_diff_eq(vec3(0.4, 0.8, 0.0), 1e-6));
    // α = √(2/200) = 0.1; F₀ = 0.04 = (0.5 / 2.5)²
    assert!((roughness - 0.1f32.sqrt()).abs() < 1e-6 && (ior - 1.5).abs() < 1e-5);
    assert_eq!(*glass, Surface::smooth_dielectric(1.5, Vec3::splat(0.9)));
    let mesh = scene.meshes().next().unwrap().1.clone();
    assert_eq!(mesh.data().slots, [0, 1, 2, 0]);
}

#[test]
fn lamps_light_the_middle_of_the_scene() {
    let scene =
        loaded("l 0 0 2\nl 0 3 0 1 0.5 0\nb 0.1 0.2 0.3\nf 1 1 1 1 0 0 0 1\ns -1 0 0 1\ns 1 0 0 1\n").scene;
    let lamps: Vec<_> = scene.lights().map(|(_, light)| light.clone()).collect();
    assert!(lamps.iter().all(|lamp| lamp.kind == LightKind::Point));
    let irradiance = PI / 2f32.sqrt();
    assert!((lamps[0].emission / 4.0 - Vec3::splat(irradiance)).length() < 1e-5);
    assert!((lamps[1].emission / 9.0 - vec3(1.0, 0.5, 0.0) * irradiance).length() < 1e-5);
    assert_eq!(*scene.environment(), Environment::Constant { radiance: vec3(0.1, 0.2, 0.3) });
}

#[test]
fn faults_are_counted_and_the_rest_is_kept() {
    let text = "f 1 1 1 1 0 0 0 1 wood.png\ns 0 0 0 1\ns 0 0 nan 1\nq 1 2\ns 0 0 0 0\np 2\n0 0 0\n1 1 1\n";
    let loaded = loaded(text);
    assert_eq!(shapes(&loaded.scene).len(), 1);
    let messages: Vec<_> = loaded.report.entries.iter().map(|entry| entry.message.clone()).collect();
    assert!(messages.iter().any(|m| m.contains("statements ignored: 3")), "{messages:?}");
    assert!(messages.iter().any(|m| m.contains("faces skipped: 1")), "{messages:?}");
    assert!(messages.iter().any(|m| m.contains("textures of fills")), "{messages:?}");
    let error = load_bytes("a.nff".as_ref(), b"hello", &NoFiles).unwrap_err();
    assert_eq!((error.line(), error.column()), (Some(1), Some(1)), "{error}");
}

/// The statement after a number that is missing is not lost.
#[test]
fn a_missing_number_costs_one_statement() {
    let loaded = loaded("f 1 1 1 1 0 0 0 1\ns 0 0 0\ns 5 0 0 1\nl 1 2\ns 7 0 0 1\n");
    let centers: Vec<_> =
        shapes(&loaded.scene).iter().map(|ball| ball.object_from_unit.translation.x).collect();
    assert_eq!(centers, [5.0, 7.0]);
    let faults = loaded.report.entries.iter().find(|entry| entry.message.contains("statements ignored: 2"));
    assert!(faults.is_some(), "{:?}", loaded.report.entries);
}

#[test]
fn statements_may_share_a_line() {
    let loaded = loaded("f 1 1 1 1 0 0 0 1 l 1 2 3 s 5 0 0 1\n");
    assert_eq!((shapes(&loaded.scene).len(), loaded.scene.lights().count()), (1, 1));
}

#[test]
fn more_fills_than_slots_share_the_last_one() {
    let text: String = (0..66_000).map(|i| format!("f {i} 1 1 1 0 0 0 1\ns {i} 0 0 1\n")).collect();
    let loaded = loaded(&text);
    assert_eq!(loaded.scene.materials().count(), 65_535);
    let mesh = loaded.scene.meshes().next().unwrap().1.clone();
    assert_eq!((mesh.slot(65_533), mesh.slot(65_534), mesh.slot(65_999)), (65_533, 65_534, 65_534));
    let told = loaded.report.entries.iter().any(|entry| entry.message.contains("look like that: 465"));
    assert!(told, "{:?}", loaded.report.entries.len());
}
