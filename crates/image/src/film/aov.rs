use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

/// Arbitrary output variable (AOV): a channel that a film can record beside radiance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Aov {
    /// Distance along the camera ray, mean over the samples that hit a surface.
    Depth,
    /// Position in world space, mean over the hits.
    Position,
    /// Unit geometric normal in world space, direction of the mean over the hits.
    NormalGeometric,
    /// Unit shading normal in world space, direction of the mean over the hits.
    NormalShading,
    /// Albedo of the surface, mean over all samples.
    Albedo,
    /// Instance, primitive, mesh and material id of the first sample.
    Ids,
    /// Ambient occlusion: 1 if not occluded, 0 if occluded, between them behind thin glass; mean over all samples.
    AmbientOcclusion,
    /// Variance of the mean radiance of the pixel. It is always recorded; this selects it for files.
    Variance,
    /// Levels of reflection and refraction: the length of the longest chain of rays after the camera ray, mean over all
    /// samples [Wald03, Fig. 23].
    Reflections,
    /// [`Features`] for denoising, mean over all samples.
    Features,
    /// Radiance that the first surface other than a perfect mirror or clear glass reflects diffusely or emits, mean
    /// over all samples. The rest is scattered by the specular and glossy lobes (*highlights*).
    Diffuse,
    /// Coverage: 1 where a camera ray hits a surface, 0 where it leaves the scene, and what it loses if it leaves the
    /// scene through thin glass; with the weights of the radiance.
    Alpha,
    /// Radiance that the limit of fireflies removed, mean over all samples: the bias of the image.
    Clamped,
}

/// A name that is not in [`Aov::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no AOV is called '{0}' (there are {known})",
    known = Aov::ALL.map(Aov::name).join(", ")
)]
pub struct UnknownAov(pub String);

impl Aov {
    /// Every AOV.
    pub const ALL: [Self; 13] = [
        Self::Depth,
        Self::Position,
        Self::NormalGeometric,
        Self::NormalShading,
        Self::Albedo,
        Self::Ids,
        Self::AmbientOcclusion,
        Self::Variance,
        Self::Reflections,
        Self::Features,
        Self::Diffuse,
        Self::Alpha,
        Self::Clamped,
    ];

    /// Returns the name in options and in the user interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Position => "position",
            Self::NormalGeometric => "ng",
            Self::NormalShading => "ns",
            Self::Albedo => "albedo",
            Self::Ids => "ids",
            Self::AmbientOcclusion => "ao",
            Self::Variance => "variance",
            Self::Reflections => "reflections",
            Self::Features => "features",
            Self::Diffuse => "diffuse",
            Self::Alpha => "alpha",
            Self::Clamped => "clamped",
        }
    }
}

impl fmt::Display for Aov {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Aov {
    type Err = UnknownAov;

    fn from_str(name: &str) -> Result<Self, UnknownAov> {
        Self::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| UnknownAov(name.to_owned()))
    }
}

/// A set of [`Aov`]s; bit `i` stands for the AOV with discriminant `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AovSet(u16);

impl AovSet {
    /// The empty set: radiance only.
    pub const EMPTY: Self = Self(0);
    /// All AOVs.
    pub const ALL: Self = Self((1 << Aov::ALL.len()) - 1);

    /// Returns the set with `aov` added.
    #[must_use]
    pub const fn with(self, aov: Aov) -> Self {
        Self(self.0 | 1 << aov as u16)
    }

    /// Returns the set without `aov`.
    #[must_use]
    pub const fn without(self, aov: Aov) -> Self {
        Self(self.0 & !(1 << aov as u16))
    }

    /// Returns the members of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether `aov` is in the set.
    pub const fn contains(self, aov: Aov) -> bool {
        self.0 & 1 << aov as u16 != 0
    }

    /// Returns the members in the order of [`Aov::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Aov> {
        Aov::ALL.into_iter().filter(move |&aov| self.contains(aov))
    }
}

impl FromIterator<Aov> for AovSet {
    fn from_iter<I: IntoIterator<Item = Aov>>(aovs: I) -> Self {
        aovs.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// AOVs of one camera ray: its first hit in world space, and its levels of reflection.
///
/// Only those in the [`AovSet`] of the film are used, and values that are not finite count as 0. The encoding in which
/// it is serialised has to support infinity, which JSON does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AovSample {
    /// Distance along the ray; `f32::INFINITY` for a miss, which has no position and normals.
    pub depth: f32,
    /// Share of the background that is hidden: 1 at a hit, 0 for a miss, and between them where the ray goes on to the
    /// background through thin glass. An estimate may leave that range.
    pub coverage: f32,
    /// Position of the hit.
    pub position: Vec3,
    /// Unit geometric normal.
    pub ng: Vec3,
    /// Unit shading normal.
    pub ns: Vec3,
    /// Albedo of the surface.
    pub albedo: Vec3,
    /// `inst_id`, `prim_id`, mesh id, material id; `u32::MAX` for a miss.
    pub ids: [u32; 4],
    /// 1 if not occluded, 0 if occluded; behind thin glass, the luminance of its transmittance.
    pub occlusion: f32,
    /// Length of the longest chain of rays after the camera ray.
    pub reflections: u32,
    /// Features for denoising.
    pub features: Features,
    /// Radiance that the first surface other than a perfect mirror or clear glass reflects diffusely or emits.
    pub diffuse: Vec3,
    /// Radiance that the limit of fireflies removed.
    pub clamped: Vec3,
}

/// What a denoiser knows about the surface that a camera ray shows: the first one that is not a perfect mirror or clear
/// glass, as it is seen in them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// Directional-hemispherical reflectance towards the viewer plus emitted radiance, linear Rec.709, times the
    /// throughput of the mirrors and glass on the path; at most 1. White if nothing is hit.
    pub albedo: Vec3,
    /// Unit shading normal; 0 if nothing is hit.
    pub normal: Vec3,
    /// Reciprocal of the path length, m⁻¹; 0 if nothing is hit. In contrast to the length, its mean over edges and
    /// misses makes sense.
    pub inverse_distance: f32,
}

impl Features {
    /// Features of a ray that leaves the scene.
    pub const MISS: Self = Self { albedo: Vec3::ONE, normal: Vec3::ZERO, inverse_distance: 0.0 };

    /// Returns the albedo, the normal and the inverse distance as one array.
    pub(super) fn to_array(self) -> [f32; 7] {
        let ([r, g, b], [x, y, z]) = (self.albedo.to_array(), self.normal.to_array());
        [r, g, b, x, y, z, self.inverse_distance]
    }
}

impl AovSample {
    /// AOVs of a ray that leaves the scene.
    pub const MISS: Self = Self {
        depth: f32::INFINITY,
        coverage: 0.0,
        position: Vec3::ZERO,
        ng: Vec3::ZERO,
        ns: Vec3::ZERO,
        albedo: Vec3::ZERO,
        ids: [u32::MAX; 4],
        occlusion: 1.0,
        reflections: 0,
        features: Features::MISS,
        diffuse: Vec3::ZERO,
        clamped: Vec3::ZERO,
    };
}

/// One camera sample of one pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PixelSample {
    /// Radiance, linear Rec.709.
    pub radiance: Vec3,
    /// Weight of the [`FilterSample`](crate::FilterSample): of mean 1, possibly negative.
    pub weight: f32,
    /// AOVs of the camera ray.
    pub aov: AovSample,
}

impl Default for PixelSample {
    /// Returns a black sample of weight 1 without a hit.
    fn default() -> Self {
        Self { radiance: Vec3::ZERO, weight: 1.0, aov: AovSample::MISS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_contain_their_members() {
        for aov in Aov::ALL {
            let one: AovSet = [aov].into_iter().collect();
            assert_eq!(one.iter().collect::<Vec<_>>(), [aov]);
            assert!(AovSet::ALL.contains(aov) && !AovSet::EMPTY.contains(aov));
            assert!(
                !AovSet::ALL.without(aov).contains(aov) && AovSet::ALL.without(aov).with(aov) == AovSet::ALL
            );
            assert_eq!(aov.to_string().parse(), Ok(aov));
        }
        assert_eq!(Aov::ALL.into_iter().collect::<AovSet>(), AovSet::ALL);
        assert!("motion".parse::<Aov>().is_err());
    }
}
