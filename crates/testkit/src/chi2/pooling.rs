//! Cells of which too little is expected are tested together.

/// Below it, counts are too far from normal for the χ² distribution.
const LEAST_EXPECTED: f64 = 5.0;

/// A cell, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Group {
    pub(super) observed: f64,
    pub(super) expected: f64,
}

/// Joins cells, the least expected first, into groups of at least [`LEAST_EXPECTED`]. The sums stay; no group if there is
/// not enough for one.
pub(super) fn pool(mut cells: Vec<Group>) -> Vec<Group> {
    // A stable sort: equal cells stay in order, so the groups do not depend on the sort
    cells.sort_by(|a, b| a.expected.total_cmp(&b.expected));
    let mut groups = Vec::new();
    let mut open = Group::default();
    for cell in cells {
        open.observed += cell.observed;
        open.expected += cell.expected;
        if open.expected >= LEAST_EXPECTED {
            groups.push(std::mem::take(&mut open));
        }
    }
    // What is left over after the largest cell happens only if all cells are small
    if let Some(last) = groups.last_mut() {
        last.observed += open.observed;
        last.expected += open.expected;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(pairs: &[(f64, f64)]) -> Vec<Group> {
        pairs.iter().map(|&(observed, expected)| Group { observed, expected }).collect()
    }

    #[test]
    fn large_cells_stay_alone() {
        assert_eq!(pool(cells(&[(7.0, 6.0), (4.0, 5.0)])), cells(&[(4.0, 5.0), (7.0, 6.0)]));
    }

    #[test]
    fn small_cells_join_the_next_larger() {
        let pooled = pool(cells(&[(1.0, 2.0), (30.0, 31.0), (2.0, 2.0), (3.0, 2.0), (0.0, 1.0)]));
        assert_eq!(pooled, cells(&[(3.0, 5.0), (33.0, 33.0)]));
    }

    #[test]
    fn leftovers_join_the_last_group() {
        assert_eq!(pool(cells(&[(1.0, 3.0), (2.0, 3.0), (4.0, 4.0)])), cells(&[(7.0, 10.0)]));
        assert_eq!(pool(cells(&[(1.0, 1.0)])), Vec::new(), "not enough for one group");
    }
}
