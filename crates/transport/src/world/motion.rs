//! Where the surfaces of a world were in an earlier world: by camera-independent motion vectors.

use std::sync::Arc;

use sunfleck_kernel::Hit;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::Mesh;

use super::{MeshInstance, World};

/// Correspondence of the surfaces of a world with those of an earlier world. A surface is identified by its node and by
/// its triangle.
#[derive(Debug)]
pub struct Motion<'a> {
    world: &'a World,
    before: &'a World,
    /// What became of each instance of `world`.
    instances: Vec<InstanceMotion>,
}

/// Motion of an instance since an earlier world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstanceMotion {
    /// The instance did not exist, or had a mesh of other triangles.
    New,
    /// Neither transform nor mesh have changed.
    Still,
    /// The transform has changed.
    Rigid {
        /// Transform from the instance's place in this world to that in the earlier world.
        before_from_now: Affine3,
    },
    /// Vertices have moved.
    Deformed {
        /// Index of the instance in the earlier world.
        inst_id: u32,
    },
}

/// Point of a surface in an earlier world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlierPoint {
    /// Position in the world.
    pub position: Vec3,
    /// Unit geometric normal of the front face.
    pub ng: Vec3,
}

impl World {
    /// Returns where the surfaces of this world were in an earlier one.
    pub fn motion_since<'a>(&'a self, before: &'a Self) -> Motion<'a> {
        let of_node = before.instances_by_node();
        let motion = |now: &MeshInstance| {
            let Some(&inst_id) = of_node.get(&now.node) else { return InstanceMotion::New };
            let then = &before.instances[inst_id as usize];
            if !Arc::ptr_eq(&now.mesh, &then.mesh) {
                return match is_same_topology(&now.mesh, &then.mesh) {
                    true => InstanceMotion::Deformed { inst_id },
                    false => InstanceMotion::New,
                };
            }
            if now.world_from_object == then.world_from_object {
                return InstanceMotion::Still;
            }
            InstanceMotion::Rigid { before_from_now: then.world_from_object * now.object_from_world }
        };
        Motion { world: self, before, instances: self.instances.iter().map(motion).collect() }
    }
}

impl Motion<'_> {
    /// Returns the motion of an instance of the later world; [`InstanceMotion::New`] if there is no such instance.
    #[inline(always)]
    pub fn of(&self, inst_id: u32) -> InstanceMotion {
        self.instances.get(inst_id as usize).copied().unwrap_or(InstanceMotion::New)
    }

    /// Returns the node of a surface and the place where it was; `None` if it did not exist.
    ///
    /// * `hit` — hit in the later world.
    /// * `position`, `ng` — position and unit geometric normal of the hit.
    #[inline(always)]
    pub fn point_before(&self, hit: &Hit, position: Vec3, ng: Vec3) -> Option<EarlierPoint> {
        match self.of(hit.inst_id) {
            InstanceMotion::New => None,
            InstanceMotion::Still => Some(EarlierPoint { position, ng }),
            InstanceMotion::Rigid { before_from_now } => Some(EarlierPoint {
                position: before_from_now.transform_point3(position),
                // Of a rotation and uniform scale, which instances of an animation have
                ng: before_from_now.transform_vector3(ng).normalize_or(ng),
            }),
            InstanceMotion::Deformed { inst_id } => {
                let then = &self.before.instances[inst_id as usize];
                let [a, b, c] =
                    then.mesh.corners(hit.prim_id).map(|p| then.world_from_object.transform_point3(p));
                let position = a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v;
                let front = (b - a).cross(c - a).normalize_or(ng);
                let is_mirrored = then.world_from_object.matrix3.determinant() < 0.0;
                Some(EarlierPoint { position, ng: if is_mirrored { -front } else { front } })
            }
        }
    }

    /// Returns the mesh of a deformed instance in the earlier world, and its `world_from_object`.
    ///
    /// * `inst_id` — index of the instance in the later world.
    pub fn mesh_before(&self, inst_id: u32) -> Option<(&Arc<Mesh>, Affine3)> {
        let InstanceMotion::Deformed { inst_id } = self.of(inst_id) else { return None };
        self.before.instances.get(inst_id as usize).map(|then| (&then.mesh, then.world_from_object))
    }

    /// Returns whether nothing has moved: all instances of both worlds stand still.
    pub fn is_none(&self) -> bool {
        self.before.instances.len() == self.world.instances.len()
            && self.instances.iter().all(|motion| *motion == InstanceMotion::Still)
    }
}

/// Returns whether two meshes differ at most in the attributes of their vertices.
fn is_same_topology(a: &Mesh, b: &Mesh) -> bool {
    a.positions().len() == b.positions().len() && a.triangles() == b.triangles()
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Ray, vec3};
    use sunfleck_scene::{MeshData, NodeId, Scene, SceneEdit};

    use super::*;
    use crate::AlphaSeed;

    /// Returns the first hit of a ray down onto the teapot of a scene.
    fn hit_on(world: &World, from: Vec3) -> (Hit, Vec3) {
        let (ray, seed) = (Ray::new(from, Vec3::NEG_Y), AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 });
        let hit =
            fearless_simd::dispatch!(fearless_simd::Level::new(), simd => world.intersect(simd, &ray, seed))
                .unwrap();
        (hit, ray.at(hit.t))
    }

    fn plane() -> (Scene, NodeId) {
        use sunfleck_scene::{Material, Node};
        let mut scene = Scene::default();
        let data = MeshData {
            positions: vec![vec3(-1.0, 0.0, -1.0), vec3(-1.0, 0.0, 1.0), vec3(1.0, 0.0, 0.0)],
            triangles: vec![[0, 1, 2]],
            ..MeshData::default()
        };
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let node = scene.add_node(Node::new("plane").with_mesh(mesh, vec![grey])).unwrap();
        (scene, node)
    }

    #[test]
    fn a_moved_and_turned_object_was_where_it_was() {
        let (mut scene, id) = plane();
        let before = World::commit(&scene).unwrap();
        let place =
            Affine3::from_translation(vec3(5.0, 2.0, 0.0)) * sunfleck_math::transform::rotation_y(0.5);
        scene.apply(SceneEdit::Transform { id, parent_from_node: place }).unwrap();
        let now = before.update(&scene).unwrap();
        let motion = now.motion_since(&before);
        assert!(!motion.is_none() && now.motion_since(&now).is_none());
        let then = vec3(0.1, 0.0, 0.2);
        let (hit, position) = hit_on(&now, place.transform_point3(then) + Vec3::Y);
        let earlier = motion.point_before(&hit, position, hit.ng.normalize_or(Vec3::Y)).unwrap();
        assert!((earlier.position - then).length() < 1e-5, "{earlier:?}");
        assert!((earlier.ng - Vec3::Y).length() < 1e-5, "{earlier:?}");
    }

    #[test]
    fn points_of_deformed_meshes_keep_their_barycentrics() {
        let (mut scene, _) = plane();
        let before = World::commit(&scene).unwrap();
        let (id, mesh) = scene.meshes().next().map(|(id, mesh)| (id, mesh.clone())).unwrap();
        let data = MeshData {
            positions: mesh.positions().iter().map(|p| vec3(2.0 * p.x, 1.0 + p.x, p.z)).collect(),
            ..mesh.data().clone()
        };
        let mesh = Some(Arc::new(Mesh::new(data).unwrap()));
        scene.apply(SceneEdit::Mesh { id, mesh }).unwrap();
        let now = before.update(&scene).unwrap();
        let motion = now.motion_since(&before);
        let (hit, position) = hit_on(&now, vec3(0.4, 5.0, 0.1));
        let earlier = motion.point_before(&hit, position, hit.ng.normalize_or(Vec3::Y)).unwrap();
        assert!((earlier.position - vec3(0.2, 0.0, 0.1)).length() < 1e-5, "{earlier:?}");
        assert!((earlier.ng - Vec3::Y).length() < 1e-5, "{earlier:?}");
    }

    #[test]
    fn new_instances_have_no_past() {
        let (scene, _) = plane();
        let now = World::commit(&scene).unwrap();
        let before = World::commit(&Scene::default()).unwrap();
        let (hit, position) = hit_on(&now, vec3(0.1, 1.0, 0.1));
        assert_eq!(now.motion_since(&before).point_before(&hit, position, Vec3::Y), None);
    }
}
