//! Links between patches: rows of a sparse matrix.

use rayon::prelude::*;

/// Entry of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Patch at the other end.
    pub patch: u32,
    /// Form factor, or its product with the area.
    pub value: f32,
}

/// Links of each patch, in the order of the patches at the other end.
pub(super) type Links = Vec<Vec<Link>>;

/// Returns the transposed matrix.
pub(super) fn transposed(links: &Links) -> Links {
    let mut counts = vec![0; links.len()];
    links.iter().flatten().for_each(|link| counts[link.patch as usize] += 1);
    let mut columns: Links = counts.into_iter().map(Vec::with_capacity).collect();
    for (row, patch) in links.iter().zip(0..) {
        for link in row {
            columns[link.patch as usize].push(Link { patch, value: link.value });
        }
    }
    columns
}

/// Returns a matrix with other values.
///
/// * `map` — value of an entry, given its row, column and former value.
pub(super) fn mapped(links: &Links, map: impl Fn(usize, usize, f32) -> f32 + Sync) -> Links {
    let of_row = |(i, row): (usize, &Vec<Link>)| {
        row.iter().map(|link| Link { value: map(i, link.patch as usize, link.value), ..*link }).collect()
    };
    links.par_iter().enumerate().map(of_row).collect()
}

/// Merges the rows of two matrices.
///
/// * `merge` — value of an entry, given its row, column, and the values in both matrices, 0 where there is none.
pub(super) fn merged(a: &Links, b: &Links, merge: impl Fn(usize, usize, f32, f32) -> f32 + Sync) -> Links {
    let of_row = |(i, (a, b)): (usize, (&Vec<Link>, &Vec<Link>))| {
        let mut row = Vec::with_capacity(a.len().max(b.len()));
        let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
        loop {
            let patch = match (a.peek(), b.peek()) {
                (Some(a), Some(b)) => a.patch.min(b.patch),
                (Some(link), None) | (None, Some(link)) => link.patch,
                (None, None) => return row,
            };
            let [a, b] = [&mut a, &mut b]
                .map(|links| links.next_if(|link| link.patch == patch).map_or(0.0, |link| link.value));
            row.push(Link { patch, value: merge(i, patch as usize, a, b) });
        }
    };
    a.par_iter().zip(b).enumerate().map(of_row).collect()
}
