//! Textures at a distance: the GPU filters over the same footprints as the CPU.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, Renderer};
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, ViewSpec, World};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Vec2, Vec3, vec2, vec3, vec4};
use sunfleck_sampling::rng;
use sunfleck_scene::{
    Camera, ColorTexture, Environment, Material, Mesh, MeshData, Node, NormalMap, Projection, Scene, Surface,
    Texels, Texture, TextureRef,
};

use crate::path::{channels_are_equal, different, on_cpu, render_by_renderer};

const SIZE: u32 = 24;
const TEXELS: u32 = 128;
/// Number of samples; the last ones have smaller footprints.
const SAMPLES: u32 = 6;

/// A floor with a noise texture that extends to the horizon under a white sky, with or without a normal map. Texture
/// coordinates, the node's transform and the texture transforms stretch the images.
fn floor(has_normal_map: bool, projection: Projection) -> (Arc<World>, ViewSpec) {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    let codes = |seed: u32| {
        let texel = |i: u32| rng::pcg4d([i, seed, 0, 3]).map(|word| (word >> 24) as u8);
        Arc::new((0..TEXELS * TEXELS).map(texel).collect::<Vec<_>>())
    };
    let mut add = |texels, uv_set, stretch: Vec2| {
        let texture = scene.add_texture(Texture::new("noise", TEXELS, TEXELS, texels).unwrap()).unwrap();
        let mut reference = TextureRef { uv_set, ..TextureRef::new(texture) };
        reference.uv_transform.matrix2.x_axis *= stretch.x;
        reference.uv_transform.matrix2.y_axis *= stretch.y;
        reference
    };
    let (color, bumps) =
        (add(Texels::Srgb8(codes(1)), 0, vec2(0.5, 1.5)), add(Texels::Linear8(codes(2)), 1, vec2(2.0, 1.0)));
    let albedo = ColorTexture { factor: vec4(0.9, 0.8, 0.7, 1.0), texture: Some(color) };
    let mut material = Material::new("noise", Surface::Lambert { albedo });
    material.normal_map = has_normal_map.then_some(NormalMap { texture: bumps, scale: 0.3 });
    let material = scene.add_material(material).unwrap();
    let positions =
        vec![vec3(-1.0, 0.0, 1.0), vec3(1.0, 0.0, 1.0), vec3(1.0, 0.0, -1.0), vec3(-1.0, 0.0, -1.0)];
    let data = MeshData {
        uv0: positions.iter().map(|p| vec2(p.x, p.z) * 4.0).collect(),
        uv1: positions.iter().map(|p| vec2(p.z, p.x)).collect(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        positions,
        ..MeshData::default()
    };
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let place = Affine3::from_scale(vec3(12.0, 1.0, 20.0));
    scene.add_node(Node::new("floor").at(place).with_mesh(mesh, vec![material])).unwrap();
    // Cameras in files may be scaled, too
    let eye =
        look_at(vec3(0.0, 2.0, 18.0), vec3(0.0, 0.0, 8.0), Vec3::Y) * Affine3::from_scale(Vec3::splat(2.5));
    let camera = scene.add_camera(Camera::new("camera", projection)).unwrap();
    scene.add_node(Node::new("eye").at(eye).with_camera(camera)).unwrap();
    let world = World::commit(&scene).unwrap();
    let spec = ViewSpec::new(&world.cameras().first().cloned().unwrap(), SIZE, SIZE);
    (Arc::new(world), spec)
}

/// Projections, with or without a normal map.
const CASES: [(Projection, bool); 3] = [
    (Projection::Perspective { fov_y_radians: 1.2 }, false),
    (Projection::Orthographic { height: 4.0 }, true),
    (Projection::ThinLens { fov_y_radians: 1.2, lens_radius: 0.02, focus_distance: 10.0 }, true),
];

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn texture_footprints_agree_with_the_cpu() {
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    for (projection, has_normal_map) in CASES {
        let (world, spec) = floor(has_normal_map, projection);
        for (algorithm, aovs) in Algorithm::ALL.iter().flat_map(|a| [(a, AovSet::EMPTY), (a, AovSet::ALL)]) {
            let spec = ViewSpec { aovs, texture_footprint: 1.0, ..spec };
            let (expected, _) = on_cpu(&world, spec, algorithm, SAMPLES);
            let mut render_with =
                |spec: ViewSpec| render_by_renderer(&mut renderer, &world, &spec, algorithm, SAMPLES).0;
            let found = render_with(spec);
            if aovs == AovSet::ALL {
                channels_are_equal(&found, &expected);
            }
            let name = format!("{algorithm} of {projection:?}, normal map: {has_normal_map}, {aovs:?}");
            let others = different(&found.radiance(), &expected.radiance());
            assert!(others <= 6, "{name}: {others} pixels differ");
            // Ambient occlusion reads no textures
            if algorithm.uses_lights() {
                let sharp = render_with(ViewSpec { texture_footprint: 0.0, ..spec });
                let others = different(&sharp.radiance(), &expected.radiance());
                assert!(others > 100, "{name}: only {others} pixels differ without footprints");
            }
        }
    }
}
