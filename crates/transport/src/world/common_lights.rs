//! Worlds that choose lights in the same way, for comparisons.

use std::sync::{Arc, OnceLock};

use super::{World, lights};

impl World {
    /// Returns two worlds whose paths choose lights with the same probabilities, those of the world that has more
    /// lights: with the same random numbers, paths differ only where light differs. Images of both converge to those of
    /// the given worlds, but for lights that only the world with fewer lights has.
    ///
    /// The worlds are for comparisons in this process only: they have the revision of the originals with another light
    /// table.
    pub fn with_common_lights(previous: &Arc<Self>, current: &Arc<Self>) -> [Arc<Self>; 2] {
        let pair = [previous.clone(), current.clone()];
        if Arc::ptr_eq(&previous.lights, &current.lights) {
            return pair;
        }
        match previous.light_count() >= current.light_count() {
            true => match current.choosing_lights_as(previous) {
                Some(current) => [previous.clone(), Arc::new(current)],
                None => pair,
            },
            false => match previous.choosing_lights_as(current) {
                Some(previous) => [Arc::new(previous), current.clone()],
                None => pair,
            },
        }
    }

    /// Returns this world with the light table of another one, whose lights emit as they do here.
    fn choosing_lights_as(&self, other: &Self) -> Option<Self> {
        let of_node = self.instances_by_node();
        let triangles = other.lights.emissive_triangles().map(|(inst_id, prim_id)| {
            let inst_id = *of_node.get(&other.node_of(inst_id)?)?;
            let placed = &self.instances[inst_id as usize];
            lights::emissive_triangle(inst_id, placed, placed.slots(&self.instance_materials), prim_id)
        });
        let lights = other.lights.with_emission_of(triangles, &self.lights, &self.materials)?;
        Some(Self {
            tlas: self.tlas.clone(),
            materials: self.materials.clone(),
            lights: Arc::new(lights),
            meshes: self.meshes.clone(),
            inputs: self.inputs.clone(),
            instances: self.instances.clone(),
            instance_materials: self.instance_materials.clone(),
            cameras: self.cameras.clone(),
            revision: self.revision,
            specular: OnceLock::new(),
            derived: self.derived.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;
    use sunfleck_scene::{Material, SceneEdit};

    use super::*;

    /// Sums the light samples of many points: estimates of the irradiance without visibility, and the lights chosen.
    fn samples(world: &World) -> (f64, Vec<usize>) {
        let mut chosen = Vec::new();
        let mut sum = 0.0;
        for i in 0..4000 {
            let u = |k: u32| sunfleck_sampling::rng::uniform([i, k, 3, 5]);
            let from = world.bounds().center() + Vec3::new(u(0) - 0.5, u(1) - 0.5, u(2) - 0.5);
            let point_u = sunfleck_math::vec2(u(4), u(5));
            let sample = world.lights.sample(&world.materials, from, Vec3::ZERO, u(3), point_u);
            let Some(sample) = sample else { continue };
            sum += f64::from(sample.radiance.element_sum() / sample.pdf_solid_angle);
            chosen.push(sample.light);
        }
        (sum, chosen)
    }

    #[test]
    fn a_lamp_that_is_switched_off_changes_no_other_choice() {
        let mut scene = sunfleck_models::build("office").unwrap();
        let previous = Arc::new(World::commit(&scene).unwrap());
        let is_lamp = |m: &Material| m.emission.radiance != Vec3::ZERO;
        let (id, lamp) = scene.materials().find(|(_, m)| is_lamp(m)).map(|(id, m)| (id, m.clone())).unwrap();
        let material = Some(lamp.with_emission(Vec3::ZERO));
        scene.apply(SceneEdit::Material { id, material }).unwrap();
        let current = Arc::new(previous.update(&scene).unwrap());
        assert!(current.light_count() < previous.light_count(), "one material of several is dark");
        let [same, common] = World::with_common_lights(&previous, &current);
        assert!(Arc::ptr_eq(&same, &previous));
        assert_eq!(common.light_count(), previous.light_count());
        let [(_, before), (sum, after), (expected, _)] =
            [&previous, &common, &current].map(|world| samples(world));
        assert!(after.len() < before.len() && !after.is_empty());
        assert!(after.iter().all(|light| before.contains(light)));
        assert!((sum / expected - 1.0).abs() < 0.1, "{sum} instead of {expected}");
        // In the other direction
        let [back, _] = World::with_common_lights(&current, &previous);
        assert_eq!(samples(&back).1, after);
    }
}
