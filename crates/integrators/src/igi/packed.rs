//! Virtual point lights and light probabilities as plain data, for the tests of the GPU implementation.

use fearless_simd::{Level, dispatch};
use sunfleck_math::{Vec3, vec2};
use sunfleck_shading::EmitterKind;

use super::vpl::{Vpl, VplEmission};
use super::{Igi, LightDistribution, walks};
use crate::view::View;

/// Returns the cumulative distribution of the lights by which virtual point lights of frame number `pass` are placed:
/// the sum over no light, the first one, the first two …, scaled to 2³¹. All sums are 0 if no light emits.
pub fn light_sums(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<u32> {
    let film = vec2(view.spec.width as f32, view.spec.height as f32);
    dispatch!(Level::new(), simd => LightDistribution::new(simd, view, igi, pass, film)).sums()
}

/// Virtual point light, without the bsdf of the surface it lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLight {
    /// Position in the world; undefined for lights infinitely far away.
    pub position: Vec3,
    /// Normal of a surface on its lit side, axis of a spot light, or direction to a light infinitely far away; zero for
    /// point lights.
    pub axis: Vec3,
    /// Radiant intensity, W/sr. Irradiance, W/m², of lights infinitely far away; incident flux, W, of surfaces that are
    /// not diffuse.
    pub intensity: Vec3,
    /// Luminance of the intensity; an estimate for surfaces that are not diffuse.
    pub brightness: f32,
}

/// Returns the virtual point lights of frame number `pass`, one list for each subset of each set.
pub fn virtual_lights(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<Vec<VirtualLight>> {
    let film = vec2(view.spec.width as f32, view.spec.height as f32);
    let vpls = dispatch!(Level::new(), simd => {
        let lights = LightDistribution::new(simd, view, igi, pass, film);
        let distance = walks::distance_seen(simd, view, film);
        walks::vpls(simd, view, igi, pass, &lights, distance)
    });
    vpls.subsets.iter().map(|subset| subset.iter().map(VirtualLight::of).collect()).collect()
}

impl VirtualLight {
    fn of(vpl: &Vpl) -> Self {
        let (axis, intensity) = match vpl.emission {
            VplEmission::Emitter(EmitterKind::Area { ng, intensity, .. }) => (ng, intensity),
            VplEmission::Emitter(EmitterKind::Point { intensity }) => (Vec3::ZERO, intensity),
            VplEmission::Emitter(EmitterKind::Spot { direction, intensity, .. }) => (direction, intensity),
            VplEmission::Emitter(EmitterKind::Distant { to_light, irradiance }) => (to_light, irradiance),
            VplEmission::Glossy(glossy) => (glossy.ng, glossy.flux),
        };
        Self { position: vpl.position, axis, intensity, brightness: vpl.brightness }
    }
}
