use std::ops::BitOr;

use sunfleck_constants::bsdf as constants;

/// A set of lobes of a BSDF: diffuse, glossy and specular, each of reflection and of transmission.
///
/// Specular lobes are delta lobes and lobes too narrow for illumination by virtual point lights: microfacets of a
/// roughness below [`Lobes::SPECULAR_ROUGHNESS`]. [`BsdfSample::is_delta`](super::BsdfSample::is_delta) tells the two
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lobes(u8);

impl Lobes {
    /// Diffuse reflection, including multiple scattering of rough surfaces.
    pub const DIFFUSE_REFLECTION: Self = Self::of(constants::DIFFUSE_REFLECTION);
    /// Reflection by rough microfacets.
    pub const GLOSSY_REFLECTION: Self = Self::of(constants::GLOSSY_REFLECTION);
    /// Reflection into one direction, or nearly so.
    pub const SPECULAR_REFLECTION: Self = Self::of(constants::SPECULAR_REFLECTION);
    /// Diffuse transmission.
    pub const DIFFUSE_TRANSMISSION: Self = Self::of(constants::DIFFUSE_TRANSMISSION);
    /// Transmission by rough microfacets.
    pub const GLOSSY_TRANSMISSION: Self = Self::of(constants::GLOSSY_TRANSMISSION);
    /// Transmission into one direction, or nearly so.
    pub const SPECULAR_TRANSMISSION: Self = Self::of(constants::SPECULAR_TRANSMISSION);
    /// Both diffuse lobes.
    pub const DIFFUSE: Self = Self::of(constants::DIFFUSE);
    /// Both glossy lobes.
    pub const GLOSSY: Self = Self::of(constants::GLOSSY);
    /// Both specular lobes.
    pub const SPECULAR: Self = Self::of(constants::SPECULAR);
    /// All lobes on the viewer's side.
    pub const REFLECTION: Self =
        Self(Self::DIFFUSE_REFLECTION.0 | Self::GLOSSY_REFLECTION.0 | Self::SPECULAR_REFLECTION.0);
    /// All lobes on the other side.
    pub const TRANSMISSION: Self =
        Self(Self::DIFFUSE_TRANSMISSION.0 | Self::GLOSSY_TRANSMISSION.0 | Self::SPECULAR_TRANSMISSION.0);
    /// Diffuse and glossy lobes, which virtual point lights can illuminate.
    pub const NON_SPECULAR: Self = Self::of(constants::NON_SPECULAR);
    /// All lobes.
    pub const ALL: Self = Self::of(constants::ALL_LOBES);

    /// Perceptual roughness below which microfacet lobes count as specular.
    pub const SPECULAR_ROUGHNESS: f32 = constants::SPECULAR_ROUGHNESS;

    #[allow(clippy::cast_possible_truncation, reason = "there are six")]
    const fn of(bits: u32) -> Self {
        Self(bits as u8)
    }

    /// Returns whether the sets have a lobe in common.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether all lobes of `other` are in this set.
    #[inline(always)]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the bits, as shaders use them: diffuse, glossy and specular reflection from the lowest bit, then
    /// the three of transmission.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl BitOr for Lobes {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
