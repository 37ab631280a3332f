//! Pooling of cells whose expected count is too small to be tested alone.

/// Minimum expected count of a group: smaller counts are too far from normally distributed for the χ² distribution.
const LEAST_EXPECTED: f64 = 5.0;

/// Counts of one cell, or sums over several cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Group {
    pub(super) observed: f64,
    pub(super) expected: f64,
}

/// Joins cells into groups that expect at least [`LEAST_EXPECTED`], in ascending order of their expected counts. The
/// total counts are preserved. Returns no groups if all cells together expect less.
pub(super) fn pool(mut cells: Vec<Group>) -> Vec<Group> {
    // Stable sort: cells with equal expected counts keep their order, so the groups are deterministic
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
    // Counts are left over only if the largest cell is too small for a group of its own
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
    fn large_cells_are_not_pooled() {
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
