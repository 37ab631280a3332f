//! Mixtures of scattering models reflect the weighted sum of what the models reflect.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

mod common;

use std::path::Path;

use sunfleck_image::Filter;
use sunfleck_integrators::World;
use sunfleck_io::{NoFiles, load_bytes};
use sunfleck_math::Vec3;

use common::{ImageSetup, image};

/// Returns the mean of an image of a sphere on a floor below a lamp.
fn mean(bsdf: &str) -> Vec3 {
    mean_with_lamp(bsdf, "<bsdf type='diffuse'/>")
}

/// * `lamp` — scattering model of the lamp, which the camera does not see.
fn mean_with_lamp(bsdf: &str, lamp: &str) -> Vec3 {
    let scene = format!(
        "<scene version='3.0.0'><sensor type='perspective'><float name='fov' value='40'/><transform name='to_world'>
        <lookat origin='0,2,-5' target='0,0,0' up='0,1,0'/></transform></sensor>
        <shape type='sphere'><bsdf type='twosided'>{bsdf}</bsdf></shape>
        <shape type='disk'><transform name='to_world'><scale value='5'/><rotate x='1' angle='-90'/>
        <translate y='-1'/></transform><bsdf type='diffuse'/></shape>
        <shape type='rectangle'><transform name='to_world'><rotate x='1' angle='90'/><translate y='4'/></transform>
        {lamp}<emitter type='area'><rgb name='radiance' value='5 8 9'/></emitter></shape>
        <emitter type='constant'><rgb name='radiance' value='0.2'/></emitter></scene>"
    );
    let loaded = load_bytes(Path::new("a.xml"), scene.as_bytes(), &NoFiles).unwrap();
    let setup = ImageSetup {
        size: [48, 48],
        samples: 256,
        sampler: "independent",
        seed: 1,
        filter: Filter::Box,
        max_bounces: Some(1),
    };
    let pixels = image(&World::commit(&loaded.scene).unwrap(), &setup);
    pixels.iter().sum::<Vec3>() / pixels.len() as f32
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

/// Light sampling and rays that hit the lamp find its radiance once, whatever its layers.
#[test]
fn a_lamp_with_a_mixture_is_as_bright_as_another_one() {
    let mirror = "<bsdf type='conductor'><string name='material' value='none'/></bsdf>";
    let blend = format!(
        "<bsdf type='blendbsdf'><float name='weight' value='0.3'/><bsdf type='diffuse'/>{mirror}</bsdf>"
    );
    for sphere in ["<bsdf type='diffuse'/>", mirror] {
        let (expected, found) = (mean(sphere), mean_with_lamp(sphere, &blend));
        let error = ((found - expected) / expected).abs().max_element();
        assert!(error < 5e-3, "{sphere}: {found} instead of {expected}");
    }
}
