//! Pairing of leaf items: two triangles that share an edge are stored in one leaf record and tested together.

use sunfleck_math::Aabb;

/// Contents of a leaf: one item, or a pair of items that are tested together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairLeaf {
    /// Box around the item or pair.
    pub(super) bounds: Aabb,
    pub(super) item: u32,
    pub(super) other: Option<u32>,
}

/// Distributes items to leaves: each item is in exactly one, alone or in a pair.
///
/// Pairs are chosen greedily, those that lower the SAH cost most first. Testing a pair costs more than testing one
/// item, but saves a box test, so a pair is assumed to cost as much as one item.
///
/// * `items` — boxes and numbers of the items.
/// * `can_pair` — whether two items can form a pair.
pub(super) fn pair_items(items: &[(Aabb, u32)], can_pair: &dyn Fn(u32, u32) -> bool) -> Vec<PairLeaf> {
    let mut savings = Vec::new();
    for (i, (bounds, item)) in items.iter().enumerate() {
        for (j, (other_bounds, other)) in (i + 1..).zip(&items[i + 1..]) {
            let saved =
                bounds.half_area() + other_bounds.half_area() - bounds.union(*other_bounds).half_area();
            if saved >= 0.0 && can_pair(*item, *other) {
                savings.push((saved, i, j));
            }
        }
    }
    savings.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
    let mut partner = vec![None; items.len()];
    for (_, i, j) in savings {
        if partner[i].is_none() && partner[j].is_none() {
            (partner[i], partner[j]) = (Some(j), Some(i));
        }
    }
    let first_of_pairs = (0..items.len()).filter(|&i| partner[i].is_none_or(|other| i < other));
    first_of_pairs
        .map(|i| {
            let (bounds, item) = items[i];
            let (other_bounds, other) = partner[i].map(|other: usize| items[other]).unzip();
            PairLeaf { bounds: bounds.union(other_bounds.unwrap_or(Aabb::EMPTY)), item, other }
        })
        .collect()
}
