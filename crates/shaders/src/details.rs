/// What some surfaces have that others do without. Kernels for worlds without leave it out, since code that never runs takes registers all the same, and room in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFeature {
    /// Solid patterns.
    Patterns,
    /// Textures of base colours.
    BaseMaps,
    /// Textures of roughness and metal.
    SurfaceMaps,
    /// Normal maps.
    NormalMaps,
    /// Textures of emission.
    EmissionMaps,
    /// Alpha: they are not there everywhere.
    Holes,
    /// Images of floats.
    Floats,
    /// Images that are not interpolated.
    Blocks,
    /// Images that do not repeat, or that are mirrored.
    Borders,
    /// Textures by the mesh's second coordinates.
    SecondSets,
    /// Colours of vertices.
    VertexColors,
}

impl SurfaceFeature {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Patterns,
        Self::BaseMaps,
        Self::SurfaceMaps,
        Self::NormalMaps,
        Self::EmissionMaps,
        Self::Holes,
        Self::Floats,
        Self::Blocks,
        Self::Borders,
        Self::SecondSets,
        Self::VertexColors,
    ];

    /// For messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patterns => "solid patterns",
            Self::BaseMaps => "textures of base colours",
            Self::SurfaceMaps => "textures of roughness and metal",
            Self::NormalMaps => "normal maps",
            Self::EmissionMaps => "textures of emission",
            Self::Holes => "surfaces with alpha",
            Self::Floats => "images of floats",
            Self::Blocks => "images that are not interpolated",
            Self::Borders => "images that do not repeat",
            Self::SecondSets => "second texture coordinates",
            Self::VertexColors => "colours of vertices",
        }
    }

    /// The constant of a text that says whether there are such surfaces.
    pub const fn constant(self) -> &'static str {
        match self {
            Self::Patterns => "PATTERNS",
            Self::BaseMaps => "BASE_MAPS",
            Self::SurfaceMaps => "SURFACE_MAPS",
            Self::NormalMaps => "NORMAL_MAPS",
            Self::EmissionMaps => "EMISSION_MAPS",
            Self::Holes => "HOLES",
            Self::Floats => "FLOAT_IMAGES",
            Self::Blocks => "BLOCK_IMAGES",
            Self::Borders => "BORDERS",
            Self::SecondSets => "SECOND_SETS",
            Self::VertexColors => "VERTEX_COLORS",
        }
    }
}

/// A set of details, empty unless some are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceFeatures(u32);

impl SurfaceFeatures {
    /// Without any.
    pub const NONE: Self = Self(0);

    /// With those of another set.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether it is in the set.
    pub const fn contains(self, detail: SurfaceFeature) -> bool {
        (self.0 >> detail as u32) & 1 == 1
    }

    /// The first that is in this set and not in another one.
    pub fn beyond(self, others: Self) -> Option<SurfaceFeature> {
        SurfaceFeature::ALL.into_iter().find(|&detail| self.contains(detail) && !others.contains(detail))
    }
}

impl FromIterator<SurfaceFeature> for SurfaceFeatures {
    fn from_iter<I: IntoIterator<Item = SurfaceFeature>>(details: I) -> Self {
        details.into_iter().fold(Self::NONE, |set, detail| Self(set.0 | 1 << detail as u32))
    }
}
