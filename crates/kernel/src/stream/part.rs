use crate::blas::Blas;
use crate::geometry::Tlas;
use crate::geometry::instance::PlacedInstance;

/// The part of a world that a stream sees.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) tlas: &'a Tlas,
    /// [`Query::mask`](crate::Query::mask).
    pub(crate) mask: u32,
}

impl<'a> Part<'a> {
    /// Whether an instance of the top level takes part.
    #[inline(always)]
    pub(crate) fn shows(&self, placed: &PlacedInstance) -> bool {
        placed.mask & self.mask != 0
    }

    /// As [`Tlas::as_single`], if they take part.
    #[inline(always)]
    pub(crate) fn as_single(&self) -> Option<&'a Blas> {
        let shown = self.tlas.placed().first().is_some_and(|placed| self.shows(placed));
        self.tlas.as_single().filter(|_| shown)
    }
}
