//! Where light comes from: emissive triangles, lights without extent, the environment.

mod emission;
mod emission_means;
mod environment;
mod punctual;
mod sample;
mod selection;
mod triangle;

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec2, Vec3};
use sunfleck_scene::Scene;

use crate::MaterialTable;
use emission_means::EmissionMeans;
use environment::EnvironmentLight;
use punctual::PunctualLight;
use selection::Selection;
use triangle::TriangleLight;

pub use emission::{EmittedRay, Glow, VirtualEmitter};
pub use sample::LightSample;
pub use triangle::EmissiveTriangle;

/// All lights of a scene.
///
/// A light is chosen in proportion to the power that it sends into the scene, a tenth of the time any one; then a point
/// on it. So every light that shines has a chance everywhere.
#[derive(Clone, Debug, Default)]
pub struct LightTable {
    triangles: Vec<TriangleLight>,
    /// Those of the triangles, ascending.
    keys: Vec<u64>,
    punctual: Vec<PunctualLight>,
    environment: Option<EnvironmentLight>,
    /// Over triangles, punctual lights, environment, in that order.
    selection: Selection,
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
        let environment = EnvironmentLight::new(scene)
            .and_then(|light| with_power(light, |light| luminance(light.power(scene_radius))));

        let (triangles, mut powers): (Vec<_>, Vec<_>) = triangles.into_iter().unzip();
        let (punctual, punctual_powers): (Vec<_>, Vec<_>) = punctual.unzip();
        powers.extend(punctual_powers);
        powers.extend(environment.iter().map(|(_, power)| power));
        Self {
            keys: triangles.iter().map(TriangleLight::key).collect(),
            triangles,
            punctual,
            environment: environment.map(|(light, _)| light),
            selection: Selection::new(&powers),
        }
    }

    /// Whether nothing shines.
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
        let (light, selected) = self.selection.sample(light_u)?;
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
        Some(LightSample { pdf_solid_angle: sample.pdf_solid_angle * selected, ..sample })
    }

    /// Density per solid angle, with the probability of the light, with which [`LightTable::sample`] from `from` chooses
    /// `point` on a triangle; 0 if it never does.
    #[inline(always)]
    pub fn pdf_triangle(&self, inst_id: u32, prim_id: u32, from: Vec3, point: Vec3) -> f32 {
        match self.keys.binary_search(&TriangleLight::key_of(inst_id, prim_id)) {
            Ok(light) => {
                self.selection.probability(light) * self.triangles[light].pdf_solid_angle(from, point)
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
                let last = self.triangles.len() + self.punctual.len();
                self.selection.probability(last) * environment.pdf_solid_angle(direction)
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
