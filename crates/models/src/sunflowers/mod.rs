//! A field of sunflowers, after the scene "Sunflowers" of [Wald03, Fig. 18]: 28,000 instances of ten flowers with
//! 36,000 triangles each, and trees of a million triangles each. Of a billion triangles, 3.5 million are unique.

mod field;
mod flower;
mod head;
mod tree;

use rayon::prelude::*;
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{
    Camera, Environment, Light, LightKind, Material, MaterialId, MeshData, Node, Projection, Scene,
    parameters,
};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::sky;

use field::Field;

pub(crate) const MODEL: Model = Model {
    name: "sunflowers",
    summary: "a hilly field of sunflowers under a summer sky, a billion triangles by instancing",
    parameters: Sunflowers::PARAMETERS,
    defaults: || Box::new(Sunflowers::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Sunflowers {
        /// Number of flowers.
        flowers: u32 = 28_000, in 1..=200_000;
        /// Number of trees, of three kinds.
        trees: u32 = 7, in 0..=24;
        /// Scale factor of the number of triangles of each flower and tree.
        detail: f32 = 1.0, in 0.02..=2.0;
        /// Strength of the wind, which bends the flowers.
        wind: f32 = 0.2, in 0.0..=1.0;
        /// Seed of the shapes and positions of all plants and of the terrain.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

const FLOWER_KINDS: u32 = 10;
const TREE_KINDS: u32 = 3;

/// Direction towards the sun: behind the camera on its left, about 30° above the horizon.
const SUN: Vec3 = vec3(-0.62, 0.50, 0.60);
/// Irradiance of a surface that faces the sun, W/m².
const SUNLIGHT: Vec3 = vec3(4.7, 4.2, 3.4);

impl Build for Sunflowers {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let detail = self.detail;
        let mut builder = SceneBuilder::default();
        let materials = Materials::new(&mut builder)?;

        let field = Field::new(self.seed);
        builder.fixture(field.ground(), &[materials.ground])?;

        // Flowers
        let kinds: Vec<MeshData> = (0..FLOWER_KINDS)
            .into_par_iter()
            .map(|kind| flower::grow(kind, random.fork(kind), detail))
            .collect();
        let kinds: Vec<_> = kinds.into_iter().map(|mesh| builder.mesh(mesh)).collect::<Result<_, _>>()?;
        let parent = builder.node(Node::new("field"))?;
        for (i, (kind, transform)) in field.flowers(self.flowers, self.wind, random.fork(100)).enumerate() {
            let node = Node::new(format!("sunflower {}", i + 1)).at(transform).below(parent);
            builder.node(node.with_mesh(kinds[kind as usize], materials.flower.to_vec()))?;
        }

        // Trees
        let count = self.trees;
        let kinds: Vec<MeshData> = (0..count.min(TREE_KINDS))
            .into_par_iter()
            .map(|kind| tree::grow(kind, random.fork(200 + kind), detail))
            .collect();
        let kinds: Vec<_> = kinds.into_iter().map(|mesh| builder.mesh(mesh)).collect::<Result<_, _>>()?;
        for (i, transform) in field.trees(count, random.fork(300)).enumerate() {
            let node = Node::new(format!("tree {}", i + 1)).at(transform);
            builder.node(node.with_mesh(kinds[i % kinds.len()], materials.tree.to_vec()))?;
        }

        light(&mut builder)?;
        let eye = field.eye();
        let projection =
            Projection::ThinLens { fov_y_radians: 0.72, lens_radius: 0.006, focus_distance: 3.0 };
        let camera = Camera::new("camera", projection);
        builder.camera(camera, eye, eye + vec3(0.05, 0.06, -1.0))?;
        Ok(builder.finish())
    }
}

struct Materials {
    ground: MaterialId,
    flower: [MaterialId; 3],
    tree: [MaterialId; 4],
}

impl Materials {
    /// Adds the materials. Those of meshes with vertex colours are white.
    fn new(builder: &mut SceneBuilder) -> Result<Self, ModelError> {
        let mut paint = |name, color| builder.material(Material::lambert(name, color));
        Ok(Self {
            ground: paint("ground", Vec3::ONE)?,
            flower: [
                paint("stem and leaf", Vec3::ONE)?,
                paint("petal", Vec3::ONE)?,
                paint("floret", Vec3::ONE)?,
            ],
            tree: [
                paint("bark", vec3(0.16, 0.12, 0.09))?,
                paint("leaf in shade", vec3(0.10, 0.20, 0.04))?,
                paint("leaf", vec3(0.15, 0.27, 0.05))?,
                paint("young leaf", vec3(0.22, 0.34, 0.07))?,
            ],
        })
    }
}

/// Adds sun and sky.
fn light(builder: &mut SceneBuilder) -> Result<(), ModelError> {
    let sun = Light { name: "sun".into(), emission: SUNLIGHT, kind: LightKind::Directional };
    let towards = sunfleck_math::transform::look_at(Vec3::ZERO, -SUN, Vec3::Y);
    builder.light(sun, towards)?;
    let texture = builder.texture(sky::paint(SUN.normalize_or(Vec3::Y), 1024)?)?;
    builder.environment(Environment::Map {
        texture,
        rotation_y_radians: 0.0,
        scale: Vec3::ONE,
        rows_at_poles: false,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_billion_triangles_of_which_few_are_unique() {
        let scene = crate::build("sunflowers").unwrap();
        let unique: usize = scene.meshes().map(|(_, mesh)| mesh.triangles().len()).sum();
        assert!(scene.instanced_triangle_count() >= 1_000_000_000, "{}", scene.instanced_triangle_count());
        assert!(unique < 5_000_000, "{unique} unique triangles and their BVHs do not fit into 4 GB");
        for (_, mesh) in scene.meshes().filter(|(_, mesh)| mesh.name().starts_with("sunflower")) {
            let count = mesh.triangles().len();
            assert!((34_000..=38_500).contains(&count), "{} has {count} triangles", mesh.name());
        }
        for (_, mesh) in scene.meshes().filter(|(_, mesh)| mesh.name().starts_with("tree")) {
            let count = mesh.triangles().len();
            assert!((800_000..=1_300_000).contains(&count), "{} has {count} triangles", mesh.name());
        }
    }
}
