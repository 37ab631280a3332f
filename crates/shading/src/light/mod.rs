//! Where light comes from: emissive triangles, lights without extent, the environment.

mod emission;
mod emission_means;
mod environment;
pub mod packed;
mod punctual;
mod sample;
mod selection;
mod tree;
mod triangle;

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec2, Vec3};
use sunfleck_scene::Scene;

use crate::MaterialTable;
use emission_means::EmissionMeans;
use environment::EnvironmentLight;
use punctual::PunctualLight;
use selection::Selection;
use tree::{Leaf, LightTree};
use triangle::TriangleLight;

pub use emission::{EmittedRay, EmitterKind, VirtualEmitter};
pub use sample::LightSample;
pub use triangle::EmissiveTriangle;

/// All lights of a scene.
///
/// Lights are in this order: triangles, point and spot lights, directional lights, the environment. Which light to sample at a
/// point is decided by a tree of those that are somewhere, or by power among those that are infinitely far away; then a
/// point on it is chosen. So every light that illuminates a point has a nonzero probability there.
#[derive(Clone, Debug, Default)]
pub struct LightTable {
    triangles: Vec<TriangleLight>,
    /// Those of the triangles, ascending.
    keys: Vec<u64>,
    punctual: Vec<PunctualLight>,
    environment: Option<Arc<EnvironmentLight>>,
    /// Of all, by power.
    selection: Selection,
    /// Of the lights that are somewhere.
    tree: LightTree,
    /// How many these are.
    near: usize,
    /// Of the others, by power.
    distant: Selection,
}

impl LightTable {
    /// Collects the lights that shine. A triangle whose emission texture is black all over it is none: it is never
    /// sampled, and its density is 0.
    ///
    /// * `materials` — of the same scene. * `emissive` — every triangle whose material is emissive, in any order.
    /// * `scene_bounds` — box of all visible surfaces, for the power that comes from infinitely far away.
    pub fn build(
        scene: &Scene,
        materials: &MaterialTable,
        emissive: Vec<EmissiveTriangle>,
        scene_bounds: Aabb,
    ) -> Self {
        let environment = EnvironmentLight::new(scene).map(Arc::new);
        Self::with_environment(environment, scene, materials, emissive, scene_bounds)
    }

    /// The same as [`LightTable::build`] for a scene with the environment of this table, which they share then.
    #[must_use]
    pub fn build_under_the_same_sky(
        &self,
        scene: &Scene,
        materials: &MaterialTable,
        emissive: Vec<EmissiveTriangle>,
        scene_bounds: Aabb,
    ) -> Self {
        let environment = self.environment.clone().or_else(|| EnvironmentLight::new(scene).map(Arc::new));
        Self::with_environment(environment, scene, materials, emissive, scene_bounds)
    }

    fn with_environment(
        environment: Option<Arc<EnvironmentLight>>,
        scene: &Scene,
        materials: &MaterialTable,
        emissive: Vec<EmissiveTriangle>,
        scene_bounds: Aabb,
    ) -> Self {
        let half_diagonal = 0.5 * scene_bounds.diagonal();
        let scene_radius = if half_diagonal > 0.0 { half_diagonal } else { 1.0 };

        // Each with its power, if that is any
        let means = EmissionMeans::new(materials, &emissive);
        let mut triangles: Vec<(TriangleLight, f32)> = emissive
            .into_par_iter()
            .filter_map(|triangle| with_power(TriangleLight::new(triangle, materials)?, |l| l.power(&means)))
            .collect();
        triangles.sort_by_key(|(light, _)| light.key());
        let punctual = scene.world_lights().into_iter().filter_map(|placed| {
            let light = PunctualLight::new(scene.light(placed.light)?, &placed.world_from_light);
            with_power(light, |light| luminance(light.power(scene_radius)))
        });
        let (directional, punctual): (Vec<_>, Vec<_>) = punctual.partition(|(light, _)| light.is_distant());
        let environment =
            environment.and_then(|light| with_power(light, |light| luminance(light.power(scene_radius))));

        let (triangles, mut powers): (Vec<_>, Vec<_>) = triangles.into_iter().unzip();
        let near = triangles.len() + punctual.len();
        let (punctual, punctual_powers): (Vec<_>, Vec<_>) = punctual.into_iter().chain(directional).unzip();
        powers.extend(punctual_powers);
        powers.extend(environment.iter().map(|(_, power)| power));
        let bounds = triangles.iter().map(|light| (light.bounds(), light.front()));
        let bounds = bounds.chain(punctual.iter().map(|light| (light.bounds(), None)));
        let leaf = |((bounds, ng), &power)| Leaf { bounds, ng, power };
        let leaves: Vec<Leaf> = bounds.zip(&powers).map(leaf).take(near).collect();
        Self {
            keys: triangles.iter().map(TriangleLight::key).collect(),
            triangles,
            punctual,
            environment: environment.map(|(light, _)| light),
            selection: Selection::new(&powers),
            tree: LightTree::new(&leaves),
            near,
            distant: Selection::new(&powers[near..]),
        }
    }

    /// Returns whether there is no light.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its probabilities depend on the box around the scene: some light comes from infinitely far away.
    pub fn depends_on_bounds(&self) -> bool {
        self.environment.is_some() || self.punctual.iter().any(PunctualLight::is_distant)
    }

    /// Number of lights that shine: triangles, lights without extent, and the environment.
    pub fn len(&self) -> usize {
        self.triangles.len() + self.punctual.len() + usize::from(self.environment.is_some())
    }

    /// Chooses a light and a point on it, as seen from the point `from`. `None`: this choice sends nothing there, or
    /// there is no light; visibility is the caller's question.
    ///
    /// * `materials` — those of [`LightTable::build`]. * `light_u`, `u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample(
        &self,
        materials: &MaterialTable,
        from: Vec3,
        light_u: f32,
        u: Vec2,
    ) -> Option<LightSample> {
        let (light, selected) = self.select(from, light_u)?;
        let sample = if let Some(triangle) = self.triangles.get(light) {
            triangle.sample(materials, from, u)
        } else if let Some(punctual) = self.punctual.get(light - self.triangles.len()) {
            punctual.illuminate(from)
        } else {
            self.environment.as_ref()?.sample(u)
        }?;
        if sample.radiance == Vec3::ZERO {
            return None;
        }
        Some(LightSample { pdf_solid_angle: sample.pdf_solid_angle * selected, light, ..sample })
    }

    /// Chooses a light for a point: its index and probability.
    #[inline(always)]
    fn select(&self, from: Vec3, u: f32) -> Option<(usize, f32)> {
        let share = self.share_of_distant();
        if u < share {
            let (light, probability) = self.distant.sample(u / share)?;
            Some((self.near + light, probability * share))
        } else {
            let (light, probability) = self.tree.sample(from, (u - share) / (1.0 - share))?;
            Some((light, probability * (1.0 - share)))
        }
    }

    /// How often one of the lights is chosen that are infinitely far away.
    #[inline(always)]
    fn share_of_distant(&self) -> f32 {
        match (self.near == 0, self.near == self.len()) {
            (true, _) => 1.0,
            (_, true) => 0.0,
            _ => 0.5,
        }
    }

    /// Density per solid angle, with the probability of the light, with which [`LightTable::sample`] from `from` chooses
    /// `point` on a triangle; 0 if it never does.
    #[inline(always)]
    pub fn pdf_triangle(&self, inst_id: u32, prim_id: u32, from: Vec3, point: Vec3) -> f32 {
        match self.keys.binary_search(&TriangleLight::key_of(inst_id, prim_id)) {
            Ok(light) => {
                let probability = self.tree.probability(light, from) * (1.0 - self.share_of_distant());
                probability * self.triangles[light].pdf_solid_angle(from, point)
            }
            Err(_) => 0.0,
        }
    }

    /// Radiance from a unit direction in the world, where no surface is.
    #[inline(always)]
    pub fn environment_radiance(&self, direction: Vec3) -> Vec3 {
        match &self.environment {
            Some(environment) => environment.radiance(direction),
            None => Vec3::ZERO,
        }
    }

    /// Density per solid angle, with the probability of the light, with which [`LightTable::sample`] chooses a unit
    /// direction in the environment.
    #[inline(always)]
    pub fn pdf_environment(&self, direction: Vec3) -> f32 {
        match &self.environment {
            Some(environment) => {
                let last = self.len() - 1 - self.near;
                let probability = self.distant.probability(last) * self.share_of_distant();
                probability * environment.pdf_solid_angle(direction)
            }
            None => 0.0,
        }
    }
}

/// A light with its power, if that is positive.
fn with_power<L>(light: L, power: impl Fn(&L) -> f32) -> Option<(L, f32)> {
    let power = power(&light);
    (power > 0.0).then_some((light, power))
}

/// Relative luminance of linear Rec. 709 [BT709].
fn luminance(color: Vec3) -> f32 {
    color.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
