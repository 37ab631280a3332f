//! Sample dimensions of the random decisions of a path. Two-dimensional samples start at even dimensions.

use sunfleck_constants::dimension::{DIRECTION, LIGHT, LIGHT_POINT, LOBE, ROULETTE, STRIDE};

pub(crate) use sunfleck_constants::dimension::{FILM, LENS, OCCLUSION};

/// Sample dimensions of one path vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex(u32);

impl Vertex {
    /// Returns the dimensions of the `bounce`-th surface of a path; the first surface has number 0.
    #[inline(always)]
    pub(crate) fn new(bounce: u32) -> Self {
        Self(STRIDE * (bounce + 1))
    }

    /// Point on the sampled light, 2D.
    #[inline(always)]
    pub(crate) fn light_point(self) -> u32 {
        self.0 + LIGHT_POINT
    }

    /// Direction of scattering, 2D.
    #[inline(always)]
    pub(crate) fn direction(self) -> u32 {
        self.0 + DIRECTION
    }

    /// Selection of a light.
    #[inline(always)]
    pub(crate) fn light(self) -> u32 {
        self.0 + LIGHT
    }

    /// Selection of a lobe.
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
