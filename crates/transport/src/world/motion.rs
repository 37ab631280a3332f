//! Motion of surfaces between two worlds, independent of cameras.

use std::sync::Arc;

use sunfleck_kernel::Hit;
use sunfleck_math::transform::transform_normal;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::Mesh;

use super::{MeshInstance, World};

/// Correspondence of the surfaces of a world with those of a previous world. A surface is identified by its node and by
/// its triangle.
#[derive(Debug)]
pub struct Motion<'a> {
    previous: &'a World,
    /// Motion of each instance of the current world.
    instances: Vec<InstanceMotion>,
}

/// Motion of an instance since a previous world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstanceMotion {
    /// The instance did not exist, or had a mesh of other triangles.
    New,
    /// Neither transform nor mesh have changed.
    Still,
    /// The transform has changed.
    Transformed {
        /// Transform from the placement of the instance in the current world to that in the previous world.
        previous_from_current: Affine3,
    },
    /// Vertices have moved.
    Deformed {
        /// Index of the instance in the previous world.
        inst_id: u32,
    },
}

/// Point of a surface in a previous world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreviousPoint {
    /// Position in world space.
    pub position: Vec3,
    /// Unit normal in world space, on the side of the normal in the current world.
    pub normal: Vec3,
}

impl World {
    /// Returns the motion of the surfaces of this world since a previous one.
    pub fn motion_since<'a>(&self, previous: &'a Self) -> Motion<'a> {
        let of_node = previous.instances_by_node();
        let motion = |current: &MeshInstance| {
            let Some(&inst_id) = of_node.get(&current.node) else { return InstanceMotion::New };
            let found = &previous.instances[inst_id as usize];
            if !Arc::ptr_eq(&current.mesh, &found.mesh) && !has_same_shapes(&current.mesh, &found.mesh) {
                return match is_same_topology(&current.mesh, &found.mesh) {
                    true => InstanceMotion::Deformed { inst_id },
                    false => InstanceMotion::New,
                };
            }
            if current.world_from_object == found.world_from_object {
                return InstanceMotion::Still;
            }
            let previous_from_current = found.world_from_object * current.object_from_world;
            InstanceMotion::Transformed { previous_from_current }
        };
        Motion { previous, instances: self.instances.iter().map(motion).collect() }
    }
}

impl Motion<'_> {
    /// Returns the motion of an instance of the current world; [`InstanceMotion::New`] if there is no such instance.
    #[inline(always)]
    pub fn of(&self, inst_id: u32) -> InstanceMotion {
        self.instances.get(inst_id as usize).copied().unwrap_or(InstanceMotion::New)
    }

    /// Returns where a surface was; `None` if it did not exist.
    ///
    /// * `hit` — hit in the current world.
    /// * `position` — position of the hit.
    /// * `normal` — unit normal at the hit; of deformed meshes the geometric normal is returned instead.
    #[inline(always)]
    pub fn previous_point(&self, hit: &Hit, position: Vec3, normal: Vec3) -> Option<PreviousPoint> {
        match self.of(hit.inst_id) {
            InstanceMotion::New => None,
            InstanceMotion::Still => Some(PreviousPoint { position, normal }),
            InstanceMotion::Transformed { previous_from_current } => Some(PreviousPoint {
                position: previous_from_current.transform_point3(position),
                normal: transform_normal(&previous_from_current, normal).normalize_or(normal),
            }),
            InstanceMotion::Deformed { inst_id } => {
                let MeshInstance { mesh, world_from_object, .. } = &self.previous.instances[inst_id as usize];
                let corners = mesh.corners(hit.prim_id);
                let [a, b, c] = corners.map(|corner| world_from_object.transform_point3(corner));
                let position = a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v;
                let front = (b - a).cross(c - a).normalize_or(normal);
                let is_mirrored = world_from_object.matrix3.determinant() < 0.0;
                Some(PreviousPoint { position, normal: if is_mirrored { -front } else { front } })
            }
        }
    }

    /// Returns the mesh of a deformed instance in the previous world, and its `world_from_object`.
    ///
    /// * `inst_id` — index of the instance in the current world.
    pub fn previous_mesh(&self, inst_id: u32) -> Option<(&Arc<Mesh>, Affine3)> {
        let InstanceMotion::Deformed { inst_id } = self.of(inst_id) else { return None };
        self.previous.instances.get(inst_id as usize).map(|found| (&found.mesh, found.world_from_object))
    }
}

/// Returns whether two meshes consist of the same shapes, which have no vertices.
fn has_same_shapes(a: &Mesh, b: &Mesh) -> bool {
    !a.shapes().is_empty() && a.shapes() == b.shapes()
}

/// Returns whether two meshes of triangles differ at most in the attributes of their vertices.
fn is_same_topology(a: &Mesh, b: &Mesh) -> bool {
    a.positions().len() == b.positions().len() && a.triangles() == b.triangles() && a.shapes() == b.shapes()
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Ray, vec3};
    use sunfleck_scene::{MeshData, NodeId, Scene, SceneEdit};

    use super::*;
    use crate::AlphaSeed;

    /// Returns the first hit of a ray downwards, and its position.
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
        let previous = World::commit(&scene).unwrap();
        let place =
            Affine3::from_translation(vec3(5.0, 2.0, 0.0)) * sunfleck_math::transform::rotation_y(0.5);
        scene.apply(SceneEdit::Transform { id, parent_from_node: place }).unwrap();
        let current = previous.update(&scene).unwrap();
        let motion = current.motion_since(&previous);
        assert!(matches!(motion.of(0), InstanceMotion::Transformed { .. }));
        assert_eq!(current.motion_since(&current).of(0), InstanceMotion::Still);
        let expected = vec3(0.1, 0.0, 0.2);
        let (hit, position) = hit_on(&current, place.transform_point3(expected) + Vec3::Y);
        let point = motion.previous_point(&hit, position, hit.ng.normalize_or(Vec3::Y)).unwrap();
        assert!((point.position - expected).length() < 1e-5, "{point:?}");
        assert!((point.normal - Vec3::Y).length() < 1e-5, "{point:?}");
    }

    #[test]
    fn normals_stay_perpendicular_to_surfaces_that_are_scaled_unequally() {
        let (mut scene, id) = plane();
        // A slope along x whose steepness changes; the second one mirrors it as well
        let slope = sunfleck_math::transform::rotation_z(0.5);
        for scale in [vec3(3.0, 0.5, 1.0), vec3(-3.0, 0.5, 1.0)] {
            scene.apply(SceneEdit::Transform { id, parent_from_node: slope }).unwrap();
            let previous = World::commit(&scene).unwrap();
            let place = Affine3::from_scale(scale) * slope;
            scene.apply(SceneEdit::Transform { id, parent_from_node: place }).unwrap();
            let current = previous.update(&scene).unwrap();
            let (hit, position) = hit_on(&current, place.transform_point3(vec3(0.1, 0.0, 0.2)) + Vec3::Y);
            let upward = hit.ng.normalize_or(Vec3::Y) * hit.ng.y.signum();
            let motion = current.motion_since(&previous);
            let point = motion.previous_point(&hit, position, upward).unwrap();
            let expected = slope.transform_vector3(Vec3::Y);
            assert!((point.normal - expected).length() < 1e-5, "{scale}: {point:?} instead of {expected}");
        }
    }

    #[test]
    fn points_of_deformed_meshes_keep_their_barycentrics() {
        let (mut scene, _) = plane();
        let previous = World::commit(&scene).unwrap();
        let (id, mesh) = scene.meshes().next().map(|(id, mesh)| (id, mesh.clone())).unwrap();
        let data = MeshData {
            positions: mesh.positions().iter().map(|p| vec3(2.0 * p.x, 1.0 + p.x, p.z)).collect(),
            ..mesh.data().clone()
        };
        let mesh = Some(Arc::new(Mesh::new(data).unwrap()));
        scene.apply(SceneEdit::Mesh { id, mesh }).unwrap();
        let current = previous.update(&scene).unwrap();
        let motion = current.motion_since(&previous);
        let (hit, position) = hit_on(&current, vec3(0.4, 5.0, 0.1));
        let point = motion.previous_point(&hit, position, hit.ng.normalize_or(Vec3::Y)).unwrap();
        assert!((point.position - vec3(0.2, 0.0, 0.1)).length() < 1e-5, "{point:?}");
        assert!((point.normal - Vec3::Y).length() < 1e-5, "{point:?}");
    }

    #[test]
    fn shapes_with_other_slots_are_where_they_were() {
        use sunfleck_math::Shape;
        use sunfleck_scene::{Material, Node};
        let mut scene = Scene::default();
        let sphere = MeshData { shapes: vec![Shape::sphere(Vec3::ZERO, 1.0)], ..MeshData::default() };
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        let id = scene.add_mesh(Mesh::new(sphere.clone()).unwrap()).unwrap();
        scene.add_node(Node::new("sphere").with_mesh(id, vec![grey, grey])).unwrap();
        let previous = World::commit(&scene).unwrap();
        let mesh = Some(Arc::new(Mesh::new(MeshData { slots: vec![1], ..sphere }).unwrap()));
        scene.apply(SceneEdit::Mesh { id, mesh }).unwrap();
        let current = previous.update(&scene).unwrap();
        let (hit, position) = hit_on(&current, Vec3::Y * 3.0);
        let point = current.motion_since(&previous).previous_point(&hit, position, Vec3::Y);
        assert_eq!(point, Some(PreviousPoint { position, normal: Vec3::Y }));
    }

    #[test]
    fn new_instances_have_no_previous_point() {
        let (scene, _) = plane();
        let current = World::commit(&scene).unwrap();
        let previous = World::commit(&Scene::default()).unwrap();
        let (hit, position) = hit_on(&current, vec3(0.1, 1.0, 0.1));
        assert_eq!(current.motion_since(&previous).previous_point(&hit, position, Vec3::Y), None);
    }
}
