//! What cuts from above have done wrong is mended before the tree is laid out: some subtrees are put elsewhere. Wide layouts then need other choices.

use super::bvh2::Bvh2Node;
use super::forest::{Choice, Forest};
use super::prim_ref::{Lanes, PrimRef};
use super::reinsert::{Linked, Links, NONE};
use super::subtree::push_pair;
use super::{Context, DEEPEST, index};

/// Subtrees that are tried, each time: one in so many, at most so many. More take longer than they bring.
const SHARE: usize = 10;
const MOST: usize = 1 << 20;

/// Whether a limit leaves room: beside the references there are nodes that know their parents, and ordinary ones, or what their layout follows from.
pub(super) fn has_room(refs: usize, nodes: usize, limit: Option<u64>) -> bool {
    let of_node = size_of::<Bvh2Node>() + size_of::<Linked>();
    limit.is_none_or(|limit| (refs * size_of::<PrimRef>() + nodes * of_node) as u64 <= limit)
}

/// The same leaves under better inner nodes; the nodes as they are if the tree would become too deep.
pub(super) fn mend(nodes: Vec<Bvh2Node>, context: &Context<'_>) -> Vec<Bvh2Node> {
    if nodes.len() < 5 {
        return nodes;
    }
    let mut links = linked(&nodes);
    links.improve(SHARE, MOST, context.settings.parallel);
    if links.depth() > DEEPEST {
        return nodes;
    }
    // Three copies would take more memory than the builder
    drop(nodes);
    let mut mended = walked(&links);
    drop(links);
    choose(&mut mended, context);
    mended
}

fn linked(nodes: &[Bvh2Node]) -> Links {
    let link = |node: &Bvh2Node| {
        let children = node.first_child().map_or([NONE; 2], |first| [index(first), index(first + 1)]);
        let (first, count) = node.leaf_range().unwrap_or_default();
        Linked { bounds: node.bounds, parent: NONE, children, first, count }
    };
    let mut linked: Vec<Linked> = nodes.iter().map(link).collect();
    for (at, node) in nodes.iter().enumerate() {
        if let Some(first) = node.first_child() {
            (linked[first].parent, linked[first + 1].parent) = (index(at), index(at));
        }
    }
    Links::new(linked)
}

/// As builders make them, parents before their children, but for choices.
fn walked(links: &Links) -> Vec<Bvh2Node> {
    let mut nodes = Vec::with_capacity(links.nodes.len());
    nodes.push(Bvh2Node::VACANT);
    // Linked nodes, and where they are to be written
    let mut waiting = vec![(0, 0)];
    while let Some((link, at)) = waiting.pop() {
        let &Linked { bounds, children: [left, right], first, count, .. } = links.node(link);
        if left == NONE {
            nodes[at] = Bvh2Node::leaf(bounds, first, count);
            continue;
        }
        let children = push_pair(&mut nodes);
        nodes[at] = Bvh2Node::inner(bounds, index(children), Choice::from_bits(0));
        waiting.extend([(right, children + 1), (left, children)]);
    }
    nodes
}

/// How each inner node is best laid out: see [`Forest`].
fn choose(nodes: &mut [Bvh2Node], context: &Context<'_>) {
    let prices = &context.settings.prices;
    let mut forests = vec![Forest::leaf(0.0, 0, prices); nodes.len()];
    for at in (0..nodes.len()).rev() {
        let bounds = nodes[at].bounds;
        let area = Lanes::from(&bounds).half_area(context.scale);
        forests[at] = match nodes[at].first_child() {
            Some(first) => {
                let (forest, choice) = context.join(area, &forests[first], &forests[first + 1]);
                nodes[at] = Bvh2Node::inner(bounds, index(first), choice);
                forest
            }
            None => Forest::leaf(area, nodes[at].leaf_range().map_or(0, |(_, count)| count as usize), prices),
        };
    }
}
