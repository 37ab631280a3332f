//! Light tables of two scenes that choose lights in the same way.

use super::LightTable;
use super::punctual::PunctualLight;
use super::triangle::{EmissiveTriangle, TriangleLight};
use crate::MaterialTable;

impl LightTable {
    /// Returns a table that chooses *between* lights with the probabilities of this one, and whose lights emit as those
    /// of another scene do. With the same random numbers, both choose the same lights, so that a comparison of the two
    /// scenes has noise only where their light differs. Lights that only the other scene has are never chosen.
    ///
    /// Directions to the environment are sampled by the distribution of the other scene, so that they fit its radiance:
    /// where the environments differ, so do the directions.
    ///
    /// * `triangles` — the counterpart in the other scene of each emissive triangle of this table, in its order; `None`
    ///   if there is none.
    /// * `other` — table of the other scene. * `materials` — those of the other scene.
    ///
    /// Returns `None` if the tables have too little in common: instances in another order, or an environment in one of
    /// them only. It also does if shapes are lights, whose counterparts nobody looks for yet.
    #[must_use]
    pub fn with_emission_of(
        &self,
        triangles: impl Iterator<Item = Option<EmissiveTriangle>>,
        other: &Self,
        materials: &MaterialTable,
    ) -> Option<Self> {
        if self.has_shapes() || other.has_shapes() {
            return None;
        }
        let dark = (0..materials.len()).find(|&material| !materials.is_emissive(material));
        let mut keys = Vec::with_capacity(self.triangles.len());
        let mut lights = Vec::with_capacity(self.triangles.len());
        for (light, other) in self.triangles.iter().zip(triangles) {
            let other = other.and_then(|triangle| TriangleLight::new(triangle, materials));
            match other {
                Some(other) => {
                    keys.push(other.key());
                    lights.push(other);
                }
                None => {
                    // A key that no hit has, after those of the preceding instance
                    keys.push(keys.last().map_or(0, |&key| key | u64::from(u32::MAX)));
                    lights.push(light.with_material(dark?));
                }
            }
        }
        let environment = match (&self.environment, &other.environment) {
            (None, None) => None,
            (Some(_), Some(other)) => Some(other.clone()),
            (Some(_), None) | (None, Some(_)) => return None,
        };
        let punctual = self.punctual_of(&other.punctual)?;
        let is_complete = lights.len() == self.triangles.len() && keys.is_sorted();
        is_complete.then(|| Self { triangles: lights, keys, punctual, environment, ..self.clone() })
    }

    /// Returns the counterpart in the other scene of each punctual light, switched off if there is none.
    fn punctual_of(&self, others: &[PunctualLight]) -> Option<Vec<PunctualLight>> {
        if self.punctual.len() == others.len() {
            let same_kinds =
                self.punctual.iter().zip(others).all(|(own, other)| own.is_distant() == other.is_distant());
            return same_kinds.then(|| others.to_vec());
        }
        // Some were switched off: the others follow in the same order
        let mut left = others.iter().peekable();
        let lights: Vec<PunctualLight> = self
            .punctual
            .iter()
            .map(|own| match left.next_if(|other| *other == own) {
                Some(other) => *other,
                None => own.switched_off(),
            })
            .collect();
        left.next().is_none().then_some(lights)
    }

    /// Returns instance and triangle of each emissive triangle.
    pub fn emissive_triangles(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.triangles.iter().map(TriangleLight::ids)
    }
}
