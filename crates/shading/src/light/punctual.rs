//! Punctual lights: point, spot and directional lights as `KHR_lights_punctual` defines them.

use std::f32::consts::PI;

use sunfleck_math::{Aabb, Affine3, Vec3, cos};
use sunfleck_scene::{Light, LightKind};

use super::LightSample;
use super::emission::{EmitterKind, falloff};
use super::packed;

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
    /// Intensity falls as the square of `cos · scale + offset`, clamped to [0, 1].
    Spot {
        scale: f32,
        offset: f32,
        /// Integral of the falloff over the sphere, sr.
        solid_angle: f32,
    },
    Directional,
}

impl PunctualLight {
    /// Places a light. Scale and shear of the transform are ignored.
    pub(super) fn new(light: &Light, world_from_light: &Affine3) -> Self {
        let kind = match light.kind {
            LightKind::Point => Kind::Point,
            LightKind::Directional => Kind::Directional,
            LightKind::Spot { inner_radians, outer_radians } => spot(cos(inner_radians), cos(outer_radians)),
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
                Kind::Spot { solid_angle, .. } => solid_angle,
                Kind::Directional => PI * scene_radius * scene_radius,
            }
    }

    /// Returns the record of the light on the GPU.
    pub(super) fn packed(&self) -> packed::PunctualLight {
        let (kind, scale, offset) = match self.kind {
            Kind::Point => (packed::PunctualLight::POINT, 0.0, 0.0),
            Kind::Spot { scale, offset, .. } => (packed::PunctualLight::SPOT, scale, offset),
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
            Kind::Spot { scale, offset, .. } => {
                EmitterKind::Spot { direction: self.direction, intensity, scale, offset }
            }
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
            Kind::Spot { scale, offset, .. } => falloff(-wi.dot(self.direction), scale, offset),
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

/// Makes a spot light with the falloff that `KHR_lights_punctual` recommends. In contrast to its sample code, which
/// clamps the difference of the cosines to 1e-3 and so dims narrow cones, we clamp it to 1e-6.
fn spot(cos_inner: f32, cos_outer: f32) -> Kind {
    let edge = (cos_inner - cos_outer).max(1e-6);
    let scale = 1.0 / edge;
    // ∫ falloff d cos: a parabola over the edge, then a constant up to the axis
    let whole = 1.0 - cos_outer;
    let integral =
        if edge <= whole { whole - edge * (2.0 / 3.0) } else { whole * whole * whole * scale * scale / 3.0 };
    Kind::Spot { scale, offset: -cos_outer * scale, solid_angle: 2.0 * PI * integral }
}
