//! Items that are tested for less together, as two triangles with a common edge are.

use sunfleck_math::Aabb;

/// An item, or two that are to be together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Couple {
    /// Around both.
    pub(super) bounds: Aabb,
    pub(super) item: u32,
    pub(super) other: Option<u32>,
}

/// All items once, as many as pay two together: greedily, those first that save most by the surface area heuristic. A test of two costs more than one of one, but a
/// box is spared besides: so two are reckoned as one.
///
/// * `items` — with their boxes. * `may_be` — whether two can be together.
pub(super) fn couples(items: &[(Aabb, u32)], may_be: &dyn Fn(u32, u32) -> bool) -> Vec<Couple> {
    let mut savings = Vec::new();
    for (i, (bounds, item)) in items.iter().enumerate() {
        for (j, (other_bounds, other)) in (i + 1..).zip(&items[i + 1..]) {
            let saved =
                bounds.half_area() + other_bounds.half_area() - bounds.union(*other_bounds).half_area();
            if saved >= 0.0 && may_be(*item, *other) {
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
    let led = (0..items.len()).filter(|&i| partner[i].is_none_or(|other| i < other));
    led.map(|i| {
        let (bounds, item) = items[i];
        let (other_bounds, other) = partner[i].map(|other: usize| items[other]).unzip();
        Couple { bounds: bounds.union(other_bounds.unwrap_or(Aabb::EMPTY)), item, other }
    })
    .collect()
}
