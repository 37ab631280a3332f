//! Emission of lights for light paths and virtual point lights.

use std::f32::consts::{FRAC_1_PI, PI};

use sunfleck_constants::light::PRIOR;
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::warp;

use super::LightTable;
use super::spot::SpotProfile;
use super::tree::rounded_share;
use super::triangle::TriangleLight;
use crate::MaterialTable;

/// A point emitter that stands for a light: a sample of its emission, divided by the sampling density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualEmitter {
    /// Index of the light, in the order of [`LightTable`].
    pub light: usize,
    /// Emission profile.
    pub kind: EmitterKind,
    /// Position of the punctual light or of the point on the surface; meaningless for [`EmitterKind::Distant`].
    pub position: Vec3,
    /// Bound of the distance per axis, metres, between `position` and the point at which the intersection test finds
    /// the surface; 0 for punctual lights.
    pub position_error: f32,
}

/// Emission of a [`VirtualEmitter`], divided by the density with which it was sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EmitterKind {
    /// Part of a surface: emits `intensity · cos` at an angle to the normal.
    Area {
        /// Unit normal of the emitting side.
        ng: Vec3,
        /// Whether the back side emits as well.
        double_sided: bool,
        /// Radiant intensity along the normal, W/sr.
        intensity: Vec3,
    },
    /// Point light: emits equally in all directions.
    Point {
        /// Radiant intensity, W/sr.
        intensity: Vec3,
    },
    /// Spot light: emits `intensity` times its profile at an angle to `direction`.
    Spot {
        /// Axis of the cone, a unit vector that points away from the light.
        direction: Vec3,
        /// Radiant intensity along the axis, W/sr.
        intensity: Vec3,
        /// Falloff of the intensity with the angle.
        profile: SpotProfile,
    },
    /// Light from infinitely far away.
    Distant {
        /// Unit vector to the light.
        to_light: Vec3,
        /// Irradiance of a surface that faces the light, W/m².
        irradiance: Vec3,
    },
}

/// First segment of a light path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmittedRay {
    /// Ray from the light, with a unit direction.
    pub ray: Ray,
    /// Flux along the ray divided by the density of the ray, W.
    pub flux: Vec3,
}

impl VirtualEmitter {
    /// Samples a ray that leaves the light; `None` if the sampled ray carries no light.
    ///
    /// * `u`, `side_u` — uniform in [0, 1). * `(center, radius)` — sphere around the scene.
    #[inline]
    pub fn emit(&self, u: Vec2, side_u: f32, (center, radius): (Vec3, f32)) -> Option<EmittedRay> {
        match self.kind {
            EmitterKind::Area { ng, double_sided, intensity } => {
                let sides = if double_sided { 2.0 } else { 1.0 };
                let ng = if double_sided && side_u < 0.5 { -ng } else { ng };
                let direction = Frame::from_normal(ng).world_from_local(warp::cosine_hemisphere(u));
                let flux = intensity * (PI * sides);
                Some(EmittedRay { ray: Ray::new(self.origin_along(direction), direction), flux })
            }
            EmitterKind::Point { intensity } => {
                let ray = Ray::new(self.position, warp::uniform_sphere(u));
                Some(EmittedRay { ray, flux: intensity * (4.0 * PI) })
            }
            EmitterKind::Spot { direction, intensity, profile } => {
                let one_minus_cos_max = profile.one_minus_cos_outer();
                let local = warp::uniform_cone(u, one_minus_cos_max);
                let falloff = profile.at(local.z);
                let direction = Frame::from_normal(direction).world_from_local(local);
                let flux = intensity * (falloff * 2.0 * PI * one_minus_cos_max);
                (falloff > 0.0).then_some(EmittedRay { ray: Ray::new(self.position, direction), flux })
            }
            EmitterKind::Distant { to_light, irradiance } => {
                let on_disk = (warp::concentric_disk(u) * radius).extend(radius);
                let origin = center + Frame::from_normal(to_light).world_from_local(on_disk);
                let flux = irradiance * (PI * radius * radius);
                Some(EmittedRay { ray: Ray::new(origin, -to_light), flux })
            }
        }
    }

    /// Returns the origin of a ray that leaves along `direction`. It is offset from a surface by the bound of the
    /// rounding error. Meaningless for [`EmitterKind::Distant`].
    #[inline]
    pub fn origin_along(&self, direction: Vec3) -> Vec3 {
        match self.kind {
            EmitterKind::Area { ng, .. } => {
                offset_ray_origin(self.position, Vec3::splat(self.position_error), ng, direction)
            }
            _ => self.position,
        }
    }

    /// Returns the emission along a unit direction, in the measure of [`VirtualEmitter::pdf`]: radiant intensity, W/sr;
    /// for lights at infinity irradiance, W/m².
    pub fn along(&self, direction: Vec3) -> Vec3 {
        match self.kind {
            EmitterKind::Area { ng, double_sided, intensity } => {
                let cos = ng.dot(direction);
                intensity * if double_sided { cos.abs() } else { cos.max(0.0) }
            }
            EmitterKind::Point { intensity } => intensity,
            EmitterKind::Spot { direction: axis, intensity, profile } => {
                intensity * profile.at(axis.dot(direction))
            }
            EmitterKind::Distant { irradiance, .. } => irradiance,
        }
    }

    /// Returns the density of [`VirtualEmitter::emit`] at a unit direction, sr⁻¹; for lights at infinity, whose rays
    /// are parallel, the density over the cross section of the sphere around the scene, m⁻².
    ///
    /// * `radius` — radius of that sphere.
    pub fn pdf(&self, direction: Vec3, radius: f32) -> f32 {
        match self.kind {
            EmitterKind::Area { ng, double_sided: true, .. } => ng.dot(direction).abs() * (0.5 * FRAC_1_PI),
            EmitterKind::Area { ng, .. } => ng.dot(direction).max(0.0) * FRAC_1_PI,
            EmitterKind::Point { .. } => 0.25 * FRAC_1_PI,
            EmitterKind::Spot { direction: axis, profile, .. } => {
                let local = Frame::from_normal(axis).local_from_world(direction);
                warp::uniform_cone_pdf(local, profile.one_minus_cos_outer())
            }
            EmitterKind::Distant { .. } => FRAC_1_PI / (radius * radius),
        }
    }
}

impl LightTable {
    /// Samples a point on a light. `None` if nothing is emitted there.
    ///
    /// * `light` — index, less than [`LightTable::len`]. * `probability` — probability with which it was chosen.
    /// * `u` — uniform in [0, 1).
    pub fn virtual_emitter(
        &self,
        materials: &MaterialTable,
        light: usize,
        probability: f32,
        u: Vec2,
    ) -> Option<VirtualEmitter> {
        let scale = probability.recip();
        let shape = light.checked_sub(self.triangles.len()).and_then(|i| self.shapes.get(i));
        let position_error = match shape {
            Some(shape) => shape.position_error(),
            None => self.triangles.get(light).map_or(0.0, TriangleLight::position_error),
        };
        let (position, kind) = if let Some(triangle) = self.triangles.get(light) {
            triangle.sample_emission(materials, u, scale)
        } else if let Some(shape) = shape {
            shape.sample_emission(materials, u, scale)
        } else if let Some(punctual) = self.punctual.get(light - self.first_punctual()) {
            Some(punctual.emission(scale))
        } else {
            let sample = self.environment.as_ref()?.sample(None, u)?;
            let irradiance = sample.radiance * (scale / sample.pdf_solid_angle);
            Some((Vec3::ZERO, EmitterKind::Distant { to_light: sample.wi, irradiance }))
        }?;
        Some(VirtualEmitter { light, kind, position, position_error })
    }

    /// Returns the probability of each light in proportion to its estimated contribution. Where few contributions were
    /// found, they are smoothed along the light tree: those of a cluster are distributed in proportion to power.
    ///
    /// * `found` — sum and number of the contributions that were found for each light.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities")]
    pub fn contribution_shares(&self, found: &[(f64, u32)]) -> Vec<f32> {
        let (near, distant) = found.split_at(self.near.min(found.len()));
        let sum = |found: &[(f64, u32)]| found.iter().map(|(sum, _)| sum).sum::<f64>();
        let near_share = rounded_share(sum(near), sum(distant));
        let shares = self.tree.shares(near, PRIOR.into());
        let mut all: Vec<f32> = shares.into_iter().map(|share| (near_share * share) as f32).collect();
        // Divide the rest among the lights at infinity, each time between one light and all of those after it
        let mut left = 1.0 - near_share;
        for (i, (own, _)) in distant.iter().enumerate() {
            let share = left * rounded_share(*own, sum(&distant[i + 1..]));
            all.push(share as f32);
            left -= share;
        }
        all
    }

    /// Returns the probability of each light when lights are chosen in proportion to power, mixed with a uniform
    /// distribution.
    pub fn power_shares(&self) -> impl ExactSizeIterator<Item = f32> {
        (0..self.len()).map(|light| self.power_distribution.probability(light))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{vec2, vec3};
    use sunfleck_scene::SpotFalloff;

    use super::*;

    #[test]
    fn flux_is_emission_over_density() {
        let (ng, intensity) = (vec3(0.6, 0.0, 0.8), vec3(1.0, 2.0, 3.0));
        let profile = |falloff| SpotProfile::new(falloff, 0.2, 0.7);
        let kinds = [
            EmitterKind::Area { ng, double_sided: false, intensity },
            EmitterKind::Area { ng, double_sided: true, intensity },
            EmitterKind::Point { intensity },
            EmitterKind::Spot { direction: ng, intensity, profile: profile(SpotFalloff::Quadratic) },
            EmitterKind::Spot { direction: ng, intensity, profile: profile(SpotFalloff::Linear) },
            EmitterKind::Distant { to_light: ng, irradiance: intensity },
        ];
        let radius = 3.0;
        for kind in kinds {
            let emitter = VirtualEmitter { light: 0, kind, position: Vec3::X, position_error: 0.0 };
            for i in 0..100u8 {
                let u = vec2((f32::from(i) + 0.5) / 100.0, f32::from(i) * 0.618 % 1.0);
                let Some(emitted) = emitter.emit(u, u.y, (Vec3::Y, radius)) else { continue };
                let direction = emitted.ray.direction;
                let flux = emitter.along(direction) / emitter.pdf(direction, radius);
                let error = (flux / emitted.flux - Vec3::ONE).abs().max_element();
                assert!(error < 1e-3, "{kind:?}: flux {flux} W, not {} W", emitted.flux);
            }
        }
    }
}
