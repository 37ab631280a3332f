//! An office of about 34,000 triangles, as large as those of [RayEngine02, Fig. 6] and [Wald03, Fig. 26 and Table 4].

mod chair;
mod desk;
pub(crate) mod lounge;
mod materials;
pub(crate) mod plant;
mod shelf;
mod shell;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Camera, MaterialId, MeshData, MeshId, Node, NodeId, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::scene_builder::SceneBuilder;

use materials::Materials;

pub(crate) const MODEL: Model = Model {
    name: "office",
    summary: "an office with desks, plants, books, glasses and a lounge beside a window over the city",
    parameters: Office::PARAMETERS,
    defaults: || Box::new(Office::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Office {
        /// Scale factor of the radiance of the window.
        daylight: f32 = 1.0, in 0.0..=100.0;
        /// Scale factor of the radiance of the lamps.
        lamps: f32 = 1.0, in 0.0..=100.0;
        /// Seed of books, leaves and orientations of chairs.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

/// Size of the room, metres. Its corner is the origin; x runs along the back wall, z towards the camera.
const ROOM: Vec3 = vec3(7.0, 2.75, 7.2);

impl Build for Office {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let lamps = self.lamps;
        let mut builder = SceneBuilder::default();
        let m = Materials::new(&mut builder)?;
        shell::room(&mut builder, &m)?;
        shell::window(&mut builder, &m, self.daylight)?;
        shell::ceiling_lights(&mut builder, &m, lamps)?;
        workplaces(&mut builder, &m, random.fork(0))?;
        shelf::along_the_back_wall(&mut builder, &m, random.fork(1))?;
        lounge::build(&mut builder, &m, lamps)?;
        plants(&mut builder, &m, random.fork(2))?;
        let camera = Camera::perspective("camera", 0.78);
        builder.camera(camera, vec3(6.1, 1.50, 6.75), vec3(3.32, 0.86, 1.2))?;
        Ok(builder.finish())
    }
}

/// Mesh with its materials, for adding instances.
struct InstancedMesh {
    name: String,
    mesh: MeshId,
    materials: Vec<MaterialId>,
}

impl InstancedMesh {
    fn new(builder: &mut SceneBuilder, mesh: MeshData, materials: &[MaterialId]) -> Result<Self, ModelError> {
        let name = mesh.name.clone();
        Ok(Self { name, mesh: builder.mesh(mesh)?, materials: materials.to_vec() })
    }

    /// Adds an instance at a point of the parent's frame, rotated about the vertical by `yaw` radians.
    fn add_instance(
        &self,
        builder: &mut SceneBuilder,
        parent: Option<NodeId>,
        at: Vec3,
        yaw: f32,
    ) -> Result<NodeId, ModelError> {
        let node = Node::new(self.name.clone())
            .at(Affine3::from_translation(at) * rotation_y(yaw))
            .with_mesh(self.mesh, self.materials.clone());
        builder.node(Node { parent, ..node })
    }
}

/// Adds two pairs of desks, face to face, each with a chair and the objects on it.
fn workplaces(builder: &mut SceneBuilder, m: &Materials, random: Random) -> Result<(), ModelError> {
    use std::f32::consts::PI;
    let desk = InstancedMesh::new(builder, desk::desk(), &[m.white, m.oak, m.steel])?;
    let drawers = InstancedMesh::new(builder, desk::drawers(), &[m.white, m.steel])?;
    let monitor = InstancedMesh::new(builder, desk::monitor(), &[m.black, m.screen, m.steel])?;
    let keyboard = InstancedMesh::new(builder, desk::keyboard(), &[m.steel, m.black])?;
    let mouse = InstancedMesh::new(builder, desk::mouse(), &[m.black])?;
    let lamp = InstancedMesh::new(builder, desk::lamp(), &[m.orange, m.steel])?;
    let mugs = [m.blue, m.orange, m.white].map(|glaze| InstancedMesh::new(builder, desk::mug(), &[glaze]));
    let [mug_a, mug_b, mug_c] = mugs;
    let mugs = [mug_a?, mug_b?, mug_c?];
    let paper = InstancedMesh::new(builder, desk::papers(), &[m.paper, m.blue])?;
    let chairs = [m.charcoal, m.blue_fabric];
    let chair_mesh = builder.mesh(chair::chair())?;
    let positions = [(1.75, 2.05, 0.0), (1.75, 3.65, 0.0), (2.58, 2.05, PI), (2.58, 3.65, PI)];
    for (i, (x, z, yaw)) in (0u32..).zip(positions) {
        let mut r = random.fork(i);
        // Frame of a workplace: x along the desk, +z towards its chair
        let yaw = yaw - 0.5 * PI;
        let transform = Affine3::from_translation(vec3(x, 0.0, z)) * rotation_y(yaw);
        let parent = Some(builder.node(Node::new(format!("workplace {}", i + 1)).at(transform))?);
        let top = desk::HEIGHT;
        desk.add_instance(builder, parent, Vec3::ZERO, 0.0)?;
        drawers.add_instance(builder, parent, vec3(0.52, 0.0, 0.02), 0.0)?;
        monitor.add_instance(builder, parent, vec3(r.around_zero(0.1), top, -0.20), r.around_zero(0.15))?;
        keyboard.add_instance(builder, parent, vec3(r.around_zero(0.05), top, 0.16), r.around_zero(0.08))?;
        mouse.add_instance(
            builder,
            parent,
            vec3(0.33, top, 0.17 + r.around_zero(0.03)),
            r.around_zero(0.3),
        )?;
        mugs[i as usize % 3].add_instance(
            builder,
            parent,
            vec3(-0.36, top, 0.10 + r.around_zero(0.05)),
            r.between(0.0, 6.0),
        )?;
        paper.add_instance(builder, parent, vec3(-0.55, top, 0.16), r.around_zero(0.4))?;
        if i != 1 {
            lamp.add_instance(builder, parent, vec3(0.62, top, -0.22), -2.2 + r.around_zero(0.4))?;
        }
        let fabric = chairs[i as usize % 2];
        let chair = InstancedMesh {
            name: "swivel chair".into(),
            mesh: chair_mesh,
            materials: vec![fabric, m.black, m.chrome],
        };
        chair.add_instance(
            builder,
            parent,
            vec3(r.around_zero(0.12), 0.0, 0.72 + r.around_zero(0.08)),
            PI + r.around_zero(0.6),
        )?;
    }
    Ok(())
}

fn plants(builder: &mut SceneBuilder, m: &Materials, random: Random) -> Result<(), ModelError> {
    let materials = [m.terracotta, m.soil, m.leaf, m.light_leaf];
    for (i, (x, z, size)) in (0u32..).zip([(0.50, 0.55, 1.35), (0.46, 6.55, 1.15), (3.85, 0.45, 1.0)]) {
        let plant = InstancedMesh::new(builder, plant::plant(size, 30, random.fork(i)), &materials)?;
        plant.add_instance(builder, None, vec3(x, 0.0, z), i as f32)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::shape::tests::is_closed;

    /// [Wald03, Table 4] has 33,952 triangles.
    #[test]
    fn about_as_many_triangles_as_published() {
        let count = crate::build("office").unwrap().instanced_triangle_count();
        assert!((32_000..=36_000).contains(&count), "{count} triangles");
    }

    #[test]
    fn glass_is_closed() {
        for mesh in [super::lounge::tumbler(), super::lounge::carafe()] {
            assert!(is_closed(&mesh), "{} has a hole", mesh.name);
        }
    }
}
