//! The share of light samples that lights at infinity get, learnt from what both groups of lights bring to surfaces.
//!
//! Let `N` and `D` be estimates of the irradiance by near and by distant lights, from one sample of each. If a light
//! sample chooses the distant ones with probability s, the second moment of its estimate is `N²/(1 − s) + D²/s`, which
//! is least for `s = √ΣD² / (√ΣN² + √ΣD²)`, summed over surfaces. Occlusion counts: a sky behind small windows brings
//! little, and gets few samples. The squares are relative to the irradiance of each surface, since errors are seen so.
//!
//! The surfaces are those seen from the scene's default camera, or from random points of its box if it has no camera,
//! and those seen from these surfaces. The share is a property of the world: the image of a scene
//! depends neither on earlier edits, nor on which view was rendered first.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_math::{Affine3, Frame, Ray, Vec2, Vec3, vec2, vec3};
use sunfleck_sampling::{rng, warp};
use sunfleck_shading::LightGroup;

use super::World;
use crate::{AlphaSeed, SurfaceInteraction};

/// Number of probe paths.
const PROBES: u32 = 1024;
/// Number of probes that are traced by one task.
const PROBES_PER_TASK: usize = 128;
/// Part of the mean irradiance that is added to that of each surface where squares are relative to it.
const FLOOR: f32 = 0.1;
/// The odds of distant lights are powers of two, at most this one and at least its reciprocal: few values, so that an
/// edit seldom changes the share, and no group is left with too few samples.
const MOST_ODDS: f32 = 16.0;

/// Irradiances of a surface by near and by distant lights, from one sample each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Irradiances {
    near: f32,
    distant: f32,
}

/// Returns the share of a world with both groups of lights, `1/17` to `16/17`.
pub(super) fn learn(world: &World) -> f32 {
    let probes: Vec<u32> = (0..PROBES).collect();
    let level = Level::new();
    let irradiances: Vec<Irradiances> = probes
        .par_chunks(PROBES_PER_TASK)
        .flat_map_iter(|probes| dispatch!(level, simd => probe(simd, world, probes)))
        .collect();
    share(&irradiances)
}

/// Returns the best share for surfaces with these irradiances.
fn share(irradiances: &[Irradiances]) -> f32 {
    let total: f32 = irradiances.iter().map(|i| i.near + i.distant).filter(|sum| sum.is_finite()).sum();
    let floor = FLOOR * total / irradiances.len().max(1) as f32;
    let (mut near, mut distant) = (0.0f32, 0.0f32);
    for i in irradiances {
        let scale = i.near + i.distant + floor;
        if scale > 0.0 && scale.is_finite() {
            near += (i.near / scale) * (i.near / scale);
            distant += (i.distant / scale) * (i.distant / scale);
        }
    }
    if near + distant == 0.0 {
        return 0.5;
    }
    // The power of two that is nearest to √(distant / near), by ratio
    let mut odds = 1.0 / MOST_ODDS;
    while odds < MOST_ODDS && distant > 2.0 * odds * odds * near {
        odds *= 2.0;
    }
    odds / (1.0 + odds)
}

/// Returns the irradiances of the surfaces along probe paths.
fn probe<S: Simd>(simd: S, world: &World, probes: &[u32]) -> Vec<Irradiances> {
    let mut irradiances = Vec::with_capacity(2 * probes.len());
    for &probe in probes {
        let Some((first, normal)) = surface(simd, world, probe, 0, first_ray(world, probe)) else { continue };
        irradiances.push(illuminated(simd, world, probe, 0, &first, normal));
        let towards =
            Frame::from_normal(normal).world_from_local(warp::cosine_hemisphere(uniform_2d(probe, 5)));
        let Some((second, normal)) = surface(simd, world, probe, 1, first.spawn_ray(towards)) else {
            continue;
        };
        irradiances.push(illuminated(simd, world, probe, 1, &second, normal));
    }
    irradiances
}

/// Returns a uniform number in [0, 1).
fn uniform(probe: u32, dimension: u32) -> f32 {
    rng::uniform([probe, dimension, 0, 0])
}

fn uniform_2d(probe: u32, dimension: u32) -> Vec2 {
    vec2(uniform(probe, dimension), uniform(probe, dimension + 1))
}

/// Returns the first ray of a probe path: from the default camera, mostly forwards, or of any direction from a random
/// point.
fn first_ray(world: &World, probe: u32) -> Ray {
    let towards = uniform_2d(probe, 3);
    if let Some(camera) = world.cameras().first() {
        let Affine3 { matrix3, translation, .. } = camera.world_from_view;
        let forwards = -matrix3.z_axis.normalize_or(Vec3::NEG_Z);
        let direction = Frame::from_normal(forwards).world_from_local(warp::cosine_hemisphere(towards));
        return Ray::new(translation, direction);
    }
    let bounds = world.bounds();
    let origin = vec3(uniform(probe, 0), uniform(probe, 1), uniform(probe, 2));
    Ray::new(bounds.min + (bounds.max - bounds.min) * origin, warp::uniform_sphere(towards))
}

/// Returns the surface that a ray hits, and the normal of the side that it hits.
fn surface<S: Simd>(
    simd: S,
    world: &World,
    probe: u32,
    bounce: u32,
    ray: Ray,
) -> Option<(SurfaceInteraction, Vec3)> {
    let seed = AlphaSeed { pixel: [probe, 0], sample: 0, stream: bounce * 3 };
    let hit = world.intersect(simd, &ray, seed)?;
    let surface = world.surface_interaction(&hit, -ray.direction, 0.0);
    let normal = if ray.direction.dot(surface.ng) > 0.0 { -surface.ng } else { surface.ng };
    Some((surface, normal))
}

/// Returns the irradiances of a surface on the side of `normal`.
fn illuminated<S: Simd>(
    simd: S,
    world: &World,
    probe: u32,
    bounce: u32,
    surface: &SurfaceInteraction,
    normal: Vec3,
) -> Irradiances {
    let irradiance = |group, first_dimension, stream| {
        let (light_u, u) = (uniform(probe, first_dimension), uniform_2d(probe, first_dimension + 1));
        let from = surface.position;
        let light = world.lights.sample_group(group, &world.materials, from, normal, light_u, u)?;
        let cosine = light.wi.dot(normal);
        if cosine <= 0.0 {
            return None;
        }
        let shadow_ray = surface.spawn_shadow_ray(light.wi, light.distance);
        let seed = AlphaSeed { pixel: [probe, 0], sample: 0, stream: bounce * 3 + stream };
        let arriving = light.radiance * world.transmittance(simd, &shadow_ray, seed);
        Some(arriving.element_sum() / 3.0 * cosine / light.pdf_solid_angle)
    };
    let dimension = 7 + bounce * 6;
    Irradiances {
        near: irradiance(LightGroup::Near, dimension, 1).unwrap_or(0.0),
        distant: irradiance(LightGroup::Distant, dimension + 3, 2).unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::transform;
    use sunfleck_scene::{Camera, Environment, Material, Mesh, MeshData, Node, Projection, Scene, SceneEdit};

    use super::*;

    #[test]
    fn the_share_follows_what_lights_bring() {
        let of = |near, distant| share(&[Irradiances { near, distant }; 3]);
        assert_eq!(of(1.0, 1.0), 0.5);
        assert_eq!(of(1.0, 2.0), 2.0 / 3.0);
        assert_eq!(of(4.0, 1.0), 0.2);
        assert_eq!((of(1.0, 0.0), of(0.0, 1.0)), (1.0 / 17.0, 16.0 / 17.0));
        assert_eq!((of(0.0, 0.0), share(&[])), (0.5, 0.5), "nothing is known");
        let broken =
            [Irradiances { near: f32::INFINITY, distant: 1.0 }, Irradiances { near: 0.0, distant: 1.0 }];
        assert_eq!(share(&broken), 16.0 / 17.0, "values that are not finite are left out");
    }

    /// A sky of radiance 1, and a lamp above a ground plane; under a closed box if `indoors`.
    fn lit(lamp: f32, indoors: bool) -> Scene {
        let quad = |side: f32, y: f32| MeshData {
            positions: [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, z)| vec3(x * side, y, z * side))
                .to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..MeshData::default()
        };
        let mut scene = Scene::default();
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        let glow = Material::lambert("lamp", Vec3::ZERO).with_emission(Vec3::splat(lamp));
        let glow = scene.add_material(Material { double_sided: true, ..glow }).unwrap();
        let mut add = |data, material, transform: Affine3| {
            let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
            scene.add_node(Node::new("").with_mesh(mesh, vec![material]).at(transform)).unwrap();
        };
        add(quad(5.0, 0.0), grey, Affine3::IDENTITY);
        add(quad(0.3, 2.0), glow, Affine3::IDENTITY);
        if indoors {
            add(quad(5.0, 3.0), grey, Affine3::IDENTITY);
            for turn in 0..4u8 {
                let upright = transform::rotation_x(std::f32::consts::FRAC_PI_2);
                let around = transform::rotation_y(f32::from(turn) * std::f32::consts::FRAC_PI_2);
                add(quad(5.0, 5.0), grey, around * upright);
            }
        }
        let camera = Camera::new("", Projection::Perspective { fov_y_radians: 1.0 });
        let camera = scene.add_camera(camera).unwrap();
        scene
            .add_node(Node::new("").with_camera(camera).at(Affine3::from_translation(vec3(0.0, 1.0, 4.0))))
            .unwrap();
        scene
    }

    fn learnt(scene: &Scene) -> f32 {
        World::commit(scene).unwrap().lights.share_of_distant()
    }

    #[test]
    fn a_faint_lamp_outdoors_gets_few_samples_and_a_sky_behind_walls_too() {
        assert!(learnt(&lit(0.01, false)) > 0.9);
        assert!(learnt(&lit(1e5, false)) < 0.1);
        assert!(learnt(&lit(1.0, true)) < 0.3);
    }

    #[test]
    fn an_edit_gives_the_share_of_a_new_commit() {
        let mut scene = lit(1.0, false);
        let before = World::commit(&scene).unwrap();
        let (id, _) = scene.nodes().nth(1).unwrap();
        scene
            .apply(SceneEdit::Transform { id, parent_from_node: Affine3::from_translation(Vec3::Y) })
            .unwrap();
        let after = before.update(&scene).unwrap();
        assert_eq!(after.lights.share_of_distant(), learnt(&scene));
    }
}
