use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Alpha, Environment, LightKind, SpotFalloff, Surface};

use super::*;

#[test]
fn lights() {
    let scene = loaded(
        "<emitter type='point'><rgb name='intensity' value='300'/><point name='position' x='1' y='2' z='3'/></emitter>
        <emitter type='directional'><vector name='direction' value='0,0,-1'/></emitter>
        <emitter type='spot'><transform name='to_world'><lookat origin='0,5,0' target='0,0,0' up='1,0,0'/></transform>
        <float name='cutoff_angle' value='40'/></emitter>
        <emitter type='constant'><rgb name='radiance' value='1 2 3'/></emitter>",
    )
    .scene;
    let lights: Vec<_> = scene.lights().map(|(_, light)| light.clone()).collect();
    assert_eq!((lights[0].emission, lights[0].kind), (Vec3::splat(300.0), LightKind::Point));
    assert_eq!((lights[1].emission, lights[1].kind), (Vec3::ONE, LightKind::Directional));
    let LightKind::Spot { inner_radians, outer_radians, falloff: SpotFalloff::Linear } = lights[2].kind
    else {
        panic!()
    };
    assert!(
        (inner_radians - 30f32.to_radians()).abs() < 1e-6
            && (outer_radians - 40f32.to_radians()).abs() < 1e-6
    );
    let placed = scene.world_lights();
    assert_eq!(placed[0].world_from_light.translation, vec3(1.0, 2.0, 3.0));
    assert!((-placed[1].world_from_light.matrix3.z_axis).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((-placed[2].world_from_light.matrix3.z_axis).abs_diff_eq(Vec3::NEG_Y, 1e-6));
    assert_eq!(*scene.environment(), Environment::Constant { radiance: vec3(1.0, 2.0, 3.0) });
}

#[test]
fn an_environment_map_has_its_middle_at_z() {
    let map = b"P6 4 2 255\n............++++++++++++";
    let envmap = |turn: &str| {
        let emitter = format!(
            "<emitter type='envmap'><string name='filename' value='m.ppm'/><float name='scale' value='2'/>
            <transform name='to_world'>{turn}</transform></emitter>"
        );
        *loaded_with(&emitter, &[("m.ppm", map)]).scene.environment()
    };
    let Environment::Map { rotation_y_radians, scale, .. } = envmap("<rotate y='1' angle='90'/>") else {
        panic!()
    };
    assert!((rotation_y_radians - 270f32.to_radians()).abs() < 1e-6, "{rotation_y_radians}");
    assert_eq!(scale, Vec3::splat(2.0));
    let Environment::Map { rotation_y_radians, .. } = envmap("<rotate x='1' angle='90'/>") else { panic!() };
    assert_eq!(rotation_y_radians, 0.0, "the pixels are turned");
}

/// Values that the textures of `mitsuba` 3.9.1, `scalar_rgb`, return.
#[test]
fn emission_as_a_number_and_as_a_spectrum() {
    let radiance = |radiance: &str| {
        material(&format!("<shape type='sphere'><emitter type='area'>{radiance}</emitter></shape>"))
            .emission
            .radiance
    };
    let number = "<spectrum name='radiance' value='2'/>";
    assert!(radiance(number).abs_diff_eq(vec3(2.41, 1.90, 1.82), 5e-3), "{}", radiance(number));
    let uniform = "<spectrum name='radiance' type='uniform'><float name='value' value='2'/></spectrum>";
    assert_eq!(radiance(uniform), Vec3::splat(2.0));
    let daylight = "<spectrum name='radiance' type='d65'><rgb name='color' value='1 0.5 0.2'/>
        <float name='scale' value='2'/></spectrum>";
    assert!(radiance(daylight).abs_diff_eq(vec3(2.0, 1.0, 0.4), 1e-6), "{}", radiance(daylight));
}

#[test]
fn a_light_without_a_surface_emits() {
    let lamp = material(
        "<shape type='sphere'><bsdf type='null'/><emitter type='area'><rgb name='radiance' value='3'/></emitter></shape>",
    );
    assert_eq!((lamp.alpha, lamp.emission.radiance), (Alpha::Opaque, Vec3::splat(3.0)));
    assert_eq!(lamp.surface, Surface::Lambert { albedo: Vec3::ZERO.into() });
}
