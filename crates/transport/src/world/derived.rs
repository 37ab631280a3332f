//! Data that algorithms derive from a world and keep for its edited versions.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_kernel::Tlas;
use sunfleck_shading::{LightTable, MaterialTable};

use super::World;

/// Store of one value per type.
#[derive(Default)]
pub(super) struct DerivedData {
    values: Mutex<BTreeMap<TypeId, Box<dyn Any + Send>>>,
}

impl fmt::Debug for DerivedData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DerivedData").finish_non_exhaustive()
    }
}

/// What the light in a world depends on. The light of worlds whose identities are equal is the same; those of worlds
/// that were committed separately differ always.
#[derive(Clone, Debug)]
pub struct WorldIdentity {
    tlas: Arc<Tlas>,
    materials: Arc<MaterialTable>,
    lights: Arc<LightTable>,
    instance_materials: Vec<u32>,
}

impl WorldIdentity {
    /// Returns whether both worlds have the same surfaces, whatever their materials.
    pub fn has_same_geometry(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tlas, &other.tlas)
    }
}

impl PartialEq for WorldIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.has_same_geometry(other)
            && Arc::ptr_eq(&self.materials, &other.materials)
            && Arc::ptr_eq(&self.lights, &other.lights)
            && self.instance_materials == other.instance_materials
    }
}

impl World {
    /// Returns what the light in this world depends on.
    pub fn identity(&self) -> WorldIdentity {
        WorldIdentity {
            tlas: self.tlas.clone(),
            materials: self.materials.clone(),
            lights: self.lights.clone(),
            instance_materials: self.instance_materials.clone(),
        }
    }

    /// Calls a function with the value of type `T` that is kept for this world and all worlds that are
    /// [updates](World::update) of it or that it is an update of: the default at first. An algorithm keeps there what
    /// is expensive to derive from a world, with the [identity](World::identity) of the world that it is of, so that
    /// it can reuse what an edit does not change.
    ///
    /// While a call runs, another one with the same type gets the default, and what it leaves is lost or replaces that
    /// of the first. Results should therefore not depend on the value, only the time to compute them; where they do, as
    /// patches of radiosity that were divided by the light before an edit, the algorithm says so.
    pub fn with_derived<T: Default + Send + 'static, R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let key = TypeId::of::<T>();
        let values = || self.derived.values.lock().unwrap_or_else(PoisonError::into_inner);
        // The store is not locked meanwhile, since a thread of the pool that waits for `f` may call this, too
        let kept = values().remove(&key).and_then(|value| value.downcast::<T>().ok());
        let mut value = kept.unwrap_or_default();
        let result = f(&mut value);
        values().insert(key, value);
        result
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;
    use sunfleck_scene::{Material, SceneEdit};

    use super::*;

    #[derive(Default)]
    struct Counter(u32);

    fn count(world: &World) -> u32 {
        world.with_derived(|counter: &mut Counter| {
            counter.0 += 1;
            counter.0
        })
    }

    #[test]
    fn updates_of_a_world_share_derived_data() {
        let mut scene = sunfleck_models::build("cornell").unwrap();
        let before = World::commit(&scene).unwrap();
        assert_eq!((count(&before), count(&before)), (1, 2));
        let (id, _) = scene.materials().next().unwrap();
        scene.apply(SceneEdit::Material { id, material: Some(Material::lambert("red", Vec3::X)) }).unwrap();
        let after = before.update(&scene).unwrap();
        assert_eq!((count(&after), count(&before)), (3, 4));
        assert_eq!(count(&World::commit(&scene).unwrap()), 1, "another world");
        let (before, after) = (before.identity(), after.identity());
        assert!(before != after && before.has_same_geometry(&after) && before == before.clone());
    }

    #[test]
    fn data_is_not_locked_while_it_is_used() {
        let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
        let inner = world.with_derived(|_: &mut Counter| count(&world));
        assert_eq!(inner, 1);
    }
}
