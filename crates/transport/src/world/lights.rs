use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec4};
use sunfleck_scene::Scene;
use sunfleck_shading::{EmissiveTriangle, LightTable};

use super::{Placed, World};

impl Placed {
    /// The materials of its slots.
    pub(super) fn slots<'a>(&self, instance_materials: &'a [u32]) -> &'a [u32] {
        &instance_materials[self.first_material as usize..][..self.mesh.slot_count() as usize]
    }
}

impl World {
    /// The instances that radiate, with their index and materials.
    fn radiant(&self) -> impl Iterator<Item = (u32, &Placed, &[u32])> {
        let with_slots =
            (0..).zip(&self.instances).map(|(i, placed)| (i, placed, placed.slots(&self.instance_materials)));
        with_slots.filter(|(_, _, slots)| slots.iter().any(|&m| self.materials.is_emissive(m)))
    }
}

/// The table of all lights. It shares the environment with that of the world before, if that is the same.
pub(super) fn table(scene: &Scene, world: &World, before: Option<&World>) -> LightTable {
    let (emissive, bounds) = (emissive_triangles(world), world.tlas.bounds());
    match before.filter(|before| before.sources.have_the_sky_of(&world.sources)) {
        Some(before) => before.lights.build_under_the_same_sky(scene, &world.materials, emissive, bounds),
        None => LightTable::build(scene, &world.materials, emissive, bounds),
    }
}

/// Whether two worlds have the same lights: then their tables are equal.
pub(super) fn are_the_same(before: &World, world: &World) -> bool {
    let same_place = |(i, a, s): (u32, &Placed, &[u32]), (j, b, t): (u32, &Placed, &[u32])| {
        i == j
            && s == t
            && std::sync::Arc::ptr_eq(&a.mesh, &b.mesh)
            && a.world_from_object == b.world_from_object
    };
    std::sync::Arc::ptr_eq(&before.materials, &world.materials)
        && before.sources.shine_like(&world.sources)
        && (before.tlas.bounds() == world.tlas.bounds() || !before.lights.depends_on_bounds())
        && before.radiant().count() == world.radiant().count()
        && before.radiant().zip(world.radiant()).all(|(a, b)| same_place(a, b))
}

/// The triangles of all instances whose material radiates, in the order of (instance, triangle).
fn emissive_triangles(world: &World) -> Vec<EmissiveTriangle> {
    let radiant: Vec<_> = world.radiant().collect();
    radiant.into_par_iter().flat_map_iter(|instance| emissive_triangles_of(world, instance)).collect()
}

fn emissive_triangles_of<'a>(
    world: &'a World,
    (inst_id, placed, slots): (u32, &'a Placed, &'a [u32]),
) -> impl Iterator<Item = EmissiveTriangle> + 'a {
    let data = placed.mesh.data();
    data.triangles.iter().zip(0u32..).filter_map(move |(&[a, b, c], prim_id)| {
        let material = slots[placed.mesh.slot(prim_id) as usize];
        if !world.materials.is_emissive(material) {
            return None;
        }
        let vertices = [a, b, c].map(|v| v as usize);
        let uv = |uvs: &[Vec2]| vertices.map(|v| uvs.get(v).copied().unwrap_or(Vec2::ZERO));
        Some(EmissiveTriangle {
            inst_id,
            prim_id,
            material,
            corners: vertices.map(|v| placed.world_from_object.transform_point3(data.positions[v])),
            uv0: uv(&data.uv0),
            uv1: uv(&data.uv1),
            colors: vertices.map(|v| data.colors.get(v).copied().unwrap_or(Vec4::ONE)),
            flipped: placed.world_from_object.matrix3.determinant() < 0.0,
        })
    })
}
