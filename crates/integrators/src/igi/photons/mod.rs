//! Photon mapping of caustics: light that mirrors, glass and other specular lobes scatter onto surfaces.
//!
//! VPLs carry light of lights and of diffuse and glossy lobes, but not light that arrives by a specular lobe of another
//! surface ([`Lobes`](sunfleck_shading::Lobes) defines these). Photons carry exactly the latter, so the sum of both is
//! complete and counts nothing twice.
//!
//! ```text
//! sample emission ▶ random walk ▶ photons where light arrives by a specular lobe ▶ hash grid ▶ density estimation
//! ```
//!
//! A grid instead of a kd-tree makes new photons in every frame affordable [Wald03, §12.2].

mod aim;
mod grid;
mod walk;

use std::f32::consts::FRAC_1_PI;

use fearless_simd::Simd;
use sunfleck_constants::igi::{FLAT, PHOTON_COS};
use sunfleck_math::Vec3;

use crate::igi::{Igi, LightDistribution};
use crate::view::View;
use grid::Grid;

/// Photons of a frame.
#[derive(Debug, Default)]
pub(crate) struct PhotonMap {
    grid: Grid,
}

/// Point at which the photon density is estimated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    pub(crate) position: Vec3,
    /// Unit geometric normal on the lit side.
    pub(crate) ng: Vec3,
    /// Unit shading normal on the lit side.
    pub(crate) ns: Vec3,
}

impl PhotonMap {
    /// Traces the photons of frame number `pass`; none if no surface has specular lobes.
    ///
    /// * `distance_seen` — mean distance that the camera sees, metres; see [`Igi::photon_radius`].
    pub(crate) fn new<S: Simd>(
        simd: S,
        view: &View<'_>,
        lights: &LightDistribution,
        pass: u32,
        igi: &Igi,
        distance_seen: f32,
    ) -> Self {
        let targets = view.world.specular_bounds();
        let radius = igi.photon_share(pass) * distance_seen;
        if igi.photons == 0 || targets.is_empty() || radius.is_nan() || radius <= 0.0 {
            return Self::default();
        }
        let photons = walk::photons(simd, view, lights, targets, pass, igi.photons);
        Self { grid: Grid::new(photons, radius) }
    }

    /// Returns whether there may be photons near a point; a cheap test.
    #[inline(always)]
    pub(crate) fn reaches(&self, point: Vec3) -> bool {
        self.grid.reaches(point)
    }

    /// Returns the irradiance at a point, W/m².
    ///
    /// * `factor` — returns the ratio of the reflected light to that of a diffuse surface, for light from a unit
    ///   direction of world space.
    #[inline(never)]
    pub(crate) fn irradiance<S: Simd>(&self, simd: S, at: &Receiver, factor: impl Fn(Vec3) -> Vec3) -> Vec3 {
        simd.vectorize(
            #[inline(always)]
            || self.density(at, factor),
        )
    }

    #[inline(always)]
    fn density(&self, at: &Receiver, factor: impl Fn(Vec3) -> Vec3) -> Vec3 {
        let scale = (self.grid.radius() * self.grid.radius()).recip();
        let mut sum = Vec3::ZERO;
        self.grid.for_each_near(
            at.position,
            #[inline(always)]
            |photon, distance_squared| {
                let cos = photon.wi.dot(at.ns);
                if photon.wi.dot(at.ng) > 0.0 && cos > 0.0 && photon.ng.dot(at.ng) >= PHOTON_COS {
                    // Epanechnikov kernel. The photon density is that of light on the geometric surface, so it is
                    // converted to the cosine of the shading normal
                    let kernel = (1.0 - distance_squared * scale) * cos / photon.wi.dot(photon.ng).max(FLAT);
                    sum += photon.flux * factor(photon.wi) * kernel;
                }
            },
        );
        sum * (2.0 * FRAC_1_PI * scale)
    }
}
