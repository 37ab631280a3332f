use sunfleck_kernel::HitStream;

use crate::rays::Share;

/// A ray kernel that traces one scene, ours or a peer's.
pub(crate) trait Query: Sync {
    /// Name in the table.
    fn name(&self) -> String;

    /// Whether it is timed however slow it is.
    fn stays(&self) -> bool;

    /// Writes the closest hit of each ray, but for [`HitStream::inst_id`]. Outputs are as long as the share.
    fn closest(&self, share: &Share<'_>, hits: &mut HitStream<'_>);

    /// Writes whether each ray hits anything.
    fn occluded(&self, share: &Share<'_>, occluded: &mut [bool]);
}
