/// A set of features: conditions (`@if`) of shader modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u16);

impl Features {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// For worlds with surfaces that are not there everywhere.
    pub const ALPHA: Self = Self(1);
    /// Walks are content with any hit.
    pub const ANY: Self = Self(1 << 1);
    /// Rays begin where beams enter the trees.
    pub const BEAMS: Self = Self(1 << 2);
    /// Records other channels than radiance.
    pub const CHANNELS: Self = Self(1 << 3);
    /// Adds frames to the film.
    pub const FILM: Self = Self(1 << 4);
    /// Follows paths.
    pub const FOLLOW: Self = Self(1 << 5);
    /// Rays are traced in a uniform grid.
    pub const GRID: Self = Self(1 << 6);
    /// Records how many reflections light was followed through.
    pub const LEVELS: Self = Self(1 << 7);
    /// Gathers photons of caustics.
    pub const PHOTONS: Self = Self(1 << 8);

    /// As modules call them, in the order of bits.
    const NAMES: [&str; 9] =
        ["alpha", "any", "beams", "channels", "film", "follow", "grid", "levels", "photons"];

    /// With those of another set.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Those that are in another set, too.
    pub const fn within(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// These if a condition holds, else none.
    pub const fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }

    /// As modules call them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        (0..).zip(Self::NAMES).filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// All sets of some of these.
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        (0..=self.0).map(Self).filter(move |subset| subset.0 & !self.0 == 0)
    }
}
