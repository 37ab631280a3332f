//! Where walks from lights begin.

use std::f32::consts::{FRAC_1_PI, PI};

use sunfleck_constants::light::PRIOR;
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::warp;

use super::LightTable;
use super::tree::rounded_share;
use super::triangle::TriangleLight;
use crate::MaterialTable;

/// A point light that stands for a light, or for a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualEmitter {
    /// Which light it stands for, in the order of [`LightTable`].
    pub light: usize,
    /// Emission profile.
    pub glow: EmitterKind,
    /// Where a light without extent, or an area, is; meaningless for [`EmitterKind::Distant`].
    pub position: Vec3,
    /// Bound of the error, per axis, by which rays that leave an area may meet it elsewhere than at `position`, metres.
    pub position_error: f32,
}

/// Emission of a [`VirtualEmitter`], divided by the density with which it was sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EmitterKind {
    /// A part of a surface: `intensity · cos` at an angle to the normal.
    Area {
        /// Unit normal of the emitting side.
        ng: Vec3,
        /// Whether the other side emits as well.
        double_sided: bool,
        /// Along the normal, W/sr.
        intensity: Vec3,
    },
    /// The same in all directions, W/sr.
    Point {
        /// In every direction.
        intensity: Vec3,
    },
    /// Falls as the square of `cos · scale + offset`, clamped to [0, 1], with the angle to `direction`.
    Spot {
        /// Unit; where it points.
        direction: Vec3,
        /// Along that, W/sr.
        intensity: Vec3,
        /// Of the falloff.
        scale: f32,
        /// Of the falloff.
        offset: f32,
    },
    /// From infinitely far away.
    Distant {
        /// Unit, to the light.
        to_light: Vec3,
        /// On a surface that faces it, W/m².
        irradiance: Vec3,
    },
}

/// The first segment of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmittedRay {
    /// Unit direction.
    pub ray: Ray,
    /// Flux that travels along, divided by the density of the ray, W.
    pub flux: Vec3,
}

impl VirtualEmitter {
    /// A ray on which its light leaves.
    ///
    /// * `u`, `side_u` — uniform in [0, 1). * `bounds` — middle and radius of a sphere around the scene.
    #[inline]
    pub fn emit(&self, u: Vec2, side_u: f32, (center, radius): (Vec3, f32)) -> Option<EmittedRay> {
        match self.glow {
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
            EmitterKind::Spot { direction, intensity, scale, offset } => {
                let one_minus_cos_max = spot_cone(scale, offset);
                let local = warp::uniform_cone(u, one_minus_cos_max);
                let falloff = falloff(local.z, scale, offset);
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

    /// Where a ray begins that leaves along `direction`: off an area, by no more than rounding asks for. Meaningless for [`EmitterKind::Distant`].
    #[inline]
    pub fn origin_along(&self, direction: Vec3) -> Vec3 {
        match self.glow {
            EmitterKind::Area { ng, .. } => {
                offset_ray_origin(self.position, Vec3::splat(self.position_error), ng, direction)
            }
            _ => self.position,
        }
    }

    /// What flows along a ray that [`VirtualEmitter::emit`] could have made, in the measure of its density: radiant intensity, W/sr;
    /// of lights infinitely far away irradiance, W/m².
    pub fn along(&self, direction: Vec3) -> Vec3 {
        match self.glow {
            EmitterKind::Area { ng, double_sided, intensity } => {
                let cos = ng.dot(direction);
                intensity * if double_sided { cos.abs() } else { cos.max(0.0) }
            }
            EmitterKind::Point { intensity } => intensity,
            EmitterKind::Spot { direction: axis, intensity, scale, offset } => {
                intensity * falloff(axis.dot(direction), scale, offset)
            }
            EmitterKind::Distant { irradiance, .. } => irradiance,
        }
    }

    /// Density of [`VirtualEmitter::emit`] at a unit direction, sr⁻¹; of lights infinitely far away, whose rays have one direction, that
    /// of the place where it passes the sphere's middle, m⁻².
    ///
    /// * `radius` — of the sphere around the scene.
    pub fn pdf(&self, direction: Vec3, radius: f32) -> f32 {
        match self.glow {
            EmitterKind::Area { ng, double_sided: true, .. } => ng.dot(direction).abs() * (0.5 * FRAC_1_PI),
            EmitterKind::Area { ng, .. } => ng.dot(direction).max(0.0) * FRAC_1_PI,
            EmitterKind::Point { .. } => 0.25 * FRAC_1_PI,
            EmitterKind::Spot { direction: axis, scale, offset, .. } => {
                let local = Frame::from_normal(axis).local_from_world(direction);
                warp::uniform_cone_pdf(local, spot_cone(scale, offset))
            }
            EmitterKind::Distant { .. } => FRAC_1_PI / (radius * radius),
        }
    }
}

/// 1 - cos of the angle at which a spot's light ends.
fn spot_cone(scale: f32, offset: f32) -> f32 {
    (1.0 + offset / scale).clamp(1e-6, 2.0)
}

/// Of a spot at an angle to its axis.
#[inline(always)]
pub(super) fn falloff(cos: f32, scale: f32, offset: f32) -> f32 {
    let attenuation = scale.mul_add(cos, offset).clamp(0.0, 1.0);
    attenuation * attenuation
}

impl LightTable {
    /// Chooses a point on a given light. `None`: it does not shine there.
    ///
    /// * `light` — below [`LightTable::len`]. * `probability` — with which it was chosen. * `u` — uniform in [0, 1).
    pub fn virtual_emitter(
        &self,
        materials: &MaterialTable,
        light: usize,
        probability: f32,
        u: Vec2,
    ) -> Option<VirtualEmitter> {
        let scale = probability.recip();
        let position_error = self.triangles.get(light).map_or(0.0, TriangleLight::position_error);
        let (position, glow) = if let Some(triangle) = self.triangles.get(light) {
            triangle.glow(materials, u, scale)
        } else if let Some(punctual) = self.punctual.get(light - self.triangles.len()) {
            Some(punctual.glow(scale))
        } else {
            let sample = self.environment.as_ref()?.sample(u)?;
            let irradiance = sample.radiance * (scale / sample.pdf_solid_angle);
            Some((Vec3::ZERO, EmitterKind::Distant { to_light: sample.wi, irradiance }))
        }?;
        Some(VirtualEmitter { light, glow, position, position_error })
    }

    /// How to choose among lights of which something is known: probabilities that follow what was found of each, and where
    /// that is little, what was found of lights near by, divided by power.
    ///
    /// * `found` — of each light the sum of what it brings, and how often it was found.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities")]
    pub fn found_shares(&self, found: &[(f64, u32)]) -> Vec<f32> {
        let (near, distant) = found.split_at(self.near.min(found.len()));
        let sum = |found: &[(f64, u32)]| found.iter().map(|(sum, _)| sum).sum::<f64>();
        let near_share = rounded_share(sum(near), sum(distant));
        let shares = self.tree.shares(near, PRIOR.into());
        let mut all: Vec<f32> = shares.into_iter().map(|share| (near_share * share) as f32).collect();
        // Those infinitely far away, one after the other
        let mut left = 1.0 - near_share;
        for (i, (own, _)) in distant.iter().enumerate() {
            let share = left * rounded_share(*own, sum(&distant[i + 1..]));
            all.push(share as f32);
            left -= share;
        }
        all
    }

    /// The probability of each light if lights are chosen by power, mixed with a little uniform.
    pub fn power_shares(&self) -> impl ExactSizeIterator<Item = f32> {
        (0..self.len()).map(|light| self.selection.probability(light))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{vec2, vec3};

    use super::*;

    #[test]
    fn flux_is_what_flows_along_over_the_density() {
        let (ng, intensity) = (vec3(0.6, 0.0, 0.8), vec3(1.0, 2.0, 3.0));
        let glows = [
            EmitterKind::Area { ng, double_sided: false, intensity },
            EmitterKind::Area { ng, double_sided: true, intensity },
            EmitterKind::Point { intensity },
            EmitterKind::Spot { direction: ng, intensity, scale: 4.0, offset: -3.0 },
            EmitterKind::Distant { to_light: ng, irradiance: intensity },
        ];
        let radius = 3.0;
        for glow in glows {
            let emitter = VirtualEmitter { light: 0, glow, position: Vec3::X, position_error: 0.0 };
            for i in 0..100u8 {
                let u = vec2((f32::from(i) + 0.5) / 100.0, f32::from(i) * 0.618 % 1.0);
                let Some(emitted) = emitter.emit(u, u.y, (Vec3::Y, radius)) else { continue };
                let direction = emitted.ray.direction;
                let flux = emitter.along(direction) / emitter.pdf(direction, radius);
                let error = (flux / emitted.flux - Vec3::ONE).abs().max_element();
                assert!(error < 1e-3, "{glow:?}: {flux} W for {} W", emitted.flux);
            }
        }
    }
}
