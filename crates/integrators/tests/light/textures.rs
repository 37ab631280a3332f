//! Filtering of textures by the footprint of camera rays.

use std::sync::Arc;

use crate::common::{TestSetup, add, light_transport_algorithms, mean, rectangle, render_world};
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, World};
use sunfleck_math::transform::{look_at, rotation_x};
use sunfleck_math::{Affine3, Vec2, Vec3, atan2, vec2, vec3, vec4};
use sunfleck_scene::*;

const TEXELS: u32 = 64;
/// Edge length of the plane, metres.
const SIZE: f32 = 4.0;
const TEXEL: f32 = SIZE / TEXELS as f32;

/// Scene of a rectangle of `SIZE` × `SIZE` in the xz plane in an environment of radiance 1, so that radiance is albedo.
/// The image covers it once, with columns along x. Texture coordinates, node transform and texture transform scale it
/// differently in both axes.
fn plane(is_white: impl Fn(u32, u32) -> bool) -> Scene {
    let texel = |i: u32| if is_white(i % TEXELS, i / TEXELS) { [255; 4] } else { [0, 0, 0, 255] };
    let texels = Texels::Srgb8(Arc::new((0..TEXELS * TEXELS).map(texel).collect()));
    let image = Texture::new("image", TEXELS, TEXELS, texels).unwrap();
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    let texture =
        scene.add_texture(image.with_sampling([Wrap::ClampToEdge; 2], TextureFilter::Linear)).unwrap();
    let mut reference = TextureRef { uv_set: 1, ..TextureRef::new(texture) };
    reference.uv_transform.matrix2.x_axis *= 0.25;
    reference.uv_transform.matrix2.y_axis *= 5.0;
    let albedo = ColorTexture { factor: vec4(1.0, 1.0, 1.0, 1.0), texture: Some(reference) };
    let mut data = rectangle(0.5, 0.25);
    let across = |p: &Vec3| vec2(p.x / 0.5 + 0.5, p.z / 0.25 + 0.5);
    data.uv1 = data.positions.iter().map(|p| across(p) / vec2(0.25, 5.0)).collect();
    data.uv0 = data.positions.iter().map(|_| Vec2::ZERO).collect();
    let place = Affine3::from_scale(vec3(SIZE / 0.5, 3.0, SIZE / 0.25));
    add(&mut scene, data, Material::new("m", Surface::Lambert { albedo }), place);
    scene
}

/// Returns the view of one pixel that is `texels` wide at a point of the plane.
fn pixel(algorithm: Algorithm, from: Vec3, at: Vec3, texels: f32, parallel: bool) -> TestSetup {
    let distance = (from - at).length();
    let projection = match parallel {
        true => Projection::Orthographic { height: texels * TEXEL },
        false => Projection::Perspective { fov_y_radians: 2.0 * atan2(texels * TEXEL / 2.0, distance) },
    };
    // The transform of a perspective camera may have a scale, as some files do
    let world_from_view =
        look_at(from, at, Vec3::Z) * Affine3::from_scale(Vec3::splat(if parallel { 1.0 } else { 3.0 }));
    TestSetup { algorithm, projection, world_from_view, width: 1, height: 1, ..TestSetup::default() }
}

/// Returns the mean red radiance over many images of `samples` samples.
fn mean_red(world: &World, setup: &TestSetup, samples: u32) -> f32 {
    let images = 2048 / samples;
    let of = |seed| mean(&render_world(world, &TestSetup { samples, seed, ..*setup })).x;
    (0..images).map(of).sum::<f32>() / images as f32
}

/// The edge between black and white columns is blurred by the pixel filter, and by the footprint of the first samples.
#[test]
fn footprints_have_the_specified_width() {
    let world = World::commit(&plane(|column, _| column >= TEXELS / 2)).unwrap();
    // A pixel that is 8 texels wide, whose centre is 2 texels beside the edge. The filtered texture is a ramp of the
    // width of the footprint, between the centres of mipmap texels of that size
    let at = vec3(2.0 * TEXEL, 0.0, 0.3);
    let box_alone = 0.5 + 2.0 / 8.0;
    let twice = 1.0 - 0.5 * (1.0 - 2.0 / 8.0f32).powi(2);
    for algorithm in light_transport_algorithms() {
        // A frame of instant global illumination has four rays per pixel
        let few = if matches!(algorithm, Algorithm::Igi(_)) { 1 } else { 4 };
        for (aovs, parallel) in
            [(AovSet::ALL, true), (AovSet::EMPTY, true), (AovSet::ALL, false), (AovSet::EMPTY, false)]
        {
            for (texture_footprint, samples, expected) in
                [(0.0, 256, box_alone), (1.0, few, twice), (1.0, 256, box_alone)]
            {
                let setup = pixel(algorithm, at + Vec3::Y * 30.0, at, 8.0, parallel);
                let found = mean_red(&world, &TestSetup { aovs, texture_footprint, ..setup }, samples);
                let error = (found - expected).abs();
                assert!(
                    error < 0.01,
                    "{algorithm}, {aovs:?}, {parallel}, {texture_footprint}, {samples} samples: {found}, not {expected}"
                );
            }
        }
    }
}

/// At grazing angles, textures are filtered over the short axis of the footprint, so they are not blurred along the
/// long one.
#[test]
fn grazing_angles_do_not_blur_textures() {
    let world = World::commit(&plane(|column, _| column >= TEXELS / 2)).unwrap();
    let at = vec3(2.0 * TEXEL, 0.0, 0.0);
    let from = at + rotation_x(1.3).transform_vector3(Vec3::Y * 30.0);
    let twice = 1.0 - 0.5 * (1.0 - 2.0 / 8.0f32).powi(2);
    let setup = TestSetup { texture_footprint: 1.0, ..pixel(Algorithm::ALL[0], from, at, 8.0, true) };
    let found = mean_red(&world, &setup, 4);
    assert!((found - twice).abs() < 0.01, "{found}, not {twice}");
}

/// A single sample of a distant checkerboard is grey.
#[test]
fn a_distant_checkerboard_is_grey() {
    let world = World::commit(&plane(|column, row| (column + row) % 2 == 0)).unwrap();
    for algorithm in light_transport_algorithms() {
        let setup = pixel(algorithm, Vec3::Y * 30.0, Vec3::ZERO, 64.0, true);
        let few = TestSetup { width: 16, height: 16, samples: 1, ..setup };
        let spread = |texture_footprint| {
            let film = render_world(&world, &TestSetup { texture_footprint, ..few });
            let albedo = film.albedo().unwrap();
            let of = |p: &Vec3| (p.x - 0.5).abs();
            albedo.pixels().iter().map(of).fold(0.0, f32::max)
        };
        assert!(spread(1.0) < 0.01, "{algorithm}: {} from grey", spread(1.0));
        assert!(spread(0.0) > 0.2, "{algorithm}: single texels are visible without filtering");
    }
}
