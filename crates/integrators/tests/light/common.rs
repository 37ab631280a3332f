//! Common parts of these tests: small scenes, and functions that render them.

use std::f32::consts::FRAC_PI_2;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Filter};
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_sampling::SamplerKind;
use sunfleck_scene::{Environment, Material, Mesh, MeshData, Node, Projection, Scene};

/// Algorithm, camera and film of a test.
#[derive(Clone, Copy)]
pub(crate) struct TestSetup {
    pub(crate) algorithm: Algorithm,
    pub(crate) sampler: SamplerKind,
    pub(crate) projection: Projection,
    pub(crate) world_from_view: Affine3,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: u32,
    pub(crate) seed: u32,
    pub(crate) aovs: AovSet,
    pub(crate) texture_footprint: f32,
    pub(crate) shows_environment: bool,
    pub(crate) schedule: Schedule,
}

impl Default for TestSetup {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::ALL[0],
            sampler: SamplerKind::Sobol,
            projection: Projection::Perspective { fov_y_radians: FRAC_PI_2 },
            world_from_view: Affine3::IDENTITY,
            width: 10,
            height: 10,
            samples: 64,
            seed: 7,
            aovs: AovSet::ALL,
            texture_footprint: ViewSpec::TEXTURE_FOOTPRINT,
            shows_environment: true,
            schedule: Schedule::default(),
        }
    }
}

/// Commits and renders a scene.
pub(crate) fn render_scene(scene: &Scene, setup: &TestSetup) -> Film {
    let world = World::commit(scene).unwrap();
    render_world(&world, setup)
}

/// Renders a world.
pub(crate) fn render_world(world: &World, setup: &TestSetup) -> Film {
    render_until(world, setup, &StopRules { samples: Some(setup.samples), ..StopRules::default() })
}

/// Renders a world until a stop rule is met; [`TestSetup::samples`] has no effect.
pub(crate) fn render_until(world: &World, setup: &TestSetup, stop: &StopRules) -> Film {
    let spec = ViewSpec {
        projection: setup.projection,
        world_from_view: setup.world_from_view,
        width: setup.width,
        height: setup.height,
        sampler: setup.sampler,
        seed: setup.seed,
        filter: Filter::Box,
        aovs: setup.aovs,
        occlusion_radius: 1.0,
        texture_footprint: setup.texture_footprint,
        shows_environment: setup.shows_environment,
    };
    let view = View::new(world, spec);
    let mut film = Film::new(setup.width, setup.height, setup.aovs);
    let cancel = AtomicBool::new(false);
    render(&view, &setup.algorithm, &mut film, 0, stop, &setup.schedule, &cancel, &|_: &RenderProgress| ());
    film
}

/// Returns the mean radiance over all pixels.
pub(crate) fn mean(film: &Film) -> Vec3 {
    let picture = film.radiance();
    picture.pixels().iter().sum::<Vec3>() / picture.pixels().len() as f32
}

/// Returns the algorithms that compute the radiance of every point: all but ambient occlusion, and radiosity, which has
/// the mean light of texels and takes glass for black.
pub(crate) fn light_transport_algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| !["ao", "radiosity"].contains(&algorithm.name()))
}

/// Returns the algorithm of a name, with some parameters set.
pub(crate) fn algorithm(name: &str, parameters: &[(&str, &str)]) -> Algorithm {
    let mut algorithm: Algorithm = name.parse().unwrap();
    for (name, value) in parameters {
        algorithm.set(name, value).unwrap();
    }
    algorithm
}

/// Returns a scene of one mesh.
pub(crate) fn mesh_scene(data: MeshData, material: Material, environment: Environment) -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, data, material, Affine3::IDENTITY);
    scene.set_environment(environment).unwrap();
    scene
}

/// Adds a mesh with a material and a transform to a scene.
pub(crate) fn add(scene: &mut Scene, data: MeshData, material: Material, place: Affine3) {
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let material = scene.add_material(material).unwrap();
    scene.add_node(Node::new("n").at(place).with_mesh(mesh, vec![material])).unwrap();
}

/// Returns a closed unit sphere around the origin: an octahedron that is subdivided `levels` times. Front faces point
/// outward, or inward.
pub(crate) fn sphere(levels: u32, inward: bool, smooth: bool) -> MeshData {
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    let mut faces = Vec::new();
    for (sx, sy, sz) in [
        (1., 1., 1.),
        (-1., 1., 1.),
        (-1., -1., 1.),
        (1., -1., 1.),
        (1., 1., -1.),
        (-1., 1., -1.),
        (-1., -1., -1.),
        (1., -1., -1.),
    ] {
        let face = [x * sx, y * sy, z * sz];
        let outward = sx * sy * sz > 0.0;
        faces.push(if outward { face } else { [face[0], face[2], face[1]] });
    }
    for _ in 0..levels {
        let split = |[a, b, c]: [Vec3; 3]| {
            let middle = |p: Vec3, q: Vec3| ((p + q) * 0.5).normalize_or(Vec3::X);
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.into_iter().flat_map(split).collect();
    }
    if inward {
        faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    let positions: Vec<Vec3> = faces.into_iter().flatten().collect();
    let count = u32::try_from(positions.len()).unwrap();
    let triangles = (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let sign = if inward { -1.0 } else { 1.0 };
    let normals = if smooth { positions.iter().map(|&p| p * sign).collect() } else { vec![] };
    MeshData { positions, normals, triangles, ..MeshData::default() }
}

/// Returns a rectangle around the origin in the xz plane whose front face points up.
pub(crate) fn rectangle(width: f32, depth: f32) -> MeshData {
    let (x, z) = (width / 2.0, depth / 2.0);
    MeshData {
        positions: vec![vec3(-x, 0.0, z), vec3(x, 0.0, z), vec3(x, 0.0, -z), vec3(-x, 0.0, -z)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    }
}
