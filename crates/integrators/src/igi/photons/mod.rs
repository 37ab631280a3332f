//! Photons: light that mirrors, glass and glossy things throw on other surfaces, caustics above all.
//!
//! Whoever lights surfaces from point lights and by light that diffuse and glossy lobes scatter misses what arrives by a specular lobe of another
//! surface ([`Lobes`](sunfleck_shading::Lobes) says which is which). That is all that photons carry, so both together
//! are all light, and nothing is counted twice.
//!
//! ```text
//! aim ▶ walk ▶ photons where light arrives by a specular lobe ▶ hash grid ▶ density around a point
//! ```
//!
//! A grid instead of a kd-tree makes new photons cheap enough for every frame [Wald03, §12.2].

mod aim;
mod grid;
mod walk;

use std::f32::consts::FRAC_1_PI;

use fearless_simd::Simd;
use sunfleck_constants::igi::{FLAT, PHOTON_COS};
use sunfleck_math::Vec3;

use crate::igi::{Choice, Igi};
use crate::view::View;
use grid::Grid;

/// The photons of a frame.
#[derive(Debug, Default)]
pub(crate) struct PhotonMap {
    grid: Grid,
}

/// Where photons are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    pub(crate) position: Vec3,
    /// Unit geometric and shading normals of the lit side.
    pub(crate) ng: Vec3,
    pub(crate) ns: Vec3,
}

impl PhotonMap {
    /// Traces the walks of frame number `pass`; none if nothing in the world has specular lobes.
    ///
    /// * `distance_seen` — see [`Igi::photon_radius`], metres.
    pub(crate) fn new<S: Simd>(
        simd: S,
        view: &View<'_>,
        choice: &Choice,
        pass: u32,
        igi: &Igi,
        distance_seen: f32,
    ) -> Self {
        let targets = view.world.specular_bounds();
        let radius = igi.photon_share(pass) * distance_seen;
        if igi.photons == 0 || targets.is_empty() || radius.is_nan() || radius <= 0.0 {
            return Self::default();
        }
        let photons = walk::photons(simd, view, choice, targets, pass, igi.photons);
        Self { grid: Grid::new(photons, radius) }
    }

    /// Whether photons may be near a point: cheap to ask.
    #[inline(always)]
    pub(crate) fn reaches(&self, point: Vec3) -> bool {
        self.grid.reaches(point)
    }

    /// Irradiance at a point, W/m².
    ///
    /// * `factor` — of light from a unit direction in the world: what the surface reflects of it over what a diffuse one does.
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
        self.grid.near(
            at.position,
            #[inline(always)]
            |photon, distance_squared| {
                let cos = photon.wi.dot(at.ns);
                if photon.wi.dot(at.ng) > 0.0 && cos > 0.0 && photon.ng.dot(at.ng) >= PHOTON_COS {
                    // Epanechnikov's kernel. Photons are as dense as light falls on the geometric surface, the shading normal reflects it
                    let kernel = (1.0 - distance_squared * scale) * cos / photon.wi.dot(photon.ng).max(FLAT);
                    sum += photon.flux * factor(photon.wi) * kernel;
                }
            },
        );
        sum * (2.0 * FRAC_1_PI * scale)
    }
}
