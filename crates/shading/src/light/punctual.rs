//! Punctual lights: point, spot and directional lights, in the units of `KHR_lights_punctual`.

use std::f32::consts::PI;

use sunfleck_math::{Aabb, Affine3, Vec3};
use sunfleck_scene::{Light, LightKind};

use super::LightSample;
use super::emission::EmitterKind;
use super::packed;
use super::spot::SpotProfile;

/// A point, spot or directional light in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PunctualLight {
    /// Intensity, W/sr; irradiance of a directional light, W/m².
    emission: Vec3,
    position: Vec3,
    /// Unit vector of the direction in which a spot or directional light points.
    direction: Vec3,
    kind: Kind,
}

/// Kind of a punctual light, with its falloff.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Point,
    Spot(SpotProfile),
    Directional,
}

impl PunctualLight {
    /// Places a light. Scale and shear of the transform are ignored.
    pub(super) fn new(light: &Light, world_from_light: &Affine3) -> Self {
        let kind = match light.kind {
            LightKind::Point => Kind::Point,
            LightKind::Directional => Kind::Directional,
            LightKind::Spot { inner_radians, outer_radians, falloff } => {
                Kind::Spot(SpotProfile::new(falloff, inner_radians, outer_radians))
            }
        };
        Self {
            emission: light.emission,
            position: world_from_light.translation,
            direction: world_from_light.transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z),
            kind,
        }
    }

    /// Returns the flux that can reach a scene of radius `scene_radius`, W per colour component.
    pub(super) fn power(&self, scene_radius: f32) -> Vec3 {
        self.emission
            * match self.kind {
                Kind::Point => 4.0 * PI,
                Kind::Spot(profile) => profile.solid_angle(),
                Kind::Directional => PI * scene_radius * scene_radius,
            }
    }

    /// Returns the record of the light on the GPU.
    pub(super) fn packed(&self) -> packed::PunctualLight {
        let (kind, scale, offset) = match self.kind {
            Kind::Point => (packed::PunctualLight::POINT, 0.0, 0.0),
            Kind::Spot(profile) => {
                (packed::PunctualLight::SPOT + profile.packed_falloff(), profile.scale, profile.offset)
            }
            Kind::Directional => (packed::PunctualLight::DIRECTIONAL, 0.0, 0.0),
        };
        packed::PunctualLight {
            emission: self.emission.to_array(),
            kind,
            position: self.position.to_array(),
            scale,
            direction: self.direction.to_array(),
            offset,
        }
    }

    /// Returns the box of the light; meaningless for directional lights.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points([self.position])
    }

    /// Returns the light without emission.
    pub(super) fn switched_off(&self) -> Self {
        Self { emission: Vec3::ZERO, ..*self }
    }

    /// Returns whether the light is infinitely far away.
    pub(super) fn is_distant(&self) -> bool {
        matches!(self.kind, Kind::Directional)
    }

    /// Returns the position and the emission, which is multiplied by `scale`.
    pub(super) fn emission(&self, scale: f32) -> (Vec3, EmitterKind) {
        let intensity = self.emission * scale;
        let kind = match self.kind {
            Kind::Point => EmitterKind::Point { intensity },
            Kind::Spot(profile) => EmitterKind::Spot { direction: self.direction, intensity, profile },
            Kind::Directional => EmitterKind::Distant { to_light: -self.direction, irradiance: intensity },
        };
        (self.position, kind)
    }

    /// Returns the illumination of the point `from`: the only direction to the light, with probability 1; `None` if no
    /// light arrives.
    #[inline(always)]
    pub(super) fn illuminate(&self, from: Vec3) -> Option<LightSample> {
        let to_light = self.position - from;
        let distance = to_light.length();
        let wi = to_light / distance;
        let falloff = match self.kind {
            Kind::Directional => return Some(arriving(-self.direction, f32::INFINITY, self.emission)),
            Kind::Point => 1.0,
            Kind::Spot(profile) => profile.at(-wi.dot(self.direction)),
        };
        // The irradiance is not finite at the light itself, nor the distance beyond the range of floats
        let irradiance = self.emission * (falloff / (distance * distance));
        let exists = irradiance.is_finite() && distance.is_finite();
        if exists { Some(arriving(wi, distance, irradiance)) } else { None }
    }
}

#[inline(always)]
fn arriving(wi: Vec3, distance: f32, irradiance: Vec3) -> LightSample {
    LightSample { wi, distance, radiance: irradiance, pdf_solid_angle: 1.0, light: 0, delta: true }
}
