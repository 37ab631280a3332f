//! Refinement: pairs of nodes are divided until a link represents each of them.

use rayon::prelude::*;

use super::cells::Cells;
use super::exchange::Exchanges;
use super::oracle::{Estimate, Oracle, Pair, estimate};
use super::{HierarchyError, NodeLink};

/// Pairs that are processed by one task.
const PAIRS_PER_TASK: usize = 256;

/// Result of a task.
#[derive(Default)]
struct Refined {
    links: Vec<NodeLink>,
    pairs: Vec<Pair>,
}

/// Returns the pairs of whole surfaces: front and front, front and back, back and back.
pub(super) fn roots(cells: &Cells) -> Vec<Pair> {
    let [front, back] = cells.roots();
    [[front, front], [front, back], [back, back]].map(|nodes| Pair { nodes, ways: [true; 2] }).to_vec()
}

/// Divides those links that are not accurate. Returns the pairs.
pub(super) fn inaccurate(oracle: &Oracle<'_>, links: &mut Vec<NodeLink>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    links.retain_mut(|link| {
        let pair = Pair { nodes: link.nodes, ways: link.ways };
        link.ways = oracle.divided(pair, &link.estimate(), |pair| pairs.push(pair)).ways;
        link.ways != [false; 2]
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
    mut pairs: Vec<Pair>,
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

fn refined(exchanges: &Exchanges<'_>, oracle: &Oracle<'_>, pairs: &[Pair]) -> Refined {
    let mut refined = Refined::default();
    let mut candidates: Vec<(Pair, Estimate)> = Vec::with_capacity(pairs.len());
    for &pair in pairs {
        let [a, b] = pair.nodes.map(|node| oracle.cells.node(node));
        if pair.nodes[0] == pair.nodes[1] {
            // A plane does not see itself
            if !a.cell.extent.is_planar() && a.area() > 0.0 {
                oracle.divide_self(pair.nodes[0], |pair| refined.pairs.push(pair));
            }
            continue;
        }
        let Some(estimate) = estimate(&a, &b) else { continue };
        let pair = oracle.divided(pair, &estimate, |pair| refined.pairs.push(pair));
        if pair.ways != [false; 2] {
            candidates.push((pair, estimate));
        }
    }
    // What the estimate accepts is divided if rays find that it is visible in part
    let found = exchanges.of(&candidates);
    for ((pair, _), found) in candidates.into_iter().zip(found) {
        let pair = oracle.divided(pair, &found, |pair| refined.pairs.push(pair));
        if pair.ways != [false; 2] {
            refined.links.push(NodeLink::new(pair, &found));
        }
    }
    refined
}
