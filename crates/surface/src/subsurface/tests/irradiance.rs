//! Light that arrives, and the lookup of light that leaves.

use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::vec2;
use sunfleck_scene::{Environment, Light, LightKind};
use sunfleck_transport::SurfaceLight;

use super::*;

fn square(center: Vec3, half: f32) -> MeshData {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let positions = corners.map(|(x, y)| center + vec3(x, y, 0.0) * half).to_vec();
    MeshData { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], ..MeshData::default() }
}

fn lit(scene: &Scene, resolution: u32, samples: u32) -> (Atlas, Vec<Vec3>) {
    let world = World::commit(scene).unwrap();
    let atlas = Atlas::meshed(&world, resolution).unwrap();
    let media = TexelMedia::of_materials(&world, &atlas, |material| {
        (material == 0).then(|| profile(ProfileModel::Dipole, Vec3::splat(0.1)))
    });
    let irradiance =
        direct_irradiance(&world, &atlas, &media, IrradianceOptions { samples, seed: 3 }, |_| 1.0);
    (atlas, irradiance)
}

#[test]
fn a_uniform_environment_and_a_point_light_have_closed_forms() {
    let mut scene = scene_of(sphere(3), &[Affine3::IDENTITY]);
    scene.set_environment(Environment::Constant { radiance: vec3(1.0, 0.5, 0.25) }).unwrap();
    let (_, irradiance) = lit(&scene, 32, 256);
    for found in &irradiance {
        assert!(
            (*found / vec3(1.0, 0.5, 0.25) / PI as f32 - Vec3::ONE).abs().max_element() < 0.02,
            "{found}"
        );
    }
    let mut scene = scene_of(square(Vec3::ZERO, 1.0), &[Affine3::IDENTITY]);
    let position = vec3(0.3, 0.2, 0.8);
    let light = Light { name: String::new(), emission: vec3(3.0, 2.0, 1.0), kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    scene.add_node(Node::new("").at(Affine3::from_translation(position)).with_light(light)).unwrap();
    let (atlas, irradiance) = lit(&scene, 64, 16);
    for (p, found) in positions(&atlas).iter().zip(irradiance) {
        let offset = position - *p;
        let expected = vec3(3.0, 2.0, 1.0) * (offset.z / offset.length().powi(3));
        assert!((found / expected - Vec3::ONE).abs().max_element() < 0.02, "{p}: {found} for {expected}");
    }
}

/// A square light over a square, half of which a blocker hides from it.
#[test]
fn area_lights_have_shadows() {
    let mut scene = scene_of(square(Vec3::ZERO, 1.0), &[Affine3::IDENTITY]);
    let emission = Material::lambert("lamp", Vec3::ZERO).with_emission(Vec3::splat(4.0));
    let lamp = scene.add_material(emission).unwrap();
    let black = scene.add_material(Material::lambert("black", Vec3::ZERO)).unwrap();
    let mut turned = square(vec3(0.0, 0.0, 1.0), 0.25);
    turned.triangles.iter_mut().for_each(|t| t.reverse());
    for (data, material) in [(turned, lamp), (square(vec3(-1.0, 0.0, 0.5), 0.7), black)] {
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        scene.add_node(Node::new("").with_mesh(mesh, vec![material])).unwrap();
    }
    let (atlas, irradiance) = lit(&scene, 128, 256);
    let mut compared = [0, 0];
    for ((p, found), texel) in positions(&atlas).iter().zip(irradiance).zip(atlas.texels()) {
        if atlas.surfaces().triangles()[texel.triangle as usize].inst_id != 0 {
            assert_eq!(found, Vec3::ZERO, "only media are lit");
            continue;
        }
        let (mut expected, mut hidden) = (0.0, 0);
        let n = 24u16;
        for i in 0..n * n {
            let at = |i: u16| (f32::from(i) + 0.5) / f32::from(n) * 0.5 - 0.25;
            let q = vec3(at(i % n), at(i / n), 1.0);
            let squared = q.distance_squared(*p);
            expected += 4.0 * 0.25 / f32::from(n * n) / (squared * squared);
            // From anywhere in the texel, whose diameter is below 0.1
            for corner in [vec2(0.06, 0.06), vec2(-0.06, 0.06), vec2(0.06, -0.06), vec2(-0.06, -0.06)] {
                let middle = (*p + corner.extend(0.0) + q) * 0.5;
                hidden += u32::from((middle.x + 1.0).abs() < 0.7 && middle.y.abs() < 0.7);
            }
        }
        if hidden == 4 * u32::from(n * n) {
            assert_eq!(found, Vec3::ZERO, "{p} is in the umbra");
            compared[0] += 1;
        } else if hidden == 0 {
            assert!((found.x / expected - 1.0).abs() < 0.05, "{p}: {found} for {expected}");
            compared[1] += 1;
        }
    }
    assert!(compared[0] > 100 && compared[1] > 100, "{compared:?}");
}

#[test]
fn light_is_looked_up_at_hits() {
    let world = World::commit(&scene_of(square(Vec3::ZERO, 1.0), &[Affine3::IDENTITY])).unwrap();
    let atlas = Atlas::meshed(&world, 64).unwrap();
    // Bilinear interpolation reproduces linear functions away from the borders and the diagonal of a rectangle
    let exitance = positions(&atlas).iter().map(|p| vec3(2.0 + p.x, 3.0 - p.y, 1.0)).collect();
    let media = TexelMedia::uniform(&atlas, profile(ProfileModel::Dipole, Vec3::splat(0.1)));
    let light = SubsurfaceLight::new(atlas.clone(), media, exitance);
    let hit = |prim_id: u32, u: f32, v: f32| {
        let (ng, inst_path) = (Vec3::Z, InstPath::EMPTY);
        Hit { t: 1.0, u, v, ng, prim_id, geom_id: 0, inst_id: 0, inst_path }
    };
    for (prim_id, u, v) in [(0, 0.2, 0.5), (1, 0.6, 0.2), (1, 0.3, 0.1)] {
        let surface = world.surface_interaction(&hit(prim_id, u, v), Vec3::Z, 0.0);
        let p = surface.position;
        let expected = vec3(2.0 + p.x, 3.0 - p.y, 1.0) / PI as f32;
        let found = light.outgoing(&world, &surface, vec3(0.0, 0.6, 0.8)).unwrap();
        assert!(found.abs_diff_eq(expected, 1e-4), "{found} for {expected}");
        assert_eq!(light.outgoing(&world, &surface, Vec3::NEG_Z), Some(Vec3::ZERO), "from the back");
    }
    let opaque = SubsurfaceLight::new(atlas, TexelMedia::new(Vec::new(), Vec::new()), Vec::new());
    let surface = world.surface_interaction(&hit(0, 0.2, 0.5), Vec3::Z, 0.0);
    assert_eq!(opaque.outgoing(&world, &surface, Vec3::Z), None, "opaque surfaces have no light");
}
