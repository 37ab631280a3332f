//! What a GPU takes from here, and what its tests look at.

use fearless_simd::{Level, dispatch};
use sunfleck_math::{Vec3, vec2};
use sunfleck_shading::EmitterKind;

use super::vpl::{Shine, Vpl};
use super::{Choice, Igi, walks};
use crate::view::View;

/// How often virtual point lights of frame number `pass` stand for each light: sums of parts, of no light, of the first, of the first two …, up
/// to 2³¹; all 0 if nothing shines.
pub fn light_sums(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<u32> {
    let film = vec2(view.spec.width as f32, view.spec.height as f32);
    dispatch!(Level::new(), simd => Choice::new(simd, view, igi, pass, film)).sums()
}

/// A virtual point light, as far as it can be told without saying how surfaces scatter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLight {
    /// Meaningless for lights infinitely far away.
    pub position: Vec3,
    /// Normal of a surface on its lit side, where a spot points, direction to a light infinitely far away; else zero.
    pub axis: Vec3,
    /// W/sr; W/m² of lights infinitely far away; W that arrive at a surface that is not diffuse.
    pub intensity: Vec3,
    /// Luminance of the intensity, or about that.
    pub brightness: f32,
}

/// The virtual point lights of frame number `pass`: those of each share of each set.
pub fn virtual_lights(view: &View<'_>, igi: &Igi, pass: u32) -> Vec<Vec<VirtualLight>> {
    let film = vec2(view.spec.width as f32, view.spec.height as f32);
    let vpls = dispatch!(Level::new(), simd => {
        let choice = Choice::new(simd, view, igi, pass, film);
        let distance = walks::distance_seen(simd, view, film);
        walks::vpls(simd, view, igi, pass, &choice, distance)
    });
    vpls.shares.iter().map(|share| share.iter().map(VirtualLight::of).collect()).collect()
}

impl VirtualLight {
    fn of(vpl: &Vpl) -> Self {
        let (axis, intensity) = match vpl.shine {
            Shine::EmitterKind(EmitterKind::Area { ng, intensity, .. }) => (ng, intensity),
            Shine::EmitterKind(EmitterKind::Point { intensity }) => (Vec3::ZERO, intensity),
            Shine::EmitterKind(EmitterKind::Spot { direction, intensity, .. }) => (direction, intensity),
            Shine::EmitterKind(EmitterKind::Distant { to_light, irradiance }) => (to_light, irradiance),
            Shine::Glossy(glossy) => (glossy.ng, glossy.flux),
        };
        Self { position: vpl.position, axis, intensity, brightness: vpl.brightness }
    }
}
