//! Features of WESL modules, by which one module is linked into several shaders.

/// A set of features: conditions (`@if`) of the WESL modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u16);

impl Features {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Tests the alpha of surfaces during traversal.
    pub const ALPHA: Self = Self(1);
    /// Ends the traversal at any hit.
    pub const ANY: Self = Self(1 << 1);
    /// Starts the traversal at the entry points of beams.
    pub const BEAMS: Self = Self(1 << 2);
    /// Records AOVs besides radiance.
    pub const CHANNELS: Self = Self(1 << 3);
    /// Adds frames to the film.
    pub const FILM: Self = Self(1 << 4);
    /// Follows paths beyond the first surface.
    pub const FOLLOW: Self = Self(1 << 5);
    /// Traces rays in a uniform grid.
    pub const GRID: Self = Self(1 << 6);
    /// Records the number of reflections that light was followed through.
    pub const LEVELS: Self = Self(1 << 7);
    /// Gathers photons of caustics.
    pub const PHOTONS: Self = Self(1 << 8);
    /// Filters the lowest resolution of a denoised image.
    pub const COARSEST: Self = Self(1 << 9);
    /// Filters the full resolution of a denoised image.
    pub const FINEST: Self = Self(1 << 10);
    /// Writes averages of 2×2 pixels, too.
    pub const HALVED: Self = Self(1 << 11);
    /// Convolves channels of half the resolution, too.
    pub const JOINED: Self = Self(1 << 12);
    /// Is the last of several passes, and writes the result.
    pub const LAST: Self = Self(1 << 13);
    /// Records diffuse light apart from highlights.
    pub const SPLIT: Self = Self(1 << 14);

    /// Names of the features in WESL modules, in the order of bits.
    const NAMES: [&str; 15] = [
        "alpha", "any", "beams", "channels", "film", "follow", "grid", "levels", "photons", "coarsest",
        "finest", "halved", "joined", "last", "split",
    ];

    /// Returns the union with `others`.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns the intersection with `others`.
    pub const fn within(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Returns the set if `condition` holds, otherwise the empty set.
    pub const fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }

    /// Returns the names of the features in WESL modules.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        (0..).zip(Self::NAMES).filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// Returns all subsets of the set.
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        (0..=self.0).map(Self).filter(move |subset| subset.0 & !self.0 == 0)
    }
}
