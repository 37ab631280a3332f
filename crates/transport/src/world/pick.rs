//! Picking: finds the node and triangle at a point of the image.

use fearless_simd::{Level, dispatch};
use sunfleck_math::{Ray, Vec3};
use sunfleck_scene::NodeId;

use crate::{AlphaSeed, World};

/// Closest surface on a ray, in terms of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Node of the instance.
    pub node: NodeId,
    /// Triangle of its mesh.
    pub prim_id: u32,
    /// Material slot of the triangle.
    pub slot: u16,
    /// Position in the world.
    pub position: Vec3,
    /// Distance along the ray, in lengths of its direction.
    pub distance: f32,
    /// Unit geometric normal of the front face, in world space.
    pub ng: Vec3,
}

/// The same for all rays, so that the same ray finds the same surface.
const SEED: AlphaSeed = AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 };

impl World {
    /// Returns the closest surface on a ray, or `None`. Surfaces of partial alpha are picked with probability alpha,
    /// panes of thin glass always; the decision is the same for the same ray.
    pub fn pick(&self, level: Level, ray: &Ray) -> Option<Picked> {
        let hit = dispatch!(level, simd => self.intersect_panes(simd, ray, SEED))?;
        Some(Picked {
            node: self.node_of(hit.inst_id)?,
            prim_id: hit.prim_id,
            slot: self.slot_at(hit.inst_id, hit.prim_id)?,
            position: ray.at(hit.t),
            distance: hit.t,
            ng: hit.ng.normalize_or(Vec3::ZERO),
        })
    }

    /// Returns the distance of the closest surface on a ray, in lengths of its direction, or `None`. In contrast to
    /// [`pick`](Self::pick), the ray passes panes of thin glass that most rays pass.
    pub fn distance_seen(&self, level: Level, ray: &Ray) -> Option<f32> {
        dispatch!(level, simd => self.intersect_for_most(simd, ray, SEED)).map(|hit| hit.t)
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;
    use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};

    use super::*;

    /// Scene of two triangles, one above the other; the lower mesh has two slots.
    fn scene() -> (Scene, NodeId, NodeId) {
        let mut scene = Scene::default();
        let triangle =
            |y| vec![vec3(-1.0, y, -1.0), vec3(0.0, y, 2.0), vec3(1.0, y, -1.0), vec3(9.0, y, 9.0)];
        let upper = MeshData { positions: triangle(1.0), triangles: vec![[0, 1, 2]], ..MeshData::default() };
        let lower = MeshData {
            positions: triangle(0.0),
            triangles: vec![[1, 2, 3], [0, 1, 2]],
            slots: vec![0, 1],
            ..MeshData::default()
        };
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        let upper = scene.add_mesh(Mesh::new(upper).unwrap()).unwrap();
        let lower = scene.add_mesh(Mesh::new(lower).unwrap()).unwrap();
        let upper = scene.add_node(Node::new("upper").with_mesh(upper, vec![grey])).unwrap();
        let lower = scene.add_node(Node::new("lower").with_mesh(lower, vec![grey, grey])).unwrap();
        (scene, upper, lower)
    }

    #[test]
    fn the_nearest_is_picked_and_a_miss_is_none() {
        let (mut scene, upper, lower) = scene();
        let down = Ray::new(vec3(0.0, 3.0, 0.0), Vec3::NEG_Y);
        let picked = World::commit(&scene).unwrap().pick(Level::new(), &down).unwrap();
        assert_eq!((picked.node, picked.prim_id, picked.slot), (upper, 0, 0));
        assert!((picked.distance - 2.0).abs() < 1e-5 && (picked.position.y - 1.0).abs() < 1e-5);

        scene.apply(sunfleck_scene::SceneEdit::Visible { id: upper, visible: false }).unwrap();
        let world = World::commit(&scene).unwrap();
        let picked = world.pick(Level::new(), &down).unwrap();
        assert_eq!((picked.node, picked.prim_id, picked.slot), (lower, 1, 1), "hidden nodes are not picked");
        assert_eq!(world.pick(Level::new(), &Ray::new(vec3(0.0, 3.0, 0.0), Vec3::Y)), None);
    }
}
