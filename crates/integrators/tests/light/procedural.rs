//! Procedural patterns, rendered by every integrator.

use std::f32::consts::FRAC_PI_2;

use crate::common::{
    TestSetup, add, light_transport_algorithms, mean, rectangle, render_scene, render_world,
};
use sunfleck_image::Film;
use sunfleck_integrators::World;
use sunfleck_math::transform::{look_at, rotation_about, rotation_x};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::*;
use sunfleck_shading::{MaterialTable, SurfaceAttributes};

const BRICKS: Bricks = Bricks {
    clay: [vec3(0.6, 0.2, 0.1), vec3(0.3, 0.1, 0.1)],
    mortar: vec3(0.5, 0.5, 0.5),
    length: 0.24,
    height: 0.08,
    joint: 0.02,
    depth: 0.01,
};

fn marble(vein: Vec3) -> Material {
    let stone = vec3(0.9, 0.8, 0.7);
    let pattern = Pattern::Marble(Marble { stone, vein, spacing: 0.5, turbulence: 1.0 });
    Material::lambert("marble", Vec3::splat(0.9)).with_procedural(Procedural::new(pattern))
}

/// Scene of a transformed plane in a constant environment.
fn plane(material: Material, world_from_object: Affine3) -> Scene {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    add(&mut scene, rectangle(4.0, 4.0), material, world_from_object);
    scene
}

fn placement() -> Affine3 {
    Affine3::from_translation(vec3(3.0, -1.0, 2.0))
        * rotation_about(vec3(0.6, 0.8, 0.0), 0.7)
        * Affine3::from_scale(vec3(2.0, 1.0, 0.5))
}

/// Returns a view, along the normal of the plane, of a spot so small that the pattern is almost constant in
/// it.
fn spot(world_from_object: Affine3, position: Vec3) -> TestSetup {
    let at = world_from_object.transform_point3(position);
    let normal =
        sunfleck_math::transform::transform_normal(&world_from_object, Vec3::Y).normalize_or(Vec3::Y);
    TestSetup {
        projection: Projection::Orthographic { height: 1e-3 },
        world_from_view: look_at(at + normal, at, Vec3::Z),
        samples: 64,
        ..TestSetup::default()
    }
}

fn attributes(position: Vec3) -> SurfaceAttributes {
    SurfaceAttributes { position, ..SurfaceAttributes::default() }
}

const PLACES: [Vec3; 4] =
    [vec3(0.3, 0.0, 0.2), vec3(-1.1, 0.0, 0.7), vec3(0.9, 0.0, -1.3), vec3(-0.2, 0.0, -0.6)];

#[test]
fn every_integrator_finds_the_albedo_at_the_hit() {
    let place = placement();
    let scene = plane(marble(vec3(0.1, 0.2, 0.3)), place);
    let (world, materials) = (World::commit(&scene).unwrap(), MaterialTable::new(&scene));
    for algorithm in light_transport_algorithms() {
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::ZERO);
        for position in PLACES {
            let albedo = materials.bsdf(0, &attributes(position)).albedo();
            let found = mean(&render_world(&world, &TestSetup { algorithm, ..spot(place, position) }));
            let error = (found - albedo).abs().max_element();
            assert!(error < 0.01, "{algorithm} at {position}: {found}, not {albedo}");
            (least, most) = (least.min(found), most.max(found));
        }
        assert!((most - least).min_element() > 0.05, "{algorithm}: places differ");
    }
}

fn radiance(film: &Film) -> Vec<Vec3> {
    film.radiance().pixels().to_vec()
}

#[test]
fn an_edited_pattern_changes_the_picture() {
    let mut scene = plane(marble(vec3(0.1, 0.2, 0.3)), placement());
    let setup = TestSetup { samples: 4, ..spot(placement(), PLACES[0]) };
    let before = World::commit(&scene).unwrap();
    let (id, _) = scene.materials().next().unwrap();
    scene.apply(SceneEdit::Material { id, material: Some(marble(vec3(0.9, 0.1, 0.1))) }).unwrap();
    let after = radiance(&render_world(&before.update(&scene).unwrap(), &setup));
    assert!(after != radiance(&render_world(&before, &setup)), "the edit shows");
    assert!(after == radiance(&render_scene(&scene, &setup)), "equal to a new commit");
}

/// The shading normal of a relief is the normal of the displaced plane, transformed to the world.
#[test]
fn a_relief_has_the_normal_of_the_displaced_surface() {
    let place = placement();
    let procedural = Procedural::new(Pattern::Bricks(BRICKS)).placed(rotation_x(1.0));
    let scene = plane(Material::lambert("bricks", Vec3::ONE).with_procedural(procedural), place);
    let (world, materials) = (World::commit(&scene).unwrap(), MaterialTable::new(&scene));
    let mut steepest = 0.0f32;
    for i in 0..40 {
        let position = vec3(0.1 + 0.013 * i as f32, 0.0, 0.2 + 0.0071 * i as f32);
        // Tangents of the displaced plane along x and z
        let gradient = materials.relief(0, &attributes(position)).unwrap();
        let tangent_x = place.transform_vector3(vec3(1.0, gradient.x, 0.0));
        let tangent_z = place.transform_vector3(vec3(0.0, gradient.z, 1.0));
        let expected = tangent_z.cross(tangent_x).normalize_or(Vec3::ZERO);
        let setup = TestSetup { samples: 1, width: 1, height: 1, ..spot(place, position) };
        let setup = TestSetup { projection: Projection::Orthographic { height: 1e-6 }, ..setup };
        let found = render_world(&world, &setup).normal_shading().unwrap().pixels()[0];
        // The component of the gradient along the normal of the plane, y, does not tilt the displaced plane.
        assert!((found - expected).length() < 0.02, "{position}: {found} {expected}");
        steepest = steepest.max(1.0 - found.dot(place.transform_vector3(Vec3::Y).normalize_or(Vec3::Y)));
    }
    assert!(steepest > 0.02, "some positions are on the flanks of joints: {steepest}");
}

/// Grazing light from the left lights the right flanks of the joints.
#[test]
fn grazing_light_shows_the_relief() {
    let wall = |depth: f32| {
        let procedural =
            Procedural::new(Pattern::Bricks(Bricks { depth, ..BRICKS })).placed(rotation_x(FRAC_PI_2));
        let material = Material::lambert("wall", Vec3::ONE).with_procedural(procedural);
        let mut scene = plane(material, Affine3::IDENTITY);
        scene.set_environment(Environment::Black).unwrap();
        let kind = LightKind::Directional;
        let light = scene.add_light(Light { name: "sun".into(), emission: Vec3::ONE, kind }).unwrap();
        let low = look_at(Vec3::ZERO, vec3(1.0, -0.3, 0.0), Vec3::Y);
        scene.add_node(Node::new("sun").at(low).with_light(light)).unwrap();
        let down = look_at(Vec3::Y, Vec3::ZERO, Vec3::Z);
        let projection = Projection::Orthographic { height: 0.3 };
        let setup = TestSetup {
            projection,
            world_from_view: down,
            width: 64,
            height: 64,
            samples: 4,
            ..TestSetup::default()
        };
        let film = render_scene(&scene, &setup);
        let albedo = film.albedo().unwrap();
        let brightness = radiance(&film).into_iter().zip(albedo.pixels()).map(|(l, a)| l.y / a.y);
        brightness.fold((f32::MAX, 0.0f32), |(least, most), b| (least.min(b), most.max(b)))
    };
    let (least, most) = wall(0.0);
    assert!(most / least < 1.1, "flush: {least} to {most}");
    let (least, most) = wall(0.01);
    assert!(most > 2.0 * least, "recessed: {least} to {most}");
}
