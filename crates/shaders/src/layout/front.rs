use bytemuck::{Pod, Zeroable};
use sunfleck_constants::tree;

/// Where rays that lie together enter the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Front {
    /// In the order in which rays come to them, [`NO_PLACE`](Self::NO_PLACE) after the last. A child: four times where its node is, and its slot.
    pub places: [u32; tree::PLACES as usize],
    /// Which instance each is of, or [`tree::NOWHERE`] if it is of the top level; of no meaning where nothing is turned.
    pub insides: [u32; tree::PLACES as usize],
}

impl Front {
    /// Instead of a child: all of the world, since there is no way that all rays go.
    pub const ROOT: u32 = tree::ROOT;
    /// Instead of a child: there are no more.
    pub const NO_PLACE: u32 = tree::NO_PLACE;
    /// Begins where rays that are no beam do.
    pub const WHOLE: Self = {
        let mut places = [Self::NO_PLACE; tree::PLACES as usize];
        places[0] = Self::ROOT;
        Self { places, insides: [tree::NOWHERE; tree::PLACES as usize] }
    };
}
