//! Which sample dimension decides what. Two-dimensional decisions begin at even numbers.

/// Offset within the reconstruction filter.
pub(crate) const FILM: u32 = 0;
/// Point on the lens.
pub(crate) const LENS: u32 = 2;
/// Direction of the ambient occlusion ray.
pub(crate) const OCCLUSION: u32 = 4;

/// The decisions of one path vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex(u32);

impl Vertex {
    const FIRST: u32 = 8;
    const STRIDE: u32 = 8;

    /// The `bounce`-th surface of a path; the first that the camera sees is 0.
    #[inline(always)]
    pub(crate) fn new(bounce: u32) -> Self {
        Self(Self::FIRST + bounce * Self::STRIDE)
    }

    /// Point on the chosen light.
    #[inline(always)]
    pub(crate) fn light_point(self) -> u32 {
        self.0
    }

    /// Direction of scattering.
    #[inline(always)]
    pub(crate) fn direction(self) -> u32 {
        self.0 + 2
    }

    /// Choice of the light.
    #[inline(always)]
    pub(crate) fn light(self) -> u32 {
        self.0 + 4
    }

    /// Choice of the lobe.
    #[inline(always)]
    pub(crate) fn lobe(self) -> u32 {
        self.0 + 5
    }

    /// Russian roulette.
    #[inline(always)]
    pub(crate) fn roulette(self) -> u32 {
        self.0 + 6
    }
}
