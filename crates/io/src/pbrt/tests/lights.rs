use std::f32::consts::{FRAC_1_SQRT_2, PI};

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Environment, Light, LightKind, SpotFalloff};

use super::*;

/// Returns the only light, where it is, and the direction along its −z axis.
fn light(text: &str) -> (Light, Vec3, Vec3) {
    let loaded = loaded(&format!("WorldBegin Shape \"sphere\" {text}"));
    let node = loaded.scene.nodes().map(|(_, node)| node).find(|node| node.light.is_some()).unwrap();
    let light = loaded.scene.light(node.light.unwrap()).unwrap().clone();
    let m = node.parent_from_node;
    (light, m.translation, m.transform_vector3(Vec3::NEG_Z))
}

fn near(found: Vec3, expected: Vec3) {
    assert!(
        (found - expected).abs().max_element() <= 1e-4 * expected.length().max(1.0),
        "{found} {expected}"
    );
}

#[test]
fn lights_at_points() {
    let (point, place, _) = light(
        "Translate 1 0 0 LightSource \"point\" \"rgb I\" [1 2 3] \"float scale\" 2 \"point3 from\" [0 4 0]",
    );
    assert_eq!(point.kind, LightKind::Point);
    near(point.emission, vec3(2.0, 4.0, 6.0));
    near(place, vec3(1.0, 4.0, 0.0));
    let (power, ..) = light("LightSource \"point\" \"float power\" 100");
    near(power.emission, Vec3::splat(100.0 / (4.0 * PI)));
    let (spot, _, along) = light(
        "LightSource \"spot\" \"float coneangle\" 60 \"float conedeltaangle\" 15 \"point3 to\" [0 -2 0]
         \"float power\" 10",
    );
    near(along, Vec3::NEG_Y);
    let LightKind::Spot { inner_radians, outer_radians, falloff: SpotFalloff::Smooth } = spot.kind else {
        panic!("a spot")
    };
    near(vec3(inner_radians, outer_radians, 0.0), vec3(PI / 4.0, PI / 3.0, 0.0));
    // 2π (1 − cos 45° + (cos 45° − cos 60°) / 2)
    near(spot.emission, Vec3::splat(10.0 / (2.0 * PI * (1.0 - FRAC_1_SQRT_2 + 0.5 * (FRAC_1_SQRT_2 - 0.5)))));
}

#[test]
fn lights_from_afar() {
    let (distant, _, along) = light(
        "Rotate 90 1 0 0 LightSource \"distant\" \"point3 from\" [0 0 0] \"point3 to\" [0 3 0] \"rgb L\" [1 1 2]
         \"float illuminance\" 5",
    );
    assert_eq!(distant.kind, LightKind::Directional);
    near(along, Vec3::Z);
    near(distant.emission, vec3(5.0, 5.0, 10.0));
    let sky = |text: &str| *loaded(&format!("WorldBegin Shape \"sphere\" {text}")).scene.environment();
    let constant = Environment::Constant { radiance: vec3(0.5, 1.0, 1.5) };
    assert_eq!(sky("LightSource \"infinite\" \"rgb L\" [1 2 3] \"float scale\" 0.5"), constant);
    let Environment::Constant { radiance } = sky("LightSource \"infinite\" \"float illuminance\" 2") else {
        panic!()
    };
    near(radiance, Vec3::splat(2.0 / PI));
}

/// Spectra of lights have the luminance 1 in version 4; in version 3 their values count.
#[test]
fn spectra_of_lights() {
    let luminance = |color: Vec3| color.dot(vec3(0.2126, 0.7152, 0.0722));
    let of_4 = light("LightSource \"point\" \"spectrum I\" [300 5 900 5] \"float scale\" 3").0.emission;
    assert!((luminance(of_4) - 3.0).abs() < 1e-3, "{of_4}");
    let warm = light("LightSource \"point\" \"blackbody I\" 2700").0.emission;
    assert!((luminance(warm) - 1.0).abs() < 1e-3 && warm.x > 1.5 && warm.z < 0.4, "{warm}");
    let of_3 = light("LightSource \"point\" \"spectrum I\" [300 5 900 5] \"color scale\" [3 3 3]").0.emission;
    assert!((luminance(of_3) - 15.0).abs() < 0.02, "{of_3}");
    let named = light("LightSource \"point\" \"spectrum I\" \"stdillum-D65\"").0.emission;
    near(named / 100.0, Vec3::splat(0.01));
}

#[test]
fn shapes_emit() {
    let emission = |text: &str| material_of(&loaded(&format!("WorldBegin {text}")));
    let lamp = emission("AreaLightSource \"diffuse\" \"rgb L\" [1 2 3] \"float scale\" 2 Shape \"sphere\"");
    near(lamp.emission.radiance, vec3(2.0, 4.0, 6.0));
    assert!(!lamp.double_sided);
    assert!(emission("AreaLightSource \"diffuse\" \"bool twosided\" true Shape \"disk\"").double_sided);
    // A sphere of radius 2 · 3 has the area 4π · 36
    let power = "AreaLightSource \"diffuse\" \"float power\" 100";
    let sphere = emission(&format!("Scale 3 3 3 {power} Shape \"sphere\" \"float radius\" 2"));
    near(sphere.emission.radiance, Vec3::splat(100.0 / (4.0 * PI * 36.0 * PI)));
    let square = "Shape \"bilinearmesh\" \"point3 P\" [0 0 0 2 0 0 0 2 0 2 2 0]";
    let square = emission(&format!("Scale 1 3 1 {power} \"bool twosided\" true {square}"));
    near(square.emission.radiance, Vec3::splat(100.0 / (2.0 * 12.0 * PI)));
    let after =
        loaded(&format!("WorldBegin AttributeBegin {power} Shape \"sphere\" AttributeEnd Shape \"disk\""));
    assert_eq!(after.scene.materials().filter(|(_, m)| m.emission.radiance != Vec3::ZERO).count(), 1);
}

/// The map is white in the upper half of pbrt's world, where z is up.
#[test]
fn environment_maps_have_z_up() {
    let mut hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n".to_vec();
    hdr.extend([[128, 128, 128, 129]; 4].as_flattened());
    hdr.extend([[0, 0, 0, 0]; 4].as_flattened());
    let text = "Camera \"perspective\" WorldBegin Shape \"sphere\"
        LightSource \"infinite\" \"string filename\" \"sky.hdr\" \"float scale\" 3";
    let loaded = loaded_with(text, &[("sky.hdr", &hdr)]);
    let Environment::Map { texture, scale, rotation_y_radians, .. } = *loaded.scene.environment() else {
        panic!("a map")
    };
    assert_eq!((scale, rotation_y_radians), (Vec3::splat(3.0), 0.0));
    let texture = loaded.scene.texture(texture).unwrap();
    let sunfleck_scene::Texels::Float(texels) = texture.texels() else { panic!("floats") };
    // +z is where the left and the right edge meet, −z the middle
    for row in 0..2 {
        assert!(texels[4 * row][0] > 0.5 && texels[4 * row + 3][0] > 0.5, "{texels:?}");
        assert!(texels[4 * row + 1][0] < 0.5 && texels[4 * row + 2][0] < 0.5, "{texels:?}");
    }
}

#[test]
fn shapes_of_objects_are_no_lights() {
    let text = "WorldBegin ObjectBegin \"o\" AreaLightSource \"diffuse\" Shape \"sphere\" ObjectEnd
        ObjectInstance \"o\"";
    let loaded = loaded(text);
    assert_eq!(material_of(&loaded).emission.radiance, Vec3::ZERO);
    assert!(loaded.report.entries.iter().any(|entry| entry.message.contains("within objects")));
}
