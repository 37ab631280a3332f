use sunfleck_kernel::HitStream;

use crate::rays::RaySlice;

/// Ray kernel with one scene and one form of query: Sunfleck's or a peer's.
pub(crate) trait Query: Sync {
    /// Name in the table.
    fn name(&self) -> String;

    /// Whether all rounds are timed even if it is slow in the screening round.
    fn always_timed(&self) -> bool;

    /// Writes the closest hit of each ray, without [`HitStream::inst_id`]. Outputs are as long as the slice.
    fn closest(&self, slice: &RaySlice<'_>, hits: &mut HitStream<'_>);

    /// Writes whether each ray hits anything.
    fn occluded(&self, slice: &RaySlice<'_>, occluded: &mut [bool]);
}
