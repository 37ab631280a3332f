//! Lights: emissive triangles and shapes, punctual lights, and the environment.

mod batch;
mod common;
mod emission;
mod emission_means;
mod environment;
pub mod packed;
mod power_distribution;
mod punctual;
mod sample;
mod shape;
mod spot;
mod tree;
mod tree_batch;
mod tree_split;
mod triangle;

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec2, Vec3};
use sunfleck_scene::Scene;

use crate::MaterialTable;
use emission_means::EmissionMeans;
use environment::EnvironmentLight;
use power_distribution::PowerDistribution;
use punctual::PunctualLight;
use shape::ShapeLight;
use tree::{LightBounds, LightTree};
use triangle::TriangleLight;

pub use batch::{BATCH_SIZE, BatchRow, LightBatch, row, set_row};
pub use emission::{EmittedRay, EmitterKind, VirtualEmitter};
pub use sample::LightSample;
pub use shape::EmissiveShape;
pub use spot::SpotProfile;
pub use triangle::EmissiveTriangle;

/// All lights of a scene, with the distributions from which they are sampled.
///
/// The order of lights is: triangles, shapes, point and spot lights, directional lights, the environment. The light to sample
/// at a point is chosen by the light tree among those at finite distance, or by power among those at infinity; then a
/// point on it is sampled. Every light that illuminates a point has a nonzero probability there.
#[derive(Clone, Debug, Default)]
pub struct LightTable {
    triangles: Vec<TriangleLight>,
    /// Keys of the triangles ([`TriangleLight::key`]), ascending.
    keys: Vec<u64>,
    shapes: Vec<ShapeLight>,
    /// Keys of the shapes, ascending.
    shape_keys: Vec<u64>,
    punctual: Vec<PunctualLight>,
    environment: Option<Arc<EnvironmentLight>>,
    /// Distribution of all lights by power.
    power_distribution: PowerDistribution,
    /// Tree of the lights at finite distance.
    tree: LightTree,
    /// Number of lights at finite distance, which come first in the order of lights.
    near: usize,
    /// Distribution of the lights at infinity by power.
    distant: PowerDistribution,
    /// See [`LightTable::share_of_distant`].
    share_of_distant: f32,
}

/// All surfaces with emissive materials, in any order.
#[derive(Clone, Debug, Default)]
pub struct EmissiveSurfaces {
    /// Triangles.
    pub triangles: Vec<EmissiveTriangle>,
    /// Shapes.
    pub shapes: Vec<EmissiveShape>,
}

impl From<Vec<EmissiveTriangle>> for EmissiveSurfaces {
    fn from(triangles: Vec<EmissiveTriangle>) -> Self {
        Self { triangles, shapes: Vec::new() }
    }
}

/// Group of the lights of a [`LightTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightGroup {
    /// Triangles, shapes, point and spot lights.
    Near,
    /// Directional lights and the environment.
    Distant,
}

impl LightTable {
    /// Collects the lights with positive power. A triangle on which the emission texture is black everywhere is left
    /// out: it is never sampled, and its density is 0.
    ///
    /// * `materials` — materials of the scene. * `emissive` — all surfaces with emissive materials.
    /// * `scene_bounds` — box of all visible surfaces, on which the power of lights at infinity depends.
    pub fn build(
        scene: &Scene,
        materials: &MaterialTable,
        emissive: impl Into<EmissiveSurfaces>,
        scene_bounds: Aabb,
    ) -> Self {
        let environment = EnvironmentLight::new(scene).map(Arc::new);
        Self::with_environment(environment, scene, materials, emissive.into(), scene_bounds)
    }

    /// Builds the table as [`LightTable::build`] does, for a scene that has the same environment as this table. The
    /// distribution of the environment is shared.
    #[must_use]
    pub fn build_with_same_environment(
        &self,
        scene: &Scene,
        materials: &MaterialTable,
        emissive: impl Into<EmissiveSurfaces>,
        scene_bounds: Aabb,
    ) -> Self {
        let environment = self.environment.clone().or_else(|| EnvironmentLight::new(scene).map(Arc::new));
        Self::with_environment(environment, scene, materials, emissive.into(), scene_bounds)
    }

    fn with_environment(
        environment: Option<Arc<EnvironmentLight>>,
        scene: &Scene,
        materials: &MaterialTable,
        emissive: EmissiveSurfaces,
        scene_bounds: Aabb,
    ) -> Self {
        let half_diagonal = 0.5 * scene_bounds.diagonal();
        let scene_radius = if half_diagonal > 0.0 { half_diagonal } else { 1.0 };

        // Collect the lights of positive power
        let means = EmissionMeans::new(materials, &emissive);
        let mut triangles: Vec<(TriangleLight, f32)> = emissive
            .triangles
            .into_par_iter()
            .filter_map(|triangle| with_power(TriangleLight::new(triangle, materials)?, |l| l.power(&means)))
            .collect();
        triangles.sort_by_key(|(light, _)| light.key());
        let mut shapes: Vec<(ShapeLight, f32)> = emissive
            .shapes
            .into_par_iter()
            .filter_map(|shape| with_power(ShapeLight::new(shape, materials), |l| l.power(&means)))
            .collect();
        shapes.sort_by_key(|(light, _)| light.key());
        let punctual = scene.world_lights().into_iter().filter_map(|placed| {
            let light = PunctualLight::new(scene.light(placed.light)?, &placed.world_from_light);
            with_power(light, |light| luminance(light.power(scene_radius)))
        });
        let (directional, punctual): (Vec<_>, Vec<_>) = punctual.partition(|(light, _)| light.is_distant());
        let environment =
            environment.and_then(|light| with_power(light, |light| luminance(light.power(scene_radius))));

        let (triangles, mut powers): (Vec<_>, Vec<_>) = triangles.into_iter().unzip();
        let (shapes, shape_powers): (Vec<_>, Vec<_>) = shapes.into_iter().unzip();
        powers.extend(shape_powers);
        let near = powers.len() + punctual.len();
        let (punctual, punctual_powers): (Vec<_>, Vec<_>) = punctual.into_iter().chain(directional).unzip();
        powers.extend(punctual_powers);
        powers.extend(environment.iter().map(|(_, power)| power));
        let bounds = triangles.iter().map(|light| (light.bounds(), light.front()));
        let bounds = bounds.chain(shapes.iter().map(|light| (light.bounds(), light.front())));
        let bounds = bounds.chain(punctual.iter().map(|light| (light.bounds(), None)));
        let light_bounds = |((bounds, ng), &power)| LightBounds { bounds, ng, power };
        let leaves: Vec<LightBounds> = bounds.zip(&powers).map(light_bounds).take(near).collect();
        Self {
            keys: triangles.iter().map(TriangleLight::key).collect(),
            triangles,
            shape_keys: shapes.iter().map(ShapeLight::key).collect(),
            shapes,
            punctual,
            environment: environment.map(|(light, _)| light),
            power_distribution: PowerDistribution::new(&powers),
            tree: LightTree::new(&leaves),
            near,
            share_of_distant: match (near == 0, near == powers.len()) {
                (true, _) => 1.0,
                (_, true) => 0.0,
                _ => 0.5,
            },
            distant: PowerDistribution::new(&powers[near..]),
        }
    }

    /// Returns whether there are both lights at finite distance and lights at infinity.
    pub fn has_both_groups(&self) -> bool {
        (1..self.len()).contains(&self.near)
    }

    /// Returns the probability of sampling one of the lights at infinity: one half, if there are both groups and no
    /// other share was set.
    #[inline(always)]
    pub fn share_of_distant(&self) -> f32 {
        self.share_of_distant
    }

    /// Sets [`LightTable::share_of_distant`], clamped to [0.01, 0.99], of a table that has both groups; other tables
    /// stay as they are.
    #[must_use]
    pub fn with_share_of_distant(self, share: f32) -> Self {
        let share_of_distant =
            if self.has_both_groups() { share.clamp(0.01, 0.99) } else { self.share_of_distant };
        Self { share_of_distant, ..self }
    }

    /// Returns whether the table has no lights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether probabilities depend on the bounds of the scene, which they do if there are lights at infinity.
    pub fn depends_on_bounds(&self) -> bool {
        self.environment.is_some() || self.punctual.iter().any(PunctualLight::is_distant)
    }

    /// Returns whether any shape is a light.
    pub fn has_shapes(&self) -> bool {
        !self.shapes.is_empty()
    }

    /// Returns the index of the first punctual light.
    fn first_punctual(&self) -> usize {
        self.triangles.len() + self.shapes.len()
    }

    /// Returns the number of lights: triangles, shapes, punctual lights, and the environment.
    pub fn len(&self) -> usize {
        self.first_punctual() + self.punctual.len() + usize::from(self.environment.is_some())
    }

    /// Samples a light, and a point on it, that illuminates the point `from`. `None` if the sampled point emits nothing
    /// towards `from`, or if there are no lights. Visibility is not tested.
    ///
    /// * `materials` — the materials given to [`LightTable::build`].
    /// * `receiver_normal` — normal of the side of the surface at `from` on which light is reflected; light from the
    ///   other side may not be sampled. Zero stands for both sides.
    /// * `light_u`, `u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample(
        &self,
        materials: &MaterialTable,
        from: Vec3,
        receiver_normal: Vec3,
        light_u: f32,
        u: Vec2,
    ) -> Option<LightSample> {
        let selected = self.select(from, light_u)?;
        self.sample_selected(materials, selected, from, receiver_normal, u)
    }

    /// Samples as [`LightTable::sample`] does, but only lights of one group. The density is that of this sampling.
    pub fn sample_group(
        &self,
        group: LightGroup,
        materials: &MaterialTable,
        from: Vec3,
        receiver_normal: Vec3,
        light_u: f32,
        u: Vec2,
    ) -> Option<LightSample> {
        let selected = match group {
            LightGroup::Near => self.tree.sample(from, light_u)?,
            LightGroup::Distant => {
                let (light, probability) = self.distant.sample(light_u)?;
                (self.near + light, probability)
            }
        };
        self.sample_selected(materials, selected, from, receiver_normal, u)
    }

    /// Samples a point on a light.
    ///
    /// * `selected` — the light and its probability.
    #[inline(always)]
    fn sample_selected(
        &self,
        materials: &MaterialTable,
        (light, selected): (usize, f32),
        from: Vec3,
        receiver_normal: Vec3,
        u: Vec2,
    ) -> Option<LightSample> {
        let sample = self.illuminate(materials, light, from, receiver_normal, u)?;
        if sample.radiance == Vec3::ZERO {
            return None;
        }
        Some(LightSample { pdf_solid_angle: sample.pdf_solid_angle * selected, light, ..sample })
    }

    /// Samples a point on a light. The density is that of the point alone.
    #[inline(always)]
    fn illuminate(
        &self,
        materials: &MaterialTable,
        light: usize,
        from: Vec3,
        receiver_normal: Vec3,
        u: Vec2,
    ) -> Option<LightSample> {
        if let Some(triangle) = self.triangles.get(light) {
            triangle.sample(materials, from, u)
        } else if let Some(shape) = self.shapes.get(light - self.triangles.len()) {
            shape.sample(materials, from, u)
        } else if let Some(punctual) = self.punctual.get(light - self.first_punctual()) {
            punctual.illuminate(from)
        } else {
            self.environment.as_ref()?.sample((receiver_normal != Vec3::ZERO).then_some(receiver_normal), u)
        }
    }

    /// Samples a light for the point `from`. Returns its index and its probability.
    #[inline(always)]
    fn select(&self, from: Vec3, u: f32) -> Option<(usize, f32)> {
        match self.kind(u) {
            Kind::Distant(light, probability) => Some((light, probability)),
            Kind::Near(u) => {
                let (light, probability) = self.tree.sample(from, u)?;
                Some((light, probability * (1.0 - self.share_of_distant())))
            }
            Kind::None => None,
        }
    }

    /// Chooses between the lights at infinity, of which it samples one, and the others.
    #[inline(always)]
    fn kind(&self, u: f32) -> Kind {
        let share = self.share_of_distant();
        if u >= share {
            return Kind::Near((u - share) / (1.0 - share));
        }
        match self.distant.sample(u / share) {
            Some((light, probability)) => Kind::Distant(self.near + light, probability * share),
            None => Kind::None,
        }
    }

    /// Returns the density, per solid angle, with which [`LightTable::sample`] from `from` samples `point` on a
    /// triangle or shape, including the probability of the light; 0 if it is not a light.
    ///
    /// * `location` — location of the point on a shape; see [`UnitShape::location_of`](sunfleck_math::UnitShape).
    #[inline(always)]
    pub fn pdf_surface(&self, inst_id: u32, prim_id: u32, from: Vec3, point: Vec3, location: Vec2) -> f32 {
        let key = TriangleLight::key_of(inst_id, prim_id);
        let (light, pdf) = match self.keys.binary_search(&key) {
            Ok(light) => (light, self.triangles[light].pdf_solid_angle(from, point)),
            Err(_) => match self.shape_keys.binary_search(&key) {
                Ok(shape) => {
                    let pdf = self.shapes[shape].pdf_solid_angle(from, point, location);
                    (self.triangles.len() + shape, pdf)
                }
                Err(_) => return 0.0,
            },
        };
        self.tree.probability(light, from) * (1.0 - self.share_of_distant()) * pdf
    }

    /// Returns the radiance of the environment from a unit direction in world space.
    #[inline(always)]
    pub fn environment_radiance(&self, direction: Vec3) -> Vec3 {
        match &self.environment {
            Some(environment) => environment.radiance(direction),
            None => Vec3::ZERO,
        }
    }

    /// Returns the density, per solid angle, with which [`LightTable::sample`] samples a unit direction of the
    /// environment, including the probability of the light.
    ///
    /// * `is_behind` — whether the direction is on the side of the receiver that the receiver normal does not face.
    #[inline(always)]
    pub fn pdf_environment(&self, direction: Vec3, is_behind: bool) -> f32 {
        match &self.environment {
            Some(environment) => {
                let last = self.len() - 1 - self.near;
                let probability = self.distant.probability(last) * self.share_of_distant();
                probability * environment.pdf_solid_angle(direction, is_behind)
            }
            None => 0.0,
        }
    }
}

/// Kind of light that is sampled.
enum Kind {
    /// A light at infinity: its index, and its probability.
    Distant(usize, f32),
    /// A light of the tree: the uniform by which it is sampled.
    Near(f32),
    /// There is no light.
    None,
}

/// Returns a light with its power, or `None` if that is not positive.
fn with_power<L>(light: L, power: impl Fn(&L) -> f32) -> Option<(L, f32)> {
    let power = power(&light);
    (power > 0.0).then_some((light, power))
}

/// Returns the relative luminance of a linear Rec. 709 colour [BT709, item 3.2].
pub fn luminance(color: Vec3) -> f32 {
    color.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
