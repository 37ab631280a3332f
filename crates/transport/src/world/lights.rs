//! The light table of a world.

use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec4};
use sunfleck_scene::Scene;
use sunfleck_shading::{EmissiveShape, EmissiveSurfaces, EmissiveTriangle, LightTable};

use super::{MeshInstance, World};

impl MeshInstance {
    /// Returns the material indices of the slots.
    pub(super) fn slots<'a>(&self, instance_materials: &'a [u32]) -> &'a [u32] {
        &instance_materials[self.first_material as usize..][..self.mesh.slot_count() as usize]
    }
}

impl World {
    /// Returns the instances with emissive materials, with their index and material indices.
    fn emissive_instances(&self) -> impl Iterator<Item = (u32, &MeshInstance, &[u32])> {
        let with_slots =
            (0..).zip(&self.instances).map(|(i, placed)| (i, placed, placed.slots(&self.instance_materials)));
        with_slots.filter(|(_, _, slots)| slots.iter().any(|&m| self.materials.is_emissive(m)))
    }
}

/// Builds the table of all lights. If the environment is that of the previous world, both tables share it.
pub(super) fn table(scene: &Scene, world: &World, before: Option<&World>) -> LightTable {
    let bounds = world.tlas.bounds();
    let emissive = EmissiveSurfaces { triangles: emissive_triangles(world), shapes: emissive_shapes(world) };
    match before.filter(|before| before.inputs.has_same_environment(&world.inputs)) {
        Some(before) => before.lights.build_with_same_environment(scene, &world.materials, emissive, bounds),
        None => LightTable::build(scene, &world.materials, emissive, bounds),
    }
}

/// Returns whether two worlds have the same lights, and so equal tables.
pub(super) fn is_same_table(before: &World, world: &World) -> bool {
    let same_instance = |(i, a, s): (u32, &MeshInstance, &[u32]), (j, b, t): (u32, &MeshInstance, &[u32])| {
        i == j
            && s == t
            && std::sync::Arc::ptr_eq(&a.mesh, &b.mesh)
            && a.world_from_object == b.world_from_object
    };
    std::sync::Arc::ptr_eq(&before.materials, &world.materials)
        && before.inputs.has_same_lights(&world.inputs)
        && (before.tlas.bounds() == world.tlas.bounds() || !before.lights.depends_on_bounds())
        && before.emissive_instances().count() == world.emissive_instances().count()
        && before.emissive_instances().zip(world.emissive_instances()).all(|(a, b)| same_instance(a, b))
}

/// Returns the triangles with an emissive material, in the order of (instance, triangle).
fn emissive_triangles(world: &World) -> Vec<EmissiveTriangle> {
    let instances: Vec<_> = world.emissive_instances().collect();
    instances.into_par_iter().flat_map_iter(|instance| emissive_triangles_of(world, instance)).collect()
}

fn emissive_triangles_of<'a>(
    world: &'a World,
    (inst_id, placed, slots): (u32, &'a MeshInstance, &'a [u32]),
) -> impl Iterator<Item = EmissiveTriangle> + 'a {
    let triangles = placed.mesh.triangles().len();
    (0u32..).take(triangles).filter_map(move |prim_id| {
        let triangle = emissive_triangle(inst_id, placed, slots, prim_id)?;
        world.materials.is_emissive(triangle.material).then_some(triangle)
    })
}

/// Returns the shapes with an emissive material, in the order of (instance, shape).
fn emissive_shapes(world: &World) -> Vec<EmissiveShape> {
    let of_instance = |(inst_id, placed, slots): (u32, &MeshInstance, &[u32])| {
        let shapes = (0..).zip(placed.mesh.shapes()).map(|(prim_id, shape)| EmissiveShape {
            inst_id,
            prim_id,
            material: slots[placed.mesh.slot(prim_id) as usize],
            shape: shape.transformed(&placed.world_from_object),
            object_from_world: placed.object_from_world,
        });
        shapes.filter(|shape| world.materials.is_emissive(shape.material)).collect::<Vec<_>>()
    };
    world.emissive_instances().flat_map(of_instance).collect()
}

/// Returns a triangle of an instance as an emissive one; `None` if the mesh has no such triangle.
pub(super) fn emissive_triangle(
    inst_id: u32,
    placed: &MeshInstance,
    slots: &[u32],
    prim_id: u32,
) -> Option<EmissiveTriangle> {
    let data = placed.mesh.data();
    let vertices = data.triangles.get(prim_id as usize)?.map(|v| v as usize);
    let uv = |uvs: &[Vec2]| vertices.map(|v| uvs.get(v).copied().unwrap_or(Vec2::ZERO));
    Some(EmissiveTriangle {
        inst_id,
        prim_id,
        material: slots[placed.mesh.slot(prim_id) as usize],
        corners: vertices.map(|v| placed.world_from_object.transform_point3(data.positions[v])),
        uv0: uv(&data.uv0),
        uv1: uv(&data.uv1),
        colors: vertices.map(|v| data.colors.get(v).copied().unwrap_or(Vec4::ONE)),
        flipped: placed.world_from_object.matrix3.determinant() < 0.0,
    })
}
