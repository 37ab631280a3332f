use crate::blas::Blas;
use crate::geometry::Tlas;
use crate::geometry::instance::PlacedInstance;

/// Top level with a ray mask: the instances that are visible to a stream.
#[derive(Clone, Copy)]
pub(crate) struct MaskedTlas<'a> {
    pub(crate) tlas: &'a Tlas,
    /// [`Query::mask`](crate::Query::mask).
    pub(crate) mask: u32,
}

impl<'a> MaskedTlas<'a> {
    /// Returns whether an instance of the top level is visible.
    #[inline(always)]
    pub(crate) fn is_visible(&self, placed: &PlacedInstance) -> bool {
        placed.mask & self.mask != 0
    }

    /// As [`Tlas::as_single`], if the instance is visible.
    #[inline(always)]
    pub(crate) fn as_single(&self) -> Option<&'a Blas> {
        let visible = self.tlas.placed().first().is_some_and(|placed| self.is_visible(placed));
        self.tlas.as_single().filter(|_| visible)
    }
}
