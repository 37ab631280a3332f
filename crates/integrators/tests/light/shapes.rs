//! Shapes as surfaces and as lights: against closed forms, furnaces and fine meshes.

use sunfleck_integrators::Algorithm;
use sunfleck_math::{Affine3, Shape, UnitShape, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Mesh, MeshData, Projection, Scene, Surface};
use sunfleck_testkit::shapes::patch;

use crate::common::{TestSetup, add, algorithm, light_transport_algorithms, mean, rectangle, render_scene};

const ALBEDO: f32 = 0.5;

fn mesh_of(shape: Shape) -> MeshData {
    MeshData { shapes: vec![shape], ..MeshData::default() }
}

/// Returns the shape as triangles.
fn fine_mesh(shape: &Shape) -> MeshData {
    Mesh::new(mesh_of(shape.clone())).unwrap().tessellated().data
}

/// Returns shapes of each kind, about 0.3 m large, some of them stretched or seen from inside.
fn shapes() -> Vec<Shape> {
    let about = |unit, axis: Vec3, radius: f32| Shape::about_axis(unit, Vec3::ZERO, axis, radius);
    let down = vec3(0.1, -0.3, 0.05);
    vec![
        Shape::sphere(Vec3::ZERO, 0.3),
        Shape::sphere(Vec3::ZERO, 0.3).transformed(&Affine3::from_scale(vec3(1.0, 0.4, 1.5))),
        about(UnitShape::Disk { hole: 0.3 }, down, 0.3),
        about(UnitShape::Rectangle, down, 0.3),
        about(UnitShape::Cylinder, vec3(0.4, 0.1, 0.0), 0.15),
        about(UnitShape::Cone { top: 0.3 }, vec3(0.4, -0.2, 0.1), 0.3),
        about(UnitShape::Cone { top: 0.0 }, vec3(0.0, -0.4, 0.1), 0.2),
        about(UnitShape::Cube, vec3(0.1, -0.2, 0.1), 0.15),
        Shape { flipped: true, ..about(UnitShape::Cylinder, down, 0.3) },
        patch(|x, y| vec3(0.3 * x, 0.2 * x * x + 0.1 * y, 0.25 * y * (1.0 - 0.5 * x))),
        Shape { flipped: true, ..patch(|x, y| vec3(0.3 * x, 0.1 * y * y - 0.15 * x * x, -0.3 * y)) },
    ]
}

/// View of a spot of a floor at y = 0, from below the lamps.
fn of_the_floor(algorithm: Algorithm, samples: u32) -> TestSetup {
    TestSetup {
        algorithm,
        samples,
        world_from_view: Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, 0.1, 0.0)),
        projection: Projection::Orthographic { height: 0.02 },
        ..TestSetup::default()
    }
}

fn lit_by(lamp: MeshData, place: Affine3, radiance: f32) -> Scene {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    add(&mut scene, rectangle(4.0, 4.0), Material::lambert("floor", Vec3::splat(ALBEDO)), Affine3::IDENTITY);
    add(&mut scene, lamp, Material::emitter("lamp", Vec3::splat(radiance)), place);
    scene
}

/// A sphere above the floor: E = π L sin²θ, with sin θ = radius / distance.
#[test]
fn a_spherical_lamp_has_the_irradiance_of_the_closed_form() {
    let (radius, height, radiance) = (0.3, 1.0, 4.0);
    let scene = lit_by(mesh_of(Shape::sphere(Vec3::Y * height, radius)), Affine3::IDENTITY, radiance);
    let expected = ALBEDO * radiance * (radius / height) * (radius / height);
    for algorithm in light_transport_algorithms() {
        let found = mean(&render_scene(&scene, &of_the_floor(algorithm, 1024))).x;
        assert!((found / expected - 1.0).abs() < 0.01, "{algorithm}: {found} for {expected}");
    }
}

#[test]
fn lamps_of_every_shape_light_as_fine_meshes_do() {
    let place = Affine3::from_translation(vec3(0.2, 0.8, 0.1));
    for shape in shapes() {
        let image = |lamp: MeshData, algorithm: Algorithm| {
            mean(&render_scene(&lit_by(lamp, place, 4.0), &of_the_floor(algorithm, 2048))).x
        };
        let expected = image(fine_mesh(&shape), algorithm("path", &[("max_bounces", "1")]));
        assert!(expected > 1e-3, "{shape:?} lights the floor");
        for name in ["path", "whitted", "igi"] {
            let one = if name == "path" { vec![("max_bounces", "1")] } else { vec![] };
            let found = image(mesh_of(shape.clone()), algorithm(name, &one));
            assert!((found / expected - 1.0).abs() < 0.02, "{name}, {shape:?}: {found} for {expected}");
        }
    }
}

/// Where nothing is absorbed, shapes cannot be seen.
#[test]
fn shapes_in_a_white_furnace_are_invisible() {
    let white = [
        Material::lambert("white", Vec3::ONE),
        Material::mirror("mirror", Vec3::ONE),
        Material::new("glass", Surface::smooth_dielectric(1.5, Vec3::ONE)),
    ];
    for material in white {
        // Glass is inside of closed shapes only
        let is_glass = matches!(material.surface, Surface::Dielectric { .. });
        let shapes = shapes().into_iter().filter(|shape| !is_glass || shape.unit == UnitShape::Sphere);
        for shape in shapes {
            let mut scene = Scene::default();
            scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
            add(&mut scene, mesh_of(shape.clone()), material.clone(), Affine3::IDENTITY);
            let setup = TestSetup {
                algorithm: algorithm("path", &[("max_bounces", "64")]),
                samples: 64,
                world_from_view: Affine3::from_translation(Vec3::Z),
                projection: Projection::Orthographic { height: 0.5 },
                ..TestSetup::default()
            };
            let found = mean(&render_scene(&scene, &setup)).x;
            assert!((found - 1.0).abs() < 0.005, "{}, {shape:?}: {found}", material.name);
        }
    }
}

/// A convex surface in the light of a constant environment has the radiance of its albedo; spheres have a colour each.
#[test]
fn spheres_have_their_own_colour() {
    let colors = [vec3(0.8, 0.4, 0.1), vec3(0.1, 0.2, 0.9)];
    let shapes = [-10.0, 10.0].map(|x| Shape::sphere(Vec3::X * x, 0.3));
    let data = MeshData {
        shapes: shapes.to_vec(),
        colors: colors.map(|color| color.extend(1.0)).to_vec(),
        ..MeshData::default()
    };
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    add(&mut scene, data, Material::lambert("white", Vec3::ONE), Affine3::IDENTITY);
    for (shape, color) in shapes.iter().zip(colors) {
        let setup = TestSetup {
            algorithm: algorithm("path", &[]),
            samples: 256,
            world_from_view: Affine3::from_translation(shape.object_from_unit.translation + Vec3::Z),
            projection: Projection::Orthographic { height: 0.2 },
            ..TestSetup::default()
        };
        let found = mean(&render_scene(&scene, &setup));
        assert!(found.distance(color) < 0.02, "{found} for {color}");
    }
}
