//! Mixtures of scattering models reflect the weighted sum of what the models reflect.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Filter};
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_io::{NoFiles, load_bytes};
use sunfleck_math::Vec3;

/// Returns the mean of an image of a sphere on a floor below a lamp.
fn mean(bsdf: &str) -> Vec3 {
    let scene = format!(
        "<scene version='3.0.0'><sensor type='perspective'><float name='fov' value='40'/><transform name='to_world'>
        <lookat origin='0,2,-5' target='0,0,0' up='0,1,0'/></transform></sensor>
        <shape type='sphere'><bsdf type='twosided'>{bsdf}</bsdf></shape>
        <shape type='disk'><transform name='to_world'><scale value='5'/><rotate x='1' angle='-90'/>
        <translate y='-1'/></transform><bsdf type='diffuse'/></shape>
        <shape type='rectangle'><transform name='to_world'><rotate x='1' angle='90'/><translate y='4'/></transform>
        <emitter type='area'><rgb name='radiance' value='5 8 9'/></emitter></shape>
        <emitter type='constant'><rgb name='radiance' value='0.2'/></emitter></scene>"
    );
    let loaded = load_bytes(Path::new("a.xml"), scene.as_bytes(), &NoFiles).unwrap();
    let world = World::commit(&loaded.scene).unwrap();
    let placed = &world.cameras()[0];
    let mut algorithm: Algorithm = "path".parse().unwrap();
    algorithm.set("max_bounces", "1").unwrap();
    let (width, height) = (48, 48);
    let spec = ViewSpec {
        projection: placed.camera.projection,
        world_from_view: placed.world_from_view,
        width,
        height,
        sampler: "independent".parse().unwrap(),
        seed: 1,
        filter: Filter::Box,
        aovs: AovSet::EMPTY,
        occlusion_radius: 1.0,
        texture_footprint: 0.0,
        shows_environment: true,
    };
    let mut film = Film::new(width, height, AovSet::EMPTY);
    let stop = StopRules { samples: Some(256), ..StopRules::default() };
    let (view, cancel) = (View::new(&world, spec), AtomicBool::new(false));
    render(&view, &algorithm, &mut film, 0, &stop, &Schedule::default(), &cancel, &|_: &RenderProgress| ());
    film.radiance().pixels().iter().sum::<Vec3>() / (width * height) as f32
}

/// With one bounce the image is linear in the scattering model.
#[test]
fn blends_are_weighted_sums() {
    let metal = "<bsdf type='roughconductor'><string name='material' value='Au'/><float name='alpha' value='0.2'/></bsdf>";
    let plastic = "<bsdf type='roughplastic'><rgb name='diffuse_reflectance' value='0.1 0.2 0.8'/></bsdf>";
    let mirror = "<bsdf type='conductor'><string name='material' value='none'/></bsdf>";
    let rough = "<bsdf type='roughdiffuse'><rgb name='reflectance' value='0.8 0.1 0.1'/></bsdf>";
    for (first, second) in [(metal, plastic), (plastic, mirror), (rough, metal)] {
        let blend =
            format!("<bsdf type='blendbsdf'><float name='weight' value='0.3'/>{first}{second}</bsdf>");
        let (expected, found) = (mean(first) * 0.7 + mean(second) * 0.3, mean(&blend));
        let error = ((found - expected) / expected).abs().max_element();
        assert!(error < 5e-3, "{first} {second}: {found} instead of {expected}");
        let apart = ((mean(first) - expected) / expected).abs().max_element();
        assert!(apart > 2e-2, "the models differ too little for a test: {apart}");
    }
}
