//! Furnace tests: enclosures of known radiance, for every integrator, sampler and camera.

use std::f32::consts::{FRAC_PI_2, PI};

use crate::common::{
    TestSetup, add, algorithm, light_transport_algorithms, mean, mesh_scene, render_scene, sphere,
};
use sunfleck_integrators::Algorithm;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_sampling::SamplerKind;
use sunfleck_scene::{Environment, Light, LightKind, Material, MeshData, Node, Projection, Scene, Surface};

const CAMERAS: [Projection; 3] = [
    Projection::Perspective { fov_y_radians: FRAC_PI_2 },
    Projection::Orthographic { height: 0.5 },
    Projection::ThinLens { fov_y_radians: FRAC_PI_2, lens_radius: 0.1, focus_distance: 0.8 },
];

/// Scene of a closed sphere of albedo ½ and emission ½. Its radiance is ½ + ½ · 1 = 1.
fn emissive_sphere() -> Scene {
    let walls = Material::lambert("walls", Vec3::splat(0.5)).with_emission(Vec3::splat(0.5));
    mesh_scene(sphere(3, true, false), walls, Environment::Black)
}

/// Scene of a point light of intensity π in a sphere of albedo ½. The irradiance is π, the radiance after one bounce ½,
/// and after all bounces 1.
fn sphere_around_a_point_light() -> Scene {
    let walls = Material::lambert("walls", Vec3::splat(0.5));
    let mut scene = mesh_scene(sphere(5, true, true), walls, Environment::Black);
    let light = Light { name: "point".into(), emission: Vec3::splat(PI), kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    scene.add_node(Node::new("light").with_light(light)).unwrap();
    scene
}

#[test]
fn closed_sphere_is_1_for_every_integrator_sampler_and_camera() {
    for (name, scene) in [("emissive", emissive_sphere()), ("point light", sphere_around_a_point_light())] {
        for algorithm in light_transport_algorithms() {
            for &sampler in SamplerKind::ALL {
                for projection in CAMERAS {
                    let setup =
                        TestSetup { algorithm, sampler, projection, samples: 256, ..TestSetup::default() };
                    let found = mean(&render_scene(&scene, &setup));
                    let error = (found - Vec3::ONE).abs().max_element();
                    // The ambient constant of `whitted` is an estimate of a few thousand probes
                    let tolerance = if matches!(algorithm, Algorithm::Path(_)) { 0.01 } else { 0.03 };
                    assert!(error < tolerance, "{name} {algorithm} {sampler:?} {projection:?}: {found}");
                }
            }
        }
    }
}

/// The walls of a box that touches the coordinate planes have coordinates of exactly 0, so their error bound is 0 in
/// one axis when rays are spawned.
#[test]
fn closed_box_at_the_origin_is_1() {
    let corner = |i: u32| vec3((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 5.5;
    let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let mesh = MeshData {
        positions: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        ..MeshData::default()
    };
    let walls = Material::lambert("walls", Vec3::splat(0.5)).with_emission(Vec3::splat(0.5));
    let scene = mesh_scene(mesh, walls.with_double_sided(), Environment::Black);
    let world_from_view =
        sunfleck_math::transform::look_at(vec3(3.0, 2.0, 4.0), vec3(0.0, 0.0, 0.0), Vec3::Y);
    for algorithm in light_transport_algorithms() {
        let setup = TestSetup { algorithm, world_from_view, samples: 256, ..TestSetup::default() };
        let found = mean(&render_scene(&scene, &setup));
        assert!((found - Vec3::ONE).abs().max_element() < 0.03, "{algorithm}: {found}");
    }
}

#[test]
fn direct_light_alone_is_less() {
    let setup = TestSetup {
        algorithm: algorithm("path", &[("max_bounces", "1")]),
        samples: 256,
        ..TestSetup::default()
    };
    let found = mean(&render_scene(&emissive_sphere(), &setup)).x;
    assert!((found - 0.75).abs() < 0.01, "emission ½ and one bounce, ½ · ½, are 0.75, found {found}");
}

#[test]
fn an_empty_scene_shows_its_constant_environment() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: vec3(0.25, 0.5, 1.0) }).unwrap();
    for algorithm in light_transport_algorithms() {
        let found = mean(&render_scene(&scene, &TestSetup { algorithm, ..TestSetup::default() }));
        assert!((found - vec3(0.25, 0.5, 1.0)).length() < 1e-6, "{algorithm}: {found}");
    }
}

/// A sphere that absorbs no light is invisible in a constant environment.
#[test]
fn white_furnace_of_every_material() {
    let metal = |roughness| Material::metallic_roughness("metal", Vec3::ONE, 1.0, roughness);
    let plastic = |roughness| Material::metallic_roughness("plastic", Vec3::ONE, 0.0, roughness);
    let conductor = |roughness, beckmann| Surface::Conductor {
        reflectance: Vec3::ONE.into(),
        eta: Vec3::ZERO,
        k: Vec3::ONE,
        roughness,
        anisotropy: 0.0,
        roughness_texture: None,
        beckmann,
    };
    let coated = Surface::Plastic {
        diffuse: Vec3::ONE.into(),
        specular: Vec3::ONE,
        ior: 1.5,
        roughness: 0.0,
        nonlinear: true,
        beckmann: false,
    };
    let frosted = |beckmann| Surface::Dielectric {
        ior: 1.5,
        tint: Vec3::ONE,
        roughness: 0.15,
        anisotropy: 0.0,
        beckmann,
    };
    let materials = [
        ("smooth conductor", Material::new("conductor", conductor(0.0, false))),
        ("conductor", Material::new("conductor", conductor(0.15, true))),
        ("coated", Material::new("coated", coated)),
        ("frosted, GGX", Material::new("frosted", frosted(false))),
        ("frosted, Beckmann", Material::new("frosted", frosted(true))),
        ("lambert", Material::lambert("white", Vec3::ONE)),
        ("mirror", Material::mirror("mirror", Vec3::ONE)),
        ("glass", Material::dielectric("glass", 1.5)),
        ("smooth metal", metal(0.05)),
        ("metal", metal(0.3)),
        ("rough metal", metal(1.0)),
        ("half metal", Material::metallic_roughness("half", Vec3::ONE, 0.5, 0.5)),
        ("smooth plastic", plastic(0.1)),
        ("rough plastic", plastic(0.9)),
    ];
    for (name, material) in materials {
        let scene =
            mesh_scene(sphere(4, false, false), material, Environment::Constant { radiance: Vec3::ONE });
        let setup = TestSetup {
            projection: Projection::Orthographic { height: 1.2 },
            world_from_view: Affine3::from_translation(vec3(0.0, 0.0, 4.0)),
            samples: 256,
            ..TestSetup::default()
        };
        let found = mean(&render_scene(&scene, &setup));
        assert!((found - Vec3::ONE).abs().max_element() < 0.01, "{name}: {found}");
    }
}

/// A black surface of alpha ¼ in an environment of radiance 1 passes ¾ of the rays.
#[test]
fn blended_surfaces_transmit_by_their_alpha() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    let mut black = Material::lambert("veil", Vec3::ZERO);
    black.alpha = sunfleck_scene::Alpha::Blend;
    if let Surface::Lambert { albedo } = &mut black.surface {
        albedo.factor.w = 0.25;
    }
    add(&mut scene, crate::common::rectangle(10.0, 10.0), black, Affine3::IDENTITY);
    let down = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, 1.0, 0.0));
    for algorithm in light_transport_algorithms() {
        let setup = TestSetup { algorithm, world_from_view: down, samples: 256, ..TestSetup::default() };
        let found = mean(&render_scene(&scene, &setup)).x;
        assert!((found - 0.75).abs() < 0.01, "{algorithm}: {found}");
    }
}
