//! Links, and one step of light transport over them.

use rayon::prelude::*;
use sunfleck_math::Vec3;

use super::cells::Cells;
use super::oracle::{Estimate, Pair};

/// Link of two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLink {
    /// The two nodes. Of `n` cells, texels first and then the coarser levels, node `i` is the front of cell `i`, and node
    /// `n + i` its back.
    pub nodes: [u32; 2],
    /// Whether the first receives light of the second through this link, and the second of the first. A way that does not
    /// has finer links.
    pub ways: [bool; 2],
    /// Product of the area of either node and the form factor to the other, m².
    pub exchange: f32,
    /// Part of the exchange that varies between points of each of the nodes, m².
    varying: [f32; 2],
}

impl NodeLink {
    pub(super) fn new(Pair { nodes, ways }: Pair, &Estimate { exchange, varying }: &Estimate) -> Self {
        Self { nodes, ways, exchange, varying }
    }

    pub(super) fn estimate(&self) -> Estimate {
        Estimate { exchange: self.exchange, varying: self.varying }
    }
}

/// The links of each node as rows of a sparse matrix.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Entries of each row: `entries[first[i]..first[i + 1]]`.
    first: Vec<usize>,
    /// Node at the other end, and form factor to it.
    entries: Vec<(u32, f32)>,
}

impl Rows {
    /// Sorts links by their nodes. Links without exchange are left out.
    pub(super) fn new(cells: &Cells, links: &[NodeLink]) -> Self {
        let mut first = vec![0; cells.node_count() + 1];
        let ends = || {
            let lit = links.iter().filter(|link| link.exchange > 0.0);
            let ways = lit.flat_map(|link| [(link, 0), (link, 1)]).filter(|(link, way)| link.ways[*way]);
            ways.map(|(link, way)| (link.nodes[way], link.nodes[1 - way], link.exchange))
        };
        ends().for_each(|(node, ..)| first[node as usize + 1] += 1);
        (1..first.len()).for_each(|i| first[i] += first[i - 1]);
        let mut next = first.clone();
        let mut entries = vec![(0, 0.0); first[cells.node_count()]];
        for (node, other, exchange) in ends() {
            entries[next[node as usize]] = (other, exchange / cells.node(node).area());
            next[node as usize] += 1;
        }
        Self { first, entries }
    }

    /// Returns the number of entries, one for each way of a link.
    pub(super) fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the irradiance of all elements by other surfaces: one product of the matrix of all texels with a vector,
    /// in a time proportional to the number of entries.
    ///
    /// * `radiosity` — of all elements, W/m².
    pub(super) fn gather(&self, cells: &Cells, radiosity: &[Vec3]) -> Vec<Vec3> {
        let radiosity = pulled(cells, radiosity);
        let row = |node: usize| {
            let entries = &self.entries[self.first[node]..self.first[node + 1]];
            entries.iter().fold(Vec3::ZERO, |sum, &(other, factor)| sum + radiosity[other as usize] * factor)
        };
        let mut irradiance: Vec<Vec3> = (0..cells.node_count()).into_par_iter().map(row).collect();
        // Push: a node receives what each of its ancestors does
        for node in cells.finest_first().rev() {
            let from_above = irradiance[node as usize];
            for child in cells.children(node).into_iter().flatten() {
                irradiance[child as usize] += from_above;
            }
        }
        let element = |element: usize| irradiance[cells.node_of_element(element)];
        (0..2 * cells.texels()).map(element).collect()
    }
}

/// Returns the values of all nodes: means over the area of the values of elements.
pub(super) fn pulled(cells: &Cells, elements: &[Vec3]) -> Vec<Vec3> {
    let mut values = vec![Vec3::ZERO; cells.node_count()];
    for (element, value) in elements.iter().enumerate() {
        values[cells.node_of_element(element)] = *value;
    }
    for node in cells.finest_first() {
        let area = cells.node(node).area();
        if let Some(children) = cells.children(node)
            && area > 0.0
        {
            let part = |child: u32| values[child as usize] * cells.node(child).area();
            let [a, b, c, d] = children.map(part);
            values[node as usize] = ((a + b) + (c + d)) / area;
        }
    }
    values
}
