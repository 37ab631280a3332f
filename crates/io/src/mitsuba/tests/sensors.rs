use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{CameraFilm, Projection};

use super::*;

/// Directions that the sensors of `mitsuba` 3.9.1 return for the lower right corner of a film of 200 × 100.
#[test]
fn fields_of_view_are_those_of_mitsuba() {
    let cases = [
        ("<float name='fov' value='40'/>", vec3(-0.3371, -0.1686, 0.9262)),
        ("<float name='fov' value='40'/><string name='fov_axis' value='y'/>", vec3(-0.5646, -0.2823, 0.7756)),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='diagonal'/>",
            vec3(-0.3059, -0.153, 0.9397),
        ),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='smaller'/>",
            vec3(-0.5646, -0.2823, 0.7756),
        ),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='larger'/>",
            vec3(-0.3371, -0.1686, 0.9262),
        ),
        ("<string name='focal_length' value='50mm'/>", vec3(-0.3552, -0.1776, 0.9178)),
        ("", vec3(-0.3552, -0.1776, 0.9178)),
    ];
    for (parameters, expected) in cases {
        let scene = loaded(&format!(
            "<sensor type='perspective'>{parameters}<film type='hdrfilm'><integer name='width' value='200'/>
            <integer name='height' value='100'/></film></sensor>"
        ))
        .scene;
        let placed = scene.world_cameras()[0];
        let camera = scene.camera(placed.camera).unwrap();
        assert_eq!(camera.aspect_ratio, Some(2.0));
        let Projection::Perspective { fov_y_radians } = camera.projection else { panic!("{camera:?}") };
        let half = sunfleck_math::tan(0.5 * fov_y_radians);
        let direction = placed.world_from_view.matrix3 * vec3(2.0 * half, -half, -1.0);
        assert!(direction.normalize_or(Vec3::ZERO).abs_diff_eq(expected, 2e-4), "{parameters}: {direction}");
    }
}

#[test]
fn films_and_crop_windows() {
    let film = |parameters: &str| {
        let scene =
            loaded(&format!("<sensor type='perspective'><film type='hdrfilm'>{parameters}</film></sensor>"));
        let camera = scene.scene.cameras().next().unwrap().1.clone();
        (camera.film.unwrap(), messages(&scene))
    };
    let integers = |values: &[(&str, i32)]| -> String {
        values.iter().map(|(name, value)| format!("<integer name='{name}' value='{value}'/>")).collect()
    };
    let size = [("width", 200), ("height", 100)];
    assert_eq!(film("").0, CameraFilm { width: 768, height: 576, crop: None });
    assert_eq!(film(&integers(&size)).0, CameraFilm { width: 200, height: 100, crop: None });
    let window = [("crop_offset_x", 150), ("crop_offset_y", 20), ("crop_width", 40), ("crop_height", 30)];
    let (found, notes) = film(&(integers(&size) + &integers(&window)));
    assert_eq!(found, CameraFilm { width: 200, height: 100, crop: Some([150, 20, 40, 30]) });
    assert!(!notes.contains("crop"), "{notes}");
    let (found, notes) = film(&(integers(&size) + &integers(&[("crop_offset_x", 300)])));
    assert_eq!(found.crop, None);
    assert!(notes.contains("the crop window of the film is empty"), "{notes}");
}

#[test]
fn other_sensors() {
    let scene = loaded(
        "<sensor type='orthographic'><transform name='to_world'><scale x='3' y='3'/></transform>
        <film type='hdrfilm'><integer name='width' value='200'/><integer name='height' value='100'/></film></sensor>
        <sensor type='thinlens'><float name='fov' value='90'/><float name='aperture_radius' value='0.1'/>
        <float name='focus_distance' value='5'/><film type='hdrfilm'><integer name='width' value='10'/>
        <integer name='height' value='10'/></film></sensor><sensor type='irradiancemeter'/>",
    );
    let projections: Vec<Projection> = scene.scene.cameras().map(|(_, camera)| camera.projection).collect();
    assert_eq!(projections[0], Projection::Orthographic { height: 3.0 });
    let Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } = projections[1] else {
        panic!()
    };
    assert!((fov_y_radians - 90f32.to_radians()).abs() < 1e-6);
    assert_eq!((lens_radius, focus_distance), (0.1, 5.0));
    assert!(messages(&scene).contains("sensor \"irradiancemeter\" is not supported"), "{}", messages(&scene));
}
