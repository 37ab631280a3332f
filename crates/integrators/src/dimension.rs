//! Which sample dimension decides what. Two-dimensional decisions begin at even numbers.

use sunfleck_constants::dimension::{DIRECTION, LIGHT, LIGHT_POINT, LOBE, ROULETTE, STRIDE};

pub(crate) use sunfleck_constants::dimension::{FILM, LENS, OCCLUSION};

/// The decisions of one path vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex(u32);

impl Vertex {
    /// The `bounce`-th surface of a path; the first that the camera sees is 0.
    #[inline(always)]
    pub(crate) fn new(bounce: u32) -> Self {
        Self(STRIDE * (bounce + 1))
    }

    /// Point on the chosen light.
    #[inline(always)]
    pub(crate) fn light_point(self) -> u32 {
        self.0 + LIGHT_POINT
    }

    /// Direction of scattering.
    #[inline(always)]
    pub(crate) fn direction(self) -> u32 {
        self.0 + DIRECTION
    }

    /// Choice of the light.
    #[inline(always)]
    pub(crate) fn light(self) -> u32 {
        self.0 + LIGHT
    }

    /// Choice of the lobe.
    #[inline(always)]
    pub(crate) fn lobe(self) -> u32 {
        self.0 + LOBE
    }

    /// Russian roulette.
    #[inline(always)]
    pub(crate) fn roulette(self) -> u32 {
        self.0 + ROULETTE
    }
}
