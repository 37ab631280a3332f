//! Optional features of surfaces for which kernels are specialised.

/// A feature that the surfaces of some worlds have. Kernels for worlds without it leave its code out, since code that
/// never runs still takes registers and instruction cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFeature {
    /// Procedural patterns.
    Patterns,
    /// Base colour textures.
    BaseMaps,
    /// Textures of roughness and metallic.
    SurfaceMaps,
    /// Normal maps.
    NormalMaps,
    /// Emission textures.
    EmissionMaps,
    /// Alpha: surfaces that rays may pass.
    Holes,
    /// Panes of thin glass.
    Panes,
    /// Textures of more than 8 bits per channel.
    WideTexels,
    /// Textures that are not interpolated.
    Blocks,
    /// Textures that do not repeat, or repeat mirrored.
    Borders,
    /// Second texture coordinates.
    SecondSets,
    /// Vertex colours.
    VertexColors,
    /// Metals of measured indices of refraction, rough glass and plastic.
    Interfaces,
    /// Different α along the tangent and along the bitangent.
    Anisotropy,
    /// Disney's principled model.
    Principled,
}

impl SurfaceFeature {
    /// All features.
    pub const ALL: [Self; 15] = [
        Self::Patterns,
        Self::BaseMaps,
        Self::SurfaceMaps,
        Self::NormalMaps,
        Self::EmissionMaps,
        Self::Holes,
        Self::Panes,
        Self::WideTexels,
        Self::Blocks,
        Self::Borders,
        Self::SecondSets,
        Self::VertexColors,
        Self::Interfaces,
        Self::Anisotropy,
        Self::Principled,
    ];

    /// Returns the name of the feature in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patterns => "solid patterns",
            Self::BaseMaps => "base colour textures",
            Self::SurfaceMaps => "textures of roughness and metallic",
            Self::NormalMaps => "normal maps",
            Self::EmissionMaps => "emission textures",
            Self::Holes => "surfaces with alpha",
            Self::Panes => "panes of thin glass",
            Self::WideTexels => "textures of more than 8 bits",
            Self::Blocks => "textures that are not interpolated",
            Self::Borders => "textures that do not repeat",
            Self::SecondSets => "second texture coordinates",
            Self::VertexColors => "vertex colours",
            Self::Interfaces => "measured metals, rough glass or plastic",
            Self::Anisotropy => "anisotropic microfacets",
            Self::Principled => "the principled model",
        }
    }

    /// Returns the name of the `override` constant that says whether surfaces have the feature.
    pub const fn constant(self) -> &'static str {
        match self {
            Self::Patterns => "PATTERNS",
            Self::BaseMaps => "BASE_MAPS",
            Self::SurfaceMaps => "SURFACE_MAPS",
            Self::NormalMaps => "NORMAL_MAPS",
            Self::EmissionMaps => "EMISSION_MAPS",
            Self::Holes => "HOLES",
            Self::Panes => "PANES",
            Self::WideTexels => "WIDE_IMAGES",
            Self::Blocks => "BLOCK_IMAGES",
            Self::Borders => "BORDERS",
            Self::SecondSets => "SECOND_SETS",
            Self::VertexColors => "VERTEX_COLORS",
            Self::Interfaces => "INTERFACES",
            Self::Anisotropy => "ANISOTROPY",
            Self::Principled => "PRINCIPLED_LAYERS",
        }
    }
}

/// A set of surface features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceFeatures(u32);

impl SurfaceFeatures {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// All features.
    pub const ALL: Self = Self((1 << SurfaceFeature::ALL.len()) - 1);

    /// Returns the union with `others`.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns the features that are not in `others`.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns whether the feature is in the set.
    pub const fn contains(self, feature: SurfaceFeature) -> bool {
        (self.0 >> feature as u32) & 1 == 1
    }

    /// Returns the first feature of this set that is not in `others`.
    pub fn first_not_in(self, others: Self) -> Option<SurfaceFeature> {
        let rest = self.without(others);
        SurfaceFeature::ALL.into_iter().find(|&feature| rest.contains(feature))
    }
}

impl FromIterator<SurfaceFeature> for SurfaceFeatures {
    fn from_iter<I: IntoIterator<Item = SurfaceFeature>>(features: I) -> Self {
        features.into_iter().fold(Self::NONE, |set, feature| Self(set.0 | 1 << feature as u32))
    }
}
