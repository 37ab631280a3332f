//! Refinement: pairs of nodes are divided until a link represents each of them.

use rayon::prelude::*;

use super::cells::Cells;
use super::exchange::Exchanges;
use super::oracle::{Estimate, Oracle, estimate};
use super::{HierarchyError, NodeLink};

/// Pairs that are processed by one task.
const PAIRS_PER_TASK: usize = 256;

/// Result of a task.
#[derive(Default)]
struct Refined {
    links: Vec<NodeLink>,
    pairs: Vec<[u32; 2]>,
}

/// Returns the pairs of whole surfaces: front and front, front and back, back and back.
pub(super) fn roots(cells: &Cells) -> Vec<[u32; 2]> {
    let [front, back] = cells.roots();
    vec![[front, front], [front, back], [back, back]]
}

/// Divides those links that are not accurate. Returns the pairs.
pub(super) fn inaccurate(oracle: &Oracle<'_>, links: &mut Vec<NodeLink>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    links.retain(|link| {
        oracle.is_accurate(link.nodes, link.varying) || !oracle.divide(link.nodes, |pair| pairs.push(pair))
    });
    pairs
}

/// Adds the links that represent pairs. Their order is the same on any number of threads.
///
/// # Errors
/// [`HierarchyError::TooManyLinks`].
pub(super) fn refine(
    exchanges: &Exchanges<'_>,
    oracle: &Oracle<'_>,
    mut pairs: Vec<[u32; 2]>,
    links: &mut Vec<NodeLink>,
    limit: usize,
) -> Result<(), HierarchyError> {
    while !pairs.is_empty() {
        let tasks = pairs.par_chunks(PAIRS_PER_TASK);
        let refined: Vec<Refined> = tasks.map(|pairs| refined(exchanges, oracle, pairs)).collect();
        pairs = Vec::with_capacity(refined.iter().map(|task| task.pairs.len()).sum());
        for task in refined {
            links.extend(task.links);
            pairs.extend(task.pairs);
        }
        if links.len() > limit || pairs.len() > limit.saturating_mul(2) {
            return Err(HierarchyError::TooManyLinks { limit });
        }
    }
    Ok(())
}

fn refined(exchanges: &Exchanges<'_>, oracle: &Oracle<'_>, pairs: &[[u32; 2]]) -> Refined {
    let mut refined = Refined::default();
    let mut candidates: Vec<([u32; 2], Estimate)> = Vec::with_capacity(pairs.len());
    for &pair in pairs {
        let [a, b] = pair.map(|node| oracle.cells.node(node));
        if pair[0] == pair[1] {
            // A plane does not see itself
            if !a.cell.extent.is_planar() && a.area() > 0.0 {
                oracle.divide(pair, |pair| refined.pairs.push(pair));
            }
            continue;
        }
        let Some(estimate) = estimate(&a, &b) else { continue };
        let is_accurate = oracle.is_accurate(pair, estimate.exchange * estimate.variation);
        if is_accurate || !oracle.divide(pair, |pair| refined.pairs.push(pair)) {
            candidates.push((pair, estimate));
        }
    }
    for (&(pair, _), found) in candidates.iter().zip(exchanges.of(&candidates)) {
        if oracle.is_accurate(pair, found.varying) || !oracle.divide(pair, |pair| refined.pairs.push(pair)) {
            let link = NodeLink { nodes: pair, exchange: found.exchange, varying: found.varying };
            refined.links.push(link);
        }
    }
    refined
}
