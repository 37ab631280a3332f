//! Commits a scene to a world. Parts that are equal to those of the previous world are shared, so the cost of an edit
//! depends on what it changes: a moved object needs a new top level, a new colour a new material table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use sunfleck_kernel::{Blas, BuildOptions, Geometry, Shapes, Tlas};
use sunfleck_scene::{Mesh, MeshId, Scene, WorldInstance};
use sunfleck_shading::MaterialTable;

use super::commit_inputs::CommitInputs;
use super::{CommitError, MeshInstance, PlacedCamera, World, lights, share_of_distant};

/// Largest number of triangles of a mesh that is built with the highest quality, which is slow.
const MAX_TRIANGLES_FOR_BEST: usize = 1 << 20;

type Meshes = BTreeMap<MeshId, (Arc<Mesh>, Geometry)>;

impl World {
    /// Builds acceleration structures and tables, in parallel. Errors: [`CommitError`].
    pub fn commit(scene: &Scene) -> Result<Self, CommitError> {
        Self::build(scene, None)
    }

    /// Makes the world of an edited scene: equal to that of [`World::commit`] bit for bit, but sharing unchanged parts
    /// with this one. Errors: [`CommitError`].
    ///
    /// * `scene` — the edited scene of this world, or any other one.
    pub fn update(&self, scene: &Scene) -> Result<Self, CommitError> {
        Self::build(scene, Some(self))
    }

    fn build(scene: &Scene, before: Option<&Self>) -> Result<Self, CommitError> {
        let options = BuildOptions::default();
        let visible = scene.world_instances();
        let inputs = Arc::new(CommitInputs::of(scene));
        let meshes = bottom_levels(scene, &visible, before, &options)?;
        let materials = match before.filter(|before| before.inputs.has_same_materials(&inputs)) {
            Some(before) => before.materials.clone(),
            None => Arc::new(match before {
                Some(before) => before.materials.update(scene),
                None => MaterialTable::new(scene),
            }),
        };
        let (instances, instance_materials) = mesh_instances(scene, &visible, &materials);
        let tlas =
            top_level(&meshes, &visible, &instances, &instance_materials, &materials, before, &options)?;
        let mut world = Self {
            tlas,
            lights: Arc::default(),
            materials,
            meshes,
            inputs,
            instances,
            instance_materials,
            cameras: cameras(scene),
            revision: scene.revision(),
            specular: OnceLock::new(),
            derived: before.map(|before| before.derived.clone()).unwrap_or_default(),
        };
        world.lights = match before.filter(|before| lights::is_same_table(before, &world)) {
            Some(before) => before.lights.clone(),
            None => Arc::new(lights::table(scene, &world, before)),
        };
        if world.lights.has_both_groups() {
            let share = share_of_distant::learn(&world);
            if share != world.lights.share_of_distant() {
                let table = Arc::unwrap_or_clone(std::mem::take(&mut world.lights));
                world.lights = Arc::new(table.with_share_of_distant(share));
            }
        }
        Ok(world)
    }
}

/// Builds the bottom level of each mesh in use, in the order of mesh ids.
fn bottom_levels(
    scene: &Scene,
    visible: &[WorldInstance<'_>],
    before: Option<&World>,
    options: &BuildOptions,
) -> Result<Meshes, CommitError> {
    let used: BTreeSet<MeshId> = visible.iter().map(|instance| instance.mesh).collect();
    let used: Vec<(MeshId, &Arc<Mesh>)> =
        used.into_iter().filter_map(|id| Some((id, scene.mesh(id)?))).collect();
    let build = |&(id, mesh): &(MeshId, &Arc<Mesh>)| {
        let same = before.and_then(|before| before.meshes.get(&id)).filter(|(old, _)| Arc::ptr_eq(old, mesh));
        if let Some((mesh, geometry)) = same {
            return Ok((id, (mesh.clone(), geometry.clone())));
        }
        // Meshes of the first commit are built with high quality, those of edits quickly. Hits are the same.
        let best = before.is_none() && mesh.primitive_count() <= MAX_TRIANGLES_FOR_BEST;
        let options = if best { &BuildOptions::BEST } else { options };
        let geometry = match mesh.shapes() {
            [] => Blas::build(mesh.positions(), mesh.triangles(), options).map(Geometry::from),
            shapes => Shapes::build(shapes, options).map(Geometry::from),
        };
        let geometry = geometry.map_err(|error| CommitError::Mesh { mesh: id, error })?;
        Ok((id, (mesh.clone(), geometry)))
    };
    let built = used.par_iter().map(build).collect::<Result<Vec<_>, _>>()?;
    Ok(built.into_iter().collect())
}

/// Returns the instances, and the material indices of all their slots.
fn mesh_instances(
    scene: &Scene,
    visible: &[WorldInstance<'_>],
    materials: &MaterialTable,
) -> (Vec<MeshInstance>, Vec<u32>) {
    let mut instances = Vec::with_capacity(visible.len());
    let mut instance_materials = Vec::new();
    for instance in visible {
        let Some(mesh) = scene.mesh(instance.mesh) else { continue };
        let first_material = u32::try_from(instance_materials.len()).unwrap_or(u32::MAX);
        let slots = &instance.materials[..mesh.slot_count() as usize];
        instance_materials.extend(slots.iter().map(|&id| materials.index_of(id)));
        instances.push(MeshInstance {
            node: instance.node,
            mesh: mesh.clone(),
            first_material,
            world_from_object: instance.world_from_object,
            object_from_world: instance.world_from_object.inverse(),
        });
    }
    (instances, instance_materials)
}

/// Builds the top level, or returns that of the previous world if the instances are equal.
fn top_level(
    meshes: &Meshes,
    visible: &[WorldInstance<'_>],
    instances: &[MeshInstance],
    instance_materials: &[u32],
    materials: &MaterialTable,
    before: Option<&World>,
    options: &BuildOptions,
) -> Result<Arc<Tlas>, CommitError> {
    let index_of: BTreeMap<MeshId, u32> = meshes.keys().copied().zip(0..).collect();
    let with_mesh = visible.iter().filter_map(|instance| index_of.get(&instance.mesh));
    let kernel_instances: Vec<_> = instances
        .iter()
        .zip(with_mesh)
        .map(|(placed, &blas)| sunfleck_kernel::Instance {
            blas,
            world_from_object: placed.world_from_object,
            mask: u32::MAX,
            opaque: placed.slots(instance_materials).iter().all(|&m| materials.is_opaque(m)),
        })
        .collect();
    let same = |before: &&World| {
        before.tlas.instances() == kernel_instances
            && before.meshes.len() == meshes.len()
            && before.meshes.values().zip(meshes.values()).all(|((_, a), (_, b))| a.is_same(b))
    };
    if let Some(before) = before.filter(same) {
        return Ok(before.tlas.clone());
    }
    let geometries: Vec<Geometry> = meshes.values().map(|(_, geometry)| geometry.clone()).collect();
    Tlas::build(geometries, kernel_instances, options).map(Arc::new).map_err(CommitError::TopLevel)
}

fn cameras(scene: &Scene) -> Vec<PlacedCamera> {
    let cameras = scene.world_cameras().into_iter().filter_map(|placed| {
        let camera = scene.camera(placed.camera)?.clone();
        let node_name = scene.node(placed.node).map(|n| n.name.clone()).unwrap_or_default();
        let name = if camera.name.is_empty() { node_name } else { camera.name.clone() };
        Some(PlacedCamera { name, camera, world_from_view: placed.world_from_view })
    });
    cameras.collect()
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, Vec3};
    use sunfleck_scene::{Environment, Material, SceneEdit, Texels, Texture};

    use super::*;

    fn edited(edit: impl Fn(&mut Scene)) -> (World, World) {
        let mut scene = sunfleck_models::build("office").unwrap();
        let before = World::commit(&scene).unwrap();
        edit(&mut scene);
        let after = before.update(&scene).unwrap();
        (before, after)
    }

    fn shares_bottom_levels(a: &World, b: &World) -> bool {
        a.meshes.values().zip(b.meshes.values()).all(|((_, a), (_, b))| a.is_same(b))
    }

    #[test]
    fn a_moved_object_needs_only_a_new_top_level() {
        let (before, after) = edited(|scene| {
            let chair = scene.nodes().filter(|(_, node)| node.instance.is_some() && node.light.is_none());
            let (id, node) = chair.last().unwrap();
            let parent_from_node = Affine3::from_translation(Vec3::Y * 0.01) * node.parent_from_node;
            scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
        });
        assert!(!Arc::ptr_eq(&before.tlas, &after.tlas), "the top level is new");
        assert!(shares_bottom_levels(&before, &after), "bottom levels are shared");
        assert!(Arc::ptr_eq(&before.materials, &after.materials), "materials are shared");
    }

    #[test]
    fn a_new_colour_needs_new_tables() {
        let (before, after) = edited(|scene| {
            let (id, _) = scene.materials().next().unwrap();
            let material = Some(Material::lambert("red", Vec3::X));
            scene.apply(SceneEdit::Material { id, material }).unwrap();
        });
        assert!(Arc::ptr_eq(&before.tlas, &after.tlas), "geometry is shared");
        assert!(!Arc::ptr_eq(&before.materials, &after.materials), "materials are new");
    }

    #[test]
    fn edited_lamps_keep_the_environment() {
        let mut scene = sunfleck_models::build("office").unwrap();
        let texels = (0..8).map(|i| [30 * i, 100, 200 - 20 * i, 255]).collect();
        let sky = Texture::new("sky", 4, 2, Texels::Srgb8(Arc::new(texels))).unwrap();
        let texture = scene.add_texture(sky).unwrap();
        let environment =
            Environment::Map { texture, rotation_y_radians: 0.3, scale: Vec3::ONE, rows_at_poles: false };
        scene.set_environment(environment).unwrap();
        let before = World::commit(&scene).unwrap();
        let (id, lamp) = scene.materials().find(|(_, m)| m.emission.radiance != Vec3::ZERO).unwrap();
        let material = Some(lamp.clone().with_emission(Vec3::X));
        scene.apply(SceneEdit::Material { id, material }).unwrap();
        let after = before.update(&scene).unwrap();
        let packed = |world: &World, held| world.lights.packed(&world.materials, held);
        assert!(packed(&after, Some(&before.lights)).environment.is_none(), "the environment is shared");
        assert_ne!(packed(&after, None).areas, packed(&before, None).areas, "lamps are new");
        assert_eq!(
            packed(&after, None),
            packed(&World::commit(&scene).unwrap(), None),
            "equal to a new commit"
        );
    }

    #[test]
    fn another_environment_needs_new_lights() {
        let (before, after) = edited(|scene| {
            scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        });
        assert!(Arc::ptr_eq(&before.tlas, &after.tlas), "geometry is shared");
        assert!(Arc::ptr_eq(&before.materials, &after.materials), "materials are shared");
        assert!(!Arc::ptr_eq(&before.lights, &after.lights), "lights are new");
    }
}
