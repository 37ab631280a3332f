//! Text, transforms, attributes, included files, the camera.

use std::f32::consts::FRAC_PI_2;

use sunfleck_math::{Vec3, atan2, vec3};
use sunfleck_scene::{CameraFilm, Projection};

use super::*;

/// Returns the centres of all instances in the world.
fn centers(scene: &Scene) -> Vec<Vec3> {
    let placed = scene.world_instances();
    placed.iter().map(|instance| instance.world_from_object.transform_point3(Vec3::ZERO)).collect()
}

fn assert_near(found: &[Vec3], expected: &[Vec3]) {
    let is_near =
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-5));
    assert!(is_near, "{found:?}, expected {expected:?}");
}

#[test]
fn transforms_apply_to_what_follows() {
    let text = "WorldBegin Translate 1 2 3 Rotate 90 0 0 1
        AttributeBegin Scale 2 2 2 Translate 1 0 0 Shape \"sphere\" AttributeEnd
        TransformBegin Identity Shape \"sphere\" TransformEnd
        CoordinateSystem \"here\" Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 9 1] Shape \"sphere\"
        ConcatTransform [1 0 0 0 0 1 0 0 0 0 1 0 5 0 0 1] Shape \"sphere\"
        CoordSysTransform \"here\" Translate 0 1 0 Shape \"sphere\"";
    let expected = [[1., 4., 3.], [0., 0., 0.], [0., 0., 9.], [5., 0., 9.], [0., 2., 3.]].map(Vec3::from);
    assert_near(&centers(&loaded(text).scene), &expected);
}

#[test]
fn motion_is_that_of_its_beginning() {
    let text = "WorldBegin ActiveTransform EndTime Translate 9 9 9 ActiveTransform StartTime Translate 1 0 0
        ActiveTransform All Translate 0 1 0 Shape \"sphere\"";
    assert_near(&centers(&loaded(text).scene), &[vec3(1.0, 1.0, 0.0)]);
}

#[test]
fn attributes_are_defaults_of_their_kind() {
    let text =
        "WorldBegin AttributeBegin Attribute \"shape\" \"float radius\" 3 Shape \"sphere\" AttributeEnd
        Shape \"sphere\"";
    let loaded = loaded(text);
    let radii: Vec<f32> = loaded.scene.meshes().map(|(_, mesh)| mesh.bounds().size().x / 2.0).collect();
    assert!((radii[0] - 3.0).abs() < 1e-4 && (radii[1] - 1.0).abs() < 1e-4, "{radii:?}");
}

#[test]
fn objects_have_instances() {
    let text = "WorldBegin Translate 1 0 0 ObjectBegin \"pair\" Shape \"sphere\" Translate 0 1 0 Shape \"sphere\" ObjectEnd
        Identity ObjectInstance \"pair\" Translate 0 0 5 Scale 2 2 2 ObjectInstance \"pair\" ObjectInstance \"none\"";
    let loaded = loaded(text);
    let expected = [[1., 0., 0.], [1., 1., 0.], [2., 0., 5.], [2., 2., 5.]].map(Vec3::from);
    assert_near(&centers(&loaded.scene), &expected);
    assert_eq!(loaded.scene.meshes().len(), 2, "instances share their meshes");
    assert!(messages(&loaded).contains("there is no object \"none\""), "{}", messages(&loaded));
}

/// The rows of the image of a camera at (0, 0, 5) that looks at the origin: +x of a left-handed world is on its left
/// where a right-handed one has it on the right.
#[test]
fn worlds_that_are_left_handed_are_reflected() {
    let left_handed =
        "LookAt 0 0 5 0 0 0 0 1 0 Camera \"perspective\" WorldBegin Translate 1 0 0 Shape \"sphere\"";
    let right_handed = format!("Scale -1 1 1 {left_handed}");
    for (text, x) in [(left_handed, -1.0), (&right_handed, 1.0)] {
        let loaded = load_bytes("a.pbrt".as_ref(), text.as_bytes(), &NoFiles).unwrap();
        let (_, node) = camera_of(&loaded.scene);
        let m = node.parent_from_node;
        assert!(m.matrix3.determinant() > 0.99, "cameras are not reflected");
        assert!(from_camera(&node, Vec3::ZERO).abs_diff_eq(vec3(0.0, 0.0, 5.0), 1e-5));
        assert!(m.transform_vector3(Vec3::NEG_Z).abs_diff_eq(Vec3::NEG_Z, 1e-5), "it looks along -z");
        assert!(m.transform_vector3(Vec3::Y).abs_diff_eq(Vec3::Y, 1e-5));
        assert_near(&centers(&loaded.scene), &[vec3(x, 0.0, 0.0)]);
    }
}

#[test]
fn the_field_of_view_is_that_of_the_shorter_axis() {
    let fov_y = |film: &str, camera: &str| {
        let text = format!("Film \"rgb\" {film} Camera \"perspective\" {camera} WorldBegin Shape \"sphere\"");
        let loaded = load_bytes("a.pbrt".as_ref(), text.as_bytes(), &NoFiles).unwrap();
        let (camera, _) = camera_of(&loaded.scene);
        let (Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. }) =
            camera.projection
        else {
            panic!("{camera:?}")
        };
        (fov_y_radians, camera.aspect_ratio.unwrap())
    };
    let size = |x: u32, y: u32| format!("\"integer xresolution\" {x} \"integer yresolution\" {y}");
    let fov = "\"float fov\" 90";
    assert_eq!(fov_y("", fov), (FRAC_PI_2, 1280.0 / 720.0));
    assert_eq!(fov_y(&size(200, 100), fov), (FRAC_PI_2, 2.0));
    let (tall, aspect) = fov_y(&size(100, 200), fov);
    assert!((tall - 2.0 * atan2(2.0, 1.0)).abs() < 1e-6 && aspect == 0.5, "{tall} {aspect}");
    let (window, aspect) = fov_y(&size(100, 100), "\"float fov\" 90 \"float screenwindow\" [-1 1 -0.5 0.5]");
    assert!((window - 2.0 * atan2(0.5, 1.0)).abs() < 1e-6 && aspect == 2.0, "{window} {aspect}");
}

#[test]
fn films_and_crop_windows() {
    let film = |film: &str| {
        let text = format!(
            "Film \"rgb\" \"integer xresolution\" 200 \"integer yresolution\" 100 {film} Camera \"perspective\"
            WorldBegin Shape \"sphere\""
        );
        camera_of(&load_bytes("a.pbrt".as_ref(), text.as_bytes(), &NoFiles).unwrap().scene).0.film.unwrap()
    };
    let whole = CameraFilm { width: 200, height: 100, crop: None };
    assert_eq!(film(""), whole);
    // Columns ⌈0.251 · 200⌉ = 51 to 100, rows ⌈49.9⌉ = 50 to 75
    let window = film("\"float cropwindow\" [0.251 0.5 0.499 0.75]");
    assert_eq!(window, CameraFilm { crop: Some([51, 50, 49, 25]), ..whole });
    let bounds = film("\"integer pixelbounds\" [10 30 -5 20]");
    assert_eq!(bounds, CameraFilm { crop: Some([10, 0, 20, 20]), ..whole });
    assert_eq!(film("\"integer pixelbounds\" [10 10 0 20]"), whole);
    // The crop window comes first, and ends may be in any order
    let both = film("\"integer pixelbounds\" [10 30 -5 20] \"float cropwindow\" [0.251 0.5 0.499 0.75]");
    assert_eq!(both, window);
    assert_eq!(film("\"float cropwindow\" [0.5 0.251 0.75 0.499]"), window);
    assert_eq!(film("\"integer pixelbounds\" [30 10 20 -5]"), bounds);
    assert_eq!(
        film("\"float cropwindow\" [0.5 9 -1 0.5]"),
        CameraFilm { crop: Some([100, 0, 100, 50]), ..whole }
    );
}

#[test]
fn lenses_and_parallel_rays() {
    let text = "Film \"rgb\" \"integer xresolution\" 100 \"integer yresolution\" 200 Scale 0.5 0.5 0.5
        Camera \"perspective\" \"float lensradius\" 0.1 \"float focaldistance\" 3 WorldBegin Shape \"sphere\"";
    let camera =
        |text: &str| camera_of(&load_bytes("a.pbrt".as_ref(), text.as_bytes(), &NoFiles).unwrap().scene).0;
    let Projection::ThinLens { lens_radius, focus_distance, .. } = camera(text).projection else {
        panic!("a lens")
    };
    // Lengths are those of the space of the camera, which is half as large as the world
    assert!((lens_radius - 0.2).abs() < 1e-6 && (focus_distance - 6.0).abs() < 1e-5);
    let parallel = text.replace("perspective", "orthographic");
    assert_eq!(camera(&parallel).projection, Projection::Orthographic { height: 8.0 });
}

#[test]
fn files_are_included_and_compressed_ones_are_read() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"Shape \"sphere\"").unwrap();
    let zipped = encoder.finish().unwrap();
    let files: [(&str, &[u8]); 2] =
        [("b.pbrt", b"Translate 1 0 0 Import \"c.pbrt.gz\""), ("c.pbrt.gz", &zipped)];
    let loaded = loaded_with("WorldBegin Include \"b.pbrt\" Include \"b.pbrt\"", &files);
    assert_near(&centers(&loaded.scene), &[Vec3::X, Vec3::X * 2.0]);
}

/// An imported file is read with a copy of the graphics state.
#[test]
fn an_import_changes_no_state_of_the_file_that_has_it() {
    let part: [(&str, &[u8]); 1] = [("b.pbrt", b"Translate 1 0 0 Shape \"sphere\"")];
    let imported = loaded_with("WorldBegin Import \"b.pbrt\" Shape \"sphere\"", &part);
    assert_near(&centers(&imported.scene), &[Vec3::X, Vec3::ZERO]);
    let included = loaded_with("WorldBegin Include \"b.pbrt\" Shape \"sphere\"", &part);
    assert_near(&centers(&included.scene), &[Vec3::X, Vec3::X]);
    let error = error_with("WorldBegin Import \"b.pbrt\"", &[("b.pbrt", "AttributeBegin")]);
    assert_eq!(error, "a.pbrt:1:12: \"b.pbrt\" ends within attributes that it begins");
}

#[test]
fn errors_of_included_files_have_both_places() {
    let error = error_with("\n Include \"b.pbrt\"", &[("b.pbrt", "Identity\n  Shap \"sphere\"")]);
    assert_eq!(error, "a.pbrt:2:2: b.pbrt:2:3: \"Shap\" is not a directive");
    let files = [("b.pbrt", "Include \"c.pbrt\""), ("c.pbrt", "Include \"b.pbrt\"")];
    let error = error_with("Include \"b.pbrt\"", &files);
    assert_eq!(error, "a.pbrt:1:1: c.pbrt:1:1: \"b.pbrt\" includes itself");
    let error = error_with("Include \"no.pbrt\"", &[]);
    assert_eq!(error, "a.pbrt:1:1: cannot read no.pbrt: file not found");
}

#[test]
fn errors_have_places() {
    for (text, expected) in [
        ("Shape sphere", "a.pbrt:1:7: a name is missing, which must be in quotation marks"),
        ("WorldBegin\n AttributeEnd", "a.pbrt:2:2: this end has no beginning of its kind"),
        ("AttributeBegin TransformEnd", "this end has no beginning of its kind"),
        ("Translate 1 2", "a.pbrt:1:11: 3 numbers are expected here"),
        ("Translate 1 2 3 4", "3 numbers are expected here"),
        ("Scale [1 2 3", "3 numbers are expected here"),
        ("Transform [1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1]", "not affine"),
        ("LookAt 0 0 0 0 0 0 0 0 1", "do not define a direction"),
        ("Scale 0 1 1 Camera \"perspective\"", "the transform of the camera has no inverse"),
        ("\"a\"", "\"a\" is not a directive"),
        ("]", "a bracket without a directive"),
        ("\"a", "a.pbrt:1:1: the string does not end"),
        ("MakeNamedMaterial \"a\"", "the material \"a\" has no \"type\""),
        ("ObjectBegin \"a\" ObjectBegin \"b\"", "an object cannot be within another one"),
        ("ObjectBegin \"a\" Shape \"sphere\"", "the object does not end"),
        ("ObjectEnd", "no object begins before this end"),
        ("Attribute \"x\" \"float a\" 1", "there are no attributes of \"x\""),
        ("Camera \"perspective\" \"float fov\" 180", "a field of view of 180° is not possible"),
        ("Film \"rgb\" \"integer xresolution\" 0 Camera \"perspective\"", "a film of 0 × 720 pixels"),
        ("Shape \"plymesh\" \"string filename\" \"a.ply\"", "a.pbrt:1:1: cannot read a.ply"),
        (
            "Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point3 P\" [0 0 0]",
            "an index is not below 1",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn what_is_not_used_is_named_once() {
    let text = "Sampler \"halton\" Integrator \"path\" PixelFilter \"box\"
        WorldBegin MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" MediumInterface \"fog\" \"\"
        Shape \"sphere\" \"float radius\" 2 \"float colour\" 3 Shape \"curve\" Shape \"sphere\" \"float zmax\" 0.5";
    let messages = messages(&loaded(text));
    for expected in [
        "the integrator, the sampler and the filter are not part of a scene",
        "participating media are part of the scene, but not rendered yet",
        "\"colour\" of \"sphere\" is not used",
        "the shape \"curve\" is not supported and is left out",
        "a part of a shape \"sphere\" is not supported: it is whole",
    ] {
        assert_eq!(messages.matches(expected).count(), 1, "{expected}\n{messages}");
    }
}
