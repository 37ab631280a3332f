use super::Lobes;

/// Quantity that a path transports. Refraction scales radiance by the squared ratio of the indices of refraction, but
/// not importance, the flux of a light path [Veach97, §5.2].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportMode {
    /// Paths from the camera.
    Radiance,
    /// Paths from lights.
    Importance,
}

/// Options for evaluating and sampling a BSDF: the transported quantity and the requested lobes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BsdfContext {
    /// Quantity that the path transports.
    pub mode: TransportMode,
    /// Lobes that are evaluated or sampled; densities are those of sampling these alone.
    pub lobes: Lobes,
}

impl BsdfContext {
    /// All lobes, for paths from the camera.
    pub const RADIANCE: Self = Self { mode: TransportMode::Radiance, lobes: Lobes::ALL };
    /// All lobes, for paths from lights.
    pub const IMPORTANCE: Self = Self { mode: TransportMode::Importance, lobes: Lobes::ALL };

    /// Returns the context with other lobes.
    #[inline(always)]
    #[must_use]
    pub const fn with_lobes(self, lobes: Lobes) -> Self {
        Self { lobes, ..self }
    }
}
